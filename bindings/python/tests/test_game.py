"""Games, states, playouts and searches."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import propjit
from propjit import (
    Game,
    IllegalMoveError,
    LoadError,
    PlayError,
    PropjitError,
    Search,
    State,
    UnknownNameError,
)

# A term that grows without end, which only the prover can play.
GROWING = """
(role player) (init (tower base))
(<= (legal player stack) (true (tower ?t)))
(<= (legal player stop) (true (tower ?t)))
(<= (next (tower (block ?t))) (true (tower ?t)) (does player stack))
(<= (next done) (does player stop))
(<= terminal (true done))
(<= (goal player 100) (true done))
"""


@pytest.fixture(scope="module")
def game():
    return Game.named("ticTacToe")


def test_a_match(game):
    state = game.initial
    assert state.game is game and not state.terminal and state.to_move == ("x",)
    assert len(state.legal("x")) == 9 and state.legal(1) == ("noop",)
    assert state.legal() == {"x": state.legal(0), "o": ("noop",)}
    for move in ["(mark 1 1)", "(mark 2 1)", "( mark 1  2)", "(mark 2 2)", "(mark 1 3)"]:
        state = state.apply(move)
    assert state.terminal and state.goals == {"x": 100, "o": 0}
    assert "(cell 1 1 x)" in state.fluents and str(state).splitlines() == list(state.fluents)
    assert game.state(state.fluents) == state
    assert [game.fluents[number] for number in state.numbers]
    assert sorted(game.fluents[number] for number in state.numbers) == list(state.fluents)
    assert game.moves("x") == game.moves("o") == game.actions
    actions = game.initial.legal_actions("x")
    assert actions == list(range(9)) and game.initial.legal_actions("o") == [9]
    assert {game.actions[action] for action in actions} == set(game.initial.legal(0))


@pytest.mark.parametrize("backend", ["prover", "scalar", "lanes", "compiled"])
def test_nobody_moves_when_the_match_is_over(game, backend):
    game = Game.load(text=game.text, backend=backend)
    state = game.initial
    for move in ["(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)", "(mark 1 3)"]:
        state = state.apply(move)
    assert state.terminal and state.to_move == ()
    assert state.legal() == {"x": (), "o": ()} and state.legal("o") == ()
    if game.is_ground:
        assert state.legal_actions("o") == []
    for moves in ["(mark 3 3)", {"o": "(mark 3 3)"}, {}, ["noop", "(mark 3 3)"], [], "jump"]:
        with pytest.raises(IllegalMoveError, match="the match is over"):
            state.apply(moves)
    search = Search(state)
    search.run(playouts=1000)
    for role, goal in {"x": 100, "o": 0}.items():
        report = search.report(role)
        assert report.best is None and report.moves == ()
        assert report.value == goal and report.solved


def test_moves_are_given_in_several_ways(game):
    one = game.initial.apply("(mark 3 3)")
    assert one == game.initial.apply({"x": "(mark 3 3)"})
    assert one == game.initial.apply({"x": "(mark 3 3)", "o": "noop"})
    assert one == game.initial.apply(("(mark 3 3)", "noop"))
    assert one != game.initial and hash(one) != hash(game.initial)
    assert len({one, game.initial, game.initial.apply("(mark 3 3)")}) == 2


def test_legal_moves_are_in_the_order_of_actions():
    state = Game.named("connectFour").initial
    names = tuple(state.game.actions[action] for action in state.legal_actions("red"))
    assert state.legal("red") == state.legal()["red"] == names


def test_what_is_wrong_is_told(game):
    start = game.initial
    with pytest.raises(IllegalMoveError, match=r"x may not play noop here"):
        start.apply(["noop", "noop"])
    with pytest.raises(IllegalMoveError, match="1 moves were given for 2 roles"):
        start.apply(["(mark 1 1)"])
    with pytest.raises(IllegalMoveError, match="x has 9 legal moves"):
        start.apply({"o": "noop"})
    with pytest.raises(UnknownNameError, match=r"x does not have a move `\(mark 4 4\)`"):
        start.apply("(mark 4 4)")
    with pytest.raises(UnknownNameError, match="no role `red`; there are x, o"):
        start.legal("red")
    with pytest.raises(UnknownNameError, match="no role number 2"):
        start.legal(2)
    with pytest.raises(UnknownNameError, match="no role of that number"):
        start.legal(-1)
    with pytest.raises(TypeError, match="a role, by name or by number, is needed, not a `float`"):
        start.legal(0.5)
    with pytest.raises(IllegalMoveError, match="no action of that number: actions are numbered from 0 to 9"):
        start.apply(-1)
    for wrong in [None, [None, "noop"]]:
        with pytest.raises(TypeError, match="a move, as a text or an action, is needed, not a `NoneType`"):
            start.apply(wrong)
    with pytest.raises(UnknownNameError, match="`nonsense` is not a proposition"):
        game.state(["nonsense"])
    with pytest.raises(UnknownNameError, match="there are .*ticTacToe"):
        Game.named("nonsense")
    with pytest.raises(FileNotFoundError, match="nowhere.kif"):
        Game.load("nowhere.kif")
    with pytest.raises(LoadError) as caught:
        Game.load(text="(role player)\n(legal player ?x)", name="mine.kif")
    assert "mine.kif:2:" in str(caught.value) and "^" in str(caught.value)
    with pytest.raises(ValueError, match="no backend `fast`"):
        Game.load(text=game.text, backend="fast")
    with pytest.raises(LoadError, match="scalar backend needs a ground game"):
        Game.load(text=GROWING, backend="scalar", ground_seconds=0.1)
    with pytest.raises(TypeError, match="either a path or a text"):
        Game.load()
    with pytest.raises(TypeError, match="count"):
        game.playouts()
    with pytest.raises(ValueError, match="-1 seconds"):
        game.playouts(seconds=-1)
    with pytest.raises(ValueError, match="`count` must be at least 0"):
        game.playouts(-1)
    with pytest.raises(TypeError, match="a game or a state is needed, not a `str`"):
        Search("ticTacToe")
    with pytest.raises(ValueError, match="another game"):
        Search(game).set_root(Game.named("connectFour").initial)
    least = {"threads": 1, "memory": 1, "batch": 1, "max_steps": 1, "seed": 0, "exploration": 0}
    for option, value in least.items():
        with pytest.raises(ValueError, match=f"`{option}` must be .*at least {value}"):
            Search(game, **{option: value - 1})
    assert all(issubclass(kind, PropjitError) for kind in [LoadError, PlayError])


def test_copies(game):
    state = game.initial.apply("(mark 2 3)")
    restored = pickle.loads(pickle.dumps(state))
    assert restored == state and hash(restored) == hash(state)
    assert restored.game is not game and restored.game.text == game.text
    # What never changes need not be copied.
    for copied in [copy.copy, copy.deepcopy]:
        assert copied(game) is game and copied(state) is state
    assert repr(game) == "<Game ticTacToe.kif>" and "(cell 2 3 x)" in repr(state)
    with pytest.raises(AttributeError):
        state.terminal = True


def test_the_prover_plays_what_cannot_be_grounded():
    game = Game.load(text=GROWING, ground_seconds=0.1)
    assert not game.is_ground and game.roles == ("player",)
    state = game.initial.apply("stack").apply("stack")
    assert state.fluents == ("(tower (block (block base)))",)
    assert pickle.loads(pickle.dumps(state)) == state
    assert state.apply("stop").goals == {"player": 100}
    for needs_ground in [lambda: game.fluents, lambda: game.facts(), lambda: state.playouts(1)]:
        with pytest.raises(PlayError, match="could not be grounded"):
            needs_ground()
    assert game.playouts(100).goals["player"].mean == 100


def test_playouts(game):
    playouts = game.playouts(5000, threads=2, seed=3)
    assert playouts.count == 5000 and 7 < playouts.lengths.mean < 8.5
    assert playouts == pickle.loads(pickle.dumps(playouts))
    assert playouts.truncated == playouts.stuck == 0
    won = game.initial
    for move in ["(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)", "(mark 1 3)"]:
        won = won.apply(move)
    assert won.playouts(10).goals["x"].mean == 100
    fast = game.playouts(seconds=0.05)
    assert fast.count > 1000


def test_search(game):
    state = game.initial.apply("(mark 1 1)").apply("(mark 1 2)")
    search = Search(state)
    search.run(playouts=10**6)
    report = search.report("x")
    assert report.solved and report.value == 100 and report.moves[0].move == report.best
    assert report.moves[0].bounds == (100, 100) and report.moves[0].line[0][0] == "o"
    assert search.report("o").value == 0
    search.set_root(state.apply(report.best))
    search.run(playouts=10**6)
    assert search.report("x").value == 100
    with pytest.raises(TypeError, match="is needed"):
        search.run()


def test_search_by_minimax(game):
    breakthrough = Game.named("breakthroughSmall")
    search = Search(breakthrough, search="minimax", seed=1)
    # Learning takes three of them.
    search.run(seconds=8)
    report = search.report("white")
    assert report.depth > 2 and report.playouts == 0
    assert len(report.moves) == len(breakthrough.initial.legal("white"))
    values = [move.value for move in report.moves]
    assert report.best == report.moves[0].move and max(values) == values[0]
    assert any(move.is_upper_bound for move in report.moves)
    search.set_root(breakthrough.initial.apply(report.best), depth=1)
    search.run(playouts=1000)
    assert search.report("black").depth is None
    with pytest.raises(ValueError, match="minimax"):
        Search(game, search="alphabeta")


def test_facts():
    assert "invariants" in Game.named("untwistyCorridor").facts(seconds=1e-9).cut
    facts = Game.named("untwistyCorridor").facts(seconds=2)
    assert "(step 8)" in facts.finals
    assert propjit.Latch("p", "structural") in facts.latches
    assert any("(step 8)" in group for group in facts.exactly_one)


def test_other_threads_run_meanwhile(game):
    search = Search(Game.named("connectFour"))
    done = []
    worker = threading.Thread(target=lambda: (search.run(seconds=0.5), done.append(True)))
    worker.start()
    steps = 0
    while not done:
        assert game.initial.apply("(mark 1 1)").to_move == ("o",)
        steps += 1
    worker.join()
    # With the lock held during the search, there would be one step.
    assert steps > 10


def cpu_seconds(process):
    """How long a process has had a CPU, however busy the machine is; None where that is not known."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    except FileNotFoundError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(os.name != "posix", reason="signals are sent to a process")
@pytest.mark.parametrize(
    "work",
    [
        "game.playouts(seconds=60)",
        "propjit.Search(game).run(60)",
        "propjit.Search(game, policy=lambda _, legal, __: 0 * legal).run(60)",
        "propjit.VectorEnv(game, 4).step_random(4_000_000_000)",
        "list(map(lambda _: propjit.Game.load(text=game.text).facts(seconds=60), range(100)))",
    ],
)
def test_interrupts(work):
    # Shells have commands in the background ignore the signal.
    code = f"""
import signal
import propjit
signal.signal(signal.SIGINT, signal.default_int_handler)
game = propjit.Game.named("breakthrough")
try:
    print("ready", flush=True)
    {work}
except KeyboardInterrupt:
    print("interrupted")
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        begun = cpu_seconds(child.pid)
        while begun is not None and cpu_seconds(child.pid) < begun + 0.2:
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=50)[0] == "interrupted\n"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers")
def test_a_game_can_be_used_after_waiting_was_interrupted(tmp_path):
    """Machine code of reversi takes a quarter of a second, where none is kept."""
    code = """
import signal, time
import propjit
game = propjit.Game.named("reversi")
game.playouts(1)
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.05)
try:
    game.wait()
    signal.pause()
except KeyboardInterrupt:
    print(game.playouts(1000).count)
"""
    environment = os.environ | {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=50)
    assert done.stdout == "1000\n"


def test_states_are_not_made_by_hand():
    with pytest.raises(TypeError):
        State()
