"""Gymnasium environments: a game as one of its players sees it, singly (`Env`) or batched (`VectorEnv`).

The other players choose at random, or by an `opponent` of your own. The environment goes on to the next state in
which the player has a choice, so that its reward is what it gets in the end, whoever ends the match: from -1 to 1 in
games of two players whose goals always have the same sum, and goals in others, unless `rewards` says otherwise. An
action is an index into `game.actions`; `info["action_mask"]` has the legal ones, and samples of the action space are
legal. Others are errors, unless `illegal="random"` puts legal ones at random in their place.

>>> from propjit import Game
>>> from propjit.gymnasium import Env, VectorEnv
>>> env = Env(Game.named("ticTacToe"))
>>> observation, info = env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
>>> envs = VectorEnv(Game.named("connectFour"), 64, observation="planes", dtype="float32")
>>> observations, infos = envs.reset(seed=1)
>>> observations.shape, infos["action_mask"].shape
((64, 6, 6, 7), (64, 8))
>>> observations, rewards, terminations, truncations, infos = envs.step(envs.action_space.sample())
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Literal, Optional, Tuple, Union

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from . import _native
from ._native import Game, Planes
from ._spaces import Actions, BatchedActions
from .selfplay import random_policy

#: Chooses for the other players: actions as `propjit.VectorEnv.step` takes them, of all environments. It gets these
#: environments and a source of random numbers. What it chooses where the player itself acts is ignored.
Opponent = Callable[[_native.VectorEnv, np.random.Generator], np.ndarray]

#: What follows an action that is not legal: an error, or a legal action at random in its place.
Illegal = Literal["error", "random"]


def random_opponent(env: _native.VectorEnv, rng: np.random.Generator) -> np.ndarray:
    """Chooses among legal actions at random."""
    return random_policy(None, env, rng)


class _Seat:
    """Environments as one player sees them. Where a match has ended, nothing happens until it is reset."""

    def __init__(
        self,
        game: Game,
        n: int,
        player: Union[str, int],
        opponent: Opponent,
        illegal: Illegal,
        **options: Any,
    ) -> None:
        if illegal not in ("error", "random"):
            raise ValueError(f"`illegal` is `error` or `random`, not {illegal!r}")
        players = [role for role in game.roles if role != game.random_role]
        if player not in players and player not in range(len(players)):
            raise ValueError(f"there is no player {player!r}; there are {', '.join(players)}, or their numbers from 0")
        self.player = players.index(player) if isinstance(player, str) else int(player)
        if options["dtype"] not in ("uint8", "float32"):
            raise ValueError(f"`dtype` is `uint8` or `float32` here, not {options['dtype']!r}")
        self.env = _native.VectorEnv(game, n, observer=self.player, autoreset="Disabled", **options)
        self.opponent = opponent
        self.illegal = illegal
        self.rng = np.random.default_rng()
        self.rewards = np.zeros(n, dtype=np.float64)
        self.terminations = np.zeros(n, dtype=bool)
        self.truncations = np.zeros(n, dtype=bool)

    def observation_space(self) -> spaces.Box:
        array = self.env.observation
        return spaces.Box(0, 1, array.shape[1:], array.dtype.type)

    def reset(self, seed: Optional[int], lanes: np.ndarray) -> None:
        """Starts matches, up to the first choice of the player. One that ends before that is followed by another."""
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        while lanes.any():
            self.env.reset(seed, lanes)
            seed = None
            for array in (self.rewards, self.terminations, self.truncations):
                array[lanes] = 0
            self._go_on(lanes)
            lanes = lanes & (self.terminations | self.truncations)

    def step(self, actions: np.ndarray, lanes: np.ndarray) -> None:
        """Takes actions of the player in some environments, and goes on to its next choices."""
        self.rewards[:] = 0
        self.terminations[:] = False
        self.truncations[:] = False
        if lanes.any():
            actions = np.asarray(actions)
            if self.illegal == "random":
                actions = self._legal(actions)
            self._play(actions, lanes)
            self._go_on(lanes)

    def mask(self) -> np.ndarray:
        """The legal actions of the player: none where it has no choice, as the match has ended."""
        masks = self.env.legal_action_mask
        masks = masks[:, self.player] if self.env.joint else masks
        return np.where(self._has_choice()[:, None], masks, False).astype(np.int8)

    def _legal(self, actions: np.ndarray) -> np.ndarray:
        """The same actions, but legal ones at random in the place of those that are not."""
        mask = self.mask()
        others = random_opponent(self.env, self.rng)
        others = others[:, self.player] if self.env.joint else others
        known = actions.astype(np.int64).clip(0, mask.shape[1] - 1)
        is_legal = (known == actions) & (mask[np.arange(len(mask)), known] == 1)
        return np.where(is_legal, actions, others)

    def _has_choice(self) -> np.ndarray:
        if self.env.joint:
            return self.env.legal_action_counts[:, self.player] > 1
        return self.env.current_player == self.player

    def _play(self, actions: Optional[np.ndarray], lanes: np.ndarray) -> None:
        joint = self.env.joint
        if joint or actions is None:
            chosen = self.opponent(self.env, self.rng)
            if joint:
                own = self.env.nth_legal_action(np.zeros_like(self.env.legal_action_counts))
                chosen = np.array(chosen)
                chosen[:, self.player] = own[:, self.player] if actions is None else actions
            actions = chosen
        self.env.step(actions, mask=lanes)
        self.rewards[lanes] = self.env.rewards[lanes, self.player]
        self.terminations |= self.env.terminated
        self.truncations |= self.env.truncated

    def _go_on(self, lanes: np.ndarray) -> None:
        """Lets the others choose until the player has a choice or the match has ended."""
        while True:
            lanes = lanes & ~(self._has_choice() | self.terminations | self.truncations)
            if not lanes.any():
                return
            self._play(None, lanes)


class Env(gymnasium.Env):
    """A game as one of its players sees it."""

    action_space: Actions
    metadata = {"render_modes": ["ansi"]}

    def __init__(
        self,
        game: Game,
        *,
        player: Union[str, int] = 0,
        opponent: Opponent = random_opponent,
        illegal: Illegal = "error",
        observation: Union[None, Literal["fluents", "planes", "percepts"], Planes] = None,
        dtype: Literal["uint8", "float32"] = "uint8",
        rewards: Optional[Literal["zero-sum", "goals"]] = None,
        max_steps: int = 10_000,
        render_mode: Optional[str] = None,
    ) -> None:
        self._seat = _Seat(
            game,
            1,
            player,
            opponent,
            illegal,
            observation=observation,
            dtype=dtype,
            rewards=rewards,
            max_steps=max_steps,
        )
        self.render_mode = render_mode
        self.observation_space = self._seat.observation_space()
        self.action_space = Actions(self._seat.env.num_actions)

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[dict] = None
    ) -> Tuple[np.ndarray, Dict[str, Any]]:
        super().reset(seed=seed)
        start = int(self.np_random.integers(2**63)) if seed is not None else None
        self._seat.reset(start, np.ones(1, dtype=bool))
        return self._seat.env.observation[0].copy(), self._info()

    def step(self, action: int) -> Tuple[np.ndarray, float, bool, bool, Dict[str, Any]]:
        seat = self._seat
        seat.step(np.array([action]), np.ones(1, dtype=bool))
        ends = bool(seat.terminations[0]), bool(seat.truncations[0])
        return seat.env.observation[0].copy(), float(seat.rewards[0]), *ends, self._info()

    def render(self) -> Optional[str]:  # type: ignore[override]
        """The propositions that hold, as text."""
        return str(self._seat.env.state(0)) if self.render_mode == "ansi" else None

    def _info(self) -> Dict[str, Any]:
        mask = self._seat.mask()[0]
        self.action_space.mask = mask
        return {"action_mask": mask}


class VectorEnv(gymnasium.vector.VectorEnv):
    """Many matches of a game as one of its players sees them, with steps of all at once.

    After a match has ended, `autoreset_mode` says what happens, as Gymnasium has it. With `SAME_STEP`,
    `infos["final_obs"]` and `infos["final_info"]` are about the last states; with `DISABLED`,
    `reset(options={"reset_mask": mask})` starts matches. A match that is over has no legal actions. Observations are new
    arrays.
    """

    action_space: BatchedActions

    def __init__(
        self,
        game: Game,
        num_envs: int,
        *,
        player: Union[str, int] = 0,
        opponent: Opponent = random_opponent,
        illegal: Illegal = "error",
        observation: Union[None, Literal["fluents", "planes", "percepts"], Planes] = None,
        dtype: Literal["uint8", "float32"] = "uint8",
        rewards: Optional[Literal["zero-sum", "goals"]] = None,
        autoreset_mode: Union[str, AutoresetMode] = AutoresetMode.NEXT_STEP,
        max_steps: int = 10_000,
        threads: int = 1,
        render_mode: Optional[str] = None,
    ) -> None:
        options = dict(
            observation=observation, dtype=dtype, rewards=rewards, max_steps=max_steps, threads=threads
        )
        self._seat = _Seat(game, num_envs, player, opponent, illegal, **options)
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": ["ansi"], "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode
        self.single_observation_space = self._seat.observation_space()
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.single_action_space = Actions(self._seat.env.num_actions)
        self.action_space = BatchedActions(num_envs, self._seat.env.num_actions)
        self._over = np.zeros(num_envs, dtype=bool)

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[np.ndarray, Dict[str, Any]]:
        super().reset(seed=seed)
        lanes = (options or {}).get("reset_mask")
        lanes = np.ones(self.num_envs, dtype=bool) if lanes is None else np.array(lanes)
        if lanes.shape != (self.num_envs,) or lanes.dtype != bool:
            raise ValueError(f"`reset_mask` must be an array of bool of the shape ({self.num_envs},)")
        start = int(self.np_random.integers(2**63)) if seed is not None else None
        self._seat.reset(start, lanes)
        self._over[lanes] = False
        return self._seat.env.observation.copy(), self._infos()

    def step(
        self, actions: np.ndarray
    ) -> Tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Dict[str, Any]]:
        seat = self._seat
        over = self._over
        if self.autoreset_mode is AutoresetMode.DISABLED and over.any():
            raise ValueError(
                f"the matches in environments {np.flatnonzero(over).tolist()} are over: reset these by "
                '`reset(options={"reset_mask": mask})`'
            )
        seat.step(actions, ~over)
        rewards = seat.rewards.copy()
        terminations, truncations = seat.terminations.copy(), seat.truncations.copy()
        ended = terminations | truncations
        finals = {}
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            if ended.any():
                finals = self._finals(ended)
                seat.reset(None, ended)
        else:
            # Those that were over begin with this step.
            seat.reset(None, over)
            self._over = ended
        infos = {**self._infos(), **finals}
        return seat.env.observation.copy(), rewards, terminations, truncations, infos

    def render(self) -> Optional[Tuple[str, ...]]:  # type: ignore[override]
        """The propositions that hold in each environment, as text."""
        if self.render_mode != "ansi":
            return None
        return tuple(str(self._seat.env.state(number)) for number in range(self.num_envs))

    def _infos(self) -> Dict[str, Any]:
        mask = self._seat.mask()
        self.action_space.mask = mask
        return {"action_mask": mask, "_action_mask": np.ones(self.num_envs, dtype=bool)}

    def _finals(self, ended: np.ndarray) -> Dict[str, Any]:
        observations = np.full(self.num_envs, None, dtype=object)
        for number in np.flatnonzero(ended):
            observations[number] = self._seat.env.observation[number].copy()
        info = {"action_mask": self._seat.mask(), "_action_mask": ended}
        return {"final_obs": observations, "_final_obs": ended, "final_info": info, "_final_info": ended}


def register_envs() -> None:
    """Registers the games that come with propjit, such as `propjit/connectFour-v0`, for `gymnasium.make` and
    `gymnasium.make_vec`.

    >>> import gymnasium
    >>> import propjit.gymnasium
    >>> propjit.gymnasium.register_envs()
    >>> int(gymnasium.make("propjit/ticTacToe-v0", player="o").action_space.n)
    10
    """
    for name in Game.names():
        if f"propjit/{name}-v0" not in gymnasium.registry:
            gymnasium.register(
                f"propjit/{name}-v0",
                entry_point=f"{__name__}:_make",
                vector_entry_point=f"{__name__}:_make_vec",
                kwargs={"name": name},
            )


def _make(name: str, **options: Any) -> Env:
    return Env(Game.named(name), **options)


def _make_vec(name: str, num_envs: int = 1, **options: Any) -> VectorEnv:
    return VectorEnv(Game.named(name), num_envs, **options)
