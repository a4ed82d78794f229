"""Gymnasium spaces of actions that know which ones are legal."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from gymnasium import spaces


class Actions(spaces.Discrete):
    """The actions of a player. Samples are legal where the player has a legal action; `mask` has the legal ones."""

    def __init__(self, actions: int) -> None:
        super().__init__(actions)
        #: 1 for each legal action, else 0.
        self.mask: np.ndarray = np.ones(actions, dtype=np.int8)

    def sample(self, mask: Optional[Any] = None, probability: Optional[Any] = None) -> np.int64:
        """A legal action, or one of a mask, with equal chances; or one by its probability."""
        if mask is None and probability is None:
            mask = self.mask
        return super().sample(mask, probability)


class BatchedActions(spaces.MultiDiscrete):
    """The actions of a player in many environments. Samples are legal where the player has a legal action; `mask` has
    the legal ones."""

    def __init__(self, environments: int, actions: int) -> None:
        super().__init__([actions] * environments)
        #: 1 for each legal action of each environment, else 0.
        self.mask: np.ndarray = np.ones((environments, actions), dtype=np.int8)

    def sample(self, mask: Optional[Any] = None, probability: Optional[Any] = None) -> np.ndarray:
        """Legal actions, or some of a mask, with equal chances; or some by their probabilities."""
        if mask is not None or probability is not None:
            return super().sample(mask, probability)
        counts = self.mask.sum(axis=1)
        ranks = self.np_random.integers(np.maximum(counts, 1))
        return (self.mask.cumsum(axis=1) > ranks[:, None]).argmax(axis=1)
