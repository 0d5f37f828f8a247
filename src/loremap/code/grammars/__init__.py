"""The entries of further languages, one module per family; `languages` gathers them."""
