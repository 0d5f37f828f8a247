"""The benchmark reads the cases of a rule file as its authors meant them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from secret_samples import sample

ROOT = Path(__file__).parents[2]

RULES = """package rules

func Some() *config.Rule {
	r := config.Rule{
		Allowlists: []*config.Allowlist{{Regexes: []*regexp.Regexp{regexp.MustCompile(`KNOWN`)}}},
	}
	tps := utils.GenerateSampleSecrets("x", secrets.NewSecret(`[a-z]{20}`)) // computed
	tps = append(tps, "token \\"TRUE\\"", `TRUE
over two lines`)
	fps := []string{
		// `commented out`,
		`nothing here`, "also " + "nothing", `FALSE`, // a slip of ours
		`KNOWN`,
	}
	return utils.Validate(r, tps, fps)
}
"""


def test_the_benchmark_scores_the_literal_cases(tmp_path: Path) -> None:
    keys = [sample("github-token", 0, seed).secret for seed in range(3)]
    rules = RULES.replace("TRUE", keys[0]).replace("FALSE", keys[1]).replace("KNOWN", keys[2])
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "some.go").write_text(rules)
    run = subprocess.run(
        [sys.executable, "-m", "bench.secrets.run", "--data", str(tmp_path), "--wrong"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    report = run.stdout.splitlines()
    assert report[0] == "as labelled: 6 cases, 2 secret"
    assert report[1] == "  precision 0.500  (2 false alarms)"
    assert report[2] == "  recall    1.000  (0 missed)"
    assert report[3] == "without values exempt by name: 5 cases, 2 secret"
    assert report[4] == "  precision 0.667  (1 false alarms)"
    assert report[-2:] == [f"alarm  some.go: {keys[1]!r}", f"alarm  some.go: {keys[2]!r}"]


def test_a_folder_without_rules_is_an_error_not_a_score(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "bench.secrets.run", "--data", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert "no rules/*.go" in run.stderr
