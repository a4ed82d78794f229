"""What work on a game results in: plain values that can be compared, printed and pickled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Mapping, Optional, Tuple

import numpy as np

if TYPE_CHECKING:
    from ._native import Game, Planes, State


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
    #: For each player, the sum of its rewards.
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


@dataclass(frozen=True, eq=False)
class Symmetry:
    """Permutations of fluents, actions and players that leave the rules of a game unchanged, as is proved.

    Number `i` becomes number `images[i]` in all arrays `images` here. So `moved[..., images] = values` moves values to
    the places of the images:

    >>> import numpy as np, propjit
    >>> game = propjit.Game.named("connectFour")
    >>> [mirror] = [one for one in game.symmetries() if one.keeps_initial]
    >>> policy, image = np.array([0.5, 0.25, 0.25, 0, 0, 0, 0, 0]), np.zeros(8)
    >>> image[mirror.actions[0]] = policy
    >>> image.tolist()
    [0.0, 0.0, 0.0, 0.0, 0.25, 0.25, 0.5, 0.0]
    """

    game: Game
    #: Which player each player becomes.
    players: np.ndarray
    #: Which fluent each fluent becomes.
    fluents: np.ndarray
    #: Which action of the player's image each action becomes, `(players, num_actions)`. What is said of actions that
    #: the player never has means nothing.
    actions: np.ndarray
    #: The same for moves of the role that plays at random, `(len(game.actions),)`; none without that role.
    outcomes: Optional[np.ndarray]
    #: For each player, which percept of its image each percept becomes.
    percepts: Tuple[np.ndarray, ...]
    #: Whether the initial state stays what it is. Otherwise images of the states of matches may be states of none.
    keeps_initial: bool

    def state(self, state: State) -> State:
        """What a state becomes. There is a `ValueError` for a state of another game."""
        if state.game != self.game:
            raise ValueError("the state is one of another game")
        names = self.game.fluents
        return self.game.state([names[number] for number in self.fluents[list(state.numbers)]])

    def planes(self, planes: Planes) -> np.ndarray:
        """Which element each element of planes becomes, `(players, elements)`: row `p` is for what the player `p`
        observes, which becomes what its image observes."""
        index = planes.index.reshape(len(self.players), -1)
        elements = np.empty(index.shape, dtype=np.int32)
        for row, sources, image in zip(elements, index, self.players):
            # Negative numbers are constants.
            becomes = np.where(sources < 0, sources, self.fluents[sources])
            here, there = becomes.argsort(kind="stable"), index[image].argsort(kind="stable")
            if (becomes[here] != index[image][there]).any():
                raise ValueError("these planes do not show all fluents in as many places as their images")
            row[here] = there
        return elements
