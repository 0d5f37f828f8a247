"""What Prettier, ESLint, Biome, stylelint and commitlint are told to demand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from loremap.code.documents.reading import json_data, section, string, strings
from loremap.code.documents.yaml_marks import yaml_data
from loremap.code.seed.value import Seed, Source, listing, seed

_seed = partial(seed, tags=("javascript", "formatting"))

_RULES = {
    "no-console": "no console calls",
    "eqeqeq": "`===` instead of `==`",
    "curly": "braces around every block",
    "no-var": "no `var`",
    "prefer-const": "`const` where nothing is reassigned",
    "no-default-export": "no default exports",
    "import/no-default-export": "no default exports",
    "import/order": "ordered imports",
    "no-explicit-any": "no `any`",
    "@typescript-eslint/no-explicit-any": "no `any`",
    "@typescript-eslint/explicit-function-return-type": "a written return type on every function",
    "@typescript-eslint/consistent-type-imports": "`import type` for types",
    "@typescript-eslint/no-floating-promises": "no promise left unhandled",
    "@typescript-eslint/no-non-null-assertion": "no `!` assertions",
    "simple-import-sort/imports": "sorted imports",
    "react-hooks/exhaustive-deps": "complete dependency lists of hooks",
    "camelcase": "camelCase names",
    "no-restricted-imports": "no imports from restricted modules",
    "perfectionist/sort-imports": "sorted imports",
    "object-shorthand": "object shorthand",
}
"""ESLint's rules that change how one writes."""
_STATIC_RULE = re.compile(
    r"""["']([@\w/-]{3,80})["']\s*:\s*\[?\s*["'](error|2)["']|\b(eqeqeq|curly|camelcase)\s*:\s*\[?\s*["']error["']"""
)
_PLAIN_VALUE = re.compile(
    r"^[ \t]*['\"]?(\w{2,40})['\"]?[ \t]*:[ \t]*['\"]?([\w-]{1,40})['\"]?[ \t]*,?[ \t]*$",
    re.MULTILINE,
)
_IMPORT = re.compile(r"""(?:from|require\()\s*["']([^"'\n]{3,80})["']""")


_SWITCHES = {
    "semi": ("semicolons", "no semicolons"),
    "singleQuote": ("single quotes", "double quotes"),
}
_COMMAS = {
    "none": "no trailing commas",
    "all": "trailing commas",
    "es5": "trailing commas as in ES5",
}


def prettier_seeds(source: Source) -> Iterator[Seed]:
    """What a .prettierrc settles, be it JSON or YAML."""
    yield from prettier(_json_or_yaml(source), source)


def prettier_script_seeds(source: Source) -> Iterator[Seed]:
    """What a prettier.config.js settles, as far as it stands there as plain values."""
    pairs = _PLAIN_VALUE.findall(source.text)
    known: dict[str, object] = {
        key: {"true": True, "false": False}.get(value, value) for key, value in pairs
    }
    yield from prettier(known, source)


def prettier(options: Mapping[str, object], source: Source) -> Iterator[Seed]:
    """The style that Prettier writes."""
    said = _prettier_style(options)
    if said:
        text = f"Prettier formats the code with {listing(said.values())}."
        yield _seed(text, source, next(iter(said)), importance=0.78, about="prettier")


def _prettier_style(options: Mapping[str, object]) -> dict[str, str]:
    """What each of Prettier's settings means, in words."""
    said = dict[str, str]()
    if width := string(options, "printWidth"):
        said["printWidth"] = f"lines of at most {width} characters"
    if options.get("useTabs") is True:
        said["useTabs"] = "tabs"
    elif size := string(options, "tabWidth"):
        said["tabWidth"] = f"{size} spaces of indent"
    for key, (yes, no) in _SWITCHES.items():
        if isinstance(options.get(key), bool):
            said[key] = yes if options[key] else no
    if commas := _COMMAS.get(string(options, "trailingComma")):
        said["trailingComma"] = commas
    if options.get("arrowParens") == "avoid":
        said["arrowParens"] = "no parentheses around a lone arrow parameter"
    return said


def eslint_seeds(source: Source) -> Iterator[Seed]:
    """What an .eslintrc settles, be it JSON or YAML."""
    yield from eslint(_json_or_yaml(source), source)


def eslint(options: Mapping[str, object], source: Source) -> Iterator[Seed]:
    """The shared configurations ESLint extends, and the rules that change how one writes."""
    if not options:
        return
    rules = [name for name, level in section(options, "rules").items() if _is_error(level)]
    yield from _eslint(strings(options.get("extends")), rules, source, "extends")


def eslint_script_seeds(source: Source) -> Iterator[Seed]:
    """What an eslint.config.js or .eslintrc.js settles, as far as it stands there as plain text."""
    shared = [
        name
        for name in dict.fromkeys(_IMPORT.findall(source.text))
        if "config" in name and not name.startswith(("eslint/", "node:", ".", "@eslint/"))
    ]
    extends = re.search(
        r"extends\s*:\s*\[([^\]]{0,800})\]|extends\s*:\s*(['\"][^'\"\n]+['\"])", source.text
    )
    if extends is not None:
        shared += re.findall(r"['\"]([^'\"\n]{3,80})['\"]", extends[1] or extends[2])
    rules = [match[1] or match[3] for match in _STATIC_RULE.finditer(source.text)]
    yield from _eslint(shared, rules, source, "extends")


def _eslint(shared: list[str], rules: list[str], source: Source, needle: str) -> Iterator[Seed]:
    shared = [
        name.removeprefix("plugin:") for name in dict.fromkeys(shared) if "prettier" not in name
    ]
    extra = f" with {listing(shared[:4])}" if shared else ""
    yield _seed(f"ESLint checks the code{extra}.", source, needle, importance=0.7, about="eslint")
    demanded = list(dict.fromkeys(_RULES[rule] for rule in rules if rule in _RULES))
    if demanded:
        text = f"ESLint demands {listing(demanded[:7])}."
        key = next(rule for rule in rules if rule in _RULES)
        yield _seed(text, source, key, importance=0.74, about="eslint rules")


def biome_seeds(source: Source) -> Iterator[Seed]:
    """What biome.json settles."""
    data = json_data(source.text)
    layout = section(data, "formatter")
    script = section(data, "javascript", "formatter")
    said = list[str]()
    if layout.get("enabled") is not False:
        style, size = string(layout, "indentStyle"), string(layout, "indentWidth")
        if style == "space":
            said.append(f"{size or 2} spaces of indent")
        elif style == "tab":
            said.append("tabs")
        if width := string(layout, "lineWidth"):
            said.append(f"lines of at most {width} characters")
        if quotes := string(script, "quoteStyle"):
            said.append(f"{quotes} quotes")
        if string(script, "semicolons") == "asNeeded":
            said.append("semicolons only as needed")
    if said:
        text = f"Biome formats the JavaScript code with {listing(said)}."
        yield _seed(text, source, '"formatter"', importance=0.78, about="biome format")
    if section(data, "linter").get("enabled") is not False:
        yield _seed(
            "Biome checks the JavaScript code.", source, '"linter"', importance=0.68, about="biome"
        )


def stylelint_seeds(source: Source) -> Iterator[Seed]:
    """What a .stylelintrc settles."""
    shared = strings(_json_or_yaml(source).get("extends"))
    extra = f" with {listing(shared[:3])}" if shared else ""
    yield _seed(f"Stylelint checks the style sheets{extra}.", source, "extends", importance=0.64)


def commitlint_seeds(source: Source) -> Iterator[Seed]:
    """That commit messages are conventional, where commitlint's settings say so."""
    if "config-conventional" in source.text or "config-angular" in source.text:
        text = "Commit messages follow Conventional Commits (commitlint), as in `feat: add search`."
        yield _seed(text, source, "config-", importance=0.8, about="conventional commits")


def _json_or_yaml(source: Source) -> dict[str, object]:
    begin = source.text.lstrip()[:2]
    return (
        json_data(source.text)
        if begin[:1] == "{" or begin in ("//", "/*")
        else yaml_data(source.text)
    )


def _is_error(level: object) -> bool:
    if isinstance(level, list):
        level = level[0] if level else ""
    elif isinstance(level, Mapping):
        level = level.get("0", "")
    return level in ("error", 2)
