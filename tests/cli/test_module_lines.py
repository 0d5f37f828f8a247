"""The map in a terminal: names whole, lines that fit, groups above their modules."""

from __future__ import annotations

import pytest

from loremap.interfaces.cli.modules import module_lines


def test_a_group_stands_above_its_modules_and_long_names_have_their_line() -> None:
    long = "expo-background-notification-handler"
    told = {
        "mcp.server": "Serves",
        "mcp.client": "",
        "vendor": "vendored",
        "cart": "A basket " * 12,
        long: "Handles",
    }
    counts = {"mcp.server": 3, "mcp.client": 4, "cart": 1234, long: 2}
    lines = list(module_lines(told, counts, width=60))
    assert lines[0].split()[:3] == ["cart", "1,234", "A"]
    assert lines[1].split()[0] in ("A", "basket")
    assert f"{long}  2" in lines
    assert lines[-1].split() == ["vendor", "vendored"]  # of which no files are counted
    at = next(index for index, line in enumerate(lines) if line.startswith("mcp "))
    assert lines[at].split() == ["mcp", "7"]
    assert lines[at + 1].split() == ["mcp.client", "4"]
    assert lines[at + 1].startswith("  mcp.client")


@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    told = {f"module{'x' * size}": "what it is for and why " * size for size in range(1, 20)}
    lines = list(module_lines(told, dict.fromkeys(told, 10), width=width))
    assert all(len(line) <= min(width, 100) for line in lines)
    assert all(any(name in line for line in lines) for name in told)
