#!/usr/bin/env python3
"""Writes docs/solved.md: what is proved of the values of public games, and how long that takes.

Usage: tools/solved.py GAMES [--seconds S] [--certificates FOLDER] [--again]

GAMES is a folder of rulesheets. Each game is solved by `propjit solve RULESHEET --seconds S --certificate FILE`, and what
is proved is checked by `propjit solve RULESHEET --check FILE`. With --again, games are not solved but taken as they were
the last time, from FOLDER. Build the release before, or set PROPJIT.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from program import PROGRAM, ROOT, require_program

DOCUMENT = ROOT / "docs/solved.md"

HEAD = """# Values of public games, proved

What `propjit solve` proves of the {games} [public rulesheets](glossary.md#games), in at most {seconds:g} s a game, on two cores that had other
work to do. Written by

```sh
tools/solved.py GAMES --seconds {seconds:g}
```

The value of a role is the goal that it can force whatever the others do; where several decide at once, it chooses first, and
*a..b* says that the others, if they choose first, can hold it to *b*. Where a value is not proved, that is what is known: it
can force *a*, and cannot force more than *b*. What the methods are is described in [commands](commands.md#solve) and in
`src/proof/solve/mod.rs`.

| | one role | several roles | all |
|---|---|---|---|
{summary}

*Checked* are those values that a certificate proves whose check, by the rules alone, was successful ({checks} s for all
of them together, {size} MB of certificates). *Of less* is a certificate that is right, but proves less than what is known, such
as wider bounds: values that were proved by parts, a SAT solver or proof search may leave no strategy that rules could check, or
one of more than a million states.

| game | | value | by | states | time in s | certificate |
|---|---|---|---|---|---|---|
"""


def run(*arguments: str) -> tuple[dict | None, str]:
    """What a command prints as JSON, or why it fails."""
    done = subprocess.run([PROGRAM, *arguments, "--format", "json"], capture_output=True, text=True)
    if done.returncode != 0:
        return None, done.stderr.strip().split("\n")[-1]
    return json.loads(done.stdout), ""


def solve(rulesheet: Path, seconds: float, certificate: Path) -> dict:
    """What is found out about a game, and what comes of its certificate."""
    report, error = run("solve", str(rulesheet), "--seconds", str(seconds), "--certificate", str(certificate))
    if report is None:
        return {"game": rulesheet.stem, "verdict": "open", "roles": [], "error": error.removeprefix("error: ")}
    if "certificate" in report:
        start = time.monotonic()
        checked, error = run("solve", str(rulesheet), "--check", str(certificate))
        report["check"] = {"seconds": time.monotonic() - start, "bytes": certificate.stat().st_size}
        if checked is None or checked["values"] != report["certificate"]:
            sys.exit(f"{rulesheet}: {error}")
    return report


def is_checked(report: dict) -> bool:
    """Whether the certificate proves all that is known."""
    known = [{key: role[key] for key in ("role", "least", "most")} for role in report["roles"]]
    return report.get("certificate") == known


def values(report: dict) -> str:
    def text(role: dict) -> str:
        bounds = {role["least"], role["most"]}
        return f"{role['role']} {'..'.join(map(str, sorted(bounds)))}" + (" (matches need not end)" if role["endless"] else "")

    known = ", ".join(map(text, report["roles"])) or report["error"]
    mixed = report.get("equilibrium", {}).get("values", [])
    expected = ", ".join(f"{of['role']} {of['least']:.2f}..{of['most']:.2f}" for of in mixed)
    return known + (f"; expected {expected}" if expected else "")


def methods(report: dict) -> str:
    used = {role[key] for role in report["roles"] for key in ("least_by", "most_by")}
    return ", ".join(sorted(used - {"rules"})) if report["verdict"] != "open" else ""


def row(report: dict) -> str:
    states = f"{report['states']:,}" + ("" if report["complete"] else " and more") if report.get("states") else ""
    certificate = "checked" if is_checked(report) else "of less" if "certificate" in report else ""
    seconds = f"{report['seconds']:.2f}" if "seconds" in report else ""
    cells = [report["game"], report["verdict"], values(report), methods(report), states, seconds, certificate]
    return "| " + " | ".join(cells) + " |"


def summary(reports: list[dict]) -> str:
    """How many games there are of each kind."""
    groups = [[report for report in reports if (len(report["roles"]) == 1) == one] for one in (True, False)]
    groups.append(reports)
    kinds = {
        "games": lambda report: True,
        "proved": lambda report: report["verdict"] == "proved",
        "proved and checked": lambda report: report["verdict"] == "proved" and is_checked(report),
        "mixed strategies": lambda report: report["verdict"] == "equilibrium",
        "bounds": lambda report: report["verdict"] == "bounds",
        "open": lambda report: report["verdict"] == "open",
    }
    count = lambda test: " | ".join(str(sum(map(test, group))) for group in groups)
    return "\n".join(f"| {name} | {count(test)} |" for name, test in kinds.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("games", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--certificates", type=Path, help="where reports and certificates are kept")
    parser.add_argument("--again", action="store_true", help="take the games as they were the last time")
    arguments = parser.parse_args()
    require_program()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.certificates or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        reports = []
        for rulesheet in sorted(arguments.games.glob("*.kif")):
            kept = folder / f"{rulesheet.stem}.report"
            if not (arguments.again and kept.exists()):
                found = solve(rulesheet, arguments.seconds, folder / f"{rulesheet.stem}.json")
                kept.write_text(json.dumps(found))
            reports.append(json.loads(kept.read_text()))
            print(row(reports[-1]), flush=True)
    checks = [report["check"] for report in reports if "check" in report]
    head = HEAD.format(
        games=len(reports),
        seconds=arguments.seconds,
        summary=summary(reports),
        checks=round(sum(check["seconds"] for check in checks)),
        size=round(sum(check["bytes"] for check in checks) / 1e6),
    )
    DOCUMENT.write_text(head + "\n".join(map(row, reports)) + "\n")


if __name__ == "__main__":
    main()
