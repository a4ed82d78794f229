"""PettingZoo environments: players in turn (`AECEnv`), or all at the same time (`ParallelEnv`).

Agents are the players of the game. An observation is a dictionary of the propositions that hold
(`observation`, in the order of `game.fluents`) and of the legal actions (`action_mask`); an action
is an index into `game.actions`, the same for all agents. Rewards are goals, at the end of a match.

>>> from propjit import Game
>>> from propjit.pettingzoo import AECEnv
>>> env = AECEnv(Game.named("ticTacToe"))
>>> env.reset(seed=1)
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     mask = observation["action_mask"]
...     env.step(None if termination or truncation else env.action_space(agent).sample(mask))
"""

from __future__ import annotations

from typing import Any, Dict, Optional

import numpy as np
import pettingzoo
from gymnasium import spaces

from ._native import Game
from ._numbers import Numbers


class _Spaces:
    """What both kinds of environments have in common."""

    metadata: Dict[str, Any] = {"name": "propjit_v0", "render_modes": ["ansi"], "is_parallelizable": True}

    def __init__(
        self, game: Game, *, max_steps: int = 10_000, render_mode: Optional[str] = None
    ) -> None:
        self._numbers = Numbers(game)
        self._max_steps = max_steps
        self._rng = np.random.default_rng()
        self.render_mode = render_mode
        self.metadata = {**type(self).metadata, "name": f"{game.name.removesuffix('.kif')}_v0"}
        self.possible_agents = list(self._numbers.players)
        space = spaces.Dict(
            {
                "observation": spaces.MultiBinary(self._numbers.propositions),
                "action_mask": spaces.MultiBinary(self._numbers.actions),
            }
        )
        self.observation_spaces = {agent: space for agent in self.possible_agents}
        self.action_spaces = {
            agent: spaces.Discrete(self._numbers.actions) for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        return self.action_spaces[agent]

    def _begin(self, seed: Optional[int]) -> None:
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self.agents = self.possible_agents[:]
        self._state = self._numbers.game.initial
        self._steps = 0

    def _advance(self, actions: Dict[str, int]) -> None:
        chance = self._numbers.chance(self._state, self._rng)
        self._state = self._numbers.apply(self._state, {**actions, **chance})
        self._steps += 1

    def _is_given_up(self) -> bool:
        return self._numbers.is_given_up(self._state, self._steps, self._max_steps)

    def observe(self, agent: str) -> Dict[str, np.ndarray]:
        return {
            "observation": self._numbers.observation(self._state),
            "action_mask": self._numbers.mask(self._state, agent),
        }

    def state(self) -> np.ndarray:
        """The propositions that hold."""
        return self._numbers.observation(self._state)

    def render(self) -> Optional[str]:
        """The propositions that hold, as text."""
        return str(self._state) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """There is nothing to close."""


class AECEnv(_Spaces, pettingzoo.AECEnv):
    """Players who have a choice act one after the other.

    Where several choose at the same time, they do not see each other's actions. States in which
    no player has a choice are passed over.
    """

    def reset(self, seed: Optional[int] = None, options: Optional[dict] = None) -> None:
        self._begin(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: Dict[str, dict] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._settle()
        # A match may be over without a choice.
        self._accumulate_rewards()

    def step(self, action: Optional[int]) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._numbers.check(self._state, agent, action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._actions[agent] = int(action)
        if len(self._actions) == len(self._waiting):
            self._advance(self._actions)
            self._settle()
        else:
            self.agent_selection = self._waiting[len(self._actions)]
        self._accumulate_rewards()

    def _settle(self) -> None:
        """Goes on until somebody has a choice or the match ends."""
        while True:
            if self._state.terminal:
                self.rewards = self._numbers.goals(self._state)
                self.terminations = dict.fromkeys(self.agents, True)
                return
            if self._is_given_up():
                self.truncations = dict.fromkeys(self.agents, True)
                return
            self._actions: Dict[str, int] = {}
            self._waiting = self._numbers.choosing(self._state)
            if self._waiting:
                self.agent_selection = self._waiting[0]
                return
            self._advance({})


class ParallelEnv(_Spaces, pettingzoo.ParallelEnv):
    """All players act in each step; the only legal action of those without a choice is in their
    mask."""

    def reset(self, seed: Optional[int] = None, options: Optional[dict] = None) -> Any:
        self._begin(seed)
        return {agent: self.observe(agent) for agent in self.agents}, {
            agent: {} for agent in self.agents
        }

    def step(self, actions: Dict[str, int]) -> Any:
        for agent in self.agents:
            self._numbers.check(self._state, agent, actions[agent])
        agents = self.agents
        self._advance({agent: int(actions[agent]) for agent in agents})
        terminal, given_up = self._state.terminal, self._is_given_up()
        goals = self._numbers.goals(self._state) if terminal else dict.fromkeys(agents, 0.0)
        if terminal or given_up:
            self.agents = []
        return (
            {agent: self.observe(agent) for agent in agents},
            goals,
            dict.fromkeys(agents, terminal),
            dict.fromkeys(agents, given_up),
            {agent: {} for agent in agents},
        )
