"""Calls whose target follows from a macro, a lambda's place, a type's parameters or a condition."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from test_calls_between_files import Case, calls

RUST: Mapping[str, Case] = {
    "what a macro gives, and the macros that it calls": (
        {
            "src/lib.rs": "mod editor;\n#[macro_use]\nmod macros;\nmod use_it;\n",
            "src/editor.rs": (
                "use std::collections::HashMap;\n"
                "pub struct View {}\nimpl View { pub fn scroll(&self) {} }\n"
                "pub struct Doc {}\nimpl Doc { pub fn save(&self) {} }\n"
                "pub struct Tree {}\nimpl Tree { pub fn focused(&mut self) -> &mut View {} }\n"
                "pub struct Editor { pub tree: Tree, pub docs: HashMap<u8, Doc> }\n"
                "impl Editor { pub fn docs(&self) -> u8 { 1 } }\n"
            ),
            "src/macros.rs": (
                "macro_rules! view { ($e:expr) => {{ $e.tree.focused() }}; }\n"
                "macro_rules! doc {\n"
                "    ($e:expr, $id:expr) => {{ $e.docs.get_mut($id).unwrap() }};\n"
                "    ($e:expr) => {{ $crate::current!($e).1 }};\n}\n"
                "macro_rules! current {\n"
                "    ($e:expr) => {{\n        let view = $crate::view!($e);\n"
                "        let doc = $crate::doc!($e, &1);\n        (view, doc)\n    }};\n}\n"
                "macro_rules! several { ($($x:expr),*) => {{ [$($x),*] }}; }\n"
            ),
            "src/use_it.rs": (
                "use crate::editor::Editor;\n"
                "fn f(editor: &mut Editor) {\n    let (view, doc) = current!(editor);\n"
                "    view.scroll();\n    doc.save();\n}\n"
                "fn g(editor: &mut Editor) { doc!(editor, &2).save(); }\n"
            ),
        },
        {
            "src/use_it.rs f > src/macros.rs current",
            "src/use_it.rs f > src/editor.rs View.scroll",
            "src/use_it.rs f > src/editor.rs Doc.save",
            "src/use_it.rs g > src/macros.rs doc",
            "src/use_it.rs g > src/editor.rs Doc.save",
        },
    ),
    "what a closure is given by the function that takes it": (
        {
            "src/lib.rs": "pub mod range;\nmod use_it;\n",
            "src/range.rs": (
                "pub struct Range {}\nimpl Range { pub fn flip(self) {} }\n"
                "pub struct All {}\nimpl All {\n"
                "    pub fn each<F>(&self, f: F) where F: FnMut(Range) {}\n"
                "    pub fn later(&self, f: impl FnOnce(u8, &mut Range) + 'static) {}\n}\n"
            ),
            "src/use_it.rs": (
                "use crate::range::All;\n"
                "fn f(all: All) { all.each(|r| r.flip()); all.later(move |_, r| { r.flip() }); }\n"
            ),
        },
        {
            "src/use_it.rs f > src/range.rs All.each",
            "src/use_it.rs f > src/range.rs All.later",
            "src/use_it.rs f > src/range.rs Range.flip",
        },
    ),
    "a tree of paths, one of which starts with a name that another brings": (
        {
            "src/lib.rs": "pub mod a;\nmod use_it;\n",
            "src/a.rs": "pub mod b;\n",
            "src/a/b.rs": "pub struct T {}\nimpl T { pub fn new() -> T {} pub fn go(&self) {} }\n",
            "src/use_it.rs": (
                "use crate::{a::{self, b::{self as q}}};\n"
                "fn f() { use q::T; T::new().go(); }\nfn g() { a::b::T::new(); }\n"
            ),
        },
        {
            "src/use_it.rs f > src/a/b.rs T.new",
            "src/use_it.rs f > src/a/b.rs T.go",
            "src/use_it.rs g > src/a/b.rs T.new",
        },
    ),
    "a parameter that is bound again, and what an iterator gives": (
        {
            "src/lib.rs": "pub mod area;\nmod use_it;\n",
            "src/area.rs": (
                "pub struct Area {}\nimpl Area {\n    pub fn inner(&self) -> Area {}\n"
                "    pub fn parts(&self) -> impl Iterator<Item = &Area> {}\n"
                "    pub fn draw(&self) {}\n}\n"
            ),
            "src/use_it.rs": (
                "use crate::area::Area;\n"
                "fn f(area: Area) {\n    let area = area.inner();\n    area.draw();\n}\n"
                "fn g(a: Area) {\n    for one in a.parts() {\n        one.draw();\n    }\n}\n"
            ),
        },
        {
            "src/use_it.rs f > src/area.rs Area.inner",
            "src/use_it.rs f > src/area.rs Area.draw",
            "src/use_it.rs g > src/area.rs Area.parts",
            "src/use_it.rs g > src/area.rs Area.draw",
        },
    ),
    "modules of a test crate that a block of its root declares": (
        {
            "tests/all.rs": (
                "mod test {\n    mod helpers;\n    mod one;\n    use self::helpers::*;\n}\n"
            ),
            "tests/test/helpers.rs": "pub fn check() {}\n",
            "tests/test/one.rs": "use super::*;\nfn f() { check(); }\n",
        },
        {"tests/test/one.rs f > tests/test/helpers.rs check"},
    ),
}

C_SHARP: Mapping[str, Case] = {
    "members under conditions stay in their type": (
        {
            "ILog.cs": (
                "interface ILog {\n#if X\n    [A]\n#endif\n    ILog For(int a)\n"
                "#if X\n        => this\n#endif\n    ;\n    void Write();\n}\n"
            ),
            "Logger.cs": "class Logger { public void Write() {} }\n",
            "Log.cs": (
                "static class Log {\n    public static ILog Logger { get; }\n"
                "    static void M() { Logger.Write(); Logger.For(1); }\n}\n"
            ),
        },
        {"Log.cs Log.M > ILog.cs ILog.Write", "Log.cs Log.M > ILog.cs ILog.For"},
    ),
    "a value of unknown type hides the type of its name": (
        {
            "Logger.cs": "class Logger { public void Write() {} }\n",
            "Log.cs": "class Log { Unknown Logger; void M() { Logger.Write(); } }\n",
        },
        set(),
    ),
    "a type without parameters and one with": (
        {
            "Pipe.cs": "class Pipe { public Pipe() {} public void Run() {} }\n",
            "PipeT.cs": (
                "class Pipe<T> {\n    public Pipe() {}\n    public void Send() {}\n"
                "    Pipe inner;\n    void M() { inner.Run(); }\n}\n"
            ),
            "A.cs": "class A { void M() { new Pipe().Run(); new Pipe<int>().Send(); } }\n",
        },
        {
            "PipeT.cs Pipe.M > Pipe.cs Pipe.Run",
            "A.cs A.M > Pipe.cs Pipe.Pipe",
            "A.cs A.M > Pipe.cs Pipe.Run",
            "A.cs A.M > PipeT.cs Pipe.Pipe",
            "A.cs A.M > PipeT.cs Pipe.Send",
        },
    ),
    "what extends a type parameter gives what it was called on": (
        {
            "B.cs": "class B { public void Build() {} }\n",
            "E.cs": "static class E { public static T Add<T>(this T one) => one; }\n",
            "A.cs": "class A { void M() { new B().Add().Build(); } }\n",
        },
        {
            "A.cs A.M > B.cs B",
            "A.cs A.M > E.cs E.Add",
            "A.cs A.M > B.cs B.Build",
        },
    ),
}

KOTLIN: Mapping[str, Case] = {
    "what a lambda is given, named or not, and what it is called on": (
        {
            "A.kt": (
                "package p\nclass Item {\n  fun touch() = 1\n}\n"
                "class All {\n  fun each(block: (Item) -> Unit) = 1\n"
                "  fun edit(first: Int, block: Item.() -> Unit) = 1\n}\n"
            ),
            "B.kt": (
                "package p\nclass B {\n  fun m(all: All) { all.each { it.touch() } }\n"
                "  fun n(all: All) { all.each { one -> one.touch() } }\n"
                "  fun o(all: All) { all.edit(1) { touch() } }\n}\n"
            ),
        },
        {
            "B.kt B.m > A.kt All.each",
            "B.kt B.m > A.kt Item.touch",
            "B.kt B.n > A.kt All.each",
            "B.kt B.n > A.kt Item.touch",
            "B.kt B.o > A.kt All.edit",
            "B.kt B.o > A.kt Item.touch",
        },
    ),
    "a property is not what a call of its name means": (
        {
            "A.kt": "package p\nclass Config\nfun config(a: Int) = a\n",
            "B.kt": "package p\nclass B(val config: Config) { val x by config(1) }\n",
        },
        {"B.kt B > A.kt config"},
    ),
}

SWIFT: Mapping[str, Case] = {
    "what a closure is given": (
        {
            "A.swift": (
                "class Item { func touch() {} }\n"
                "class All { func each(_ block: (Item) -> Void) {} }\n"
            ),
            "B.swift": (
                "class B {\n  func m(all: All) { all.each { $0.touch() } }\n"
                "  func n(all: All) { all.each { one in one.touch() } }\n}\n"
            ),
        },
        {
            "B.swift B.m > A.swift All.each",
            "B.swift B.m > A.swift Item.touch",
            "B.swift B.n > A.swift All.each",
            "B.swift B.n > A.swift Item.touch",
        },
    ),
}

SCALA: Mapping[str, Case] = {
    "several imports in one statement, one of a member of another": (
        {
            "A.scala": (
                "package p\nclass Tokens { def prev(i: Int) = i }\n"
                "class Ops { val tokens: Tokens = null; def all(i: Int) = i }\n"
            ),
            "B.scala": (
                "package q\nimport p.Ops\n"
                "object B { def f(ops: Ops) = { import ops._, tokens._\n all(1)\n prev(2) } }\n"
            ),
        },
        {"B.scala B.f > A.scala Ops.all", "B.scala B.f > A.scala Tokens.prev"},
    ),
    "an object that is called gives what it applies": (
        {
            "A.scala": (
                "package p\nclass Out { def map(i: Int) = i }\n"
                "class In { def apply(i: Int): Out = null\n  def map(i: Int) = i }\n"
            ),
            "B.scala": "package p\nobject B { def f(in: In) = in(1).map(2) }\n",
        },
        {"B.scala B.f > A.scala Out.map"},
    ),
    "an implicit class adds methods where it is imported": (
        {
            "A.scala": (
                "package p\nobject Syntax {\n"
                "  implicit class Rich(private val one: AnyRef) {\n"
                "    def invoke(name: String) = one\n  }\n}\n"
            ),
            "B.scala": (
                "package q\nimport p.Syntax._\n"
                "object B { def f(x: java.io.File) = x.invoke(\"a\") }\n"
            ),
            "C.scala": "package p\nobject C { def f(x: java.io.File) = x.invoke(\"a\") }\n",
        },
        {"B.scala B.f > A.scala Syntax.Rich.invoke"},
    ),
}  # fmt: skip

RUBY: Mapping[str, Case] = {
    "a parameter named after a type that its scope sees": (
        {
            "site.rb": "module J\n  class Site\n    def posts; end\n  end\nend\n",
            "reader.rb": (
                "module J\n  class Reader\n    def initialize(site)\n      @site = site\n    end\n"
                "    def read\n      @site.posts\n    end\n"
                "    def other(page)\n      page.posts\n    end\n  end\nend\n"
            ),
        },
        {"reader.rb J.Reader.read > site.rb J.Site.posts"},
    ),
    "a function outside all types is seen outside all types": (
        {
            "helpers.rb": "def slug(title)\n  title\nend\n",
            "steps.rb": "slug('a')\nclass Step\n  def go\n    slug('b')\n  end\nend\n",
        },
        {"steps.rb - > helpers.rb slug"},
    ),
}

CASES = {
    "rust": RUST,
    "c#": C_SHARP,
    "kotlin": KOTLIN,
    "swift": SWIFT,
    "scala": SCALA,
    "ruby": RUBY,
}


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        pytest.param(*case, id=f"{language}: {name}")
        for language, cases in CASES.items()
        for name, case in cases.items()
    ],
)
def test_calls_are_found_and_no_others(files: Mapping[str, str], wanted: set[str]) -> None:
    assert calls(files) == wanted
