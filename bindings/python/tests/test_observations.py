"""What is observed: planes, and percepts in games that hide information."""

import pickle

import numpy as np
import pytest

from propjit import Game, Knowledge, PlayError, Search, VectorEnv
from propjit._numbers import Numbers
from propjit.selfplay import random_policy

from test_game import GROWING

BOARDS = ["breakthroughSmall", "chess", "connectFour", "dotsAndBoxes", "hexPie", "nineBoardTicTacToe", "pegTriangle", "tron"]
OTHERS = ["diceRace", "piglet", "threePlayerTicTacToe", "fourPlayerHalma"]


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("name", BOARDS + OTHERS)
def test_each_fluent_has_a_place(name, relative):
    game = Game.named(name)
    planes = game.planes(relative)
    index = planes.index
    players = len([role for role in game.roles if role != game.random_role])
    assert index.shape == (players, *planes.shape) and len(planes.names) == planes.shape[0]
    for of_player in index:
        found = of_player[of_player >= 0]
        assert set(found.tolist()) == set(range(len(game.fluents)))
        # In one channel alone: once, or everywhere.
        for channel in of_player:
            inside = channel[channel >= 0]
            assert len(set(inside.tolist())) in (1, len(inside)) or not len(inside)
    if not relative:
        assert (index == index[0]).all() and (index >= -1).all()
    again = pickle.loads(pickle.dumps(planes))
    assert again.shape == planes.shape and (again.index == index).all()


@pytest.mark.parametrize("dtype", ["bool", "uint8", "float32", "bits"])
@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("name", ["connectFour", "chess", "threePlayerTicTacToe", "tron", "piglet"])
def test_planes_are_what_their_index_says(name, relative, dtype):
    game = Game.named(name)
    planes = game.planes(relative)
    flat = VectorEnv(game, 600, seed=2)
    env = VectorEnv(game, 600, seed=2, observation=planes, dtype=dtype, threads=2)
    rng = np.random.default_rng(1)
    several = env.joint and planes.relative
    assert env.planes is planes
    for _ in range(30):
        found = env.observation
        if dtype == "bits":
            found = np.unpackbits(found, axis=-1, bitorder="little", count=int(np.prod(planes.shape)))
            found = found.reshape(*env.observation.shape[:-1], *planes.shape)
        # A zero and a one come after the fluents, where -1 and -2 point to.
        states = np.concatenate([flat.observation, np.ones((600, 1), bool), np.zeros((600, 1), bool)], axis=1)
        if several:
            expected = np.stack([states[:, planes.index[player]] for player in range(2)], axis=1)
        else:
            expected = states[np.arange(600)[:, None, None, None], planes.index[np.maximum(env.current_player, 0)]]
        assert found.shape == expected.shape and (found == expected).all()
        actions = random_policy(None, env, rng)
        flat.step(actions)
        env.step(actions)
    assert (env.observe([env.state(3), env.state(5)]) == env.observation[[3, 5]]).all()


def test_pieces_of_a_player_are_where_others_see_theirs():
    game = Game.named("connectFour")
    env = VectorEnv(game, 1, observation="planes", dtype="float32")
    planes = env.planes
    assert planes.shape == (6, 6, 7) and planes.relative
    own = planes.names.index("cell red | cell yellow")
    board = np.zeros((2, 6, 7))
    for turn, column in enumerate([3, 3, 2, 3]):
        player = turn % 2
        assert (env.observation[0, own] == board[player]).all()
        assert (env.observation[0, planes.names.index("for red")] == 1 - player).all()
        height = int(board[:, :, column].sum())
        env.step([game.actions.index(f"(drop {column + 1})")])
        board[player, 5 - height, column] = 1
    # Of a column, all places are mentioned.
    assert planes.places(3) == [[(0, row, 3) for row in range(6)]]
    with pytest.raises(IndexError, match="8 from 0 on"):
        planes.places(8)
    chess = Game.named("chess").planes()
    assert "cell wp | cell bp" in chess.names and "cell bk | cell wk" in chess.names
    for action in [0, 100]:
        places = chess.places(action)
        assert len(places) == 2 and all(len(place) == 1 for place in places)


def test_an_observer_is_always_the_same():
    game = Game.named("connectFour")
    env = VectorEnv(game, 2, observation="planes", observer=1)
    env.step([0, 1])
    assert (env.observation == env.observe([env.state(0), env.state(1)], player=1)).all()
    env.step([0, 1])
    assert (env.observation == env.observe([env.state(0), env.state(1)])).all()
    assert env.observation[:, -1].all() and env.current_player.tolist() == [0, 0]
    tron = VectorEnv(Game.named("tron"), 2, observation="planes", observer=0)
    assert tron.observation.ndim == 4


def test_searches_observe_planes():
    game = Game.named("connectFour")
    planes = game.planes()
    seen = []

    def evaluation(observation, legal, current):
        seen.append((observation, current))
        return np.zeros((len(observation), 2))

    Search(game, evaluation=evaluation, observation=planes, dtype="float32", batch=16).run(playouts=200)
    observation, current = seen[-1]
    assert observation.shape[1:] == planes.shape and observation.dtype == np.float32
    assert (observation[:, -1, 0, 0] == current).all()


def test_games_without_planes():
    with pytest.raises(PlayError, match="planes"):
        Game.load(text=GROWING, backend="prover").planes()


HIDDEN = ["battleships", "darkBreakthroughSmall", "kriegTicTacToe", "kuhnPoker", "leducPoker", "liarsDice", "montyHall"]


@pytest.mark.parametrize("name", HIDDEN)
def test_states_of_games_that_hide_information_are_not_observed(name):
    game = Game.named(name)
    assert game.hides_information
    env = VectorEnv(game, 40, seed=1, autoreset="Disabled")
    rng = np.random.default_rng(1)
    for _ in range(8):
        env.reset(mask=env.current_player == -2)
        assert env.observation.shape[-1] == Numbers(game).shape[0]
        env.step(env.nth_legal_action(rng.integers(np.maximum(env.legal_action_counts, 1))))
    for observation in ["fluents", "planes", game.planes()]:
        with pytest.raises(ValueError, match="hides information"):
            VectorEnv(game, 1, observation=observation)
    with pytest.raises(ValueError, match="percepts are not a matter of the state"):
        env.observe([game.initial])
    with pytest.raises(ValueError, match="hides information"):
        Search(game, evaluation=lambda observation, legal, current: np.zeros((len(legal), 2))).run(playouts=10)


@pytest.mark.parametrize("name", ["darkBreakthroughSmall", "kriegTicTacToe", "phantomConnectFour", "battleships"])
def test_percepts_are_those_of_states(name):
    """Without chance, matches of single states have the same percepts."""
    game = Game.named(name)
    assert game.random_role is None
    numbers = Numbers(game)
    env = VectorEnv(game, 30, seed=1, autoreset="Disabled")
    states, known = [game.initial] * 30, [Knowledge(game)] * 30

    def advance(i, actions):
        joint = numbers.joint(states[i], actions)
        known[i] = known[i].add(states[i], joint)
        states[i] = states[i].apply(joint)

    def settle(i):
        while not states[i].terminal and not states[i].to_move:
            advance(i, {})

    for i in range(30):
        settle(i)
    rng = np.random.default_rng(1)
    compared = 0
    for _ in range(60):
        going = env.current_player != -2
        for i in np.flatnonzero(going):
            observers = enumerate(env.players) if env.joint else [(None, env.players[env.current_player[i]])]
            for at, role in observers:
                seen = env.observation[i] if at is None else env.observation[i, at]
                assert (seen == known[i].observation(role)).all()
                compared += 1
        actions = env.nth_legal_action(rng.integers(np.maximum(env.legal_action_counts, 1)))
        for i in np.flatnonzero(going):
            if env.joint:
                chosen = dict(zip(env.players, actions[i].tolist()))
            else:
                chosen = {env.players[env.current_player[i]]: int(actions[i])}
            advance(i, chosen)
            settle(i)
        env.step(actions, mask=going)
    assert compared > 200
    for role in env.players:
        again = pickle.loads(pickle.dumps(known[0])).observation(role)
        assert again.any() and (again == known[0].observation(role)).all()
    with pytest.raises(ValueError, match="another game"):
        known[0].add(Game.named("ticTacToe").initial, "(mark 1 1)")


@pytest.mark.parametrize("name, steps", [("darkBreakthroughSmall", 2), ("phantomConnectFour", 2), ("battleships", 1)])
def test_choices_at_random_are_known_like_others(name, steps):
    """After a number of random moves, each player who is to choose has made one choice."""
    game = Game.named(name)
    env = VectorEnv(game, 20, seed=1)
    env.step_random(steps)
    choices = 2 * max(len(game.percepts(role)) for role in env.players)
    assert (env.observation[..., choices:].sum(axis=-1) == 1).all()


def test_a_hand_of_poker_is_known_to_its_player_alone():
    game = Game.named("kuhnPoker")
    env = VectorEnv(game, 500, seed=1)
    widest = max(len(game.percepts(role)) for role in env.players)
    assert (env.observation[:, widest : 2 * widest].sum(axis=1) == 1).all()
    # All six deals look like three to the first player.
    assert len({row.tobytes() for row in env.observation}) == 3
    assert len({env.state(i) for i in range(500)}) == 6
