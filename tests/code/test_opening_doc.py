"""What a file says of itself at its top."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loremap.code.opening_doc import LONGEST, opening_doc

CASES = [
    ("python", '"""The cart."""\nimport os\n', "The cart."),
    (
        "python",
        '# mypy: allow\n# -*- coding: utf-8 -*-\n\n"""The cart\nof people.\n\nMore."""\n',
        "The cart of people.",
    ),
    ("python", "#!/usr/bin/env python\n'''The cart.'''\n", "The cart."),
    ("python", '"""SPDX-License-Identifier: MIT"""\n', ""),
    ("python", 'import os\n"""Not me."""\n', ""),
    ("python", "x = 1\n", ""),
    (
        "go",
        "// Copyright 2020 A\n\n// Package cart keeps\n// things.\npackage cart\n",
        "Package cart keeps things.",
    ),
    ("go", "// Copyright 2020 A\n\npackage cart\n", ""),
    ("go", "//go:build linux\n\npackage cart\n", ""),
    (
        "go",
        "/*\nPackage cart keeps things.\n\nMore.\n*/\npackage cart\n",
        "Package cart keeps things.",
    ),
    ("rust", "//! The cart\n//! of people.\n//!\n//! More.\nuse x;\n", "The cart of people."),
    ("rust", "/// A function.\nfn x() {}\n", ""),
    (
        "typescript",
        "/**\n * @module\n * The cart of people.\n */\nexport { a } from './a'\n",
        "The cart of people.",
    ),
    ("typescript", "/** Adds. */\nexport function add() {}\n", ""),
    ("typescript", "/* Copyright me */\n/** @file The cart. */\nconst x = 1\n", "The cart."),
    ("typescript", "// The cart.\n// Of people.\n\nimport x from 'x'\n", "The cart. Of people."),
    ("typescript", "// Adds.\nfunction add() {}\n", ""),
    ("javascript", "/* eslint-disable */\nimport x\n", ""),
    ("c", "/* cart.c - the cart */\n#include <x.h>\n", "cart.c - the cart"),
    ("java", "/* Licensed to you */\npackage a.b;\n", ""),
    ("ruby", "# frozen_string_literal: true\n\n# The cart.\n\nclass Cart\n", "The cart."),
    ("bash", "#!/bin/sh\n# Packs the cart.\n\nset -e\n", "Packs the cart."),
    ("go", "", ""),
]


@pytest.mark.parametrize(("language", "source", "wanted"), CASES)
def test_the_doc_of_a_file(language: str, source: str, wanted: str) -> None:
    assert opening_doc(source, language) == wanted


@given(
    st.text("/*#!\"'\n @moduleabc package", max_size=300),
    st.sampled_from(["python", "go", "rust", "typescript", "bash", "c"]),
)
def test_any_text_gives_one_short_line(source: str, language: str) -> None:
    said = opening_doc(source, language)
    assert "\n" not in said
    assert len(said) <= LONGEST
