"""Processes that are forked from one with threads, which have none of these."""

import multiprocessing
import os
import pickle
import select
import signal
import traceback

import numpy as np
import pytest

from propjit import Game, Search, VectorEnv

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork"),
    # Python 3.12 and later warn of what is tested here.
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]

#: In seconds: a child that hangs is killed then, and the test fails.
WATCHDOG = 300


def in_child(work):
    """What `work` returns in a forked process; what it raises there fails here."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(read)
            try:
                answer = (True, work())
            except BaseException:
                answer = (False, traceback.format_exc())
            with os.fdopen(write, "wb") as pipe:
                pickle.dump(answer, pipe)
        finally:
            os._exit(0)
    os.close(write)
    try:
        with os.fdopen(read, "rb") as pipe:
            # The end of the pipe counts, too.
            ready, _, _ = select.select([pipe], [], [], WATCHDOG)
            assert ready, "the child hangs"
            fine, answer = pickle.load(pipe)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert fine, answer
    return answer


@pytest.fixture(scope="module")
def game():
    """A game for which all kinds of threads have been started here."""
    game = Game.named("connectFour")
    game.wait()
    game.playouts(1000, threads=2)
    Search(game, threads=2, local=True).run(playouts=1000)
    return game


def test_games_are_played_in_children(game):
    state = game.initial.apply("(drop 4)")

    def work():
        assert state.apply("(drop 4)").to_move == ("red",)
        game.wait()
        again = Game.named("ticTacToe")
        again.wait()
        facts = game.facts(seconds=0.5)
        played = [game.playouts(1000, seed=1), game.playouts(1000, threads=2, seed=1)]
        played.append(state.playouts(1000, seed=1))
        return [one.count for one in played], len(facts.exactly_one) > 0

    assert in_child(work) == ([1000] * 3, True)
    # A child of a child is one, too.
    assert in_child(lambda: in_child(work)) == ([1000] * 3, True)
    assert game.playouts(1000, seed=1).goals == in_child(lambda: game.playouts(1000, seed=1)).goals


def test_code_that_is_being_made_is_made_in_the_child():
    # Bits that stay or change, by the number of the process, so that there is no code in the cache: the
    # compiler is at work when the process is forked.
    bits = [f"(true (bit {i}))" if os.getpid() >> i & 1 else f"(not (true (bit {i})))" for i in range(22)]
    marks = [f"(init (bit {i})) (<= (next (bit {i})) {bit})" for i, bit in enumerate(bits)]
    game = Game.load(text=Game.named("connectFour").text + "\n".join(marks), name="marked.kif")
    game.playouts(1)

    def work():
        game.wait()
        return game.playouts(1000).count

    assert in_child(work) == 1000
    game.wait()


@pytest.mark.parametrize("threads", [1, 2])
def test_environments_go_on_in_children(game, threads):
    env = VectorEnv(game, 1000, threads=threads, seed=3)
    env.step_random(5)
    before = env.observation.copy()

    def work():
        assert (env.observation == before).all()
        actions = env.nth_legal_action(np.zeros(1000, np.int32))
        env.step(actions)
        steps = env.step_random(20)
        return steps, env.observation.tobytes(), env.state(999).fluents

    there = in_child(work)
    assert there == work()
    # Others can be made.
    count = in_child(lambda: VectorEnv(game, 600, threads=2).step_random(10).terminated)
    assert count == VectorEnv(game, 600).step_random(10).terminated


def test_searches_are_made_anew_in_children(game):
    search = Search(game, seed=1, local=True)
    search.run(playouts=1000)

    def work():
        told = []
        for use in [
            lambda: search.run(playouts=1000),
            lambda: search.report("red"),
            lambda: search.set_root(game.initial),
        ]:
            try:
                use()
            except RuntimeError as error:
                told.append("create a new `Search`" in str(error))
        again = Search(game, seed=1, local=True, threads=2)
        again.run(playouts=20_000)
        return told, again.report("red")

    told, report = in_child(work)
    assert told == [True] * 3 and report.best in game.initial.legal("red") and report.playouts > 1000
    # The old one goes on here.
    before = search.report("red").playouts
    search.run(playouts=1000)
    assert search.report("red").playouts > before


def count(state):
    """Run by the workers of a pool."""
    state.game.wait()
    return state.playouts(100).count


def test_pools_of_forked_workers(game):
    states = [game.initial, game.initial.apply("(drop 1)")] * 4
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(count, states).get(WATCHDOG) == [100] * 8
