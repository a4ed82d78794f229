"""A Gymnasium environment for games of one player.

An observation is 1 for each proposition that holds, in the order of `game.fluents`, else 0; an
action is an index into `game.actions`, and `info["action_mask"]` has the legal ones. The reward is the goal,
at the end of a match.

>>> from propjit import Game
>>> from propjit.gymnasium import Env
>>> env = Env(Game.named("pegTriangle"))
>>> observation, info = env.reset(seed=1)
>>> action = env.action_space.sample(info["action_mask"])
>>> observation, reward, terminated, truncated, info = env.step(action)
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import gymnasium
import numpy as np
from gymnasium import spaces

from ._native import Game
from ._numbers import Numbers


class Env(gymnasium.Env):
    """A game of one player, perhaps with a role that plays at random."""

    metadata = {"render_modes": ["ansi"]}

    def __init__(
        self, game: Game, *, max_steps: int = 10_000, render_mode: Optional[str] = None
    ) -> None:
        self._numbers = Numbers(game)
        if len(self._numbers.players) != 1:
            players = ", ".join(self._numbers.players)
            raise ValueError(f"Gymnasium is for one player, and here are {players}: see PettingZoo")
        self._max_steps = max_steps
        self.render_mode = render_mode
        self.observation_space = spaces.MultiBinary(self._numbers.propositions)
        self.action_space = spaces.Discrete(self._numbers.actions)

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[dict] = None
    ) -> Tuple[np.ndarray, Dict[str, Any]]:
        super().reset(seed=seed)
        self._state = self._numbers.game.initial
        self._steps = 0
        return self._numbers.observation(self._state), self._info()

    def step(self, action: int) -> Tuple[np.ndarray, float, bool, bool, Dict[str, Any]]:
        (player,) = self._numbers.players
        self._numbers.check(self._state, player, action)
        chance = self._numbers.chance(self._state, self.np_random)
        self._state = self._numbers.apply(self._state, {player: int(action), **chance})
        self._steps += 1
        terminated = self._state.terminal
        truncated = self._numbers.is_given_up(self._state, self._steps, self._max_steps)
        reward = self._numbers.goals(self._state)[player] if terminated else 0.0
        return self._numbers.observation(self._state), reward, terminated, truncated, self._info()

    def render(self) -> Optional[str]:  # type: ignore[override]
        """The propositions that hold, as text."""
        return str(self._state) if self.render_mode == "ansi" else None

    def _info(self) -> Dict[str, Any]:
        return {"action_mask": self._numbers.mask(self._state, self._numbers.players[0])}
