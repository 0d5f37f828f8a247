"""Conventions of a JavaScript or TypeScript project: package.json and tsconfig.json."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from loremap.code.documents.reading import json_data, section, string, strings
from loremap.code.seed.javascript_style import eslint, prettier
from loremap.code.seed.value import Seed, Source, listing, seed
from loremap.model.kind import Kind

_seed = partial(seed, tags=("javascript",))

_LOCKS = {
    "pnpm-lock.yaml": "pnpm",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "yarn.lock": "yarn",
    "package-lock.json": "npm",
}
_FRAMEWORKS = {
    "next": "Next.js",
    "react": "React",
    "vue": "Vue",
    "nuxt": "Nuxt",
    "svelte": "Svelte",
    "@sveltejs/kit": "SvelteKit",
    "@angular/core": "Angular",
    "solid-js": "SolidJS",
    "astro": "Astro",
    "express": "Express",
    "fastify": "Fastify",
    "@nestjs/core": "NestJS",
    "hono": "Hono",
    "electron": "Electron",
    "react-native": "React Native",
    "expo": "Expo",
    "tailwindcss": "Tailwind CSS",
    "prisma": "Prisma",
    "@prisma/client": "Prisma",
    "drizzle-orm": "Drizzle",
    "graphql": "GraphQL",
    "zod": "Zod",
    "@tanstack/react-query": "TanStack Query",
    "@reduxjs/toolkit": "Redux Toolkit",
    "zustand": "Zustand",
    "three": "three.js",
}
_TEST_TOOLS = {
    "vitest": "Vitest",
    "jest": "Jest",
    "mocha": "Mocha",
    "ava": "AVA",
    "qunit": "QUnit",
    "@playwright/test": "Playwright",
    "cypress": "Cypress",
    "@testing-library/react": "Testing Library",
}
_STRICTER = {
    "noUncheckedIndexedAccess": "an indexed access may be undefined",
    "exactOptionalPropertyTypes": "an optional property may not be set to undefined",
    "verbatimModuleSyntax": "types are imported with `import type`",
    "noImplicitReturns": "every path of a function returns",
    "noUnusedLocals": "no unused locals",
}


def package_json_seeds(source: Source) -> Iterator[Seed]:
    """What package.json settles."""
    data = json_data(source.text)
    manager = _manager(data, source)
    if manager:
        yield _seed(
            f"Use {manager} to install packages and run scripts.",
            source,
            '"packageManager"',
            importance=0.82,
            about="js packages",
        )
    node = string(section(data, "engines"), "node")
    if node:
        text = f"The code must run on Node.js {_spaced(node)}."
        yield _seed(text, source, '"engines"', '"node"', importance=0.76, about="node version")
    if string(data, "type") == "module":
        text = "JavaScript files are ES modules by default: use import and export, not require."
        yield _seed(text, source, '"type"', importance=0.72, about="js modules")
    yield from _stack(data, source)
    yield from _workspaces(data, source)
    yield from prettier(section(data, "prettier"), source)
    yield from eslint(section(data, "eslintConfig"), source)
    if section(data, "lint-staged"):
        text = "Staged files are checked by lint-staged before each commit."
        yield _seed(text, source, '"lint-staged"', importance=0.6)


def tsconfig_seeds(source: Source) -> Iterator[Seed]:
    """What tsconfig.json settles."""
    options = section(json_data(source.text), "compilerOptions")
    if options.get("strict") is True:
        more = [said for key, said in _STRICTER.items() if options.get(key) is True]
        extra = f"; {', '.join(more)}" if more else ""
        text = f"TypeScript is compiled in strict mode{extra}."
        yield _seed(text, source, '"strict"', importance=0.78, about="ts strict")
    aliases = {
        name: targets[0]
        for name, value in section(options, "paths").items()
        if (targets := strings(value)) and len(name) < 40
    }
    if aliases:
        pairs = [f"`{name}` for `{target}`" for name, target in list(aliases.items())[:4]]
        text = f"TypeScript imports use the path aliases {listing(pairs)}."
        yield _seed(text, source, '"paths"', importance=0.74, about="ts paths")


def _manager(data: dict[str, object], source: Source) -> str:
    """The package manager; empty if the repository does not say."""
    named = re.match(r"(npm|pnpm|yarn|bun)@", string(data, "packageManager"))
    if named is not None:
        return named[1]
    found = {manager for lock, manager in _LOCKS.items() if lock in source.neighbours}
    return found.pop() if len(found) == 1 else ""


def _stack(data: dict[str, object], source: Source) -> Iterator[Seed]:
    wanted = {**section(data, "dependencies"), **section(data, "peerDependencies")}
    every = {**wanted, **section(data, "devDependencies")}
    own = string(data, "name")
    used = list(
        dict.fromkeys(t for name, t in _FRAMEWORKS.items() if name in wanted and name != own)
    )
    if "tailwindcss" in every and "Tailwind CSS" not in used and used:
        used.append("Tailwind CSS")
    if used:
        language = "TypeScript" if "typescript" in every else "JavaScript"
        yield Seed(
            text=f"The {language} code is built on {listing(used[:6])}.",
            kind=Kind.ARCHITECTURE,
            file=source.path,
            line=source.line_of('"dependencies"'),
            tags=("javascript", "stack"),
            importance=0.7,
            about="js stack",
        )
    tools = [title for name, title in _TEST_TOOLS.items() if name in every]
    if tools:
        needle = next(name for name in _TEST_TOOLS if name in every)
        text = f"JavaScript tests are written with {listing(tools[:3])}."
        yield _seed(text, source, 'ependencies"', f'"{needle}"', importance=0.7, about="js tests")


def _workspaces(data: dict[str, object], source: Source) -> Iterator[Seed]:
    folders = strings(data.get("workspaces")) or strings(
        section(data, "workspaces").get("packages")
    )
    if folders:
        text = f"The repository is a monorepo; its packages lie in {listing(folders[:6])}."
        yield Seed(
            text=text,
            kind=Kind.ARCHITECTURE,
            file=source.path,
            line=source.line_of('"workspaces"'),
            tags=("javascript", "stack"),
            importance=0.7,
        )


def _spaced(version: str) -> str:
    oldest = re.fullmatch(r">=\s*v?(\d+(?:\.\d+)*)", version)
    return f"{oldest[1]} and newer" if oldest else version
