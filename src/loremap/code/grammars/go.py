"""Go."""

from __future__ import annotations

from loremap.code.grammars.language import Language, Op, Parameter, Shape

GO = Language(
    name="go",
    extensions=(".go",),
    wheel="tree_sitter_go",
    expressions={
        "identifier": Shape(Op.NAME),
        "field_identifier": Shape(Op.NAME),
        "package_identifier": Shape(Op.NAME),
        "type_identifier": Shape(Op.NAME),
        "blank_identifier": Shape(Op.LITERAL),
        "selector_expression": Shape(Op.MEMBER, "operand", "field"),
        "qualified_type": Shape(Op.MEMBER, "package", "name"),
        "call_expression": Shape(Op.CALL, "function"),
        "index_expression": Shape(Op.ELEMENT, "operand", "index"),
        "slice_expression": Shape(Op.INNER, "operand"),
        "parenthesized_expression": Shape(Op.INNER),
        "unary_expression": Shape(Op.INNER, "operand"),
        "pointer_type": Shape(Op.INNER),
        "generic_type": Shape(Op.INNER, "type"),
        "type_instantiation_expression": Shape(Op.INNER, "type"),
        "composite_literal": Shape(Op.TYPED, "type"),
        "type_assertion_expression": Shape(Op.TYPED, "type"),
        "type_conversion_expression": Shape(Op.TYPED, "type"),
        "expression_list": Shape(Op.TUPLE),
        "func_literal": Shape(Op.FUNCTION),
        "interpreted_string_literal": Shape(Op.LITERAL),
        "int_literal": Shape(Op.LITERAL),
        "literal_element": Shape(Op.INNER),
    },
    parameters={
        "parameter_declaration": Parameter("name", "type"),
        "variadic_parameter_declaration": Parameter("name", "type", stars="*"),
    },
    constants=frozenset({"nil", "true", "false", "iota", "_"}),
    self_names=(),
    super_names=(),
    type_wrappers={"map": "map", "chan": "chan", "func": "func"},
    makers=("new", "make"),
    imports="go",
    package="folder",
    embeds=True,
    declared_first=True,
    types_are_called=False,
    builtins=frozenset(
        "append cap clear close complex copy delete imag len make max min new panic print println "
        "real recover".split()
    ),
)

LANGUAGES: tuple[Language, ...] = (GO,)
