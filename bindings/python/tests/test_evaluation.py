"""Searches with evaluations and policies that are Python functions."""

import threading

import numpy as np
import pytest

from propjit import Game, Search, VectorEnv


def draw(observation, legal, current):
    """Nothing is known of any position."""
    return np.zeros((len(observation), 2))


def material(game):
    """An evaluation of breakthrough: the lead in pieces."""
    pieces = [
        [fluent.startswith("(cell") and f" {role})" in fluent for role in game.roles]
        for fluent in game.fluents
    ]
    pieces = np.array(pieces, dtype=np.float32)

    def evaluation(observation, legal, current):
        counts = observation @ pieces
        return (counts - counts[:, ::-1]) / 10

    return evaluation


def test_material_beats_nothing():
    game = Game.named("breakthroughSmall")
    scores = []
    for match in range(4):
        evaluations = [material(game), draw]
        if match % 2:
            evaluations.reverse()
        searches = [
            Search(game, evaluation=evaluation, batch=32, seed=match) for evaluation in evaluations
        ]
        state, depth = game.initial, 0
        while not state.terminal:
            role = state.to_move[0]
            search = searches[game.roles.index(role)]
            search.set_root(state, depth)
            search.run(playouts=300)
            state, depth = state.apply(search.report(role).best), depth + 1
        scores.append(state.goals[game.roles[match % 2]])
    assert sum(scores) >= 300


@pytest.mark.parametrize("form", ["bool", "float32", "bits"])
def test_arrays_are_those_of_environments(form):
    game = Game.named("connectFour")
    env = VectorEnv(game, 1, dtype=form)
    seen = []

    def evaluation(observation, legal, current):
        seen.append((observation, legal, current))
        return draw(observation, legal, current)

    Search(game, evaluation=evaluation, dtype=form, batch=16).run(playouts=100)
    observation, legal, current = seen[0]
    assert len(observation) == 1 and max(len(observation) for observation, _, _ in seen) == 16
    assert observation.dtype == env.observation.dtype
    assert (observation == env.observation).all()
    assert (legal == env.legal_action_mask).all() and legal.dtype == bool
    assert current.tolist() == env.current_player.tolist()
    # The second leaf follows from the first.
    assert seen[1][2].tolist() == [1] and seen[1][1].sum() == 7 + 1 - 1


def test_logits_are_priors():
    game = Game.named("connectFour")

    def policy(observation, legal, current):
        logits = np.zeros(legal.shape)
        logits[:, game.actions.index("(drop 2)")] = 5
        return logits

    def both(observation, legal, current):
        return draw(observation, legal, current), policy(observation, legal, current)

    for functions in [{"evaluation": draw, "policy": policy}, {"evaluation": both}]:
        search = Search(game, **functions)
        search.run(playouts=500)
        best = search.report("red").moves[0]
        assert best.move == "(drop 2)" and best.visits > 400


def test_playouts_by_a_policy():
    rules = """(role r) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
        (succ 5 6) (succ 6 7) (succ 7 8) (legal r left) (legal r right)
        (<= (next (at ?m)) (true (at ?n)) (succ ?n ?m))
        (<= (next (lefts ?n)) (does r left) (true (at ?n)))
        (<= (next (lefts ?n)) (true (lefts ?n)))
        (<= terminal (true (at 8)))
        (<= (goal r 30) (true (lefts 7))) (<= (goal r 80) (not (true (lefts 7))))"""
    game = Game.load(text=rules)
    moves = game.actions
    for move, goal in [("left", 30), ("right", 80)]:

        def policy(observation, legal, current):
            return np.where(np.arange(len(moves)) == moves.index(move), 0, -np.inf) + 0 * legal

        search = Search(game, policy=policy)
        search.run(playouts=4)
        report = search.report("r")
        assert report.value == goal and not report.solved and report.playouts >= 4


def test_what_is_proved_counts_more():
    def wrong(observation, legal, current):
        return np.tile([1, -1], (len(observation), 1))

    search = Search(Game.named("ticTacToe"), evaluation=wrong, threads=2)
    search.run(playouts=1_000_000)
    report = search.report("x")
    assert report.solved and report.value == 50


@pytest.mark.parametrize("rewards, values", [(None, [0.2, -0.2]), ("zero-sum", [0.2, -0.2]), ("goals", [60, 40])])
def test_values_are_rewards(rewards, values):
    """Searches report goals, whatever rewards stand for them."""

    def evaluation(observation, legal, current):
        return np.tile(values, (len(observation), 1))

    search = Search(Game.named("breakthrough"), evaluation=evaluation, rewards=rewards)
    search.run(playouts=200)
    assert search.report("white").value == pytest.approx(60, abs=0.1)


def test_several_at_once():
    game = Game.named("tron")
    players = len(game.roles)

    def evaluation(observation, legal, current):
        assert legal.shape[:2] == (len(observation), players)
        return np.zeros((len(observation), players))

    Search(game, evaluation=evaluation).run(playouts=100)
    Search(game, policy=lambda observation, legal, current: 0 * legal).run(playouts=100)
    with pytest.raises(ValueError, match="`joint=True`"):
        Search(game, evaluation=evaluation, joint=False).run(playouts=100)


def test_mistakes_are_raised():
    game = Game.named("breakthroughSmall")

    def fails(observation, legal, current):
        if len(observation) > 1:
            raise ZeroDivisionError("nothing is known")
        return draw(observation, legal, current)

    def run(**functions):
        Search(game, **functions).run(playouts=1000)

    search = Search(game, evaluation=fails)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError, match="nothing is known"):
            search.run(playouts=1000)
    with pytest.raises(ValueError, match=r"values of shape \(1, 3\), not \(1, 2\)"):
        run(evaluation=lambda observation, legal, current: np.zeros((len(legal), 3)))
    with pytest.raises(ValueError, match="the policy returned logits of shape"):
        run(policy=lambda observation, legal, current: np.zeros(7))
    with pytest.raises(ValueError, match="role 1 in position 0 of the batch is NaN"):
        run(evaluation=lambda observation, legal, current: np.full((len(legal), 2), [1, np.nan]))
    for wrong, arguments, message in [
        (50, {}, "returned 50, but rewards are from -1 to 1 here: pass `rewards=\"goals\"`"),
        (-101, {"rewards": "goals"}, "returned -101, but rewards are from 0 to 100"),
    ]:
        with pytest.raises(ValueError, match=message):
            run(evaluation=lambda observation, legal, current: np.full((len(legal), 2), wrong), **arguments)
    with pytest.raises(ValueError, match="at least one must be finite"):
        run(policy=lambda observation, legal, current: np.where(legal, -np.inf, 0))
    with pytest.raises(ValueError):
        run(evaluation=lambda observation, legal, current: "good")
    with pytest.raises(TypeError):
        run(evaluation=lambda observation: None)
    with pytest.raises(TypeError, match="`policy` must be a function"):
        run(policy=3)
    with pytest.raises(TypeError, match="combined with a learned evaluation"):
        run(evaluation=True, policy=draw)
    with pytest.raises(ValueError, match="not `bytes`"):
        run(evaluation=draw, dtype="bytes")


def test_a_function_may_ask_for_what_it_is_part_of():
    search = Search(
        Game.named("ticTacToe"), evaluation=lambda *arrays: search.report("x") and draw(*arrays)
    )
    with pytest.raises(RuntimeError, match="another thread is using this search"):
        search.run(playouts=10)


def test_functions_are_called_by_the_threads_of_the_search():
    threads = set()

    def evaluation(observation, legal, current):
        threads.add(threading.get_ident())
        return draw(observation, legal, current)

    Search(Game.named("breakthrough"), evaluation=evaluation, threads=2).run(playouts=2000)
    assert threading.get_ident() not in threads and 1 <= len(threads) <= 2
