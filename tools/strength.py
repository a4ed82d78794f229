#!/usr/bin/env python3
"""Plays series of matches on a panel of games: a player against the same player without one of its parts, against
another build of the program, or against a player that speaks the GGP protocol.

Each opening is played once with each player in each role. Usage:

    tools/strength.py RULESHEET... --without local=false                 one part of the player, on against off
    tools/strength.py RULESHEET... --without rave=0 --nodes 2000         at equal nodes instead of an equal clock
    tools/strength.py RULESHEET... --against PROGRAM                     another build, both over the loopback
    tools/strength.py RULESHEET... --stranger http://HOST:PORT           a player that speaks the GGP protocol
    tools/strength.py --panel FOLDER --sprt 0,30,0.05,0.05 --records F   the panel's rulesheets in a folder, by a test

Evaluations that were learned alike differ. With --evaluations N a series has N parts, for each of which both players learn
anew, with other random numbers; the interval then allows for how much the parts differ.
"""

import argparse
import contextlib
import json
import math
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from program import PROGRAM, require_program

# Games with and without captures, of connection, of counting, with asymmetric roles, simultaneous ones, with three
# players, and of one role.
PANEL = (
    "breakthrough knightThrough skirmish speedChess checkers connectFour pentago nineBoardTicTacToe gomoku_15x15 quad"
    " hex amazons_8x8 reversi dotsAndBoxes kalaha6x2x4 escortLatch sheepAndWolf blocker 3pttc max_knights"
).split()

# A player over HTTP thinks for half of its clock at least, whatever its margin is. So its clock is this factor times the time that it
# should think.
HTTP_CLOCKS = 2

# What players do by themselves where a clock limits them, and not where nodes do.
DEFAULT_EVALUATION = "evaluation=true"


def start(core: int, folder: str, program: str, *arguments: str) -> subprocess.Popen:
    """Starts a command on one core with the settings of a folder."""
    environment = {**os.environ, "PROPJIT_CONFIG": folder}
    command = ["taskset", "-c", str(core), program, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def run(core: int, folder: str, *arguments: str, program: str = PROGRAM) -> dict:
    """What a command prints as JSON."""
    process = start(core, folder, program, *arguments, "--format", "json")
    output, errors = process.communicate()
    if process.returncode != 0:
        sys.exit(f"{program} {' '.join(arguments)}: {errors.strip()}")
    return json.loads(output)


@contextlib.contextmanager
def served(core: int, folder: str, program: str, player: str, clock: float):
    """The address at which a program's player listens, which answers after `clock` seconds."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    margin = str(round(1000 * (HTTP_CLOCKS - 1) * clock))
    process = start(core, folder, program, "serve", "--port", str(port), "--margin", margin, "--player", player)
    try:
        for _ in range(100):
            if process.poll() is not None:
                sys.exit(f"{program} serve: {process.stderr.read().strip()}")
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.1):
                break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.communicate()


def overlooked_losses(records: Path) -> dict[int, int]:
    """For each of the two players, how often it knew only after its move that all is lost, though it had moved itself
    in between: the traps into which it went. Nothing is known of players elsewhere."""
    found: dict[int, int] = {}
    with open(records, encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            names = record["series"]["players"]
            for role in range(len(record["roles"])):
                was_open = False
                for step in record["steps"]:
                    told = step[role].get("statistics")
                    if told is None:
                        continue
                    player = names.index(record["players"][role])
                    is_lost = told["solved"] and told["value"] == 0
                    found[player] = found.get(player, 0) + (is_lost and was_open)
                    was_open = not is_lost
    return found


def wilson(score: float, matches: float) -> tuple[float, float]:
    """The interval in which the expected score is, with a probability of 95%."""
    if matches == 0:
        return 0.0, 1.0
    z = 1.959964
    middle = (score + z * z / 2) / (matches + z * z)
    share = score / matches
    half = z * math.sqrt(share * (1 - share) / matches + z * z / 4 / matches**2) / (1 + z * z / matches)
    return middle - half, middle + half


def specification(options: str, nodes: int, evaluation: str = DEFAULT_EVALUATION) -> str:
    """A player with these options, and with this number of nodes for each move unless a clock limits it."""
    parts = ["mcts:threads=1,ponder=false", options]
    if nodes:
        parts += [f"nodes={nodes}", "" if "evaluation=" in options else evaluation]
    return ",".join(filter(None, parts))


def play(rulesheet: str, folder: str, options: argparse.Namespace) -> dict:
    """A series in one game: its standings, those of its parts together."""
    parts = []
    for number in range(options.evaluations):
        with tempfile.TemporaryDirectory(dir=folder) as own:
            parts.append(play_part(rulesheet, own, options, number))

    evaluations = "; ".join(filter(None, (part["evaluation"] for part in parts)))
    return parts[0] | together(parts) | {"evaluation": evaluations, "independent": independent_matches(parts)}


def together(series: list[dict]) -> dict:
    """What some series came to together, as far as that is known of all."""
    columns = {key: list(zip(*(one[key] for one in series))) for key in ("counts", "overlooked")}
    sums = {key: [None if None in column else sum(column) for column in of] for key, of in columns.items()}
    return sums | {key: sum(one[key] for one in series) for key in ("matches", "score", "timeouts")}


def independent_matches(parts: list[dict]) -> float:
    """How many matches that do not depend on each other would tell as much of the expected score as those of some parts do,
    by how much the scores of the parts differ: all of them at most."""
    matches = sum(part["matches"] for part in parts)
    shares = [part["score"] / part["matches"] for part in parts if part["matches"]]
    if len(shares) < 2:
        return matches
    share = statistics.mean(shares)
    error = statistics.variance(shares) / len(shares)
    return min(matches, share * (1 - share) / error) if error > 0 else matches


def play_part(rulesheet: str, folder: str, options: argparse.Namespace, number: int) -> dict:
    """A part of a series, with evaluations of its own."""
    name = Path(rulesheet).stem
    seed = ["--seed", str(options.seed + number)]
    own = specification(options.own, options.nodes)
    # Another build may know no evaluation.
    other = specification(options.without, options.nodes, "" if options.against else DEFAULT_EVALUATION)
    settings = [str(Path(folder, "own"))]
    if options.against:
        settings.append(str(Path(folder, "other")))
    verdicts = []
    for place, program, seconds in zip(settings, [PROGRAM, options.against], [options.learn, options.learn_other]):
        Path(place).mkdir(exist_ok=True)
        if seconds > 0:
            learn = ["heuristics", rulesheet, "--seconds", str(seconds), *seed, "--format", "json"]
            process = start(options.core, place, program, *learn)
            told = process.communicate()[0]
            verdicts.append(json.loads(told)["verdict"] if process.returncode == 0 else "none")
    # The role `random` has no player.
    roles = sum(role["name"] != "random" for role in run(options.core, settings[0], "info", rulesheet)["roles"])
    # Where there are more roles, the others have all of them but one.
    others = [other] * max(1, roles - 1)
    with contextlib.ExitStack() as players:
        clock = options.clock
        if options.against:
            seats = [(settings[0], PROGRAM, own), *((settings[1], options.against, other) for other in others)]
            own, *others = (players.enter_context(served(options.core, *seat, clock)) for seat in seats)
            clock *= HTTP_CLOCKS
        elif options.stranger:
            others = [options.stranger] * len(others)
        part = f"-{number + 1}" if number > 0 else ""
        records = Path(options.records or folder, f"{name}{part}.jsonl")
        records.unlink(missing_ok=True)
        rounds = max(1, options.matches // options.evaluations // roles)
        named = [part for player in [own, *others] for part in ("--player", player)]
        arguments = [rulesheet, *named, "--rounds", str(rounds), *seed]
        arguments += ["--start-clock", str(options.start_clock), "--play-clock", str(clock), "--output", str(records)]
        if options.openings > 0:
            arguments += ["--openings", f"random:{options.openings}"]
        # A test is of two players, in games of two roles.
        if options.sprt and roles == 2:
            arguments += ["--sprt", options.sprt]
        played = run(options.core, settings[0], "tournament", *arguments)
    standing = played["table"]["standings"][0]
    losses = overlooked_losses(records)
    return {
        "game": name,
        "roles": roles,
        "matches": standing["matches"],
        "score": standing["score"] * standing["matches"] if standing["matches"] else 0.0,
        "counts": [standing[key] for key in ("wins", "draws", "losses")],
        "timeouts": sum(player["timeouts"] for player in played["table"]["standings"]),
        "overlooked": [losses.get(player) for player in (0, 1)],
        "sprt": played["table"]["sprt"],
        "evaluation": "; ".join(verdicts),
    }


def row(name: str, series: dict) -> str:
    """A line of the table."""
    share = 100 * series["score"] / max(1, series["matches"])
    low, high = wilson(share / 100 * series["independent"], series["independent"])
    overlooked = ["" if count is None else str(count) for count in series["overlooked"]]
    wins, draws, losses = series["counts"]
    return (f"| {name} | {series['matches']} | {wins} | {draws} | {losses} | {share:.1f}%"
            f" | {100 * low:.0f} to {100 * high:.0f} | {overlooked[0]} | {overlooked[1]} | {series['timeouts']}"
            f" | {series['evaluation']} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rulesheets", nargs="*", help="files with the rules")
    parser.add_argument("--panel", metavar="FOLDER", help="the panel's games whose rulesheet is there")
    parser.add_argument("--with", dest="own", default="", metavar="OPTIONS", help="options of the player itself")
    parser.add_argument("--without", metavar="OPTIONS", help="options of the other player; evaluation=false unless it is of another build")
    parser.add_argument("--against", metavar="PROGRAM", help="the other player is that of this build")
    parser.add_argument("--stranger", metavar="URL", help="the other player listens there")
    parser.add_argument("--matches", type=int, default=200, help="an even number for each game")
    parser.add_argument("--clock", type=float, default=0.2, metavar="SECONDS", help="for each move")
    parser.add_argument("--start-clock", type=float, default=2, metavar="SECONDS")
    parser.add_argument("--nodes", type=int, default=0, metavar="N", help="for each move, whatever the clock says")
    parser.add_argument("--sprt", metavar="ELO0,ELO1,ALPHA,BETA", help="end a series when this test is decided")
    parser.add_argument("--openings", type=int, default=2, metavar="N", help="joint moves at random first")
    parser.add_argument("--learn", type=float, default=3, metavar="SECONDS", help="for the evaluation, before a series")
    parser.add_argument("--learn-other", type=float, metavar="SECONDS", help="for that of another build's player, which may be this build; as --learn unless given")
    parser.add_argument("--evaluations", type=int, default=1, metavar="N", help="learn anew so often in a series")
    parser.add_argument("--records", metavar="FOLDER", help="keep the matches there, as JSON Lines")
    parser.add_argument("--core", type=int, default=0, help="the processor for all of this")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    require_program()
    if options.learn_other is None:
        options.learn_other = options.learn
    elif not options.against:
        parser.error("--learn-other is for a player that learns by itself: name its program by --against")
    if options.without is None:
        options.without = "" if options.against else "evaluation=false"
        if options.against and options.own:
            # Such as one that learns in play beside one that does not.
            print("the other player has no options, as an early build may not know them: name them by --without", file=sys.stderr)
    if options.evaluations < 1 or options.sprt and options.evaluations > 1:
        parser.error("--evaluations is a number from 1 on, and 1 with --sprt, as a test is of one series")
    rulesheets = list(options.rulesheets)
    if options.panel:
        rulesheets += [str(path) for game in PANEL if (path := Path(options.panel, f"{game}.kif")).exists()]
    if not rulesheets:
        parser.error("no rulesheets: name files, or a folder that has some of the panel's")
    if options.nodes:
        # Long enough for any machine to make them.
        options.clock = max(options.clock, 60)
    if options.records:
        Path(options.records).mkdir(parents=True, exist_ok=True)
    print("| game | matches | wins | draws | losses | score | 95% | losses overlooked | by the other | time-outs"
          " | evaluation |")
    print("|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    every = []
    with tempfile.TemporaryDirectory() as folder:
        for rulesheet in rulesheets:
            every.append(play(rulesheet, folder, options))
            test = every[-1]["sprt"]
            print(row(every[-1]["game"], every[-1]) + (f" {test}" if test else ""), flush=True)
    # What equal players get of other games is not half: of one role, what they get alone, and of three a third.
    name = "all" if all(series["roles"] == 2 for series in every) else "all of two roles"
    every = [series for series in every if series["roles"] == 2]
    if len(every) > 1:
        independent = sum(series["independent"] for series in every)
        total = together(every) | {"evaluation": "", "independent": independent}
        print(row(name, total))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
