"""Python."""

from __future__ import annotations

import builtins

from loremap.code.grammars.language import Language, Op, Parameter, Shape

_TYPES = {
    **dict.fromkeys(
        "Optional Union Annotated Final ClassVar Required NotRequired Awaitable Coroutine".split(),
        "",
    ),
    **dict.fromkeys(
        "list List set Set frozenset FrozenSet tuple Tuple Sequence MutableSequence Iterable "
        "Iterator Collection deque Deque Generator AsyncIterator AsyncIterable AsyncGenerator "
        "AbstractSet MutableSet".split(),
        "[]",
    ),
    **dict.fromkeys(
        "dict Dict Mapping MutableMapping defaultdict DefaultDict OrderedDict".split(), "[]-1"
    ),
    "type": "type",
    "Type": "type",
    "Callable": "()-1",
}

PYTHON = Language(
    name="python",
    extensions=(".py", ".pyi", ".pyw"),
    filenames=("SConstruct", "SConscript", "wscript"),
    wheel="tree_sitter_python",
    expressions={
        "identifier": Shape(Op.NAME),
        "attribute": Shape(Op.MEMBER, "object", "attribute"),
        "call": Shape(Op.CALL, "function"),
        "subscript": Shape(Op.ELEMENT, "value", "subscript"),
        "parenthesized_expression": Shape(Op.INNER),
        "await": Shape(Op.INNER),
        "named_expression": Shape(Op.INNER, "value"),
        "assignment": Shape(Op.INNER, "right"),
        "as_pattern_target": Shape(Op.INNER),
        "conditional_expression": Shape(Op.EITHER, "0", "2"),
        "boolean_operator": Shape(Op.EITHER, "left", "right"),
        "list": Shape(Op.LIST),
        "tuple": Shape(Op.LIST),
        "set": Shape(Op.LIST),
        "expression_list": Shape(Op.LIST),
        "pattern_list": Shape(Op.LIST),
        "tuple_pattern": Shape(Op.LIST),
        "list_pattern": Shape(Op.LIST),
        "list_splat": Shape(Op.SPREAD),
        "list_splat_pattern": Shape(Op.SPREAD),
        "dictionary_splat": Shape(Op.SPREAD),
        "dictionary": Shape(Op.RECORD),
        "pair": Shape(Op.PAIR, "key", "value"),
        "list_comprehension": Shape(Op.EACH, "body"),
        "set_comprehension": Shape(Op.EACH, "body"),
        "generator_expression": Shape(Op.EACH, "body"),
        "lambda": Shape(Op.FUNCTION),
        "keyword_argument": Shape(Op.KEYWORD, "name", "value"),
        "string": Shape(Op.LITERAL),
        "integer": Shape(Op.LITERAL),
    },
    parameters={
        "identifier": Parameter(),
        "default_parameter": Parameter("name", "", "value"),
        "typed_parameter": Parameter("0", "type"),
        "typed_default_parameter": Parameter("name", "type", "value"),
        "list_splat_pattern": Parameter("0", stars="*"),
        "dictionary_splat_pattern": Parameter("0", stars="**"),
    },
    constants=frozenset({"None", "True", "False", "Ellipsis", "NotImplemented"}),
    self_names=(),
    self_is_first_parameter=True,
    constructors=("__init__", "__new__"),
    docstrings=True,
    type_wrappers=_TYPES,
    imports="python",
    properties=("property", "cached_property"),
    builtins=frozenset(dir(builtins)),
    iteration=(".__iter__", ".__iter__().__next__"),
    entering=".__enter__()",
)

LANGUAGES: tuple[Language, ...] = (PYTHON,)
