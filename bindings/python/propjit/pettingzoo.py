"""PettingZoo environments: players in turn (`AECEnv`), or all at the same time (`ParallelEnv`).

Agents are the players of the game. An observation is a dictionary of what the agent observes (`observation`: the
propositions that hold, in the order of `game.fluents`, or planes, as `VectorEnv` has them) and of the actions that it
may choose (`action_mask`); an action is an index into `game.actions`, the same for all agents. Samples of action
spaces are legal. Rewards come at the end of a match: from -1 to 1 in games of two players whose goals always have the
same sum, and goals in others.

In a game that hides information, an agent observes what it has perceived and chosen; only `state()`, which is for
critics of all agents together, has the propositions. States in which no player has a choice are passed over.

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

from typing import Any, Dict, List, Literal, Optional, Union

import numpy as np
import pettingzoo
from gymnasium import spaces

from ._native import Game, Knowledge, Planes
from ._numbers import Numbers
from ._spaces import Actions


class _Match:
    """What both kinds of environments have in common."""

    metadata: Dict[str, Any] = {"name": "propjit_v0", "render_modes": ["ansi"], "is_parallelizable": True}

    def __init__(
        self,
        game: Game,
        *,
        observation: Union[None, Literal["fluents", "planes", "percepts"], Planes] = None,
        rewards: Optional[Literal["zero-sum", "goals"]] = None,
        max_steps: int = 10_000,
        render_mode: Optional[str] = None,
    ) -> None:
        self._knowledge: Optional[Knowledge] = None
        if max_steps < 1:
            raise ValueError(f"`max_steps` must be at least 1, not {max_steps}")
        self._numbers = Numbers(game, observation=observation, rewards=rewards)
        self._max_steps = max_steps
        self._rng = np.random.default_rng()
        self.render_mode = render_mode
        self.metadata = {**type(self).metadata, "name": f"{game.name.removesuffix('.kif')}_v0"}
        self.possible_agents = list(self._numbers.players)
        space = spaces.Dict(
            {
                "observation": spaces.MultiBinary(list(self._numbers.shape)),
                "action_mask": spaces.MultiBinary(self._numbers.actions),
            }
        )
        self.observation_spaces = {agent: space for agent in self.possible_agents}
        self.action_spaces = {agent: Actions(self._numbers.actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        return self.action_spaces[agent]

    def observe(self, agent: str) -> Dict[str, np.ndarray]:
        observation = self._numbers.observation(self._state, self._knowledge, agent)
        return {"observation": observation, "action_mask": self._mask(agent)}

    def state(self) -> np.ndarray:
        """The propositions that hold, whoever may know them."""
        return self._numbers.state(self._state)

    def render(self) -> Optional[str]:
        """The propositions that hold, as text."""
        return str(self._state) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """There is nothing to close."""

    def _mask(self, agent: str) -> np.ndarray:
        """The actions that an agent may choose now."""
        raise NotImplementedError

    def _begin(self, seed: Optional[int]) -> None:
        """Starts a match, up to the first choice."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self.agents = self.possible_agents[:]
        self._state = self._numbers.game.initial
        self._steps = 0
        self._knowledge = self._numbers.knowledge()
        self._settle()

    def _play(self, actions: Dict[str, int]) -> None:
        """Makes the moves that players have chosen, and goes on to the next choice."""
        self._advance(actions)
        self._settle()

    def _advance(self, actions: Dict[str, int]) -> None:
        chance = self._numbers.chance(self._state, self._rng)
        joint = self._numbers.joint(self._state, {**actions, **chance})
        if self._knowledge is not None:
            self._knowledge = self._knowledge.add(self._state, joint)
        self._state = self._state.apply(joint)
        self._steps += 1

    def _settle(self) -> None:
        """Goes on until a player has a choice or the match ends."""
        while True:
            self._terminated = self._state.terminal
            self._truncated = self._numbers.is_given_up(self._state, self._steps, self._max_steps)
            self._choosing: List[str] = self._numbers.choosing(self._state)
            if self._terminated or self._truncated:
                self._choosing = []
            if self._terminated or self._truncated or self._choosing:
                return
            self._advance({})

    def _set_masks(self) -> None:
        for agent, space in self.action_spaces.items():
            space.mask = self._mask(agent)


class AECEnv(_Match, pettingzoo.AECEnv):
    """Players who have a choice act one after the other.

    Where several choose at the same time, they do not see each other's actions. Only the agent that is to act has
    actions in its mask.
    """

    def reset(self, seed: Optional[int] = None, options: Optional[dict] = None) -> None:
        self._begin(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.infos: Dict[str, dict] = {agent: {} for agent in self.agents}
        self._show()
        # A match may be over without a choice.
        self._accumulate_rewards()

    def step(self, action: Optional[int]) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        chosen = self._numbers.check(self._state, agent, action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._actions[agent] = chosen
        if len(self._actions) == len(self._choosing):
            self._play(self._actions)
            self._show()
        else:
            self.agent_selection = self._choosing[len(self._actions)]
            self._set_masks()
        self._accumulate_rewards()

    def _show(self) -> None:
        """Says who is to act, or how the match has ended."""
        self._actions: Dict[str, int] = {}
        self.terminations = dict.fromkeys(self.agents, self._terminated)
        self.truncations = dict.fromkeys(self.agents, self._truncated)
        self.agent_selection = (self._choosing or self.agents)[0]
        if self._terminated:
            self.rewards = self._numbers.rewards(self._state)
        self._set_masks()

    def _mask(self, agent: str) -> np.ndarray:
        if agent in self._choosing and agent == self.agent_selection:
            return self._numbers.mask(self._state, agent)
        return np.zeros(self._numbers.actions, dtype=np.int8)


class ParallelEnv(_Match, pettingzoo.ParallelEnv):
    """All players act in each step; the only legal action of those without a choice is in their
    mask."""

    def reset(self, seed: Optional[int] = None, options: Optional[dict] = None) -> Any:
        self._begin(seed)
        self._set_masks()
        return {agent: self.observe(agent) for agent in self.agents}, {
            agent: {} for agent in self.agents
        }

    def step(self, actions: Dict[str, int]) -> Any:
        agents = self.agents
        if agents and (self._terminated or self._truncated):
            # The match was over at once, without a choice.
            self.agents = []
            return self._results(agents)
        chosen = {}
        for agent in agents:
            if agent not in actions:
                raise ValueError(f"an action of {agent} is missing: all players act in each step")
            chosen[agent] = self._numbers.check(self._state, agent, actions[agent])
        self._play(chosen)
        self._set_masks()
        if self._terminated or self._truncated:
            self.agents = []
        return self._results(agents)

    def _results(self, agents: List[str]) -> Any:
        rewards = dict.fromkeys(agents, 0.0)
        return (
            {agent: self.observe(agent) for agent in agents},
            self._numbers.rewards(self._state) if self._terminated else rewards,
            dict.fromkeys(agents, self._terminated),
            dict.fromkeys(agents, self._truncated),
            {agent: {} for agent in agents},
        )

    def _mask(self, agent: str) -> np.ndarray:
        return self._numbers.mask(self._state, agent)
