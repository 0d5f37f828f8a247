"""JavaScript, TypeScript and TSX: one syntax, the latter two with types."""

from __future__ import annotations

from dataclasses import replace

from loremap.code.grammars.language import Language, Op, Parameter, Shape

_TYPES = {
    **dict.fromkeys(
        "Promise PromiseLike Awaited Readonly Partial Required NonNullable MaybePromise".split(), ""
    ),
    **dict.fromkeys(
        "Array ReadonlyArray Set ReadonlySet Iterable Iterator Generator AsyncGenerator "
        "AsyncIterable IterableIterator AsyncIterableIterator".split(),
        "[]",
    ),
    **dict.fromkeys("Map ReadonlyMap WeakMap Record".split(), "[]-1"),
    "Pick": "[]-9",
    "Omit": "[]-9",
}

_EXPRESSIONS = {
    "identifier": Shape(Op.NAME),
    "property_identifier": Shape(Op.NAME),
    "private_property_identifier": Shape(Op.NAME),
    "shorthand_property_identifier": Shape(Op.SHORT),
    "shorthand_property_identifier_pattern": Shape(Op.SHORT),
    "this": Shape(Op.NAME),
    "super": Shape(Op.NAME),
    "member_expression": Shape(Op.MEMBER, "object", "property"),
    "nested_identifier": Shape(Op.MEMBER, "object", "property"),
    "call_expression": Shape(Op.CALL, "function"),
    "new_expression": Shape(Op.CALL, "constructor"),
    "subscript_expression": Shape(Op.ELEMENT, "object", "index"),
    "parenthesized_expression": Shape(Op.INNER),
    "await_expression": Shape(Op.INNER),
    "non_null_expression": Shape(Op.INNER),
    "as_expression": Shape(Op.CAST, "0", "1"),
    "satisfies_expression": Shape(Op.INNER, "0"),
    "type_assertion": Shape(Op.CAST, "1", "0"),
    "instantiation_expression": Shape(Op.INNER),
    "assignment_expression": Shape(Op.INNER, "right"),
    "ternary_expression": Shape(Op.EITHER, "consequence", "alternative"),
    "binary_expression": Shape(Op.OR, "left", "right"),
    "array": Shape(Op.LIST),
    "array_pattern": Shape(Op.LIST),
    "object": Shape(Op.OBJECT),
    "object_pattern": Shape(Op.OBJECT),
    "pair": Shape(Op.PAIR, "key", "value"),
    "pair_pattern": Shape(Op.PAIR, "key", "value"),
    "assignment_pattern": Shape(Op.INNER, "left"),
    "object_assignment_pattern": Shape(Op.INNER, "left"),
    "spread_element": Shape(Op.SPREAD),
    "rest_pattern": Shape(Op.SPREAD),
    "arrow_function": Shape(Op.FUNCTION),
    "function_expression": Shape(Op.FUNCTION),
    "generator_function": Shape(Op.FUNCTION),
    "method_definition": Shape(Op.FUNCTION),
    "class": Shape(Op.FUNCTION),
    "string": Shape(Op.LITERAL),
    "number": Shape(Op.LITERAL),
    "template_string": Shape(Op.LITERAL),
}

JAVASCRIPT = Language(
    name="javascript",
    extensions=(".js", ".jsx", ".mjs", ".cjs"),
    filenames=("Jakefile",),
    wheel="tree_sitter_javascript",
    expressions=_EXPRESSIONS,
    parameters={
        "identifier": Parameter(),
        "assignment_pattern": Parameter("left", "", "right"),
        "rest_pattern": Parameter("0", stars="*"),
        "object_pattern": Parameter(),
        "array_pattern": Parameter(),
    },
    constants=frozenset({"null", "undefined", "true", "false", "NaN", "Infinity"}),
    separators=(".", "?."),
    constructors=("constructor",),
    requires=("require", "import"),
    element_methods=frozenset("get find findLast at pop shift".split()),
    same_methods=frozenset(
        "filter slice sort toSorted reverse toReversed concat splice values".split()
    ),
    each_methods=frozenset(
        "map forEach filter find findLast findIndex some every flatMap sort toSorted".split()
    ),
    type_wrappers=_TYPES,
    imports="script",
    last_one_runs=True,
)

TYPESCRIPT = replace(
    JAVASCRIPT,
    name="typescript",
    extensions=(".ts", ".mts", ".cts"),
    filenames=(),
    wheel="tree_sitter_typescript",
    grammar="language_typescript",
    expressions={
        **_EXPRESSIONS,
        "type_identifier": Shape(Op.NAME),
        "nested_type_identifier": Shape(Op.MEMBER, "module", "name"),
        "generic_type": Shape(Op.INNER, "name"),
        "type_query": Shape(Op.INNER),
    },
    parameters={
        "required_parameter": Parameter("pattern", "type", "value"),
        "optional_parameter": Parameter("pattern", "type", "value"),
        "rest_pattern": Parameter("0", stars="*"),
        "identifier": Parameter(),
    },
)

TSX = replace(
    TYPESCRIPT, name="tsx", extensions=(".tsx",), grammar="language_tsx", extends="typescript"
)

LANGUAGES: tuple[Language, ...] = (JAVASCRIPT, TYPESCRIPT, TSX)
