"""What is read from one file alone in JavaScript, TypeScript and Go."""

from __future__ import annotations

import pytest

from loremap.code.extraction.extract import extract
from loremap.code.facts import FileFacts, qualified_names

TYPESCRIPT = b"""
import d, { a as b, type C } from './x'
import * as ns from 'y'
export * from './q'
export { l as m } from './r'
const lib = require('./lib')

/** Keeps things.
 * @internal */
export abstract class Store<T> extends Base.Of<T> implements Kept {
  private items: Map<string, Item> = new Map()
  constructor(private readonly log: Log, size = 3) { super(); this.size = size }
  async find(key: string): Promise<Item> { return this.items.get(key)! }
  each = (f: (item: Item) => void) => { f(this.first) }
}
interface Kept { keep(x: number): Item }
type Alias = Store<string>
enum Color { Red, Green = 2 }
export const make = (log: Log) => new Store(log)
const table = { run() {}, walk: () => 1, make }
export default make
function outer() { return function named() {} }
"""

GO = b"""package shop

import (
    "fmt"
    l "example.com/shop/log"
)

// Store keeps things.
type Store struct {
    Base
    items map[string]*Item
    log   *l.Logger
}

type Kept interface { Keep(x int) (Item, error) }

func New(log *l.Logger) (*Store, error) { return &Store{log: log}, nil }

func (s *Store) Find(key string) *Item {
    item, ok := s.items[key]
    for _, one := range s.items { one.Touch() }
    return item
}

func (o *Other) Close() { fmt.Println() }
"""


def _named(facts: FileFacts, *kinds: str) -> list[str]:
    names = qualified_names(facts)
    return [
        names[index]
        for index, one in enumerate(facts.definitions)
        if one.kind in kinds and "<" not in names[index]
    ]


def _bound(facts: FileFacts) -> set[tuple[str, str]]:
    return {(one.target, one.value) for one in facts.bindings}


@pytest.fixture(scope="module")
def script() -> FileFacts:
    return extract(TYPESCRIPT, "typescript")


@pytest.fixture(scope="module")
def go() -> FileFacts:
    return extract(GO, "go")


def test_typescript_definitions(script: FileFacts) -> None:
    assert _named(script, "class", "type") == ["Store", "Kept", "Alias", "Color"]
    assert _named(script, "method") == [
        *("Store.constructor", "Store.find", "Store.each", "Kept.keep", "run", "walk"),
    ]
    assert _named(script, "function") == ["make", "outer", "outer.named"]
    store = script.definitions[1]
    assert store.bases == ["Base.Of", "Kept"]
    assert store.doc == "Keeps things."


def test_typescript_imports_and_exports(script: FileFacts) -> None:
    assert {one[1:4] for one in script.imports} == {
        ("./x", "default", "d"),
        ("./x", "a", "b"),
        ("./x", "C", "C"),
        ("y", "", "ns"),
        ("./q", "*", ""),
        ("./r", "l", "m"),
        ("./lib", "", ""),
    }
    assert ("default", "make") in _bound(script)


@pytest.mark.parametrize(
    ("target", "value"),
    [
        ("items[]", "Item()"),
        ("items", "Map()"),
        ("log", "Log()"),
        ("<return>", "Item()"),
        ("f()", "void()"),
        ("table.make", "make"),
        ("lib", "{./lib}"),
        ("<return>", "Store()"),
    ],
)
def test_typescript_bindings(script: FileFacts, target: str, value: str) -> None:
    assert (target, value) in _bound(script)


def test_go_definitions(go: FileFacts) -> None:
    assert go.package == "shop"
    assert _named(go, "type") == ["Store", "Kept"]
    assert _named(go, "function") == ["New"]
    assert _named(go, "method") == ["Kept.Keep", "Store.Find", "Other.Close"]
    store = go.definitions[1]
    assert (store.bases, store.doc) == (["Base"], "Store keeps things.")


@pytest.mark.parametrize(
    ("target", "value"),
    [
        ("items[]", "Item()"),
        ("log", "l.Logger()"),
        ("<return>[0]", "Store()"),
        ("<return>[1]", "error()"),
        ("s", "Store()"),
        ("key", "string()"),
        ("item", "s.items[]"),
        ("one", "s.items[]"),
        ("<return>", "Item()"),
    ],
)
def test_go_bindings(go: FileFacts, target: str, value: str) -> None:
    assert (target, value) in _bound(go)


@pytest.mark.parametrize(
    ("constraint", "package"),
    [
        (b"", "a"),
        (b"//go:build linux && !cgo\n\n", "a?"),
        (b"//go:build !slices && (amd64 || arm64)\n\n", "a"),
        (b"//go:build windows\n\n", "a?"),
    ],
)
def test_go_files_of_other_builds_are_marked(constraint: bytes, package: str) -> None:
    assert extract(constraint + b"package a\n", "go").package == package
