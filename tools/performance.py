#!/usr/bin/env python3
"""Measures the figures of docs/performance.md and writes that page.

Usage: tools/performance.py [--seconds S] [--matches N] [--quick] [--reference PROGRAM] [--python PYTHON]
           [--json FILE] > docs/performance.md

Builds the release, then measures with the commands that anybody can run; each section names its command. Games come
from gdl/games, and from ../shared (or PROPJIT_SHARED) where that is present: rulesheets in games/, and what other
engines reach on a machine of the same kind in peers.csv and grounding.csv. One thread, no cache, no profile unless
said. The whole takes about an hour with the shared games, some minutes without; --quick takes a second a
game and leaves out the matches. With --reference, an earlier build is measured in turns with this one. Rates of
environments are those of the package in --python; they are left out where there is none.
Progress goes to stderr, figures as JSON to FILE.
"""

import argparse
import csv
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

import growth

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("PROPJIT_SHARED", ROOT.parent / "shared"))
PROGRAM = ROOT / "target/release/propjit"
# Those that the project has, and public ones.
GAMES = [
    "ticTacToe", "connectFour", "breakthrough", "reversi", "kalah", "dotsAndBoxes", "captureGo", "fourPlayerHalma", "hex",
    "chess_200", "speedChess", "amazons_10x10", "gomoku_15x15", "pentago", "knightThrough", "chineseCheckers4",
]
# Those that the project's targets name.
COMPARED = [
    "breakthrough", "connectFour", "reversi", "gomoku_15x15", "hex", "speedChess", "chess_200", "skirmish",
    "amazons_10x10",
]
DARKENED = [
    "connectFour", "breakthrough", "reversi", "dotsAndBoxes", "captureGo", "kalah", "hex", "amazons_10x10", "gomoku_15x15",
    "skirmish", "pentago", "knightThrough",
]


def run(*arguments: str, cache: str = "off", program: Path = PROGRAM) -> dict:
    """What a command prints as JSON; an empty dictionary if it fails."""
    environment = os.environ | {"PROPJIT_CACHE": cache, "PROPJIT_CONFIG": "off"}
    done = subprocess.run(
        [program, *arguments, "--format", "json"], capture_output=True, text=True, env=environment, cwd=ROOT
    )
    if done.returncode != 0:
        print(f"  failed: {' '.join(map(str, arguments))}: {done.stderr.strip()[:200]}", file=sys.stderr)
        return {}
    return json.loads(done.stdout)


def own(name: str) -> str:
    return str(ROOT / "gdl/games" / f"{name}.kif")


def public(name: str) -> str:
    return str(SHARED / "games" / f"{name}.kif")


def rulesheets(names: list[str]) -> dict[str, str]:
    """The rulesheets of games by their names: the project's own, or public ones where these are."""
    paths = {name: own(name) if Path(own(name)).is_file() else public(name) for name in names}
    return {name: path for name, path in paths.items() if Path(path).is_file()}


def table(path: str) -> dict[str, dict[str, str]]:
    """A table of the shared folder by the game's name; empty where it is absent."""
    if not (SHARED / path).is_file():
        return {}
    with open(SHARED / path) as file:
        return {row["game"]: row for row in csv.DictReader(file)}


def number(text: str | None) -> float | None:
    """The number, or None where there is none, as in `over 60`."""
    try:
        return float(text) if text else None
    except ValueError:
        return None


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def short(value: float | None, digits: int = 2) -> str:
    """A figure with as many significant digits, and a suffix for thousands and millions."""
    if value is None:
        return "-"
    for factor, suffix in ((1e6, " M"), (1e3, " k")):
        if value >= factor:
            return f"{significant(value / factor, digits)}{suffix}"
    return significant(value, digits)


def significant(value: float, digits: int) -> str:
    if value == 0:
        return "0"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{places}f}"


def playouts(rulesheet: str, backend: str, seconds: float, *more: str) -> dict:
    return run(
        "playout", rulesheet, "--backend", backend, "--seconds", str(seconds), "--seed", "1", "--wait", *more
    )


def rows(lines: list[list[str]]) -> str:
    """A table in Markdown; the first line is the head."""
    head, *body = lines
    rule = ["---"] * len(head)
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, rule, *body])


class Page:
    """The page as it grows, and the figures in it."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.turn = seconds / 5
        # How many seconds grounding may take.
        self.limit = 60 if seconds > 1 else 15
        self.parts: list[str] = []
        self.figures: dict[str, object] = {}

    def add(self, text: str) -> None:
        self.parts.append(text.strip())

    def tell(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def machine(self) -> None:
        commit = output("git", "rev-parse", "--short=10", "HEAD")
        cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
        wide = "AVX-512" if "avx512f" in Path("/proc/cpuinfo").read_text() else "AVX2 or less"
        self.figures["machine"] = {"commit": commit, "cpu": cpu, "cores": os.cpu_count(), "date": str(date.today())}
        self.add(
            f"""
# Performance

Every figure on this page was measured by `tools/performance.py` on one commit: {commit}, {date.today()}, on {cpu}
({wide}; {os.cpu_count()} cores, shared with others; {platform.system()}), with {output("rustc", "--version")}. Such
machines are noisy: ratios matter, not the absolutes. One thread unless said; `--no-cache`, no profile.
"""
        )

    def speed(self) -> None:
        """Playouts of some games on each backend."""
        peers = table("peers.csv")
        head = ["game", "scalar", "lanes", "compiled", "compiled / scalar", "code after", "from the cache"]
        if peers:
            head += ["Sancho", "compiled / Sancho", "playouts / Regular Boardgames"]
        lines = [head]
        figures = {}
        for name, path in rulesheets(GAMES).items():
            self.tell(f"  {name}")
            of = {b: playouts(path, b, self.seconds, "--no-cache") for b in ("scalar", "lanes", "compiled")}
            if not all(of.values()):
                continue
            with tempfile.TemporaryDirectory() as cache:
                os.chmod(cache, 0o700)
                environment = [run(*arguments, cache=cache) for arguments in [warm(path)] * 2]
            rate = {backend: result["state_changes_per_second"] for backend, result in of.items()}
            line = [
                name, *(short(rate[b]) for b in ("scalar", "lanes", "compiled")),
                significant(rate["compiled"] / rate["scalar"], 2),
                f"{of['compiled']['code_seconds'] * 1e3:.1f} ms",
                f"{environment[1]['code_seconds'] * 1e3:.1f} ms" if environment[1] else "-",
            ]
            figures[name] = rate
            if peers:
                peer = peers.get(name, {})
                sancho = number(peer.get("sancho_state_changes_per_s"))
                boardgames = number(peer.get("rbg_cpp_playouts_per_s"))
                line += [
                    short(sancho),
                    significant(rate["compiled"] / sancho, 2) if sancho else "-",
                    significant(of["compiled"]["rollouts_per_second"] / boardgames, 2) if boardgames else "-",
                ]
            lines.append(line)
        self.figures["playouts"] = figures
        self.add(f"## Playouts\n\nState changes a second in random playouts (one joint move is one state change):\n"
                 f"`propjit playout RULESHEET --backend B --seconds {self.seconds:g} --seed 1 --wait --no-cache`.\n\n"
                 + rows(lines))

    def against_others(self) -> None:
        """All games that other engines were measured on."""
        peers = table("peers.csv")
        if not peers:
            return
        # The column with an engine's rates, and what of ours is compared with them.
        engines = {
            "sancho": ("sancho_state_changes_per_s", "state_changes_per_second"),
            "galvanise": ("galvanise_state_changes_per_s", "state_changes_per_second"),
            "boardgames": ("rbg_cpp_playouts_per_s", "rollouts_per_second"),
        }
        times: dict[str, dict[str, float]] = {engine: {} for engine in engines}
        for name, peer in peers.items():
            if not Path(public(name)).is_file():
                continue
            self.tell(f"  {name}")
            result = playouts(public(name), "compiled", self.seconds, "--no-cache")
            if not result:
                continue
            for engine, (theirs, ours) in engines.items():
                if rate := number(peer[theirs]):
                    times[engine][name] = result[ours] / rate
        self.figures["against"] = times

        def summary(of: dict[str, float]) -> str:
            least = sorted(of, key=of.get)[:3]
            return (f"{significant(geometric_mean(list(of.values())), 2)} times in the geometric mean of {len(of)} games; "
                    "least: " + ", ".join(f"{name} {significant(of[name], 2)}" for name in least))

        self.add(
            "## Against other engines\n\nTheir figures were measured before, on one core of a machine of the same size; "
            f"ours with `propjit playout RULESHEET --seconds {self.seconds:g} --seed 1 --wait --no-cache`.\n\n"
            f"- State changes a second against Sancho 1.61c (Java): {summary(times['sancho'])}.\n"
            f"- The same against galvanise (C++): {summary(times['galvanise'])}.\n"
            f"- Playouts a second against Regular Boardgames compiled to C++: {summary(times['boardgames'])}."
        )

    def against_reference(self, program: Path) -> None:
        """Another build of this program, in turns with this one."""
        lines = [["game", "state changes/s", "now", "times", "nodes/s", "now", "times"]]
        figures = {}
        # Tree search alone: earlier builds have no more, unless asked.
        plain = {of: ["--plain"] if "--plain" in output(str(of), "analyze", "--help") else [] for of in (program, PROGRAM)}
        for name in filter(lambda name: Path(public(name)).is_file(), COMPARED):
            self.tell(f"  {name}")
            rates: dict[Path, list[tuple[float, float]]] = {program: [], PROGRAM: []}
            for seed in range(1, 6):
                # Each is first in turn: machines have slow moments.
                for of, seen in sorted(rates.items(), reverse=seed % 2 == 0):
                    common = ("--seed", str(seed), "--wait", "--no-cache", "--threads", "1")
                    played = run("playout", public(name), "--seconds", "1", *common, program=of)
                    found = run("analyze", public(name), "--seconds", "2", *common, *plain[of], program=of)
                    if played and found:
                        seen.append((played["state_changes_per_second"], found["nodes"] / found["seconds"]))
            if not all(len(seen) == 5 for seen in rates.values()):
                continue
            before, now = (list(zip(*seen)) for seen in rates.values())
            figures[name] = {"before": before, "now": now}
            line = [name]
            for then, after in zip(before, now):
                times = statistics.median(new / old for old, new in zip(then, after))
                line += [short(statistics.median(then)), short(statistics.median(after)), significant(times, 2)]
            lines.append(line)
        self.figures["reference"] = figures
        self.add(
            f"## Against an earlier build\n\nMedians of five runs in turns with `{program.name}`, and of their ratios two by two: "
            "`propjit playout RULESHEET --seconds 1 --seed S --wait --no-cache --threads 1` and `propjit analyze RULESHEET "
            "--seconds 2 --seed S --wait --no-cache --threads 1 --plain`. Nodes are those of one second on a tree that begins "
            "empty, by tree search alone; what the whole player wins against that build is in the "
            f"[record](record/minimax.md#against-commit-5a7a301).\n\n{rows(lines)}"
        )

    def set_up(self) -> None:
        """Grounding, circuits and set-up of all public games."""
        folder = SHARED / "games"
        if not folder.is_dir():
            return
        peers, grounding = table("peers.csv"), table("grounding.csv")
        playable, against, sizes, failed = [], [], [], []
        for path in sorted(folder.glob("*.kif")):
            info = run("info", str(path), "--backend", "lanes", "--setup-limit", str(self.limit))
            if not info or "circuit" not in info or not info["circuit"]:
                failed.append(path.stem)
                continue
            stages = {stage["stage"]: stage["seconds"] for stage in info["setup"]}
            ground = stages.get("ground", 0.0)
            playable.append(sum(stages.get(stage, 0.0) for stage in ("parse", "ground", "propnet", "circuit")))
            if seconds := number(grounding.get(path.stem, {}).get("gringo_seconds")):
                against.append((stages["parse"] + ground) / seconds)
            if components := number(peers.get(path.stem, {}).get("sancho_components")):
                sizes.append(info["circuit"]["gates"] / components)
        self.figures["set-up"] = {"median": statistics.median(playable), "failed": failed}
        self.add(
            f"## Set-up\n\n`propjit info RULESHEET --backend lanes --setup-limit {self.limit}` of every public rulesheet.\n\n"
            f"- From text to the circuit on which play begins: {statistics.median(playable) * 1e3:.1f} ms in the "
            f"median of {len(playable)} games. Not grounded within {self.limit} s and the default memory, hence played by the "
            f"prover: {', '.join(failed) or 'none'}.\n"
            f"- Parsing and grounding against gringo 5.8 on a straightforward translation of the same rules: "
            f"{significant(geometric_mean(against), 2)} times its time in the geometric mean of {len(against)} games.\n"
            f"- Gates with two inputs after all passes against Sancho's components: {statistics.median(sizes):.2f} in the "
            f"median of {len(sizes)} games."
        )

    def growth(self) -> None:
        """Families of games with a size, with a picture."""
        with tempfile.TemporaryDirectory() as folder:
            families = growth.measured(list(growth.FAMILIES), Path(folder), self.turn)
        (ROOT / "docs/images/growth.svg").write_text(growth.picture(families), encoding="utf-8")
        self.figures["growth"] = families
        self.add(
            "## Growth with size\n\nFamilies of games with a size n, the least and the greatest that were measured, and the "
            "exponent that fits the greater half of the sizes: `tools/growth.py` writes their rulesheets and measures "
            "them. A step is one of random playouts, in all lanes, by the lane; set-up is that of machine code, without "
            "the cache.\n\n" + rows(growth.rows(families)) + "\n\n![Gates, time of a step and set-up over sizes](images/growth.svg)"
        )

    def darkening(self) -> None:
        """Whole matches, with it and without."""
        seconds, games = 0.2, list(rulesheets(DARKENED).values())
        table = output(str(ROOT / "tools/darkening.py"), *games, "--seconds", str(seconds), "--matches", "1")
        self.add("## Darkening\n\nPlayouts a second of CPU time in whole matches, set-up and compiling included, with code that is "
                 "specialised as the match goes on against code for the whole game. There are as many playouts a move "
                 f"as tree search makes in {seconds} s: `tools/darkening.py RULESHEET --seconds {seconds} --matches 1`.\n\n{table}")

    def environments(self, python: str) -> None:
        """Batched environments of the Python package."""
        table = output("taskset", "-c", "0", python, str(ROOT / "tools/python_environments.py"))
        if table:
            self.add("## Environments for learners\n\nSteps a second of batched environments in Python on one core, with random actions "
                     "chosen by NumPy in three ways or inside (`step_random`), n of them at once; pgx (on the CPU) and "
                     "OpenSpiel for comparison: `taskset -c 0 tools/python_environments.py`. A step of a "
                     "single environment takes as long as said beyond what NumPy takes to copy the same arrays.\n\n" + table)

    def search(self) -> None:
        """Nodes and playouts of the tree search."""
        lines = [["game", "nodes /s", "playouts /s", "nodes /s, two threads"]]
        figures = {}
        for name in ("connectFour", "breakthrough", "reversi", "kalah"):
            self.tell(f"  {name}")
            rates = []
            for threads in ("1", "2"):
                result = run("analyze", own(name), "--seconds", str(max(2.0, self.seconds)), "--seed", "1", "--wait",
                             "--threads", threads, "--plain")
                rates.append((result["nodes"] / result["seconds"], result["playouts"] / result["seconds"]))
            figures[name] = rates
            lines.append([name, short(rates[0][0], 3), short(rates[0][1], 3), short(rates[1][0], 3)])
        self.figures["search"] = figures
        self.add("## Search\n\nMonte Carlo tree search from the initial state: `propjit analyze RULESHEET --seconds 2 "
                 "--seed 1 --wait --threads T --plain`.\n\n" + rows(lines))

    def matches(self, games: int) -> None:
        """Short series at equal clocks."""
        pairs = [
            ("connectFour", "mcts:threads=1,ponder=false", "mcts:threads=1,ponder=false,backend=scalar"),
            ("breakthrough", "mcts:threads=1,ponder=false", "mcts:threads=1,ponder=false,backend=scalar"),
            ("breakthrough", "mcts:threads=1,ponder=false", "mcts:threads=1,ponder=false,decisive=false"),
        ]
        lines = [["game", "player", "against", "score", "95% interval"]]
        for name, one, other in pairs:
            self.tell(f"  {name}: {one} against {other}")
            result = run("match", own(name), "--player", one, "--player", other, "--games", str(games), "--swap",
                         "--seed", "1", "--start-clock", "1", "--play-clock", "0.1")
            if not result:
                continue
            first = result["standings"][0]
            low, high = first["interval"]
            lines.append([name, f"`{one}`", f"`{other}`", f"{first['score']:.0%}", f"{low:.0%} to {high:.0%}"])
        self.add(f"## Matches\n\n{games} matches each with sides in turn: `propjit match RULESHEET --player ... --player ... "
                 f"--games {games} --swap --seed 1 --start-clock 1 --play-clock 0.1`.\n\n" + rows(lines))


def warm(rulesheet: str) -> tuple[str, ...]:
    return ("playout", rulesheet, "--backend", "compiled", "--count", "1", "--seed", "1", "--wait")


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="seconds of playouts for each game and backend")
    parser.add_argument("--matches", type=int, default=40, help="the matches of each series")
    parser.add_argument("--quick", action="store_true", help="a second for each, and no matches")
    parser.add_argument("--reference", type=Path, help="an earlier build, to be measured in turns with this one")
    parser.add_argument("--python", default=sys.executable, help="the Python in which the package is installed, as a release")
    parser.add_argument("--parts", nargs="+", help="the parts to measure, such as reference; otherwise all")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    arguments = parser.parse_args()
    page = Page(1.0 if arguments.quick else arguments.seconds)
    start = time.monotonic()
    subprocess.run(["cargo", "build", "--release", "--locked"], cwd=ROOT, check=True)
    page.machine()
    for name, work in (
        ("playouts", page.speed),
        ("other engines", page.against_others),
        ("reference", lambda: page.against_reference(arguments.reference.resolve()) if arguments.reference else None),
        ("set-up", page.set_up),
        ("growth", page.growth),
        ("darkening", page.darkening),
        ("environments", lambda: page.environments(arguments.python)),
        ("search", page.search),
        ("matches", lambda: None if arguments.quick else page.matches(arguments.matches)),
    ):
        if arguments.parts is None or name in arguments.parts:
            page.tell(name)
            work()
    page.tell(f"{time.monotonic() - start:.0f} s")
    if arguments.json:
        arguments.json.write_text(json.dumps(page.figures, indent=2))
    print("\n\n".join(page.parts))


if __name__ == "__main__":
    main()
