"""C, C++ and C#."""

from __future__ import annotations

from loremap.code.grammars.language import Language, Op, Parameter, Shape

_DECLARATORS = {
    "identifier": Shape(Op.NAME),
    "type_identifier": Shape(Op.NAME),
    "field_identifier": Shape(Op.NAME),
    "init_declarator": Shape(Op.INNER, "declarator"),
    "pointer_declarator": Shape(Op.INNER, "declarator"),
    "array_declarator": Shape(Op.INNER, "declarator"),
    "parenthesized_declarator": Shape(Op.INNER),
}
_EXPRESSIONS = {
    "field_expression": Shape(Op.MEMBER, "argument", "field"),
    "call_expression": Shape(Op.CALL, "function"),
    "subscript_expression": Shape(Op.ELEMENT, "argument", "index"),
    "pointer_expression": Shape(Op.INNER, "argument"),
    "parenthesized_expression": Shape(Op.INNER),
    "conditional_expression": Shape(Op.EITHER, "consequence", "alternative"),
    "assignment_expression": Shape(Op.INNER, "right"),
}
_NOISE = r"\b(?:struct|union|enum|class|typename|const|volatile|static|inline|mutable|constexpr)\b"
_CONSTANTS = frozenset({"NULL", "nullptr", "true", "false", "TRUE", "FALSE"})

_C = Language(
    name="c",
    preprocessed=True,
    extensions=(".c",),
    wheel="tree_sitter_c",
    family="c",
    expressions={**_DECLARATORS, **_EXPRESSIONS, "cast_expression": Shape(Op.INNER, "value")},
    parameters={
        "parameter_declaration": Parameter("declarator", "type"),
        "identifier": Parameter(),
    },
    constants=_CONSTANTS,
    separators=(".", "->"),
    self_names=(),
    super_names=(),
    type_noise=_NOISE,
    imports="include",
    package="linked",
)

_CPP_LISTS = (
    "vector list deque set unordered_set multiset array span initializer_list stack queue "
    "basic_string_view iterator forward_list"
).split()
_CPP_MAPS = "map unordered_map multimap".split()
_CPP_HOLDERS = (
    "unique_ptr shared_ptr weak_ptr optional reference_wrapper atomic expected future"
).split()

_MACROS = (
    r"(?<=\bclass )[A-Z][A-Z0-9_]+(?:\([^()\n]*\))?(?=\s+\w+\s*(?:final\s*)?[:{])"
    r"|(?<=\bstruct )[A-Z][A-Z0-9_]+(?:\([^()\n]*\))?(?=\s+\w+\s*(?:final\s*)?[:{])"
    r"|(?m:^)[A-Z][A-Z0-9]*_[A-Z0-9_]+(?=[ \t]+(?:const[ \t]+)?[A-Za-z_][\w:]*[ \t*&]+\w+\()"
    r"|\b[A-Z_]*(?:GUARDED_BY|LOCKS_REQUIRED|LOCKS_EXCLUDED|LOCK_FUNCTION)\([^()\n]*\)"
)
"""What the grammar takes for a type or a call: `class MY_EXPORT Name {`, `MY_API int f(`, and the
annotations of Clang's thread safety."""

_CPP = Language(
    name="cpp",
    preprocessed=True,
    # Headers of C too: its grammar reads them as well as C's own, and C++ has `.h` as often.
    extensions=tuple(
        ".cpp .cc .cxx .c++ .h .hpp .hh .hxx .h++ .ipp .tpp .inl .cppm .ixx .cu .cuh".split()
    ),
    wheel="tree_sitter_cpp",
    overloads=True,
    source_noise=_MACROS,
    family="c",
    expressions={
        **_DECLARATORS,
        **_EXPRESSIONS,
        "this": Shape(Op.NAME),
        "namespace_identifier": Shape(Op.NAME),
        "operator_name": Shape(Op.NAME),
        "reference_declarator": Shape(Op.INNER),
        "qualified_identifier": Shape(Op.MEMBER, "scope", "name"),
        "template_type": Shape(Op.INNER, "name"),
        "template_function": Shape(Op.INNER, "name"),
        "template_method": Shape(Op.INNER, "name"),
        "dependent_type": Shape(Op.INNER),
        "new_expression": Shape(Op.CALL, "type"),
        "cast_expression": Shape(Op.CALL, "type"),
        "type_descriptor": Shape(Op.INNER, "type"),
        "lambda_expression": Shape(Op.FUNCTION),
    },
    parameters={
        "parameter_declaration": Parameter("declarator", "type"),
        "optional_parameter_declaration": Parameter("declarator", "type"),
        "variadic_parameter_declaration": Parameter("declarator", "type", stars="*"),
        "identifier": Parameter(),
    },
    constants=_CONSTANTS,
    separators=(".", "->", "::"),
    super_names=(),
    constructors=("=",),
    implicit_self=True,
    type_noise=_NOISE,
    type_wrappers={
        **dict.fromkeys(_CPP_LISTS, "[]"),
        **dict.fromkeys(_CPP_MAPS, "[]-1"),
        **dict.fromkeys(_CPP_HOLDERS, "first"),
        "auto": "none",
    },
    transparent=frozenset({"get", "value", "lock"}),
    imports="include",
    package="linked",
)

_SHARP_LISTS = (
    "List IList IEnumerable ICollection HashSet ISet Queue Stack IReadOnlyList Collection "
    "IReadOnlyCollection LinkedList ObservableCollection ConcurrentBag ConcurrentQueue "
    "IAsyncEnumerable ImmutableArray ImmutableList ReadOnlyCollection IEnumerator Span Memory"
).split()
_SHARP_MAPS = (
    "Dictionary IDictionary ConcurrentDictionary SortedDictionary IReadOnlyDictionary "
    "ImmutableDictionary ReadOnlyDictionary KeyValuePair"
).split()

_C_SHARP = Language(
    name="c_sharp",
    preprocessed=True,
    extensions=(".cs", ".csx"),
    wheel="tree_sitter_c_sharp",
    overloads=True,
    expressions={
        "identifier": Shape(Op.NAME),
        "this": Shape(Op.NAME),
        "this_expression": Shape(Op.NAME),
        "base": Shape(Op.NAME),
        "base_expression": Shape(Op.NAME),
        "qualified_name": Shape(Op.MEMBER, "qualifier", "name"),
        "generic_name": Shape(Op.ELEMENT, "0", "1"),
        "nullable_type": Shape(Op.INNER, "type"),
        "array_type": Shape(Op.INNER, "type"),
        "primary_constructor_base_type": Shape(Op.INNER, "type"),
        "member_access_expression": Shape(Op.MEMBER, "expression", "name"),
        "conditional_access_expression": Shape(Op.MEMBER, "condition", "1"),
        "invocation_expression": Shape(Op.CALL, "function"),
        "element_access_expression": Shape(Op.ELEMENT, "expression", "subscript"),
        "object_creation_expression": Shape(Op.CALL, "type"),
        "cast_expression": Shape(Op.CALL, "type"),
        "as_expression": Shape(Op.CALL, "right"),
        "parenthesized_expression": Shape(Op.INNER),
        "await_expression": Shape(Op.INNER),
        "postfix_unary_expression": Shape(Op.INNER),
        "conditional_expression": Shape(Op.EITHER, "consequence", "alternative"),
        "assignment_expression": Shape(Op.INNER, "right"),
        "argument": Shape(Op.INNER),
        "lambda_expression": Shape(Op.FUNCTION),
    },
    parameters={
        "parameter": Parameter("name", "type"),
        "implicit_parameter": Parameter(),
        "identifier": Parameter(),
    },
    constants=frozenset({"null", "true", "false", "default"}),
    separators=(".", "?."),
    super_names=("base",),
    constructors=("=",),
    implicit_self=True,
    type_wrappers={
        **dict.fromkeys(_SHARP_LISTS, "[]"),
        **dict.fromkeys(_SHARP_MAPS, "[]-1"),
        **dict.fromkeys(
            "Task ValueTask Lazy Nullable Func WeakReference IOptions".split(), "first"
        ),
        "var": "none",
    },
    transparent=frozenset({"ConfigureAwait"}),
    element_methods=frozenset("First FirstOrDefault Single SingleOrDefault Last Pop Peek".split()),
    same_methods=frozenset("Where ToList ToArray OrderBy Reverse Skip Take".split()),
    each_methods=frozenset("Select Where Any All First FirstOrDefault ForEach Single".split()),
    open_types=True,
    arities=True,
    extension_functions=True,
    outer_packages=True,
    shared_imports=True,
    imports="declared",
    package="declared",
)

LANGUAGES: tuple[Language, ...] = (_C, _CPP, _C_SHARP)
