"""Calls from one file into another, in the shapes that real repositories write them."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from loremap.code.extraction.extract import extract
from loremap.code.facts import qualified_names
from loremap.code.languages import language_of
from loremap.code.project import MemoryProject
from loremap.code.resolution.resolve import Resolver
from loremap.model.code import EdgeKind


def calls(files: Mapping[str, str]) -> set[str]:
    """All calls of a project, as `path name > path name`; the file itself is `-`."""
    sources = {path: text.encode() for path, text in files.items()}
    facts = {
        path: extract(text, language)
        for path, text in sources.items()
        if (language := language_of(path))
    }
    manifests = {path: text for path, text in sources.items() if path not in facts}
    resolver = Resolver(MemoryProject(facts, manifests))
    names = {path: qualified_names(one) for path, one in facts.items()}
    return {
        f"{path} {_shown(names[path][edge.source])} > {edge.path} {names[edge.path][edge.target]}"
        for path in facts
        for edge in resolver.links(path).edges
        if edge.kind is EdgeKind.CALLS
    }


def _shown(name: str) -> str:
    """A source by the nearest name around it."""
    return re.sub(r"\.?<fn\d+>", "", name) or "-"


Case = tuple[Mapping[str, str], set[str]]
"""The files of a project, and the calls that are found between them: these and no others."""

C_SHARP: Mapping[str, Case] = {
    "the global namespace is seen from all others": (
        {
            "Guard.cs": "static class Guard { public static void Not(object x) {} }\n",
            "A.cs": "namespace A.B;\nclass C { void M() { Guard.Not(null); } }\n",
        },
        {"A.cs C.M > Guard.cs Guard.Not"},
    ),
    "a file belongs to the namespace that most of it stands in": (
        {
            "Guard.cs": (
                "namespace Small { class X {} }\n"
                "static class Guard { public static void Not(object argument) { } }\n"
            ),
            "A.cs": "namespace A { namespace B { class C { void M() { Guard.Not(null); } } } }\n",
            "D.cs": "using A.B;\nclass D { void M(C c) { c.M(); } }\n",
        },
        {"A.cs C.M > Guard.cs Guard.Not", "D.cs D.M > A.cs C.M"},
    ),
    "global usings hold in every file of their project and in no other": (
        {
            "src/One/One.csproj": "<Project />",
            "src/One/Properties/Usings.cs": "global using Lib.Core;\n",
            "src/One/Use.cs": "namespace One;\nclass Use { void M() { new Thing().Go(); } }\n",
            "src/Two/Two.csproj": "<Project />",
            "src/Two/Use.cs": "namespace Two;\nclass Use { void M() { new Thing().Go(); } }\n",
            "lib/Thing.cs": "namespace Lib.Core;\nclass Thing { public void Go() {} }\n",
        },
        {
            "src/One/Use.cs Use.M > lib/Thing.cs Thing",
            "src/One/Use.cs Use.M > lib/Thing.cs Thing.Go",
        },
    ),
    "a project's file says what is used in it": (
        {
            "One/One.csproj": (
                '<Project><Using Include="Lib.Core" />'
                '<Using Include="Lib.Tools" Static="true" /></Project>'
            ),
            "One/Use.cs": "namespace One;\nclass Use { void M(Thing t) { t.Go(); Tool(); } }\n",
            "Lib/Thing.cs": "namespace Lib.Core;\nclass Thing { public void Go() {} }\n",
            "Lib/Tools.cs": "namespace Lib;\nstatic class Tools { public static void Tool() {} }\n",
        },
        {"One/Use.cs Use.M > Lib/Thing.cs Thing.Go", "One/Use.cs Use.M > Lib/Tools.cs Tools.Tool"},
    ),
    "extension methods": (
        {
            "Ext.cs": (
                "namespace Lib;\nstatic class Ext {\n"
                "  public static int Size(this Thing t, int by) => by;\n"
                "  public static int Size(this Thing t) => 1;\n"
                "  public static int Far(this string t) => 1;\n}\nclass Thing {}\n"
            ),
            "A.cs": (
                "using Lib;\nclass A { void M(Thing t, string s, Other o) {"
                " t.Size(2); s.Far(); o.Size(1); t.Far(); } }\nclass Other {}\n"
            ),
            "B.cs": "class B { void M(Lib.Thing t) { t.Size(); } }\n",
        },
        {"A.cs A.M > Ext.cs Ext.Size", "A.cs A.M > Ext.cs Ext.Far"},
    ),
    "constructors of the base and of the class itself": (
        {
            "Base.cs": "class Base { public Base(int a) {} }\nclass First(int a) : Base(a) {}\n",
            "A.cs": (
                "class A : Base {\n  A(int a) : base(a) {}\n  A() : this(1) {}\n"
                "  Base made = new(1);\n}\n"
            ),
        },
        {
            "Base.cs First > Base.cs Base.Base",
            "A.cs A.A > Base.cs Base.Base",
            "A.cs A.A#2 > A.cs A.A",
            "A.cs A > Base.cs Base.Base",
        },
    ),
}  # fmt: skip

KOTLIN: Mapping[str, Case] = {
    "extension functions, imported, renamed or of the same package": (
        {
            "a/Ext.kt": (
                "package a\nfun <T> T.lint(): Int where T : Any = 1\n"
                "fun Thing?.fix() {}\nfun String.far() {}\n"
            ),
            "a/Thing.kt": (
                "package a\nclass Thing\nfun f(t: Thing, s: String) { t.fix(); s.far() }\n"
            ),
            "b/Use.kt": (
                "package b\nimport a.lint\nimport a.fix as mend\nimport a.Thing\n"
                "class Other\nfun g(t: Thing, o: Other) { t.lint(); t.mend(); t.far(); o.mend() }\n"
            ),
        },
        {
            "a/Thing.kt f > a/Ext.kt Thing.fix",
            "a/Thing.kt f > a/Ext.kt String.far",
            "b/Use.kt g > a/Ext.kt T.lint",
            "b/Use.kt g > a/Ext.kt Thing.fix",
        },
    ),
    "a list of things is not a thing": (
        {
            "a.kt": "package a\nclass Thing\nfun List<Thing>.all() {}\n",
            "b.kt": "package a\nfun g(t: Thing) { t.all() }\n",
        },
        {"b.kt g > a.kt List.all"},
    ),
    "members of a companion are imported through it": (
        {
            "a.kt": "package a\nclass Box {\n companion object {\n  fun boxOf() = Box()\n }\n}\n",
            "b.kt": "package b\nimport a.Box.Companion.boxOf\nfun g() { boxOf() }\n",
        },
        {"a.kt Box.boxOf > a.kt Box", "b.kt g > a.kt Box.boxOf"},
    ),
    "a method that applies gives its object": (
        {
            "a.kt": "package a\nclass B { fun x() = apply { y() }\n  fun y() {} }\n",
            "b.kt": "package a\nfun g(b: B) { b.x().y() }\n",
        },
        {"a.kt B.x > a.kt B.y", "b.kt g > a.kt B.x", "b.kt g > a.kt B.y"},
    ),
    "one statement that the grammar does not know does not cost the rest of the file": (
        {
            "a.kt": (
                "package a\nclass Settings {\n  private var set: Int = 0\n"
                "  fun put(id: Int) {\n    val bit = 1 shl id\n    set = set or bit\n"
                "    for (one in 0..10) { merge(one) }\n  }\n"
                + "".join(f"  fun isSet{n}(id: Int): Boolean = id == {n}\n" for n in range(8))
                + "  fun merge(id: Int) { isSet7(id) }\n}\n"
            ),
            "b.kt": "package a\nfun g(s: Settings) { s.merge(1) }\n",
        },
        {
            "a.kt Settings.put > a.kt Settings.merge",
            "a.kt Settings.merge > a.kt Settings.isSet7",
            "b.kt g > a.kt Settings.merge",
        },
    ),
}  # fmt: skip

SCALA: Mapping[str, Case] = {
    "imports named from a package around, and several package clauses": (
        {
            "a.scala": "package a.b\nobject Ops {\n  def op(x: Int): Int = x\n}\n",
            "b.scala": "package a.b.c\nobject Far {\n  def far(x: Int): Int = x\n}\n",
            "use.scala": (
                "package a\npackage b\nimport Ops._\nimport c.Far\n"
                "class Use {\n  def f = op(1)\n  def g = Far.far(1)\n}\n"
            ),
        },
        {"use.scala Use.f > a.scala Ops.op", "use.scala Use.g > b.scala Far.far"},
    ),
    "all members of a value, and what a second list of parameters gives": (
        {
            "t.scala": "package a\nclass Tokens {\n  def head(x: Int): Int = x\n}\n",
            "use.scala": (
                "package a\nclass Use(val tokens: Tokens) {\n  import tokens._\n"
                "  def f = head(1)\n  def g(x: Int)(implicit t: Tokens): Int = t.head(x)\n}\n"
            ),
        },
        {"use.scala Use.f > t.scala Tokens.head", "use.scala Use.g > t.scala Tokens.head"},
    ),
    "a package object's members are the package's": (
        {
            "p.scala": "package a\npackage object b {\n  def help(x: Int): Int = x\n}\n",
            "k.scala": "package a.b\nobject K {\n  def k(x: Int): Int = help(x)\n}\n",
            "use.scala": "package z\nclass Use {\n  def f = a.b.K.k(1)\n}\n",
        },
        {"k.scala K.k > p.scala b.help", "use.scala Use.f > k.scala K.k"},
    ),
}

BASH: Mapping[str, Case] = {
    "sourced through a variable, a command or a name given before": (
        {
            "lib/log.sh": 'log() { echo "$1"; }\n',
            "lib/net.sh": "fetch() { curl x; }\n",
            "lib/say.sh": "say() { echo x; }\n",
            "bin/run.sh": (
                'source "${ROOT}/lib/log.sh"\nutils="$(dirname "$0")/../lib/net.sh"\n. "$utils"\n'
                '. "$(cd "$(dirname "$0")/.." && pwd)/lib/say.sh"\n'
                "main() { log x | cat; y=$(fetch); }\nmain\nif say; then :; fi\n"
            ),
        },
        {
            "bin/run.sh main > lib/log.sh log",
            "bin/run.sh main > lib/net.sh fetch",
            "bin/run.sh - > bin/run.sh main",
            "bin/run.sh - > lib/say.sh say",
        },
    ),
    "what a test loads, and what a library takes from those who source it": (
        {
            "test/helper.bash": "assert_it() { check_it; }\n",
            "src/check.sh": "check_it() { ls; }\n",
            "test/one.bats": "load helper\nassert_it\n",
            "alone.sh": "check_it\n",
        },
        {
            "test/one.bats - > test/helper.bash assert_it",
            "test/helper.bash assert_it > src/check.sh check_it",
        },
    ),
}

GO: Mapping[str, Case] = {
    "a local name, and a field, of the package they are made from": (
        {
            "go.mod": "module m\n",
            "view/view.go": (
                "package view\ntype View struct{}\nfunc New() *View { return nil }\n"
                "func (v *View) Show() {}\n"
            ),
            "main.go": (
                'package main\nimport "m/view"\ntype App struct { view *view.View }\n'
                "func main() {\n\tview := view.New()\n\tview.Show()\n}\n"
                "func (a *App) Run() { a.view.Show() }\n"
            ),
        },
        {
            "main.go main > view/view.go New",
            "main.go main > view/view.go View.Show",
            "main.go App.Run > view/view.go View.Show",
        },
    ),
    "a package that a parameter, another field and a later variable are named after": (
        {
            "go.mod": "module m\n",
            "db/db.go": "package db\ntype DB struct{}\nfunc New() *DB { return nil }\n"
            "func (d *DB) Get() {}\n",
            "main.go": (
                'package main\nimport (\n"m/db"\n"sql"\n)\n'
                "type App struct {\n\tdb *sql.Conn\n\tq *db.DB\n}\n"
                "func (a *App) Run() { a.q.Get() }\n"
                "func take(db db.DB) { db.Get() }\n"
                "func make() {\n\tdb.New()\n\tfor _, db := range names() {\n\t\tuse(db)\n\t}\n}\n"
            ),
        },
        {
            "main.go App.Run > db/db.go DB.Get",
            "main.go take > db/db.go DB.Get",
            "main.go make > db/db.go New",
        },
    ),
    "functions that are given their type arguments": (
        {
            "go.mod": "module m\n",
            "box/box.go": "package box\ntype Box[T any] struct{}\n"
            "func New[T any]() *Box[T] { return nil }\n"
            "func Of[T any](one any) *Box[T] { return nil }\nfunc (b *Box[T]) Put() {}\n",
            "main.go": (
                'package main\nimport "m/box"\n'
                "func a() {\n\tx := box.New[string]()\n\tx.Put()\n}\n"
                "func b() { box.Of[[]string](1).Put() }\n"
            ),
        },
        {
            "main.go a > box/box.go New",
            "main.go a > box/box.go Box.Put",
            "main.go b > box/box.go Of",
            "main.go b > box/box.go Box.Put",
        },
    ),
}

JAVA: Mapping[str, Case] = {
    "of many overloads that fit, the first": (
        {
            "Out.java": "class Out {\n"
            + "".join(
                f"  void put({kind} one) {{}}\n" for kind in "int long char short byte".split()
            )
            + "}\n",
            "Use.java": "class Use { void run(Out out) { out.put(1); } }\n",
        },
        {"Use.java Use.run > Out.java Out.put"},
    ),
}

PYTHON: Mapping[str, Case] = {
    "what is returned, where the declared type is outside the project": (
        {
            "client.py": (
                "import typing\n"
                "T = typing.TypeVar('T')\n"
                "class Client:\n"
                "    def __enter__(self: T) -> T:\n        return self\n"
                "    def ask(self): ...\n"
                "def made() -> typing.Any:\n    return Client()\n"
            ),
            "use.py": (
                "from client import Client, made\n"
                "def a():\n    with Client() as one:\n        one.ask()\n"
                "def b():\n    made().ask()\n"
            ),
        },
        {
            "client.py made > client.py Client",
            "use.py a > client.py Client",
            "use.py a > client.py Client.ask",
            "use.py b > client.py made",
            "use.py b > client.py Client.ask",
        },
    ),
}

RUST: Mapping[str, Case] = {
    "a local name of the module it is made from": (
        {
            "src/main.rs": (
                "mod view;\nfn main() {\n    let view = view::make();\n    view.show();\n}\n"
            ),
            "src/view.rs": (
                "pub struct View;\npub fn make() -> View { View }\n"
                "impl View { pub fn show(&self) {} }\n"
            ),
        },
        {"src/main.rs main > src/view.rs make", "src/main.rs main > src/view.rs View.show"},
    ),
    "another crate of the workspace, under its own name or one that the manifest gives it": (
        {
            "one/Cargo.toml": (
                '[package]\nname = "one"\n[dependencies]\n'
                'ui = { path = "../two-tui", package = "two-tui" }\n'
            ),
            "one/src/main.rs": (
                "use ui::draw::Pen;\nuse three::go;\n"
                "fn main() { ui::start(); Pen::new().down(); go(); }\n"
            ),
            "two-tui/Cargo.toml": '[package]\nname = "two-tui"\n',
            "two-tui/src/lib.rs": "pub mod draw;\npub fn start() {}\n",
            "two-tui/src/draw.rs": (
                "pub struct Pen;\n"
                "impl Pen { pub fn new() -> Self { Pen }\n pub fn down(&self) {} }\n"
            ),
            "libs/3/Cargo.toml": (
                '[package]\nname = "crate-three"\n[lib]\nname = "three"\npath = "three.rs"\n'
            ),
            "libs/3/three.rs": "pub fn go() {}\n",
        },
        {
            "one/src/main.rs main > two-tui/src/lib.rs start",
            "one/src/main.rs main > two-tui/src/draw.rs Pen.new",
            "one/src/main.rs main > two-tui/src/draw.rs Pen.down",
            "one/src/main.rs main > libs/3/three.rs go",
        },
    ),
    "macros, elements of containers and what is done with each": (
        {
            "src/lib.rs": "#[macro_use]\nmod macros;\nmod doc;\nmod edit;\n",
            "src/macros.rs": "macro_rules! current { ($e:expr) => { $e }; }\n",
            "src/doc.rs": (
                "pub struct Doc;\nimpl Doc { pub fn id(&self) {}\n pub fn two(&self) {} }\n"
            ),
            "src/edit.rs": (
                "use std::collections::HashMap;\nuse crate::doc::Doc;\n"
                "struct Edit { docs: HashMap<u8, Doc>, all: Vec<Doc> }\n"
                "impl Edit {\n  fn f(&self) { current!(self); self.docs.get(&1).unwrap().id(); }\n"
                "  fn g(&self) { self.all.iter().for_each(|one| one.two()); }\n"
                "  fn h(&self) { for one in self.docs.values() { one.id(); } }\n}\n"
            ),
        },
        {
            "src/edit.rs Edit.f > src/macros.rs current",
            "src/edit.rs Edit.f > src/doc.rs Doc.id",
            "src/edit.rs Edit.g > src/doc.rs Doc.two",
            "src/edit.rs Edit.h > src/doc.rs Doc.id",
        },
    ),
}  # fmt: skip

TYPESCRIPT: Mapping[str, Case] = {
    "names that package.json gives files of its own package": (
        {
            "app/package.json": (
                '{"name": "app", "imports": {"#lib/*": "./src/lib/*", "#lib/far/*": "./far/*",'
                ' "#db": {"node": "./src/db.js"}}}'
            ),
            "app/src/lib/a.ts": "export function a() {}\n",
            "app/src/db.ts": "export function db() {}\n",
            "app/far/b.ts": "export function b() {}\n",
            "app/src/use.ts": (
                "import { a } from '#lib/a.ts'\nimport { db } from '#db'\n"
                "import { b } from '#lib/far/b'\na(); db(); b()\n"
            ),
        },
        {
            "app/src/use.ts - > app/src/lib/a.ts a",
            "app/src/use.ts - > app/src/db.ts db",
            "app/src/use.ts - > app/far/b.ts b",
        },
    ),
    "another package of the workspace by what it exports": (
        {
            "one/package.json": (
                '{"name": "@x/one", "exports": {"./*": "./dist/*.js", "./deep": "./src/deep.ts"}}'
            ),
            "one/src/a.ts": "export function a() {}\n",
            "one/src/deep.ts": "export function d() {}\n",
            "two/use.ts": (
                "import { a } from '@x/one/a'\nimport { d } from '@x/one/deep'\na(); d()\n"
            ),
        },
        {"two/use.ts - > one/src/a.ts a", "two/use.ts - > one/src/deep.ts d"},
    ),
    "elements of containers and callbacks": (
        {
            "a.ts": "export class Item { touch() {}\n  mark() {} }\n",
            "b.ts": (
                "import { Item } from './a'\n"
                "export function f(all: Item[], by: Map<string, Item>) {\n"
                "  all.filter(one => one.mark()).forEach(one => one.touch())\n"
                "  by.get('x')?.touch()\n  const it = all.find(one => one)\n  it.mark()\n}\n"
            ),
        },
        {"b.ts f > a.ts Item.mark", "b.ts f > a.ts Item.touch"},
    ),
    "parameters that are taken apart, and types written in place": (
        {
            "a.ts": "export class Item { touch() {}\n  mark() {} }\n",
            "b.ts": (
                "import { Item } from './a'\ninterface Props { item: Item }\n"
                "export function f({ item }: { item: Item }) { item.touch() }\n"
                "export function g({ item: it }: Props) { it.mark() }\n"
                "export function h(o: { item: Item }) { o.item.touch() }\n"
            ),
        },
        {
            "b.ts f > a.ts Item.touch",
            "b.ts g > a.ts Item.mark",
            "b.ts h > a.ts Item.touch",
        },
    ),
    "the constructor of the class above": (
        {
            "a.ts": "export class Base { constructor(n: number) {} }\n",
            "b.ts": (
                "import { Base } from './a'\n"
                "class B extends Base { constructor() { super(1) } }\n"
            ),
        },
        {"b.ts B.constructor > a.ts Base.constructor"},
    ),
}  # fmt: skip

CASES = {
    "c#": C_SHARP,
    "go": GO,
    "java": JAVA,
    "python": PYTHON,
    "rust": RUST,
    "typescript": TYPESCRIPT,
    "kotlin": KOTLIN,
    "scala": SCALA,
    "bash": BASH,
}


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        pytest.param(*case, id=f"{language}: {name}")
        for language, cases in CASES.items()
        for name, case in cases.items()
    ],
)
def test_calls_between_files_are_found_and_no_others(
    files: Mapping[str, str], wanted: set[str]
) -> None:
    assert calls(files) == wanted


def test_a_module_that_every_file_reopens_is_not_looked_up_in_all_of_them() -> None:
    text = "module Shop\n  class C{}\n    def go; end\n  end\nend\n"
    files = {f"lib/{n}.rb": text.format(n) for n in range(90)}
    files["spec.rb"] = "Shop::C7.new.go\n"
    facts = {path: extract(text.encode(), "ruby") for path, text in files.items()}
    links = Resolver(MemoryProject(facts)).links("spec.rb")
    called = {edge.path for edge in links.edges if edge.kind is EdgeKind.CALLS}
    assert called == {"lib/7.rb"}
    assert len(links.consulted) < 60
