"""Searches of many games at once."""

import pickle

import numpy as np
import pytest

from propjit import BatchSearch, Game, IllegalMoveError, Search, VectorEnv


def draw(observation, legal, current):
    """Nothing is known of any position."""
    return np.zeros((len(observation), 2))


def matches(search, simulations=None):
    """Plays matches to their ends by the best actions, and returns these."""
    played = []
    while not (search.terminated | search.truncated).all():
        search.run(simulations)
        played.append(search.best_actions)
        search.advance(played[-1])
    return played


@pytest.mark.parametrize("gumbel", [False, True])
def test_the_tree_finds_wins(gumbel):
    game = Game.named("ticTacToe")
    state = game.initial
    for move in ["(mark 1 1)", "(mark 3 1)", "(mark 1 2)", "(mark 3 3)"]:
        state = state.apply(move)
    search = BatchSearch([state, game.initial], draw, 400, gumbel=gumbel, seed=1)
    search.run()
    assert game.actions[search.best_actions[0]] == "(mark 1 3)"
    assert search.visits.sum(1).tolist() == [400, 400]
    assert search.values[0, 0] > 0.5 and abs(search.values.sum(1)).max() < 1e-5
    for temperature in [0, 0.25, 1]:
        policy = search.policy(temperature)
        assert policy.sum(1) == pytest.approx([1, 1], abs=1e-5)
        assert (policy[~search.legal_action_mask] == 0).all()
    assert search.policy(0)[0, search.best_actions[0]] == 1


@pytest.mark.parametrize("observation, dtype", [("fluents", "bool"), ("planes", "float32"), ("planes", "bits")])
def test_arrays_are_those_of_environments(observation, dtype):
    game = Game.named("connectFour")
    env = VectorEnv(game, 1, observation=observation, dtype=dtype)
    seen = []

    def evaluation(observation, legal, current):
        seen.append((observation, legal, current))
        return draw(observation, legal, current), np.zeros(legal.shape)

    search = BatchSearch([game.initial] * 3, evaluation, 20, observation=observation, dtype=dtype, seed=3)
    assert search.observation.dtype == env.observation.dtype
    np.testing.assert_array_equal(search.observation[:1], env.observation)
    np.testing.assert_array_equal(search.legal_action_mask[:1], env.legal_action_mask)
    assert search.current_player.tolist() == [0, 0, 0]
    search.run()
    assert len(seen) == 21
    for observed, legal, current in seen:
        assert observed.shape == (3, *env.observation.shape[1:]) and legal.shape == (3, 8)
        assert observed.dtype == env.observation.dtype and legal.dtype == bool
        assert set(current) <= {0, 1}


def test_what_is_observed_is_the_state():
    game = Game.named("breakthroughSmall")
    states = {}
    rng = np.random.default_rng(1)
    state = game.initial
    while not state.terminal:
        states[tuple(state.numbers)] = state
        role = state.to_move[0]
        state = state.apply(int(rng.choice(state.legal_actions(role))))
    known = list(states.values())
    seen = []

    def evaluation(observation, legal, current):
        for numbers, row, player in zip(observation, legal, current):
            state = states.get(tuple(numbers.nonzero()[0]))
            if state is not None:
                seen.append(state)
                role = game.roles[player]
                assert state.to_move == (role,)
                assert state.legal_actions(role) == row.nonzero()[0].tolist()
        return draw(observation, legal, current)

    search = BatchSearch(known, evaluation, 1)
    assert [search.state(number) for number in range(len(search))] == known
    search.run()
    assert set(seen) >= set(known)


def test_seeds_matter():
    game = Game.named("connectFour")

    def play(**settings):
        return np.array(matches(BatchSearch([game.initial] * 8, draw, 12, max_steps=20, **settings)))

    for settings in [{"noise": (0.3, 0.25)}, {"gumbel": True}, {}]:
        one, same, other = (play(seed=seed, **settings) for seed in [1, 1, 2])
        assert np.array_equal(one, same)
        assert one.shape != other.shape or not np.array_equal(one, other)


def test_matches_end_and_begin_again():
    game = Game.named("ticTacToe")
    search = BatchSearch([game.initial] * 16, draw, 10, noise=(0.5, 0.5), seed=5)
    matches(search)
    assert search.terminated.all() and not search.truncated.any()
    assert (search.rewards.sum(1) == 0).all() and set(search.rewards.ravel()) <= {-1, 0, 1}
    np.testing.assert_array_equal(search.values, search.rewards)
    assert (search.policy() == 0).all() and (search.current_player == -2).all()
    mask = np.arange(16) % 2 == 0
    search.reset(mask)
    np.testing.assert_array_equal(search.terminated, ~mask)
    assert search.state(0) == game.initial
    search.set_states([game.initial.apply("(mark 2 2)")] * 8, mask)
    assert search.current_player[mask].tolist() == [1] * 8


def test_chance_is_drawn():
    game = Game.named("diceRace")
    search = BatchSearch([game.initial] * 64, draw, 30, seed=1)
    roll = game.actions.index("roll")
    search.run()
    search.advance([roll] * 64)
    squares = {state.fluents for state in map(search.state, range(64))}
    assert len(squares) == 6
    matches(search)
    assert set(search.rewards.ravel()) == {-1, 1}


def test_exceptions_come_through():
    game = Game.named("connectFour")
    calls = []

    def evaluation(observation, legal, current):
        calls.append(len(observation))
        if len(calls) == 2:
            raise KeyError("mine")
        if len(calls) == 4:
            return np.zeros((1, 2))
        if len(calls) == 6:
            return np.full((len(observation), 2), 100)
        if len(calls) == 8:
            return np.full((len(observation), 2), np.nan)
        return draw(observation, legal, current)

    search = BatchSearch([game.initial] * 3, evaluation, 5)
    with pytest.raises(KeyError, match="mine"):
        search.run()
    with pytest.raises(ValueError, match=r"of shape \(1, 2\), not \(3, 2\)"):
        search.run()
    with pytest.raises(ValueError, match="pass `rewards"):
        search.run()
    with pytest.raises(ValueError, match="finite"):
        search.run()
    before = search.visits.sum()
    search.run()
    assert search.visits.sum() == before + 15
    assert search.policy().sum(1) == pytest.approx([1, 1, 1])


def test_errors_name_the_remedy():
    game = Game.named("ticTacToe")
    with pytest.raises(ValueError, match="at least one state"):
        BatchSearch([], draw, 10)
    with pytest.raises(ValueError, match="use `Search`"):
        BatchSearch([Game.named("tron").initial], draw, 10)
    with pytest.raises(ValueError, match="hides information"):
        BatchSearch([Game.named("kuhnPoker").initial], draw, 10)
    with pytest.raises(ValueError, match="another game"):
        BatchSearch([game.initial, Game.named("connectFour").initial], draw, 10)
    with pytest.raises(ValueError, match="`simulations` must be at least 0"):
        BatchSearch([game.initial], draw, -1)
    with pytest.raises(ValueError, match="leave out `noise`"):
        BatchSearch([game.initial], draw, 1, gumbel=True, noise=(1, 0.5))
    with pytest.raises(TypeError, match="function of three arrays"):
        BatchSearch([game.initial], 5, 1)
    search = BatchSearch([game.initial] * 2, draw, 10)
    with pytest.raises(ValueError, match="`temperature`"):
        search.policy(-1)
    with pytest.raises(IllegalMoveError, match="action 9 of x is not legal in game 1"):
        search.advance([0, 9])
    with pytest.raises(ValueError, match="one number for each"):
        search.advance([0])
    with pytest.raises(IndexError, match="from 0 to 1"):
        search.state(2)
    assert search.current_player.tolist() == [0, 0]


def test_copies_begin_at_the_same_states():
    game = Game.named("ticTacToe")
    search = BatchSearch([game.initial] * 2, draw, 10, noise=(0.5, 0.25), seed=3)
    search.advance([0, 4])
    copy = pickle.loads(pickle.dumps(search))
    assert [copy.state(number) for number in range(2)] == [search.state(number) for number in range(2)]
    copy.run()
    assert copy.visits.sum(1).tolist() == [10, 10]


def test_it_agrees_with_the_search_of_one_game():
    """Both find that the player who is to move wins, where it does."""
    game = Game.named("connectFour")
    state = game.initial
    for move in [1, 2, 1, 2, 1, 2]:
        state = state.apply(f"(drop {move})")
    search = BatchSearch([state], draw, 200)
    search.run()
    single = Search(state, seed=1)
    single.run(playouts=2000)
    assert game.actions[search.best_actions[0]] == single.report("red").best == "(drop 1)"
