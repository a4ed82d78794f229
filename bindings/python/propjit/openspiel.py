"""Games and states with the methods of OpenSpiel's, so that its algorithms in Python run on them.

Players are numbered as they are in `Game.players`. What players choose at the same time, they choose one after the
other here, and states in which no role has a choice are passed over. A role that plays at random makes chance nodes.
Actions are indices into `Game.actions`, those of chance, too. Returns are goals, scaled to range from -1 to 1. In a
game that hides information, observations are what a player has perceived and chosen.

>>> import propjit
>>> from propjit.openspiel import Game
>>> game = Game(propjit.Game.named("ticTacToe"))
>>> state = game.new_initial_state()
>>> state.apply_action(state.legal_actions()[4])
>>> state.current_player(), len(state.legal_actions()), state.is_terminal()
(1, 8, False)
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from . import _native
from ._numbers import Memory, Numbers

#: What OpenSpiel calls the player in chance nodes and in terminal states.
CHANCE_PLAYER, TERMINAL_PLAYER = -1, -4


class Game:
    """A game, as `pyspiel.Game`. A match of `max_steps` joint moves, or in which a role has no legal
    move, is over, as if drawn."""

    def __init__(self, game: _native.Game, *, max_steps: int = 10_000) -> None:
        self.game = game
        self._numbers = Numbers(game)
        self._max_steps = max_steps
        goals = [goal for player in self.players for goal in game.goals(player)]
        self._least, self._most = min(goals, default=0), max(goals, default=100)

    @property
    def players(self) -> Tuple[str, ...]:
        """The names of the players."""
        return self._numbers.players

    def get_type(self) -> Any:
        """The kind of game, in the words of `pyspiel`, which has to be installed."""
        import types

        import pyspiel

        kind, chance = pyspiel.GameType, pyspiel.GameType.ChanceMode
        has_chance = self.game.random_role is not None
        return types.SimpleNamespace(
            short_name=self.game.name,
            long_name=self.game.name,
            dynamics=kind.Dynamics.SEQUENTIAL,
            chance_mode=chance.EXPLICIT_STOCHASTIC if has_chance else chance.DETERMINISTIC,
            information=(
                kind.Information.IMPERFECT_INFORMATION
                if self._numbers.hides
                else kind.Information.PERFECT_INFORMATION
            ),
            utility=kind.Utility.GENERAL_SUM,
            reward_model=kind.RewardModel.TERMINAL,
            provides_observation_tensor=True,
            provides_information_state_tensor=False,
        )

    def num_players(self) -> int:
        return len(self.players)

    def num_distinct_actions(self) -> int:
        return self._numbers.actions

    def max_chance_outcomes(self) -> int:
        # Outcomes are numbered up to the last action, which may be one of chance.
        return 0 if self.game.random_role is None else len(self._numbers.texts)

    def max_game_length(self) -> int:
        return self._max_steps * max(1, self.num_players())

    def min_utility(self) -> float:
        return -1.0

    def max_utility(self) -> float:
        return 1.0

    def observation_tensor_shape(self) -> List[int]:
        return list(self._numbers.shape)

    def observation_tensor_size(self) -> int:
        return self._numbers.shape[0]

    def new_initial_state(self) -> State:
        return State(self, self.game.initial)

    def __str__(self) -> str:
        return self.game.name


class State:
    """A state, as `pyspiel.State`: actions change it."""

    def __init__(self, game: Game, state: _native.State) -> None:
        self._game, self._state = game, state
        self._steps = 0
        self._history: List[Tuple[int, int]] = []
        self._memory = Memory(game._numbers) if game._numbers.hides else None
        self._settle()

    def _settle(self) -> None:
        """Finds out who is to act; goes on until somebody is."""
        numbers = self._game._numbers
        #: The actions of those who have chosen, and the roles that have not.
        self._actions: Dict[str, int] = {}
        self._waiting: List[str] = []
        self._returns: Optional[List[float]] = None
        while not self._waiting:
            if self._state.terminal:
                goals = numbers.goals(self._state)
                low, high = self._game._least, self._game._most
                scale = 2.0 / max(1, high - low)
                self._returns = [(goal - low) * scale - 1.0 for goal in goals.values()]
                return
            if numbers.is_given_up(self._state, self._steps, self._game._max_steps):
                self._returns = [0.0] * len(numbers.players)
                return
            choosing = self._state.to_move
            # Chance comes last.
            self._waiting = sorted(choosing, key=lambda role: role not in numbers.players)
            if not self._waiting:
                self._advance({})

    def _advance(self, actions: Dict[str, int]) -> None:
        joint = self._game._numbers.joint(self._state, actions)
        if self._memory is not None:
            for role in self._game.players:
                if role in actions:
                    self._memory.choose(role, actions[role])
            self._memory.perceive(self._state, joint)
        self._state = self._state.apply(joint)
        self._steps += 1

    def get_game(self) -> Game:
        return self._game

    def current_player(self) -> int:
        if self._returns is not None:
            return TERMINAL_PLAYER
        role = self._waiting[0]
        players = self._game.players
        return players.index(role) if role in players else CHANCE_PLAYER

    def is_terminal(self) -> bool:
        return self._returns is not None

    def is_chance_node(self) -> bool:
        return self.current_player() == CHANCE_PLAYER

    def is_simultaneous_node(self) -> bool:
        return False

    def legal_actions(self, player: Optional[int] = None) -> List[int]:
        current = self.current_player()
        if self._returns is not None or player not in (None, current):
            return []
        return list(self._state.legal_actions(self._waiting[0]))

    def legal_actions_mask(self, player: Optional[int] = None) -> List[int]:
        legal = set(self.legal_actions(player))
        return [int(action in legal) for action in range(self._game.num_distinct_actions())]

    def chance_outcomes(self) -> List[Tuple[int, float]]:
        actions = self.legal_actions() if self.is_chance_node() else []
        return [(action, 1.0 / len(actions)) for action in actions]

    def apply_action(self, action: int) -> None:
        if action not in self.legal_actions():
            raise ValueError(f"action {action} is not legal")
        self._history.append((self.current_player(), int(action)))
        self._actions[self._waiting.pop(0)] = int(action)
        if not self._waiting:
            self._advance(self._actions)
            self._settle()

    def child(self, action: int) -> State:
        child = self.clone()
        child.apply_action(action)
        return child

    def clone(self) -> State:
        clone = object.__new__(State)
        clone.__dict__.update(self.__dict__)
        clone._actions = dict(self._actions)
        clone._waiting = list(self._waiting)
        clone._history = list(self._history)
        clone._memory = self._memory and self._memory.clone()
        return clone

    def returns(self) -> List[float]:
        return [0.0] * self._game.num_players() if self._returns is None else list(self._returns)

    rewards = returns

    def player_return(self, player: int) -> float:
        return self.returns()[player]

    def history(self) -> List[int]:
        return [action for _, action in self._history]

    def full_history(self) -> List[Tuple[int, int]]:
        """Who has played what: pairs of a player and an action."""
        return list(self._history)

    def move_number(self) -> int:
        return len(self._history)

    def action_to_string(self, player: int, action: Optional[int] = None) -> str:
        if action is None:
            player, action = self.current_player(), player
        return self._game._numbers.texts[action]

    def observation_tensor(self, player: int = 0) -> List[float]:
        numbers, role = self._game._numbers, self._game.players[player]
        if self._memory is not None:
            return self._memory.observation(role).astype(float).tolist()
        return numbers.observation(self._state, role).astype(float).tolist()

    def observation_string(self, player: int = 0) -> str:
        if self._memory is None:
            return str(self._state)
        known = self._memory.observation(self._game.players[player]).nonzero()[0]
        return " ".join(map(str, known))

    def __str__(self) -> str:
        return str(self._state)
