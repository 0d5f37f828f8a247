"""What calls, bases, reads and imports mean across the files of a project."""

from __future__ import annotations

from collections import Counter

import pytest

from loremap.code.extraction.extract import extract
from loremap.code.facts import FileFacts, qualified_names
from loremap.code.languages import language_of
from loremap.code.project import MemoryProject
from loremap.code.resolution.interface import interface
from loremap.code.resolution.links import Links
from loremap.code.resolution.resolve import Resolver
from loremap.code.resolution.table_cache import LINES_HELD
from loremap.model.code import EdgeKind


def _facts(files: dict[str, str]) -> dict[str, FileFacts]:
    found = {}
    for path, text in files.items():
        language = language_of(path)
        if language is not None:
            found[path] = extract(text.encode(), language)
    return found


def _links(files: dict[str, str], path: str) -> tuple[Links, dict[str, FileFacts]]:
    facts = _facts(files)
    manifests = {path: text.encode() for path, text in files.items() if path not in facts}
    return Resolver(MemoryProject(facts, manifests)).links(path), facts


def edges(files: dict[str, str], path: str, kind: EdgeKind = EdgeKind.CALLS) -> set[str]:
    """The edges of one kind out of a file, as `source > path:target`, the own path left out."""
    links, facts = _links(files, path)
    names = {one: qualified_names(known) for one, known in facts.items()}
    return {
        f"{names[path][edge.source]} > {'' if edge.path == path else edge.path + ':'}"
        f"{names[edge.path][edge.target]}"
        for edge in links.edges
        if edge.kind is kind
    }


PYTHON = {
    "a local hides a module's name": (
        "from b import f\ndef g():\n    f = 1\n    f()\n",
        set(),
    ),
    "an import, and one through a package": (
        "from b import f\nfrom pack import k\nimport pack.inner as i\nf()\nk()\ni.k()\n",
        {" > b.py:f", " > pack/inner.py:k"},
    ),
    "self, bases and super": (
        (
            "from b import Base\n"
            "class A(Base):\n"
            "    def go(self): self.run(); self.own(); super().go()\n"
            "    def own(self): pass\n"
        ),
        {"A.go > b.py:Base.run", "A.go > A.own", "A.go > b.py:Base.go"},
    ),
    "an instance, made or declared": (
        "from b import Base\nx = Base()\nx.run()\ndef f(y: Base): y.go()\n",
        {" > b.py:Base", " > b.py:Base.run", "f > b.py:Base.go"},
    ),
    "an attribute assigned in a method": (
        (
            "from b import Base\nclass A:\n"
            "    def __init__(self): self.b = Base()\n    def go(self): self.b.run()\n"
        ),
        {"A.__init__ > b.py:Base", "A.go > b.py:Base.run"},
    ),
    "the last certain binding wins": (
        "from b import f, g\nx = f\nx = g\nx()\n",
        {" > b.py:g"},
    ),
    "what branches bind is joined": (
        "from b import f, g\nif f:\n    x = f\nelse:\n    x = g\nx()\n",
        {" > b.py:f", " > b.py:g"},
    ),
    "an unknown receiver stays unresolved": ("def f(x): x.run()\n", set()),
    "a name alone is not enough": ("run()\nf()\nBase.run()\n", set()),
    "functions passed on within a file": (
        "from b import f\ndef call(x): x()\ncall(f)\n",
        {"call > b.py:f", " > call"},
    ),
    "a decorator and what it returns": (
        "def d(f):\n    def inner(): f()\n    return inner\n@d\ndef g(): pass\n",
        {" > d", "d.inner > g"},
    ),
    "a property is called where it is read": (
        "class A:\n    @property\n    def p(self): pass\n    def f(self): return self.p\n",
        {"A.f > A.p"},
    ),
    "a class scope is not seen by its methods": (
        "class A:\n    def f(self): g()\n    def g(self): pass\n",
        set(),
    ),
    "loops run the iterator": (
        (
            "class A:\n    def __iter__(self): return self\n    def __next__(self): pass\n"
            "for x in A(): pass\n"
        ),
        {" > A", " > A.__iter__", " > A.__next__"},
    ),
}
PROJECT = {
    "b.py": "def f(): pass\ndef g(): pass\nclass Base:\n    def run(self): pass\n"
    "    def go(self): pass\nLIMIT = 3\n",
    "pack/__init__.py": "from .inner import *\n",
    "pack/inner.py": "def k(): pass\n",
}


@pytest.mark.parametrize(("source", "wanted"), PYTHON.values(), ids=PYTHON)
def test_python_calls(source: str, wanted: set[str]) -> None:
    assert edges({**PROJECT, "a.py": source}, "a.py") == wanted


def test_bases_uses_references_and_imports() -> None:
    files = {**PROJECT, "a.py": "import b\nclass A(b.Base):\n    def f(self): return b.LIMIT\n"}
    assert edges(files, "a.py", EdgeKind.INHERITS) == {"A > b.py:Base"}
    assert edges(files, "a.py", EdgeKind.USES) == {"A.f > b.py:LIMIT"}
    assert edges(files, "a.py", EdgeKind.IMPORTS) == {" > b.py:"}


def test_import_cycles_end() -> None:
    files = {"a.py": "from b import x\nx()\n", "b.py": "from a import x\n"}
    assert edges(files, "a.py") == set()


TYPESCRIPT = {
    "store.ts": "export class Base { keep() {} }\n"
    "export default class Store extends Base {\n"
    "  constructor(private log: Log) { super() }\n"
    "  find(): Item { this.log.write(); this.keep(); return new Item() }\n}\n"
    "export class Item { touch() {} }\ninterface Log { write(): void }\n"
    "export const make = () => new Store(null)\n",
    "index.ts": "export * from './store'\nexport { default as Store } from './store'\n",
}


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("import { make } from './index'\nmake().find().touch()\n",
         {" > store.ts:make", " > store.ts:Store.find", " > store.ts:Item.touch"}),
        ("import { Store } from '.'\nnew Store(x)\n", {" > store.ts:Store.constructor"}),
        ("import S from './store'\nconst f = async (s: Promise<S>) => { (await s).keep() }\n",
         {"f > store.ts:Base.keep"}),
        ("const o = { run() {}, go: () => o.run() }\no.go()\n", {"go > run", " > go"}),
        ("import { Item } from './store'\nfor (const x of [] as Item[]) x.touch()\n",
         {" > store.ts:Item.touch"}),
        ("const { make } = require('./store')\nmake()\n", {" > store.ts:make"}),
        ("import { make } from 'other'\nmake()\n", set()),
    ],
)  # fmt: skip
def test_typescript_calls(source: str, wanted: set[str]) -> None:
    assert edges({**TYPESCRIPT, "a.ts": source}, "a.ts") == wanted


def test_typescript_members() -> None:
    assert edges(TYPESCRIPT, "store.ts") >= {"Store.find > Log.write", "Store.find > Base.keep"}


GO = {
    "go.mod": "module example.com/shop\n",
    "store/types.go": "package store\ntype Base struct{}\ntype Store struct { Base; log Logger }\n"
    "type Logger interface { Log() }\nfunc New() (*Store, error) { return &Store{}, nil }\n",
    "store/base.go": "package store\nfunc (b *Base) Close() {}\n"
    "func (s *Store) Find() *Store { s.log.Log(); helper(); return s }\n",
    "store/helper.go": "package store\nfunc helper() {}\n",
    "store/helper_windows.go": "package store\nfunc helper() {}\n",
    "main.go": 'package main\nimport "example.com/shop/store"\n'
    "func main() { s, _ := store.New(); s.Find().Close(); f := func() {}; f(); helper() }\n",
}


def test_go_calls() -> None:
    assert edges(GO, "main.go") == {
        "main > store/types.go:New",
        "main > store/base.go:Store.Find",
        "main > store/base.go:Base.Close",
        "main > main.<fn2>",
    }
    assert edges(GO, "store/base.go") == {
        "Store.Find > store/types.go:Logger.Log",
        "Store.Find > store/helper.go:helper",
    }


def test_links_say_whom_they_depend_on() -> None:
    links, _ = _links({**PROJECT, "a.py": "from pack import k\nk()\n"}, "a.py")
    assert links.consulted == {"pack/__init__.py", "pack/inner.py"}
    assert links.imports == ["pack/__init__.py"]
    assert (links.calls, links.resolved) == (1, 1)


@pytest.mark.parametrize(
    ("after", "same"),
    [
        ("def f(a):\n    x = 2\n    print(a)\n", True),
        ("\n\ndef f(a):\n    print(a, 1)\n", False),
        ("def f(b):\n    print(a)\n", False),
        ("def f(a):\n    print(a)\n    return g\n", False),
        ("import g\ndef f(a):\n    print(a)\n", False),
    ],
)
def test_an_edit_inside_a_body_leaves_the_interface(after: str, same: bool) -> None:
    before = "def f(a):\n    x = 1\n    print(a)\n"
    seen = [interface(extract(text.encode(), "python")) for text in (before, after)]
    assert (seen[0] == seen[1]) is same


def test_a_changed_file_is_read_anew() -> None:
    facts = _facts({**PROJECT, "a.py": "from b import f\nf()\n"})
    resolver = Resolver(MemoryProject(facts))
    assert resolver.links("a.py").resolved == 1
    facts["b.py"] = extract(b"", "python")
    resolver.forget(["b.py"])
    assert resolver.links("a.py").resolved == 0


@pytest.mark.parametrize("order", [("made.py", "use.py"), ("use.py", "made.py")])
def test_what_was_asked_first_changes_no_link(order: tuple[str, str]) -> None:
    facts = _facts(
        {
            "made.py": (
                "class A:\n    def go(self): pass\n"
                "class B:\n    def go(self): pass\n"
                "kept = {}\n"
                "kept['k'] = A()\n"
                "first = kept['k']\n"
                "kept['k'] = B()\n"
                "first.go()\n"
            ),
            "use.py": "from made import first\nfirst.go()\n",
        }
    )
    resolver = Resolver(MemoryProject(facts))
    links = {path: resolver.links(path) for path in order}
    names = qualified_names(facts["made.py"])
    methods = {
        path: {names[edge.target] for edge in found.edges if "." in names[edge.target]}
        for path, found in links.items()
    }
    assert methods == {"made.py": {"A.go"}, "use.py": {"A.go"}}


class _Counted(MemoryProject):
    """A project that counts how often the facts of each file are asked for."""

    def __init__(self, facts: dict[str, FileFacts]) -> None:
        super().__init__(facts)
        self.asked: Counter[str] = Counter()

    def facts(self, path: str) -> FileFacts | None:
        self.asked[path] += 1
        return super().facts(path)


def test_files_not_asked_for_of_late_are_let_go_and_asked_for_anew() -> None:
    tall = "\n" * LINES_HELD + "def f(): pass\n"
    names = ["one", "two", "three"]
    use = {f"use_{name}.py": f"from {name} import f\nf()\n" for name in names}
    project = _Counted(_facts({f"{name}.py": tall for name in names} | use))
    resolver = Resolver(project)
    first = {path: resolver.links(path) for path in use}
    assert project.asked["one.py"] == 1
    assert {path: resolver.links(path) for path in use} == first
    assert project.asked["one.py"] == 2
    assert [found.resolved for found in first.values()] == [1, 1, 1]
