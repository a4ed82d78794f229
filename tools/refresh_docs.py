#!/usr/bin/env python3
"""Examples in the documentation, made true again.

In every `console` block that follows a comment `<!-- example -->`, each command that starts with `$ propjit` is run in the
repository's root with the release build (or the program that PROPJIT names), and what follows it is replaced by what it prints now. The comment may say
`lines=N` (keep the first N lines, then `...`) and `exit=N` (the exit code that is expected, 0 if not said).
The exit code is 1 if a command fails.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

from program import PROGRAM, ROOT, require_program

BLOCK = re.compile(r"<!-- example(?P<options>[^>]*)-->\n```console\n(?P<body>.*?)```", re.DOTALL)


def run(command: str, expected: int) -> list[str]:
    """The lines that the command prints, on stdout and then on stderr."""
    shell = command.replace("propjit ", f"{PROGRAM} ", 1)
    done = subprocess.run(shell, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=600)
    if done.returncode != expected:
        sys.exit(f"`{command}` exits with {done.returncode}, not {expected}:\n{done.stderr}")
    return (done.stdout + done.stderr).rstrip("\n").split("\n")


def refresh(match: re.Match[str]) -> str:
    """The block with what its commands print now."""
    options = dict(part.split("=") for part in match["options"].split())
    limit = int(options.get("lines", 1 << 30))
    out: list[str] = []
    lines = iter(match["body"].split("\n"))
    for line in lines:
        if not line.startswith("$ "):
            continue  # what was printed before
        command = line[2:]
        out.append(line)
        while command.endswith("\\"):
            line = next(lines)
            out.append(line)
            command = command[:-1] + line
        printed = run(command, int(options.get("exit", 0)))
        out += printed if len(printed) <= limit else [*printed[:limit], "..."]
    return f"<!-- example{match['options']}-->\n```console\n" + "\n".join(out) + "\n```"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("pages", nargs="+", type=Path, metavar="FILE.md")
    arguments = parser.parse_args()
    require_program()
    for path in arguments.pages:
        text = BLOCK.sub(refresh, path.read_text())
        if not arguments.check:
            path.write_text(text)


if __name__ == "__main__":
    main()
