; What TSX adds to typescript.scm: elements read what they are named after.
(jsx_opening_element name: (_) @read)
(jsx_self_closing_element name: (_) @read)
