"""States with actions and propositions as numbers, for adapters to other packages."""

from __future__ import annotations

from typing import Dict, List, Mapping, Optional, Tuple

import numpy as np

from ._native import Game, State


class Numbers:
    """The numbers of a game's moves, which are its actions, and propositions.

    Players are all roles but the one that plays at random.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.players: Tuple[str, ...] = tuple(
            role for role in game.roles if role != game.random_role
        )
        self.texts: Tuple[str, ...] = game.actions
        self.actions = game.num_actions
        self.propositions = len(game.fluents)

    def observation(self, state: State) -> np.ndarray:
        """1 for each proposition that holds, else 0."""
        bits = np.zeros(self.propositions, dtype=np.int8)
        bits[state.numbers] = 1
        return bits

    def mask(self, state: State, role: str) -> np.ndarray:
        """1 for each legal action, else 0; none is legal in a terminal state."""
        mask = np.zeros(self.actions, dtype=np.int8)
        mask[state.legal_actions(role)] = 1
        return mask

    def check(self, state: State, role: str, action: Optional[int]) -> None:
        """Raises a `ValueError` unless the action is one of the role's legal ones."""
        if action not in state.legal_actions(role):
            raise ValueError(f"action {action} of {role} is not legal")

    def is_given_up(self, state: State, steps: int, max_steps: int) -> bool:
        """Whether a match is too long after so many joint moves, or cannot go on since a role has no legal move."""
        if state.terminal:
            return False
        return steps >= max_steps or not all(state.legal_actions(role) for role in self.game.roles)

    def choosing(self, state: State) -> List[str]:
        """The players who have a choice."""
        return [role for role in state.to_move if role in self.players]

    def apply(self, state: State, actions: Mapping[str, int]) -> State:
        """What follows; roles without a choice need no action."""
        return state.apply({role: self.texts[action] for role, action in actions.items()})

    def chance(self, state: State, rng: np.random.Generator) -> Dict[str, int]:
        """An action of the role that plays at random, if there is one."""
        role = self.game.random_role
        return {} if role is None else {role: int(rng.choice(state.legal_actions(role)))}

    def goals(self, state: State) -> Dict[str, float]:
        """The goals of the players, not a number where one is undefined."""
        goals = state.goals
        values = {role: goals[role] for role in self.players}
        return {role: float("nan") if goal is None else float(goal) for role, goal in values.items()}
