"""Commands and conventions of labelled repositories, as the product tells them."""
