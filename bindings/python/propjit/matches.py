"""Records of matches, read and written: the files of `propjit match --output`, a line of JSON for each match.

>>> import os, tempfile
>>> from propjit import Game, matches
>>> game = Game.named("ticTacToe")
>>> moves = ["(mark 2 2)", "(mark 1 1)", "(mark 1 2)", "(mark 3 2)", "(mark 1 3)", "(mark 3 1)", "(mark 2 1)", "(mark 2 3)",
...     "(mark 3 3)"]
>>> match = matches.Match.of(game, moves, players=["network", "me"])
>>> match.end, match.goals, match.moves[0]
('terminal', (50, 50), ('(mark 2 2)', 'noop'))
>>> path = os.path.join(tempfile.mkdtemp(), "records.jsonl")
>>> matches.write(path, [match])
>>> again, = matches.read(path)
>>> again == match, again.states(game)[-1].terminal
(True, True)
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from ._native import VERSION, Game, PlayError, State

Path = Union[str, "os.PathLike[str]"]
Move = Union[str, int]


@dataclass(frozen=True)
class Match:
    """A match, as it is in a record: `record` has all that is there, by the names of the file."""

    record: Mapping[str, Any]

    @property
    def game(self) -> str:
        """The name of the game."""
        return self.record["game"]

    @property
    def number(self) -> int:
        """The number of the match in its series, from 1."""
        return self.record["match"]

    @property
    def roles(self) -> Tuple[str, ...]:
        return tuple(self.record["roles"])

    @property
    def players(self) -> Tuple[Optional[str], ...]:
        """The player of each role; `None` for the role that plays at random."""
        return tuple(self.record["players"])

    @property
    def moves(self) -> Tuple[Tuple[str, ...], ...]:
        """The joint moves: a move of each role."""
        return tuple(tuple(move["move"] for move in step) for step in self.record["steps"])

    @property
    def statistics(self) -> Tuple[Tuple[Any, ...], ...]:
        """For each move, what the player said about it, if it did."""
        return tuple(tuple(move.get("statistics") for move in step) for step in self.record["steps"])

    @property
    def end(self) -> str:
        """How it ended: `terminal`, `truncated`, `stuck`, `interrupted`, `failed` or `abandoned`."""
        return self.record["end"]

    @property
    def goals(self) -> Tuple[Optional[int], ...]:
        """The goal of each role; empty unless it ended in a terminal state."""
        return tuple(self.record["goals"])

    def states(self, game: Game) -> List[State]:
        """The states of the match, one more than joint moves. A match of another game is a `PropjitError`."""
        states = [game.initial]
        for joint in self.moves:
            states.append(states[-1].apply(joint))
        return states

    @classmethod
    def of(
        cls,
        game: Game,
        moves: Iterable[Union[Move, Sequence[Move], Mapping[str, Move]]],
        *,
        players: Sequence[Optional[str]],
        number: int = 1,
        seed: int = 0,
        statistics: Optional[Sequence[Any]] = None,
    ) -> Match:
        """A match that was played in Python.

        `moves` are as `State.apply` takes them, and `players` has a name for each role, or `None` for the role that plays at
        random. `statistics` are what is to be said about each joint move, in the record of the moves that were a choice.
        """
        if len(players) != len(game.roles):
            raise ValueError(f"{len(players)} players were given for the roles {', '.join(game.roles)}")
        state, steps = game.initial, []
        for at, given in enumerate(moves):
            joint = _joint(game, state, given)
            choosing = state.to_move
            step: List[Dict[str, Any]] = [{"move": text, "seconds": None} for text in joint]
            if statistics is not None:
                for role, entry in zip(game.roles, step):
                    if role in choosing:
                        entry["statistics"] = statistics[at]
            steps.append(step)
            state = state.apply(joint)
        terminal = state.terminal
        goals = [state.goals[role] for role in game.roles] if terminal else []
        nothing = [None] * len(game.roles)
        return cls(
            {
                "version": VERSION,
                "game": os.path.basename(game.name).removesuffix(".kif"),
                "rulesheet": _hash(game.text),
                "series": {
                    "players": [player or "random" for player in players],
                    "swap": False,
                    "seed": seed,
                    "start_clock": 0.0,
                    "play_clock": 0.0,
                    "grace": 0.0,
                    "max_steps": max(len(steps), 1),
                    "forgiving": False,
                    "backend": None,
                },
                "match": number,
                "id": f"python-{seed}-{number}",
                "roles": list(game.roles),
                "players": list(players),
                "seeds": [None if player is None else seed for player in players],
                "referee_seed": seed,
                "start_clock": 0.0,
                "play_clock": 0.0,
                "start_seconds": nothing,
                "steps": steps,
                "errors": [],
                "end": "terminal" if terminal else "interrupted",
                "goals": goals,
                "stop_seconds": nothing,
            }
        )


def read(path: Path) -> List[Match]:
    """The matches of a file, in its order."""
    with open(path, encoding="utf-8") as file:
        matches = []
        for number, line in enumerate(file, 1):
            try:
                record = json.loads(line)
                matches.append(Match(record))
                _ = (record["steps"], record["roles"], record["end"])
            except (ValueError, KeyError, TypeError):
                raise ValueError(f"{os.fspath(path)}:{number}: this is not the record of a match") from None
    return matches


def write(path: Path, matches: Iterable[Match], *, append: bool = False) -> None:
    """Writes matches to a file, which `propjit` reads where it takes records: a line each."""
    lines = [json.dumps(match.record, separators=(",", ":")) + "\n" for match in matches]
    with open(path, "a" if append else "w", encoding="utf-8") as file:
        file.writelines(lines)


def _joint(game: Game, state: State, given: Any) -> List[str]:
    """A move of each role, as text."""
    choosing = state.to_move
    if isinstance(given, (str, int)):
        if len(choosing) > 1:
            raise ValueError(f"a move of each of {', '.join(choosing)} is needed")
        given = {choosing[0]: given} if choosing else {}
    elif not isinstance(given, Mapping):
        given = dict(zip(game.roles, given))
    joint = []
    for role in game.roles:
        move = given.get(role)
        if move is None:
            legal = state.legal(role)
            if len(legal) != 1:
                raise PlayError(f"a move of {role} is missing")
            move = legal[0]
        joint.append(game.actions[move] if isinstance(move, int) else move)
    return joint


def _hash(text: str) -> str:
    """The hash of a rulesheet in records: FNV-1a-64."""
    number = 0xCBF29CE484222325
    for byte in text.encode():
        number = ((number ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{number:016x}"
