"""Matches, self-play and proofs on the machines of a Ray cluster (https://ray.io).

- `Series` is a series of matches as `propjit match` plays it, `tournament` makes one for each game and pair of players,
  and `play` plays them, one match a task. A match depends on its number and the seed only, so that records are those of
  the command line.
- `SelfPlay` plays batches of matches for learners, in actors that keep their compiled game.
- `relay` lets a search ask a proof worker on another machine.

What ran in a worker that died is run again. Series need the program `propjit` on each machine.

    python -m propjit.ray match GAME.kif RECORDS.jsonl --games 100 --seed 1 --player random --player mcts --swap
    propjit match GAME.kif --player "mcts:prover=cmd:python -m propjit.ray prover" --player mcts
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from itertools import combinations, islice, zip_longest
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, List, Optional, Sequence, TextIO, Tuple

import numpy as np
import ray
from ray.util import ActorPool

from ._native import Game, VectorEnv
from .selfplay import Batch, Policy, rollout

#: The number of tasks that wait or run at a time: enough for some thousand processors, and few enough for the driver's memory.
WINDOW = 4096

#: Matches that ended so are played again.
PREMATURE = ("interrupted", "abandoned")


class SeriesError(Exception):
    """`propjit match` refused a series or ended it early, and said why."""


class MatchKilled(Exception):
    """`propjit match` was killed by a signal; the match is played again."""


@dataclass(frozen=True)
class Series:
    """A series of matches with records in a file, to which matches that are not there are added."""

    rulesheet: Path
    records: Path
    #: The number of matches.
    games: int
    seed: int
    #: Further options of `propjit match`: at least the players, as in `["--player", "random", "--player", "mcts"]`.
    options: Sequence[str]
    #: The program, as each machine knows it.
    program: str = "propjit"
    #: The number of processors that a match needs: as many as its players have threads.
    cpus: float = 1

    def arguments(self) -> List[str]:
        """The options for all matches."""
        return ["--games", str(self.games), "--seed", str(self.seed), *self.options]

    def report(self, *options: str) -> str:
        """The table of `propjit match`, or with the options `--format json` its JSON.

        Matches that are not in the file are played here.

        Raises `SeriesError` where the file belongs to another series.
        """
        return _run(self.program, self.rulesheet, self.records, [*self.arguments(), "--resume", *options])

    def missing(self) -> List[int]:
        """The numbers, from 1, of matches that are not in the file.

        Raises `SeriesError` where the file belongs to another series.
        """
        if self.records.exists() and self.records.stat().st_size > 0:
            # The program checks the file, and mends a last line that was not written to its end.
            self.report("--only", str(min(self._played(), default=1)))
        played = self._played()
        return [number for number in range(1, self.games + 1) if number not in played]

    def _played(self) -> set:
        if not self.records.exists():
            return set()
        lines = self.records.read_text().split("\n")[:-1]
        records = [json.loads(line) for line in lines]
        return {record["match"] for record in records if record["end"] not in PREMATURE}


def tournament(
    rulesheets: Iterable[Path], players: Sequence[str], folder: Path, *, options: Sequence[str] = (), **rest: Any
) -> List[Series]:
    """A series for each game of two roles and each pair of players, who change their roles from match to match.

    Records are in `folder`, in files named by the game and the numbers of the players, from 1. `rest` is what a
    `Series` has besides: `games` (for each pair in each game), `seed`, `program`, `cpus`.
    """
    numbered = list(enumerate(players, start=1))
    return [
        Series(
            rulesheet,
            folder / f"{rulesheet.stem}.{first}-{second}.jsonl",
            options=["--player", one, "--player", other, "--swap", *options],
            **rest,
        )
        for rulesheet in rulesheets
        for (first, one), (second, other) in combinations(numbered, 2)
    ]


def play(
    *all_series: Series, retries: int = 3, progress: Optional[Callable[[int, int], None]] = None
) -> None:
    """Plays the matches that are missing, and adds each record to its file when the match ends.

    Matches whose worker died are played again, up to `retries` times. `progress` is called with the number of matches
    in the files and of all matches.

    Raises `SeriesError` where the program refuses a series; what was played until then is in the files.
    """
    _connect()
    total = sum(series.games for series in all_series)
    missing = [series.missing() for series in all_series]
    rules = [ray.put(series.rulesheet.read_text()) for series in all_series]
    # All series advance together.
    rounds = zip_longest(*([(at, number) for number in numbers] for at, numbers in enumerate(missing)))
    matches = (match for matches in rounds for match in matches if match is not None)

    def submit(match: Tuple[int, int]) -> ray.ObjectRef:
        at, number = match
        series = all_series[at]
        task = _match.options(num_cpus=series.cpus, max_retries=retries, retry_exceptions=[MatchKilled])
        arguments = [*series.arguments(), "--only", str(number)]
        return task.remote(at, series.program, series.rulesheet.name, rules[at], arguments)

    done = total - sum(map(len, missing))
    for at, record in _results(submit, matches):
        with all_series[at].records.open("a") as file:
            file.write(record)
        done += 1
        if progress is not None:
            progress(done, total)


def _results(submit: Callable[[Any], ray.ObjectRef], items: Iterator[Any]) -> Iterator[Any]:
    """The results of tasks for the items, as they end; what has not ended when the caller leaves is cancelled."""
    tasks = [submit(item) for item in islice(items, WINDOW)]
    try:
        while tasks:
            ended, tasks = ray.wait(tasks)
            tasks += [submit(item) for item in islice(items, 1)]
            try:
                yield ray.get(ended[0])
            except ray.exceptions.RayTaskError as error:
                raise error.cause from None
    finally:
        for task in tasks:
            ray.cancel(task, force=True)


@ray.remote
def _match(at: int, program: str, name: str, rules: str, arguments: List[str]) -> Tuple[int, str]:
    """The number of a series, and the record of one of its matches: a line of JSON."""
    with tempfile.TemporaryDirectory() as folder:
        rulesheet, record = Path(folder, name), Path(folder, "record.jsonl")
        rulesheet.write_text(rules)
        _run(program, rulesheet, record, arguments)
        return at, record.read_text()


def _run(program: str, rulesheet: Path, records: Path, arguments: Sequence[str]) -> str:
    """What `propjit match` prints."""
    command = [program, "match", str(rulesheet), *arguments, "--output", str(records)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode < 0:
        raise MatchKilled(f"{program} was killed by signal {-done.returncode}")
    if done.returncode > 0:
        raise SeriesError(done.stderr.strip())
    return done.stdout


class SelfPlay:
    """Actors that play batches of matches. The game is compiled once in each of them.

    `policy` and its parameters have to be picklable; the policy is a function of a module that all machines have, or of
    the script that runs. `steps` and `environments` are those of a batch, and `environment` what else a `VectorEnv`
    takes, such as `dtype="bits"`. What an actor played when it died is played again, up to `retries` times.
    """

    def __init__(
        self,
        game: Game,
        policy: Policy,
        *,
        actors: int,
        steps: int,
        environments: int = 1024,
        seed: int = 0,
        cpus: float = 1,
        retries: int = 3,
        **environment: Any,
    ) -> None:
        _connect()
        actor = _Player.options(num_cpus=cpus, max_restarts=-1, max_task_retries=retries)
        arguments = (game, policy, environments, steps, environment)
        self._actors = ActorPool([actor.remote(*arguments) for _ in range(actors)])
        self._seed = seed
        self._next = 0

    def batches(self, parameters: Any, count: int) -> Iterator[Batch]:
        """The next batches, in order; they depend on the seed, not on the actors that play them."""
        numbers = range(self._next, self._next + count)
        self._next += count
        shared = ray.put(parameters)
        seeds = [int(np.random.SeedSequence([self._seed, number]).generate_state(1)[0]) for number in numbers]
        return self._actors.map(lambda actor, seed: actor.play.remote(shared, seed), seeds)


@ray.remote
class _Player:
    """An actor of `SelfPlay`."""

    def __init__(
        self, game: Game, policy: Policy, environments: int, steps: int, environment: dict
    ) -> None:
        game.wait()
        self._env = VectorEnv(game, environments, **environment)
        self._policy, self._steps = policy, steps

    def play(self, parameters: Any, seed: int) -> Batch:
        return rollout(self._env, self._policy, parameters, steps=self._steps, seed=seed)


@ray.remote(concurrency_groups={"answers": 1})
class _Prover:
    """A proof worker: the process `propjit prove --serve`, told and heard line by line."""

    def __init__(self, program: str) -> None:
        command = [program, "prove", "--serve"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def tell(self, line: str) -> None:
        self._process.stdin.write(line)
        self._process.stdin.flush()

    def end(self) -> None:
        self._process.stdin.close()

    # It waits for lines while others are told.
    @ray.method(concurrency_group="answers")
    def answers(self) -> Iterator[str]:
        for line in self._process.stdout:
            yield line


def relay(asks: TextIO, answers: TextIO, *, program: str = "propjit", cpus: float = 1) -> None:
    """Passes lines to a proof worker on a machine of the cluster, and back, until `asks` ends (docs/workers.md).

    Raises Ray's `RayError` when the worker dies: whoever asks starts another one, as the search does.
    """
    _connect()
    prover = _Prover.options(num_cpus=cpus).remote(program)

    def tell() -> None:
        try:
            for line in asks:
                ray.get(prover.tell.remote(line))
            ray.get(prover.end.remote())
        except ray.exceptions.RayError:
            # Whoever waits for answers gets the error, too.
            pass

    threading.Thread(target=tell, daemon=True).start()
    for line in prover.answers.options(num_returns="streaming").remote():
        answers.write(ray.get(line))
        answers.flush()


def _connect() -> None:
    """Connects to the cluster that RAY_ADDRESS names, or else to one on this machine, which is started if need be."""
    if not ray.is_initialized():
        ray.init(include_dashboard=False, log_to_driver=False, logging_level="ERROR")


def _show(done: int, total: int) -> None:
    end = "\n" if done == total else "\r"
    print(f"{done} of {total} matches", end=end, file=sys.stderr, flush=True)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """The commands of `python -m propjit.ray`; the result is the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m propjit.ray", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", default="propjit", help="propjit, as each machine knows it")
    parser.add_argument("--cpus", type=float, default=1, help="processors for a match or a prover (default: 1)")
    commands = parser.add_subparsers(dest="command", required=True)
    match = commands.add_parser("match", help="play a series; further options are those of `propjit match`")
    match.add_argument("rulesheet", type=Path)
    match.add_argument("records", type=Path)
    match.add_argument("--games", type=int, required=True)
    match.add_argument("--seed", type=int, required=True)
    commands.add_parser("prover", help="a proof worker somewhere in the cluster, on standard input and output")
    args, options = parser.parse_known_args(arguments)
    try:
        if args.command == "prover":
            relay(sys.stdin, sys.stdout, program=args.program, cpus=args.cpus)
            return 0
        series = Series(
            args.rulesheet, args.records, args.games, args.seed, options, program=args.program, cpus=args.cpus
        )
        play(series, progress=_show if sys.stderr.isatty() else None)
        print(series.report(), end="")
    except (SeriesError, MatchKilled, ray.exceptions.RayError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; the same command goes on", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    # Workers import what they run by the module's name, which here is `__main__`.
    from propjit import ray as module

    sys.exit(module.main())
