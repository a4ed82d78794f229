"""What work on a game results in: plain values that can be compared, printed and pickled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Optional, Tuple


@dataclass(frozen=True)
class Statistics:
    """The mean of many values; `None` where there are too few."""

    count: int
    mean: Optional[float]
    standard_error: Optional[float]


@dataclass(frozen=True)
class Playouts:
    """What came of random matches."""

    #: The number of matches that ended.
    count: int
    #: The number of joint moves, those of matches that did not end included.
    state_changes: int
    seconds: float
    #: The number of joint moves of a match.
    lengths: Statistics
    #: The goals of each role, where it has exactly one.
    goals: Mapping[str, Statistics]
    #: The number of matches that were given up because they were too long.
    truncated: int
    #: The number of matches that ended where a role has no legal move.
    stuck: int


@dataclass(frozen=True)
class RandomSteps:
    """What ended during random steps of environments."""

    #: The number of matches that ended in a terminal state.
    terminated: int
    #: The number of matches that were given up.
    truncated: int
    #: For each player, the sum of its goals at the end of matches.
    rewards: Tuple[float, ...]


@dataclass(frozen=True)
class MoveReport:
    """What a search knows about a move."""

    move: str
    visits: int
    #: The goal that the role can expect, if the move was looked at or is proved.
    value: Optional[float]
    #: Whether the value is only an upper bound, which is what minimax finds for moves that are worse than the best one.
    is_upper_bound: bool
    #: That of the value; `None` if it is proved.
    standard_error: Optional[float]
    #: The least and the most that the role can get, if everybody plays as well as can be.
    bounds: Tuple[float, float]
    #: The decisions that are thought best after it: who decides, and what.
    line: Tuple[Tuple[str, str], ...]


@dataclass(frozen=True)
class SearchReport:
    """What a search knows, for one role."""

    role: str
    #: The best move, unless there is no legal one.
    best: Optional[str]
    #: The goal that the role can expect.
    value: Optional[float]
    #: The least and the most that the role can get in any match.
    range: Tuple[float, float]
    #: Whether the value is proved.
    solved: bool
    #: What keeps it from being proved, in words, as far as that was seen.
    unproved: Tuple[str, ...]
    nodes: int
    playouts: int
    #: The depth of a minimax search, if that has searched.
    depth: Optional[int]
    seconds: float
    #: The moves, best first.
    moves: Tuple[MoveReport, ...]


@dataclass(frozen=True)
class Latch:
    """Something that never changes again once it holds, and how that was proved."""

    literal: str
    method: str


@dataclass(frozen=True)
class GoalLatch:
    """Goals of a role that no match ends with once the literal holds."""

    literal: str
    role: str
    excluded: Tuple[int, ...]
    method: str


@dataclass(frozen=True)
class Facts:
    """Facts about all states of a game."""

    #: What holds in every state.
    constants: Tuple[str, ...]
    #: Pairs that hold together or not at all.
    equivalences: Tuple[Tuple[str, str], ...]
    #: Groups of propositions of which exactly one holds.
    exactly_one: Tuple[Tuple[str, ...], ...]
    #: Groups of propositions of which one at most holds.
    at_most_one: Tuple[Tuple[str, ...], ...]
    latches: Tuple[Latch, ...]
    #: Latches of several literals; those that are `unproved` held in random matches.
    composite_latches: Tuple[Latch, ...]
    #: What holds in terminal states only.
    finals: Tuple[str, ...]
    goal_latches: Tuple[GoalLatch, ...]
    #: As goal latches, for as long as the literal holds.
    goal_inhibitors: Tuple[GoalLatch, ...]
    #: The stages of the analysis that were cut off by the time: there may be more than they found.
    cut: Tuple[str, ...]
