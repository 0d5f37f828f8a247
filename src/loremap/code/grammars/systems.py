"""Rust and Swift."""

from __future__ import annotations

from loremap.code.grammars.language import Language, Op, Parameter, Shape

_RUST_LISTS = (
    "Vec VecDeque HashSet BTreeSet BinaryHeap LinkedList Iterator IntoIterator SmallVec IndexSet"
).split()
_RUST_MAPS = "HashMap BTreeMap IndexMap".split()
_RUST_HOLDERS = (
    "Option Result Box Rc Arc RefCell Cell Mutex RwLock Cow Pin Weak OnceCell OnceLock LazyLock "
    "MutexGuard RwLockReadGuard RwLockWriteGuard Ref RefMut NonNull MaybeUninit ManuallyDrop "
    "JoinHandle ThinVec Poll"
).split()

_RUST = Language(
    name="rust",
    extensions=(".rs",),
    wheel="tree_sitter_rust",
    expressions={
        "identifier": Shape(Op.NAME),
        "type_identifier": Shape(Op.NAME),
        "self": Shape(Op.NAME),
        "super": Shape(Op.NAME),
        "crate": Shape(Op.NAME),
        "scoped_identifier": Shape(Op.MEMBER, "path", "name"),
        "scoped_type_identifier": Shape(Op.MEMBER, "path", "name"),
        "generic_type": Shape(Op.INNER, "type"),
        "generic_type_with_turbofish": Shape(Op.INNER, "type"),
        "generic_function": Shape(Op.INNER, "function"),
        "reference_type": Shape(Op.INNER, "type"),
        "field_expression": Shape(Op.MEMBER, "value", "field"),
        "call_expression": Shape(Op.CALL, "function"),
        "index_expression": Shape(Op.ELEMENT, "0", "1"),
        "struct_expression": Shape(Op.CALL, "name"),
        "try_expression": Shape(Op.INNER),
        "await_expression": Shape(Op.INNER),
        "reference_expression": Shape(Op.INNER, "value"),
        "unary_expression": Shape(Op.INNER),
        "parenthesized_expression": Shape(Op.INNER),
        "type_cast_expression": Shape(Op.INNER, "value"),
        "closure_expression": Shape(Op.FUNCTION),
        "tuple_pattern": Shape(Op.LIST),
        "tuple_expression": Shape(Op.LIST),
        "mut_pattern": Shape(Op.INNER, "1"),
        "ref_pattern": Shape(Op.INNER),
        "reference_pattern": Shape(Op.INNER),
        "macro_invocation": Shape(Op.MACRO, "macro"),
    },
    parameters={
        "parameter": Parameter("pattern", "type"),
        "identifier": Parameter(),
    },
    constants=frozenset({"true", "false", "None", "_"}),
    separators=(".", "::"),
    self_names=("self",),
    super_names=(),
    class_names=("Self",),
    type_noise=r"'\w+|\b(?:mut|dyn|impl|const|unsafe|extern|for)\b|\"\w*\"|\b\w+\s*=(?!>)",
    type_wrappers={
        **dict.fromkeys(_RUST_LISTS, "[]"),
        **dict.fromkeys(_RUST_MAPS, "[]-1"),
        **dict.fromkeys(_RUST_HOLDERS, "first"),
    },
    transparent=frozenset(
        "unwrap expect clone as_ref as_mut borrow borrow_mut to_owned iter iter_mut into_iter "
        "unwrap_or_default unwrap_or_else lock as_deref as_deref_mut cloned copied ok take "
        "ok_or ok_or_else map_err context with_context".split()
    ),
    element_methods=frozenset("get get_mut first last next pop remove nth peek".split()),
    same_methods=frozenset("filter rev values values_mut skip drain".split()),
    each_methods=frozenset(
        "map for_each filter find any all filter_map flat_map position inspect".split()
    ),
    fields_apart=True,
    imports="rust",
    package="linked",
)

_SWIFT = Language(
    name="swift",
    extensions=(".swift",),
    wheel="tree_sitter_swift",
    overloads=True,
    trailing_blocks=True,
    expressions={
        "simple_identifier": Shape(Op.NAME),
        "identifier": Shape(Op.NAME),
        "type_identifier": Shape(Op.NAME),
        "self_expression": Shape(Op.NAME),
        "super_expression": Shape(Op.NAME),
        "user_type": Shape(Op.INNER),
        "optional_type": Shape(Op.INNER, "wrapped"),
        "navigation_expression": Shape(Op.MEMBER, "target", "suffix"),
        "call_expression": Shape(Op.CALL, "0"),
        "constructor_expression": Shape(Op.CALL, "0"),
        "postfix_expression": Shape(Op.INNER, "target"),
        "try_expression": Shape(Op.INNER, "expr"),
        "await_expression": Shape(Op.INNER, "expr"),
        "tuple_expression": Shape(Op.INNER, "value"),
        "as_expression": Shape(Op.CALL, "2"),
        "nil_coalescing_expression": Shape(Op.EITHER, "value", "if_nil"),
        "directly_assignable_expression": Shape(Op.INNER),
        "value_argument": Shape(Op.INNER, "value"),
        "lambda_literal": Shape(Op.FUNCTION),
        "pattern": Shape(Op.INNER),
    },
    constants=frozenset({"nil", "true", "false"}),
    separators=(".", "?."),
    self_names=("self",),
    class_names=("Self",),
    constructors=("init",),
    implicit_self=True,
    implicit_parameters=("$0", "$1", "$2"),
    type_noise=r"\b(?:inout|some|any|borrowing|consuming)\b|@\w+",
    type_wrappers={
        **dict.fromkeys("Array Set ArraySlice Sequence Collection".split(), "[]"),
        **dict.fromkeys(("Dictionary",), "[]-1"),
        **dict.fromkeys("Optional Result Weak Published State Binding".split(), "first"),
    },
    open_types=True,
    package="all",
)

LANGUAGES: tuple[Language, ...] = (_RUST, _SWIFT)
