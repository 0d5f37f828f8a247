"""What is said of a language: its files, its grammar, and how its syntax is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, auto
from typing import NamedTuple


class Op(IntEnum):
    """What a kind of node does in an expression."""

    NAME = auto()
    """A name; its text is the chain."""
    MEMBER = auto()
    """`first` has the member `second`."""
    CALL = auto()
    """Calls `first`."""
    METHOD = auto()
    """Calls the member `second` of `first`, or the function `second` where there is no `first`."""
    OWN = auto()
    """A member of `self` that is written as a name with a mark before it."""
    ELEMENT = auto()
    """Takes the element `second` of `first`."""
    INNER = auto()
    """Is worth what `first` (or else its first named child) is worth."""
    EITHER = auto()
    """Is worth one of the fields `first` and `second`, or else of its named children."""
    LIST = auto()
    """Holds its named children by position."""
    RECORD = auto()
    """Holds pairs: see PAIR; members are said as `[key]`."""
    OBJECT = auto()
    """Holds pairs and functions; members are said as `.key`."""
    PAIR = auto()
    """Inside RECORD and OBJECT: `first` is the key and `second` the value."""
    SHORT = auto()
    """Inside OBJECT: a name that is both key and value."""
    EACH = auto()
    """A comprehension: every element is worth `first`."""
    FUNCTION = auto()
    """A function without a name of its own, or one that has one, used as a value."""
    OR = auto()
    """EITHER where the operator is one of `or`, `||`, `??`; else no value."""
    TUPLE = auto()
    """LIST of several, or just the one expression it holds."""
    TYPED = auto()
    """Is worth a value of the type in `first`."""
    CAST = auto()
    """Is worth `first`, said to be of the type `second`."""
    KEYWORD = auto()
    """Among arguments: `first` is the parameter's name and `second` the value."""
    SPREAD = auto()
    """Among elements or arguments: what follows has no known position."""
    LITERAL = auto()
    """A text or number that can be a key."""
    MACRO = auto()
    """Calls the macro `first` with the tokens that follow it."""


class Shape(NamedTuple):
    """How one kind of node is read; `first` and `second` name its fields."""

    op: Op
    first: str = ""
    second: str = ""


class Parameter(NamedTuple):
    """Where a parameter node keeps its parts; an empty field name means the node itself."""

    name: str = ""
    type: str = ""
    value: str = ""
    stars: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """Everything the engine must know of one language that its query file does not say."""

    name: str
    extensions: tuple[str, ...]
    filenames: tuple[str, ...] = ()
    wheel: str
    grammar: str = "language"
    extends: str = ""
    """The language whose query file holds for this one too, before its own."""
    expressions: Mapping[str, Shape]
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    constants: frozenset[str] = frozenset()
    """Words that look like names and are values."""
    separators: tuple[str, ...] = (".",)
    """What joins an owner to its member; all become a full stop in chains."""
    marks: str = "$#@"
    """What a name may begin with beside letters; with none of them names are read by node."""
    sigils: Mapping[str, str] = field(default_factory=dict)
    """Marks before names, and what chains say in their place."""
    self_names: tuple[str, ...] = ("this",)
    self_is_first_parameter: bool = False
    super_names: tuple[str, ...] = ("super",)
    constructors: tuple[str, ...] = ()
    """Names of the methods that run when a class is called; `=` is the class's own name."""
    constructors_are_inherited: bool = True
    maker: str = ""
    """The method of every class that makes an instance of it."""
    class_names: tuple[str, ...] = ()
    """Names of the class around, as `Self`."""
    implicit_self: bool = False
    """Whether a bare name inside a method may be a member of its class."""
    class_scope_is_seen: bool = False
    """Whether functions inside a class see its names bare, without being members."""
    docstrings: bool = False
    """Whether the doc is the first text in the body; else the comment above."""
    type_wrappers: Mapping[str, str] = field(default_factory=dict)
    """Generic types that stand for their argument: to what of the value the argument applies."""
    type_noise: str = ""
    """A pattern of what is left out of a type before it is read."""
    transparent: frozenset[str] = frozenset()
    """Methods whose result is worth what they are called on, as `unwrap`."""
    element_methods: frozenset[str] = frozenset()
    """Methods of containers that give one of their elements, as `get` of a map."""
    same_methods: frozenset[str] = frozenset()
    """Methods of containers that give one with the same elements, as `filter`."""
    each_methods: frozenset[str] = frozenset()
    """Methods of containers that call the function they are given with each element."""
    implicit_parameters: tuple[str, ...] = ()
    """Names of the parameters of a function without a name that declares none, as `it`."""
    receivers: bool = False
    """Whether a function without a name may be called on an object, whose members it sees bare."""
    self_givers: frozenset[str] = frozenset()
    """Functions that, called on nothing, give the object of the method around, as `apply`."""
    overloads: bool = False
    """Whether functions of one scope may share a name, told apart by what they are given."""
    trailing_blocks: bool = False
    """Whether a call may be given a function after, or without, its brackets."""
    bare_calls: bool = False
    """Whether a method is called without brackets too."""
    open_types: bool = False
    """Whether several files may each write a part of one type."""
    arities: bool = False
    """Whether types that take parameters and those that take none may share a name."""
    shared_imports: bool = False
    """Whether an import may hold in every file of a project."""
    outer_packages: bool = False
    """Whether a package sees the names of those that its own name begins with."""
    extension_functions: bool = False
    """Whether functions written outside a type are called on its values where they are seen."""
    implicit_classes: bool = False
    """Whether a class may add its methods to the values that it is given one of."""
    nested_packages: bool = False
    """Whether packages are named from inside others, so that their names may be relative, and all
    members of a value may be imported."""
    source_noise: str = ""
    """A pattern of what is blanked before parsing: words that a preprocessor takes out."""
    preprocessed: bool = False
    """Whether a file may hold lines for a preprocessor, as `#if`."""
    base_calls: frozenset[str] = frozenset()
    """Functions that make the class that calls them inherit what they are given."""
    import_calls: Mapping[str, str] = field(default_factory=dict)
    """Functions that import the file they are given, and what is put before its name."""
    imports: str = "none"
    """Which strategy of `imports` finds the file an import means."""
    package: str = "file"
    """Who sees a top-level name without import: its file, its folder, its declared package, all.
    With `linked` none does, but what is declared here may be defined in any file."""
    capitals_are_shared: bool = False
    """Whether of a package's names other files see only those that begin with a capital, and in
    code outside all types the functions."""
    named_after_types: bool = False
    """Whether a parameter whose type nobody writes is taken to be of the type it is named after."""
    family: str = ""
    """Under which name it shares packages with other languages; its own by default."""
    properties: tuple[str, ...] = ()
    """Decorators that make a method run where it is read."""
    builtins: frozenset[str] = frozenset()
    requires: tuple[str, ...] = ()
    """Functions that give the module named by their first argument."""
    makers: tuple[str, ...] = ()
    """Functions that give a value of the type written as their first argument."""
    last_one_runs: bool = False
    """Whether of functions that share a scope and a name the last runs, whatever is given."""
    types_are_called: bool = True
    """Whether calling a type makes a new object, rather than converts one."""
    fields_apart: bool = False
    """Whether a field and a method of one type may have the same name."""
    embeds: bool = False
    """Whether a base is also a member under its own name."""
    declared_first: bool = False
    """Whether a local name means what is outside up to where it is declared, and the members of a
    type are never seen bare, not even in the type itself."""
    iteration: tuple[str, ...] = ()
    """What a loop calls on what it loops over."""
    entering: str = ""
    """What a `with` statement does to the value it binds."""
