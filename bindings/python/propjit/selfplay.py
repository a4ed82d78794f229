"""Batches of matches that a policy plays against itself, for learners.

>>> from propjit import Game, VectorEnv
>>> from propjit.selfplay import random_policy, rollout
>>> batch = rollout(VectorEnv(Game.named("ticTacToe"), 4), random_policy, None, steps=10, seed=1)
>>> batch.observations.shape[:2], batch.rewards.shape, batch.outcomes().shape
((10, 4), (10, 4, 2), (10, 4, 2))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

from ._native import VectorEnv

#: Chooses an action in each environment, which has to be legal; its arguments are the parameters that it was called
#: with, the environments, and a source of random numbers.
Policy = Callable[[Any, VectorEnv, np.random.Generator], np.ndarray]


def random_policy(parameters: Any, env: VectorEnv, rng: np.random.Generator) -> np.ndarray:
    """Chooses among legal actions at random, for each player."""
    # Where a match is over, there are none, and any rank will do.
    return env.nth_legal_action(rng.integers(np.maximum(env.legal_action_counts, 1)))


@dataclass(frozen=True)
class Batch:
    """Steps of environments: the first axis of each array is the step, the second one the environment.

    Matches go on from step to step, and another one follows where one has ended.
    """

    #: What the policy saw, whose turn it was, what was legal, and what it did.
    observations: np.ndarray
    players: np.ndarray
    masks: np.ndarray
    actions: np.ndarray
    #: What came of the action: the rewards of all players where the match ended, and whether it did.
    rewards: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray

    def outcomes(self) -> np.ndarray:
        """For each step, the rewards of all players at the end of its match; not a number where the match was
        truncated or goes on after the last step."""
        outcomes = np.empty_like(self.rewards)
        later = np.full_like(self.rewards[0], np.nan)
        for step in reversed(range(len(outcomes))):
            later = np.where(self.terminated[step, :, None], self.rewards[step], later)
            later[self.truncated[step]] = np.nan
            outcomes[step] = later
        return outcomes


def rollout(env: VectorEnv, policy: Policy, parameters: Any, *, steps: int, seed: int) -> Batch:
    """Plays new matches for some steps. A seed gives the same ones each time."""
    rng = np.random.default_rng(seed)
    env.reset(seed)

    def room(array: np.ndarray) -> np.ndarray:
        return np.empty((steps, *array.shape), array.dtype)

    before = [env.observation, env.current_player, env.legal_action_mask]
    after = [env.rewards, env.terminated, env.truncated]
    seen, came = [room(array) for array in before], [room(array) for array in after]
    actions = []
    for step in range(steps):
        for kept, array in zip(seen, before):
            kept[step] = array
        # The policy may use its array again.
        actions.append(np.array(policy(parameters, env, rng)))
        env.step(actions[-1])
        for kept, array in zip(came, after):
            kept[step] = array
    return Batch(*seen, np.stack(actions), *came)
