"""Games and states of OpenSpiel: `pyspiel.Game` and `pyspiel.State`, for its algorithms in Python and C++.

`pyspiel.load_game("propjit(game=NAME)")` loads one of the rulesheets that come with propjit, or the one in a file, once
this module is imported. `Game` makes one of any game.

- Players are numbered as `VectorEnv.players`, and rewards are those of a `VectorEnv`: from -1 to 1 and with the sum
  zero in games of two players whose goals always have the same sum, or else goals. A match of `max_steps` joint moves,
  or in which a role has no legal move, is over, and its returns are the middle of the range, as those of an undefined
  goal.
- States in which no role has a choice are passed over. Where several players choose at the same time, nodes are
  simultaneous; `pyspiel.convert_to_turn_based` has them choose one after the other. A role called `random` makes chance
  nodes, after the choices of players in the same state.
- Actions are indices into `propjit.Game.actions`; outcomes of chance are numbered from 0.
- In a game that hides information, information states are all that a player has perceived, its moves, and the legal
  moves where it had a choice, in their order. Tensors of these have a row of percepts and moves for each joint move, of
  which the last `recall` are kept. Observations are those of a `VectorEnv`. In other games, information states are
  histories, and observations are states.

>>> import pyspiel
>>> import propjit.openspiel
>>> game = pyspiel.load_game("propjit(game=ticTacToe)")
>>> state = game.new_initial_state()
>>> state.apply_action(state.legal_actions()[4])
>>> state.current_player(), len(state.legal_actions()), state.is_terminal()
(1, 8, False)
>>> game.get_type().utility
<Utility.ZERO_SUM: 0>
"""

from __future__ import annotations

import base64
import math
import random
import weakref
import zlib
from functools import cached_property
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import pyspiel

from . import _native
from ._native import PlayError
from ._numbers import Numbers

_NAME = "propjit"

#: The parameters of games in `pyspiel.load_game`, with their defaults. `game` is the name of a rulesheet that comes
#: with propjit, or the path of one; `rules` is one as a `Game` packs it.
_PARAMETERS: Dict[str, Any] = {
    "game": "",
    "rules": "",
    "max_steps": 10_000,
    "observation": "",
    "rewards": "",
    "joint": "",
    "recall": 0,
}

#: The greatest size of a tensor of an information state, if `recall` does not say otherwise.
_LARGEST_TENSOR = 1 << 16

#: After how many random matches the longest one is taken for the length of tensors of information states.
_SAMPLED_MATCHES = 100

_ANSWERS = {"": None, "yes": True, "no": False}


class Game(pyspiel.Game):
    """A game, as a `pyspiel.Game`.

    `observation` is `"fluents"` or `"planes"`, in games that hide nothing; `rewards` is `"zero-sum"` or `"goals"`.
    `joint` says whether several players ever choose at the same time, which is found out by random matches otherwise.
    `recall` is the number of joint moves in tensors of information states; by default, it is the length of the longest
    of some random matches.
    """

    def __init__(
        self,
        game: _native.Game,
        *,
        max_steps: int = 10_000,
        observation: Optional[Literal["fluents", "planes"]] = None,
        rewards: Optional[Literal["zero-sum", "goals"]] = None,
        joint: Optional[bool] = None,
        recall: Optional[int] = None,
    ) -> None:
        parameters = dict(_packed(game))
        answer = {None: "", True: "yes", False: "no"}[joint]
        given = {
            "max_steps": max_steps,
            "observation": observation or "",
            "rewards": rewards or "",
            "joint": answer,
            "recall": recall or 0,
        }
        # Only what is not as usual is part of the name.
        parameters.update((key, value) for key, value in given.items() if value != _PARAMETERS[key])
        key = pyspiel.game_parameters_to_string({"name": _NAME, **parameters})
        rules = _RULES.get(key)
        if rules is None:
            rules = _RULES[key] = _Rules(key, game, max_steps, observation, rewards, joint, recall)
        super().__init__(rules.type, rules.info, parameters)
        self._rules = rules

    @property
    def game(self) -> _native.Game:
        """The game of propjit."""
        return self._rules.game

    @property
    def players(self) -> Tuple[str, ...]:
        """The names of the players."""
        return self._rules.numbers.players

    def new_initial_state(self, *setup: Any) -> State:
        if setup:
            raise NotImplementedError("matches of propjit begin in the initial state")
        return State(self)

    def max_chance_nodes_in_history(self) -> int:
        return 0 if self._rules.chance is None else self._rules.max_steps

    def make_py_observer(
        self,
        iig_obs_type: Optional[pyspiel.IIGObservationType] = None,
        params: Optional[Mapping[str, Any]] = None,
    ) -> _Observer:
        return _Observer(self._rules, iig_obs_type, params)

    def __reduce__(self) -> Tuple[Any, ...]:
        return pyspiel.load_game, (str(self),)


class State(pyspiel.State):
    """A state, as a `pyspiel.State`: actions change it."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        # OpenSpiel clones a state by copies of all attributes, and stores it by their pickles.
        self._match = game._rules.start.clone()

    @property
    def state(self) -> _native.State:
        """The state of propjit. In a chance node, players may have chosen there already."""
        return self._match.state

    def current_player(self) -> int:
        return self._match.current_player()

    def is_terminal(self) -> bool:
        return self._match.returns is not None

    def _legal_actions(self, player: int) -> List[int]:
        return self._match.legal_actions(player)

    def chance_outcomes(self) -> List[Tuple[int, float]]:
        outcomes = self._match.outcomes()
        return [(outcome, 1.0 / len(outcomes)) for outcome in outcomes]

    def _apply_action(self, action: int) -> None:
        self._match.play(action)

    def _apply_actions(self, actions: Sequence[int]) -> None:
        self._match.play_jointly(actions)

    def _action_to_string(self, player: int, action: int) -> str:
        rules = self._match.rules
        if player == pyspiel.PlayerId.CHANCE:
            action = rules.outcome_actions[action]
        return rules.numbers.texts[action]

    def returns(self) -> List[float]:
        match = self._match
        return [0.0] * len(match.rules.numbers.players) if match.returns is None else list(match.returns)

    def __str__(self) -> str:
        return str(self._match.state)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restored, (pyspiel.serialize_game_and_state(self.get_game(), self),)


class _Rules:
    """What all matches of a game share."""

    def __init__(
        self,
        key: str,
        game: _native.Game,
        max_steps: int,
        observation: Optional[Literal["fluents", "planes"]],
        rewards: Optional[Literal["zero-sum", "goals"]],
        joint: Optional[bool],
        recall: Optional[int],
    ) -> None:
        for name, value, least in [("max_steps", max_steps, 1), ("recall", recall or 0, 0)]:
            if value < least:
                raise ValueError(f"`{name}` must be at least {least}")
        self.key, self.game, self.max_steps = key, game, max_steps
        self.numbers = numbers = Numbers(game, observation=observation, rewards=rewards)
        self.joint = numbers.several_choose if joint is None else joint
        self._recall = recall
        #: The names of what each player may perceive.
        self.percepts = {player: game.percepts(player) for player in numbers.players} if numbers.hides else {}
        roles = game.roles
        #: The roles of players, and that of chance.
        self.roles: List[int] = [roles.index(player) for player in numbers.players]
        self.chance = None if game.random_role is None else roles.index(game.random_role)
        moves = () if self.chance is None else game.moves(self.chance)
        #: The action of each outcome of chance, first those that players do not have, and the number of each.
        self.outcome_actions = sorted(map(numbers.texts.index, moves), key=lambda action: action < numbers.actions)
        self.outcomes: Dict[int, int] = {action: number for number, action in enumerate(self.outcome_actions)}
        self.range = (-1.0, 1.0) if numbers.zero_sum else (float(numbers.least), float(numbers.greatest))
        self.type, self.info = self._type(), self._info()
        self.start = _Match(self)

    def _type(self) -> pyspiel.GameType:
        kind, players = pyspiel.GameType, len(self.numbers.players)
        is_stochastic, hides = self.chance is not None, self.numbers.hides
        return kind(
            short_name=_NAME,
            long_name=self.game.name,
            dynamics=kind.Dynamics.SIMULTANEOUS if self.joint else kind.Dynamics.SEQUENTIAL,
            chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC if is_stochastic else kind.ChanceMode.DETERMINISTIC,
            information=kind.Information.IMPERFECT_INFORMATION if hides else kind.Information.PERFECT_INFORMATION,
            utility=kind.Utility.ZERO_SUM if self.numbers.zero_sum else kind.Utility.GENERAL_SUM,
            reward_model=kind.RewardModel.TERMINAL,
            max_num_players=players,
            min_num_players=players,
            provides_information_state_string=True,
            provides_information_state_tensor=hides,
            provides_observation_string=True,
            provides_observation_tensor=True,
            parameter_specification=_PARAMETERS,
        )

    def _info(self) -> pyspiel.GameInfo:
        low, high = self.range
        return pyspiel.GameInfo(
            num_distinct_actions=self.numbers.actions,
            max_chance_outcomes=len(self.outcome_actions),
            num_players=len(self.numbers.players),
            min_utility=low,
            max_utility=high,
            utility_sum=0.0 if self.numbers.zero_sum else None,
            max_game_length=self.max_steps,
        )

    def returns(self, state: _native.State) -> List[float]:
        """The returns in a terminal state."""
        rewards = self.numbers.rewards(state).values()
        return [self.middle if math.isnan(reward) else reward for reward in rewards]

    @property
    def middle(self) -> float:
        """The returns of a match without a result."""
        return sum(self.range) / 2

    @property
    def row(self) -> int:
        """The length of a row of an information state's tensor: percepts and moves."""
        return self.numbers.widest + self.numbers.actions

    @cached_property
    def recall(self) -> int:
        """The number of rows of an information state's tensor."""
        if self._recall:
            return self._recall
        rng, longest = random.Random(0), 1
        for _ in range(_SAMPLED_MATCHES):
            match = self.start.clone()
            while match.returns is None:
                match.play_randomly(rng)
            longest = max(longest, match.steps)
        return max(1, min(longest, _LARGEST_TENSOR // self.row))


#: Rules in use, by their name in OpenSpiel.
_RULES: weakref.WeakValueDictionary[str, _Rules] = weakref.WeakValueDictionary()


class _Match:
    """A match under way: who is to choose, who has chosen, and what players know."""

    def __init__(self, rules: _Rules) -> None:
        self.rules = rules
        self.state = rules.game.initial
        self.steps = 0
        #: What was played, as `play` and `play_jointly` take it.
        self.history: Tuple[Union[int, Tuple[int, ...]], ...] = ()
        #: The legal actions of each role.
        self.legal: List[Sequence[int]] = []
        #: The players that are to choose, and whether chance is, after them.
        self.choosing: Tuple[int, ...] = ()
        self.awaits_chance = False
        #: The actions of the roles that have chosen.
        self.chosen: Dict[int, int] = {}
        self.returns: Optional[List[float]] = None
        self.knowledge = rules.numbers.knowledge()
        #: For each player and joint move, the legal actions if it had a choice, its action, and the numbers of
        #: percepts.
        self.known: List[Tuple[Tuple[Sequence[int], int, Sequence[int]], ...]] = []
        if rules.numbers.hides:
            self.known = [() for _ in rules.roles]
        self._settle()

    def clone(self) -> _Match:
        clone = object.__new__(_Match)
        clone.__dict__.update(self.__dict__)
        clone.chosen = dict(self.chosen)
        clone.known = list(self.known)
        return clone

    def __deepcopy__(self, _: Any) -> _Match:
        return self.clone()

    def __reduce__(self) -> Tuple[Any, ...]:
        return _replayed, (self.rules.key, self.history)

    def current_player(self) -> int:
        if self.returns is not None:
            return pyspiel.PlayerId.TERMINAL
        if len(self.choosing) > 1:
            return pyspiel.PlayerId.SIMULTANEOUS
        return self.choosing[0] if self.choosing else pyspiel.PlayerId.CHANCE

    def legal_actions(self, player: int) -> List[int]:
        return list(self.legal[self.rules.roles[player]])

    def outcomes(self) -> List[int]:
        """The possible outcomes of chance."""
        if self.current_player() != pyspiel.PlayerId.CHANCE:
            return []
        return [self.rules.outcomes[action] for action in self.legal[self._chance()]]

    def play(self, played: int) -> None:
        """The action of the player who is to choose, or the outcome of chance."""
        if self.choosing:
            role, action = self.rules.roles[self.choosing[0]], played
        else:
            role, action = self._chance(), self._action_of(played)
        self._check(role, action)
        self.history += (int(played),)
        self.chosen[role] = int(action)
        self._choose()

    def play_jointly(self, actions: Sequence[int]) -> None:
        """An action of each player; those of players without a choice do not matter."""
        for player in self.choosing:
            self._check(self.rules.roles[player], actions[player])
        self.history += (tuple(map(int, actions)),)
        self.chosen.update((self.rules.roles[player], int(actions[player])) for player in self.choosing)
        self._choose()

    def play_randomly(self, rng: random.Random) -> None:
        """Legal actions, by chance."""
        if len(self.choosing) > 1:
            self.play_jointly([rng.choice(self.legal[role]) for role in self.rules.roles])
        else:
            self.play(rng.choice(self.legal_actions(self.choosing[0]) if self.choosing else self.outcomes()))

    def _chance(self) -> int:
        assert self.rules.chance is not None
        return self.rules.chance

    def _action_of(self, outcome: int) -> int:
        actions = self.rules.outcome_actions
        if not 0 <= outcome < len(actions):
            raise ValueError(f"there is no outcome {outcome} of chance, but {len(actions)} from 0 on")
        return actions[outcome]

    def _check(self, role: int, action: int) -> None:
        if action not in self.legal[role]:
            name = self.rules.game.roles[role]
            raise ValueError(f"action {action} of {name} is not legal: `legal_actions` has the legal ones")

    def _choose(self) -> None:
        """Those who were to choose have done so."""
        self.choosing = ()
        if self.awaits_chance and self.rules.chance not in self.chosen:
            return
        self._advance()
        self._settle()

    def _settle(self) -> None:
        """Finds out who is to choose; goes on until somebody is, or the match is over."""
        rules = self.rules
        while True:
            if self.state.terminal:
                self.returns = rules.returns(self.state)
                return
            self.legal = [self.state.legal_actions(role) for role in range(len(rules.game.roles))]
            if self.steps >= rules.max_steps or not all(self.legal):
                self.returns = [rules.middle] * len(rules.roles)
                return
            self.choosing = tuple(player for player, role in enumerate(rules.roles) if len(self.legal[role]) > 1)
            self.awaits_chance = rules.chance is not None and len(self.legal[rules.chance]) > 1
            if len(self.choosing) > 1 and not rules.joint:
                raise PlayError("several players choose at the same time: pass `joint=True` to `openspiel.Game`")
            if self.choosing or self.awaits_chance:
                return
            self._advance()

    def _advance(self) -> None:
        rules, numbers = self.rules, self.rules.numbers
        joint = [self.chosen.get(role, legal[0]) for role, legal in enumerate(self.legal)]
        if self.knowledge is not None:
            self.knowledge = self.knowledge.add(self.state, joint)
            seen = numbers.seen(self.state, joint)
            for player, (name, role) in enumerate(zip(numbers.players, rules.roles)):
                choices = self.legal[role] if role in self.chosen else ()
                self.known[player] += ((choices, joint[role], seen[name]),)
        self.state = self.state.apply(joint)
        self.steps += 1
        self.chosen = {}


class _Observer:
    """What players observe, as OpenSpiel asks for it."""

    def __init__(
        self,
        rules: _Rules,
        kind: Optional[pyspiel.IIGObservationType],
        params: Optional[Mapping[str, Any]],
    ) -> None:
        if params:
            raise ValueError(f"observers of propjit's games take no parameters: {', '.join(params)}")
        kind = kind or pyspiel.IIGObservationType(perfect_recall=False)
        single = pyspiel.PrivateInfoType.SINGLE_PLAYER
        if rules.numbers.hides and not (kind.public_info and kind.private_info == single):
            raise ValueError(
                "percepts are not divided into public and private ones: an observer needs `public_info=True` "
                "and `private_info=PrivateInfoType.SINGLE_PLAYER`"
            )
        self._rules, self._remembers = rules, kind.perfect_recall
        #: Whether there is anything to be seen: in a game that hides nothing, all is public.
        self._sees = kind.public_info
        numbers = rules.numbers
        self.tensor: Optional[np.ndarray] = None
        self.dict: Dict[str, np.ndarray] = {}
        if self._remembers and numbers.hides:
            self._allot("steps", (rules.recall, rules.row))
        elif self._sees and not self._remembers:
            self._allot("observation", numbers.shape)

    def _allot(self, name: str, shape: Tuple[int, ...]) -> None:
        self.tensor = np.zeros(math.prod(shape), np.float32)
        self.dict = {name: self.tensor.reshape(shape)}

    def set_from(self, state: State, player: int) -> None:
        """Writes what the player sees of a state to `tensor`."""
        match, numbers = state._match, self._rules.numbers
        if "observation" in self.dict:
            role = numbers.players[player]
            self.dict["observation"][:] = numbers.observation(match.state, match.knowledge, role)
        elif "steps" in self.dict:
            rows = self.dict["steps"]
            rows.fill(0)
            for row, (_, action, seen) in zip(rows, match.known[player][-len(rows) :]):
                row[seen] = 1
                row[numbers.widest + action] = 1

    def string_from(self, state: State, player: int) -> str:
        """What the player sees of a state."""
        match, numbers = state._match, self._rules.numbers
        if match.knowledge is None:
            if not self._sees:
                return ""
            return state.history_str() if self._remembers else str(match.state)
        role = numbers.players[player]
        if not self._remembers:
            return " ".join(map(str, match.knowledge.observation(role).nonzero()[0]))
        names = self._rules.percepts[role]
        lines = [role]
        for choices, action, seen in match.known[player]:
            among = f" of {' '.join(map(str, choices))}" if choices else ""
            lines.append(" ".join([f"{numbers.texts[action]}{among}:", *(names[number] for number in seen)]))
        own = self._rules.roles[player]
        if player in match.choosing:
            lines.append(f"to choose of {' '.join(map(str, match.legal[own]))}")
        elif own in match.chosen:
            lines.append(f"{numbers.texts[match.chosen[own]]} of {' '.join(map(str, match.legal[own]))}")
        return "\n".join(lines)


def _packed(game: _native.Game) -> Mapping[str, str]:
    """The parameters by which OpenSpiel can load a game again: a name, or else the rules."""
    name = game.name.removesuffix(".kif")
    if name in _native.Game.names() and _native.Game.named(name) == game:
        return {"game": name}
    packed = zlib.compress("\0".join([game.name, game.text]).encode(), 9)
    # A letter first, so that it is never taken for a number.
    return {"rules": "z" + base64.urlsafe_b64encode(packed).decode().rstrip("=")}


def _unpacked(rules: str) -> _native.Game:
    padded = rules[1:] + "=" * (-len(rules[1:]) % 4)
    name, text = zlib.decompress(base64.urlsafe_b64decode(padded)).decode().split("\0", 1)
    return _native.Game.load(text=text, name=name)


def _load(parameters: Mapping[str, Any]) -> Game:
    """A game by the parameters of `pyspiel.load_game`."""
    given = {**_PARAMETERS, **parameters}
    name, rules = given["game"], given["rules"]
    if bool(name) == bool(rules):
        raise ValueError("pass the name or the path of a rulesheet: `propjit(game=ticTacToe)`")
    if rules:
        game = _unpacked(rules)
    else:
        game = _native.Game.named(name) if name in _native.Game.names() else _native.Game.load(name)
    if given["joint"] not in _ANSWERS:
        raise ValueError("`joint` must be `yes` or `no`")
    return Game(
        game,
        max_steps=given["max_steps"],
        observation=given["observation"] or None,
        rewards=given["rewards"] or None,
        joint=_ANSWERS[given["joint"]],
        recall=given["recall"] or None,
    )


def _restored(stored: str) -> State:
    """A state that was stored with its game."""
    return pyspiel.deserialize_game_and_state(stored)[1]


class _Loader:
    """What OpenSpiel calls to load a game. It releases that after Python has ended, when a function would be freed,
    which ends the process; a class, which refers to itself, is not."""

    def __new__(cls, parameters: Mapping[str, Any]) -> Game:  # type: ignore[misc]
        return _load(parameters)


def _replayed(key: str, history: Sequence[Union[int, Tuple[int, ...]]]) -> _Match:
    """A match by what was played in it."""
    game = pyspiel.load_game(key) if key not in _RULES else None
    match = _RULES[key].start.clone()
    del game
    for played in history:
        match.play_jointly(played) if isinstance(played, tuple) else match.play(played)
    return match


def _register() -> None:
    kind = pyspiel.GameType
    pyspiel.register_game(
        kind(
            short_name=_NAME,
            long_name="A rulesheet in the Game Description Language",
            dynamics=kind.Dynamics.SIMULTANEOUS,
            chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
            information=kind.Information.IMPERFECT_INFORMATION,
            utility=kind.Utility.GENERAL_SUM,
            reward_model=kind.RewardModel.TERMINAL,
            max_num_players=100,
            min_num_players=1,
            provides_information_state_string=True,
            provides_information_state_tensor=True,
            provides_observation_string=True,
            provides_observation_tensor=True,
            parameter_specification=_PARAMETERS,
            default_loadable=False,
        ),
        _Loader,
    )


_register()
