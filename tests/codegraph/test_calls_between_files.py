"""Calls from one file into another, in the shapes that real repositories write them."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from loremap.codegraph.extraction.extract import extract
from loremap.codegraph.facts import qualified_names
from loremap.codegraph.languages import language_of
from loremap.codegraph.project import MemoryProject
from loremap.codegraph.resolution.resolve import Resolver
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

CASES = {"c#": C_SHARP, "kotlin": KOTLIN, "scala": SCALA, "bash": BASH}


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
