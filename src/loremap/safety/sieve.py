"""Which entries of a project's folders a scan passes over: secrets by name, and ignored ones.

The same rules as `safety.ignored`, for many paths at once: rule files are read once, and a path's
parents are taken as asked about before.
"""

from __future__ import annotations

from pathlib import Path

from loremap.safety.ignored import (
    GITIGNORE,
    SECRETSIGNORE,
    Rule,
    last_rule,
    refused_by_parts,
    rules_of,
)


class Sieve:
    """The ignore rules of one project, as they were when first asked."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._secret = rules_of(root / SECRETSIGNORE)
        self._exclude = rules_of(root / ".git" / "info" / "exclude")
        self._ignored: dict[str, tuple[Rule, ...]] = {}

    def withholds(self, path: str) -> bool:
        """Whether a file holds secrets, by its name or by `.secretsignore`."""
        parts = path.split("/")
        if refused_by_parts(parts) is not None:
            return True
        if not self._secret:
            return False
        return any(
            self._decides(parts[:depth], secret=True, folder=depth < len(parts))
            for depth in range(1, len(parts) + 1)
        )

    def ignores(self, path: str, *, folder: bool) -> bool:
        """Whether `.gitignore` leaves `path` out; its parents are known not to be."""
        return self._decides(path.split("/"), secret=False, folder=folder)

    def _decides(self, parts: list[str], *, secret: bool, folder: bool) -> bool:
        rule = last_rule(parts, self._secret_in if secret else self._rules_in, folder=folder)
        return rule is not None and not rule.negated

    def _secret_in(self, above: str) -> tuple[Rule, ...]:
        return () if above else self._secret

    def _rules_in(self, above: str) -> tuple[Rule, ...]:
        if above not in self._ignored:
            shared = () if above else self._exclude
            self._ignored[above] = (*shared, *rules_of(self._root / above / GITIGNORE))
        return self._ignored[above]
