"""States with actions and observations as numbers, for adapters to other packages."""

from __future__ import annotations

from typing import Dict, List, Literal, Mapping, Optional, Tuple, Union

import numpy as np

from ._native import Game, Knowledge, Planes, State, VectorEnv


class Numbers:
    """The numbers of a game's moves, which are its actions; what players observe, and their rewards.

    Players are all roles but the one that plays at random. Where a game hides information, they observe what `Knowledge`
    has.
    """

    def __init__(
        self,
        game: Game,
        *,
        observation: Union[None, Literal["fluents", "planes", "percepts"], Planes] = None,
        rewards: Optional[Literal["zero-sum", "goals"]] = None,
    ) -> None:
        self.game = game
        self.players: Tuple[str, ...] = tuple(
            role for role in game.roles if role != game.random_role
        )
        self.texts: Tuple[str, ...] = game.actions
        self.actions = game.num_actions
        self.choices = game.num_choices
        self.hides = game.hides_information
        self._env: Optional[VectorEnv] = None
        if self.hides:
            if observation not in (None, "percepts"):
                raise ValueError("this game hides information: players observe `percepts`")
            percepts = {role: game.percepts(role) for role in self.players}
            self.percepts = {
                role: {percept: number for number, percept in enumerate(percepts[role])}
                for role in self.players
            }
            self.widest = max(map(len, percepts.values()))
            self.shape: Tuple[int, ...] = (2 * self.widest + self.choices,)
        elif observation in (None, "fluents"):
            self.shape = (len(game.fluents),)
        else:
            self._env = VectorEnv(game, 1, observation=observation, dtype="uint8")
            self.shape = self._env.observation.shape[-3:]
        #: Whether rewards are zero-sum, and whether several players choose at the same time.
        self.zero_sum, self.several_choose = _found_out(game, rewards)
        goals = [goal for role in self.players for goal in game.goals(role)]
        self.least, self.greatest = min(goals, default=0), max(goals, default=0)

    def knowledge(self) -> Optional[Knowledge]:
        """What is known at the start of a match; nothing in a game that hides nothing."""
        return Knowledge(self.game) if self.hides else None

    def observation(self, state: State, knowledge: Optional[Knowledge], role: str) -> np.ndarray:
        """What a player observes, as 1 or 0 for each element."""
        if knowledge is not None:
            return knowledge.observation(role).view(np.int8)
        if self._env is not None:
            return self._env.observe([state], self.players.index(role))[0].view(np.int8)
        bits = np.zeros(self.shape, dtype=np.int8)
        bits[state.numbers] = 1
        return bits

    def seen(self, state: State, joint: List[int]) -> Dict[str, List[int]]:
        """The numbers of what each player perceives of the moves of a state."""
        return {
            role: sorted(percepts[percept] for percept in state.percepts(joint, role))
            for role, percepts in self.percepts.items()
        }

    def state(self, state: State) -> np.ndarray:
        """1 for each proposition that holds, else 0."""
        bits = np.zeros(len(self.game.fluents), dtype=np.int8)
        bits[state.numbers] = 1
        return bits

    def mask(self, state: State, role: str) -> np.ndarray:
        """1 for each legal action, else 0; none is legal in a terminal state."""
        mask = np.zeros(self.actions, dtype=np.int8)
        mask[state.legal_actions(role)] = 1
        return mask

    def check(self, state: State, role: str, action: Optional[int]) -> int:
        """Raises a `ValueError` unless the action is one of the role's legal ones."""
        if action is None or action not in state.legal_actions(role):
            raise ValueError(f"action {action} of {role} is not legal: `action_mask` has the legal ones")
        return int(action)

    def is_given_up(self, state: State, steps: int, max_steps: int) -> bool:
        """Whether a match is too long after this number of joint moves, or cannot go on since a role has no legal move."""
        if state.terminal:
            return False
        return steps >= max_steps or not all(state.legal_actions(role) for role in self.game.roles)

    def choosing(self, state: State) -> List[str]:
        """The players who have a choice."""
        return [role for role in state.to_move if role in self.players]

    def joint(self, state: State, actions: Mapping[str, int]) -> List[int]:
        """An action of each role; those without a choice need none."""
        return [actions[role] if role in actions else state.legal_actions(role)[0] for role in self.game.roles]

    def chance(self, state: State, rng: np.random.Generator) -> Dict[str, int]:
        """An action of the role that plays at random, if there is one."""
        role = self.game.random_role
        return {} if role is None else {role: int(rng.choice(state.legal_actions(role)))}

    def goals(self, state: State) -> Dict[str, float]:
        """The goals of the players, not a number where one is undefined."""
        goals = state.goals
        values = {role: goals[role] for role in self.players}
        return {role: float("nan") if goal is None else float(goal) for role, goal in values.items()}

    def rewards(self, state: State) -> Dict[str, float]:
        """The rewards of the players in a terminal state."""
        goals = self.goals(state)
        if not self.zero_sum:
            return goals
        first, second = self.players
        lead = (goals[first] - goals[second]) / max(1, self.greatest - self.least)
        return {first: lead, second: 0.0 - lead}


def _found_out(game: Game, rewards: Optional[Literal["zero-sum", "goals"]]) -> Tuple[bool, bool]:
    """Whether rewards are zero-sum, and whether several players choose at the same time, as `VectorEnv` finds out."""
    try:
        env = VectorEnv(game, 1, rewards=rewards)
    except ValueError:
        # No player has a choice.
        if rewards not in (None, "goals"):
            raise
        return False, False
    return env.zero_sum, env.joint
