"""The languages of the Java machine: Java, Kotlin and Scala, which see each other's packages."""

from __future__ import annotations

from loremap.code.grammars.language import Language, Op, Parameter, Shape

_LISTS = (
    "List ArrayList LinkedList Set HashSet LinkedHashSet TreeSet SortedSet Collection Iterable "
    "Iterator Deque Queue ArrayDeque PriorityQueue Stream Stack Vector Array MutableList "
    "MutableSet MutableCollection MutableIterable Sequence Seq IndexedSeq Buffer ArrayBuffer "
    "ListBuffer Traversable"
).split()
_MAPS = (
    "Map HashMap LinkedHashMap TreeMap SortedMap ConcurrentMap ConcurrentHashMap MutableMap"
).split()
_HOLDERS = (
    "Optional Option Some Supplier Provider Lazy AtomicReference WeakReference SoftReference "
    "Future CompletableFuture Callable Try"
).split()
_TYPES = {
    **dict.fromkeys(_LISTS, "[]"),
    **dict.fromkeys(_MAPS, "[]-1"),
    **dict.fromkeys(_HOLDERS, "first"),
    "Class": "type",
    "KClass": "type",
    "var": "none",
}

_JAVA = Language(
    name="java",
    extensions=(".java",),
    wheel="tree_sitter_java",
    overloads=True,
    family="jvm",
    expressions={
        "identifier": Shape(Op.NAME),
        "type_identifier": Shape(Op.NAME),
        "this": Shape(Op.NAME),
        "super": Shape(Op.NAME),
        "scoped_identifier": Shape(Op.MEMBER, "scope", "name"),
        "scoped_type_identifier": Shape(Op.MEMBER, "0", "1"),
        "generic_type": Shape(Op.INNER),
        "array_type": Shape(Op.INNER, "element"),
        "field_access": Shape(Op.MEMBER, "object", "field"),
        "variable_declarator": Shape(Op.INNER, "name"),
        "method_invocation": Shape(Op.METHOD, "object", "name"),
        "array_access": Shape(Op.ELEMENT, "array", "index"),
        "object_creation_expression": Shape(Op.CALL, "type"),
        "cast_expression": Shape(Op.CALL, "type"),
        "parenthesized_expression": Shape(Op.INNER),
        "ternary_expression": Shape(Op.EITHER, "consequence", "alternative"),
        "assignment_expression": Shape(Op.INNER, "right"),
        "lambda_expression": Shape(Op.FUNCTION),
    },
    parameters={
        "formal_parameter": Parameter("name", "type"),
        "spread_parameter": Parameter("1", "0", stars="*"),
        "identifier": Parameter(),
    },
    constants=frozenset({"null", "true", "false"}),
    constructors=("=",),
    implicit_self=True,
    type_noise=r"@\w+(?:\([^)]*\))?|\?\s*(?:extends|super)\b|\bfinal\b",
    type_wrappers=_TYPES,
    transparent=frozenset({"orElse", "orElseThrow", "get"}),
    each_methods=frozenset("forEach map filter anyMatch allMatch noneMatch flatMap".split()),
    same_methods=frozenset("stream values filter sorted distinct".split()),
    imports="declared",
    package="declared",
)

_KOTLIN = Language(
    name="kotlin",
    extensions=(".kt", ".kts"),
    wheel="tree_sitter_kotlin",
    overloads=True,
    trailing_blocks=True,
    constructors_are_inherited=False,
    family="jvm",
    expressions={
        "identifier": Shape(Op.NAME),
        "this_expression": Shape(Op.NAME),
        "super_expression": Shape(Op.NAME),
        "user_type": Shape(Op.INNER),
        "nullable_type": Shape(Op.INNER),
        "navigation_expression": Shape(Op.MEMBER, "0", "1"),
        "call_expression": Shape(Op.CALL, "0"),
        "index_expression": Shape(Op.ELEMENT, "0", "1"),
        "unary_expression": Shape(Op.INNER, "argument"),
        "parenthesized_expression": Shape(Op.INNER),
        "as_expression": Shape(Op.CALL, "right"),
        "binary_expression": Shape(Op.EITHER, "left", "right"),
        "value_argument": Shape(Op.INNER),
        "variable_declaration": Shape(Op.INNER),
        "multi_variable_declaration": Shape(Op.LIST),
        "lambda_literal": Shape(Op.FUNCTION),
        "anonymous_function": Shape(Op.FUNCTION),
    },
    parameters={
        "parameter": Parameter("0", "1"),
        "variable_declaration": Parameter("0", "1"),
    },
    constants=frozenset({"null", "true", "false"}),
    separators=(".", "?."),
    constructors=("constructor",),
    implicit_self=True,
    type_noise=r"\b(?:out|in|suspend|vararg)\b|@\w+",
    type_wrappers=_TYPES,
    implicit_parameters=("it",),
    receivers=True,
    transparent=frozenset({"also", "apply"}),
    self_givers=frozenset({"also", "apply"}),
    element_methods=frozenset("get first last single find firstOrNull lastOrNull".split()),
    same_methods=frozenset("filter sorted toList values reversed drop take".split()),
    open_types=True,
    extension_functions=True,
    imports="declared",
    package="declared",
)

_SCALA = Language(
    name="scala",
    extensions=(".scala", ".sc", ".sbt", ".mill"),
    wheel="tree_sitter_scala",
    overloads=True,
    trailing_blocks=True,
    constructors_are_inherited=False,
    family="jvm",
    expressions={
        "identifier": Shape(Op.NAME),
        "type_identifier": Shape(Op.NAME),
        "operator_identifier": Shape(Op.NAME),
        "stable_identifier": Shape(Op.MEMBER, "0", "1"),
        "stable_type_identifier": Shape(Op.MEMBER, "0", "1"),
        "generic_type": Shape(Op.INNER, "type"),
        "field_expression": Shape(Op.MEMBER, "value", "field"),
        "call_expression": Shape(Op.CALL, "function"),
        "generic_function": Shape(Op.INNER, "function"),
        "instance_expression": Shape(Op.CALL),
        "ascription_expression": Shape(Op.CALL, "1"),
        "parenthesized_expression": Shape(Op.INNER),
        "assignment_expression": Shape(Op.KEYWORD, "left", "right"),
        "lambda_expression": Shape(Op.FUNCTION),
        "tuple_pattern": Shape(Op.LIST),
        "tuple_expression": Shape(Op.LIST),
    },
    parameters={
        "parameter": Parameter("name", "type", "default_value"),
        "binding": Parameter("name", "type"),
        "identifier": Parameter(),
    },
    constants=frozenset({"null", "true", "false"}),
    constructors=("apply", "this"),
    implicit_self=True,
    bare_calls=True,
    extension_functions=True,
    implicit_classes=True,
    nested_packages=True,
    outer_packages=True,
    type_wrappers=_TYPES,
    transparent=frozenset({"get"}),
    imports="declared",
    package="declared",
)

LANGUAGES: tuple[Language, ...] = (_JAVA, _KOTLIN, _SCALA)
