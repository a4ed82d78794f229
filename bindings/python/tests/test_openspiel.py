"""Games as OpenSpiel's: its own checks, and its algorithms in Python and C++, where it is installed."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import propjit

pyspiel = pytest.importorskip("pyspiel")

import propjit.openspiel  # noqa: E402

PENNIES = """(role even) (role odd) (init start) (coin heads) (coin tails)
(<= (legal ?r ?c) (role ?r) (coin ?c))
(<= (next (shown ?r ?c)) (does ?r ?c))
(<= terminal (not (true start)))
(<= same (true (shown even ?c)) (true (shown odd ?c)))
(<= (goal even 100) same) (<= (goal even 0) (not same))
(<= (goal odd 0) same) (<= (goal odd 100) (not same))"""

# Of five matches, one or two are taken in turn; who takes the last one wins.
MATCHES = """(role a) (role b) (init (left 5)) (init (control a)) (other a b) (other b a)
(less 5 1 4) (less 4 1 3) (less 3 1 2) (less 2 1 1) (less 1 1 0) (less 5 2 3) (less 4 2 2) (less 3 2 1) (less 2 2 0)
(<= (legal ?r (take ?n)) (true (control ?r)) (true (left ?m)) (less ?m ?n ?k))
(<= (legal ?r noop) (other ?r ?s) (true (control ?s)))
(<= (next (left ?k)) (true (left ?m)) (does ?r (take ?n)) (less ?m ?n ?k))
(<= (next (control ?s)) (true (control ?r)) (other ?r ?s))
(<= terminal (true (left 0)))
(<= (goal ?r 0) (true (control ?r))) (<= (goal ?s 100) (true (control ?r)) (other ?r ?s))"""

# Who takes the bait has no move any more.
TRAP = """(role p) (init free) (<= (legal p bait) (true free)) (<= (legal p wait) (true free))
(<= (next free) (does p wait)) (<= (next caught) (does p bait)) (<= terminal (true never))
(<= (next never) (true never)) (goal p 50)"""

TEXTS = {"pennies": PENNIES, "matches": MATCHES}


def load(name, **settings):
    if name in TEXTS:
        return propjit.openspiel.Game(propjit.Game.load(text=TEXTS[name], name=name), **settings)
    return pyspiel.load_game(f"propjit(game={name})")


def in_turn(game):
    """The game with one choice at a time, for algorithms that need that."""
    is_joint = game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    return pyspiel.convert_to_turn_based(game) if is_joint else game


def random_step(state, rng):
    if state.is_simultaneous_node():
        players = range(state.num_players())
        state.apply_actions([int(rng.choice(state.legal_actions(player))) for player in players])
    else:
        state.apply_action(int(rng.choice(state.legal_actions())))


# In turn, at the same time, with chance, for three players, with hidden information in turn and at the same time.
GAMES = {
    "ticTacToe": "SEQUENTIAL DETERMINISTIC PERFECT_INFORMATION ZERO_SUM -1 1",
    "tron": "SIMULTANEOUS DETERMINISTIC PERFECT_INFORMATION ZERO_SUM -1 1",
    "diceRace": "SEQUENTIAL EXPLICIT_STOCHASTIC PERFECT_INFORMATION ZERO_SUM -1 1",
    "threePlayerTicTacToe": "SEQUENTIAL DETERMINISTIC PERFECT_INFORMATION GENERAL_SUM 0 100",
    "kuhnPoker": "SEQUENTIAL EXPLICIT_STOCHASTIC IMPERFECT_INFORMATION ZERO_SUM -1 1",
    "battleships": "SIMULTANEOUS DETERMINISTIC IMPERFECT_INFORMATION ZERO_SUM -1 1",
    "pennies": "SIMULTANEOUS DETERMINISTIC PERFECT_INFORMATION ZERO_SUM -1 1",
    "matches": "SEQUENTIAL DETERMINISTIC PERFECT_INFORMATION ZERO_SUM -1 1",
}


@pytest.mark.parametrize("name", GAMES)
def test_types(name):
    game = load(name)
    assert isinstance(game, pyspiel.Game) and isinstance(game.new_initial_state(), pyspiel.State)
    kind = game.get_type()
    words = [part.name for part in [kind.dynamics, kind.chance_mode, kind.information, kind.utility]]
    assert " ".join([*words, f"{game.min_utility():.0f} {game.max_utility():.0f}"]) == GAMES[name]
    assert kind.reward_model == pyspiel.GameType.RewardModel.TERMINAL
    assert game.utility_sum() == (0 if words[-1] == "ZERO_SUM" else None)


@pytest.mark.parametrize("name", GAMES)
def test_openspiels_own_checks(name):
    pyspiel.random_sim_test(load(name), num_sims=1, serialize=name not in ["tron", "battleships"], verbose=False)


@pytest.mark.parametrize("name", GAMES)
def test_copies(name):
    game = load(name)
    rng = np.random.default_rng(1)
    state = game.new_initial_state()
    chance = False
    while not state.is_terminal():
        chance |= state.is_chance_node()
        clone, before = state.clone(), str(state)
        stored = [pickle.loads(pickle.dumps(state)), game.deserialize_state(state.serialize())]
        random_step(clone, rng)
        assert str(state) == before and len(state.history()) < len(clone.history())
        for copy in stored:
            assert copy.history() == state.history()
            assert str(copy) == before and copy.current_player() == state.current_player()
            if state.current_player() >= 0:
                player = state.current_player()
                assert copy.legal_actions() == state.legal_actions()
                assert copy.information_state_string(player) == state.information_state_string(player)
        state = clone
    assert chance == (game.game.random_role is not None)
    again = pickle.loads(pickle.dumps(game))
    assert type(again) is type(game) and again.game == game.game and str(again) == str(game)


def test_copies_in_other_processes(tmp_path):
    state = load("pennies", max_steps=7).new_initial_state()
    state.apply_actions([0, 1])
    (tmp_path / "state").write_bytes(pickle.dumps(state))
    program = (
        "import pickle, sys; state = pickle.load(open(sys.argv[1], 'rb')); "
        "print(state.returns(), state.get_game())"
    )
    run = [sys.executable, "-c", program, str(tmp_path / "state")]
    printed = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    assert printed.startswith("[-1.0, 1.0] propjit(max_steps=7,rules=z")


def test_states_are_what_rules_say():
    game = load("ticTacToe")
    state, other = game.new_initial_state(), game.game.initial
    while not state.is_terminal():
        player = state.current_player()
        assert game.players[player] == other.to_move[0]
        texts = [state.action_to_string(player, action) for action in state.legal_actions()]
        assert sorted(texts) == sorted(other.legal(player))
        assert state.legal_actions(1 - player) == []
        action = state.legal_actions()[-1]
        state, other = state.child(action), other.apply(action)
        assert state.state == other and str(state) == str(other)
    assert state.returns() == [-1, 1] and other.goals == {"x": 0, "o": 100} or state.returns()[0] == 1


@pytest.mark.parametrize("name", ["kuhnPoker", "pennies", "matches"])
def test_equilibria(name):
    """CFR in Python and in C++, external sampling, best responses."""
    from open_spiel.python.algorithms import cfr, exploitability, external_sampling_mccfr

    game = in_turn(load(name))
    uniform = exploitability.exploitability(game, pyspiel.UniformRandomPolicy(game))
    # The tree in memory: nothing is asked of Python twice.
    tree = pyspiel.convert_to_cached_tree(game)
    solver = pyspiel.CFRSolver(tree)
    for _ in range(100):
        solver.evaluate_and_update_policy()
    fast = pyspiel.exploitability(tree, solver.average_policy())
    assert fast < 0.02 and (fast < uniform or uniform == 0)
    solver = cfr.CFRSolver(game)
    for _ in range(5):
        solver.evaluate_and_update_policy()
    assert exploitability.exploitability(game, solver.average_policy()) < max(uniform, 1e-9)
    np.random.seed(1)
    sampling = external_sampling_mccfr.AverageType.SIMPLE
    solver = external_sampling_mccfr.ExternalSamplingSolver(tree, sampling)
    for _ in range(300):
        solver.iteration()
    assert exploitability.exploitability(game, solver.average_policy()) < 0.15


def test_kuhn_poker_is_that_of_openspiel():
    """Iteration by iteration, in half its units."""
    found = []
    for name in ["propjit(game=kuhnPoker)", "kuhn_poker"]:
        game = pyspiel.convert_to_cached_tree(pyspiel.load_game(name))
        solver = pyspiel.CFRSolver(game)
        for _ in range(20):
            solver.evaluate_and_update_policy()
        policy = solver.average_policy()
        root = game.new_initial_state()
        value = pyspiel.expected_returns(root, policy, -1, True)[0]
        found.append([pyspiel.exploitability(game, policy), value])
    assert found[0] == pytest.approx(np.array(found[1]) / 2)
    assert found[0][1] == pytest.approx(-1 / 36, abs=0.01)


@pytest.mark.parametrize("name, depth, count", [
    ("kuhnPoker", -1, 55), ("pennies", -1, 7), ("matches", -1, 15), ("ticTacToe", 2, 82), ("connectFour", 2, 57)
])
def test_get_all_states(name, depth, count):
    from open_spiel.python.algorithms import get_all_states

    game = in_turn(load(name))
    states = get_all_states.get_all_states(game, depth, include_terminals=True, include_chance_states=True)
    assert len(states) == count


def test_alpha_beta():
    from open_spiel.python.algorithms import minimax

    game = load("matches")
    assert minimax.alpha_beta_search(game) == (1.0, game.game.actions.index("(take 2)"))
    game = load("ticTacToe")
    state = game.new_initial_state()
    # o did not take the middle against a corner, and loses.
    for move in ["(mark 1 1)", "(mark 1 2)"]:
        state.apply_action(game.game.actions.index(move))
    value, _ = minimax.alpha_beta_search(game, state=state, maximizing_player_id=0)
    assert value == 1


@pytest.mark.parametrize("name", ["ticTacToe", "matches"])
def test_mcts(name):
    from open_spiel.python.algorithms import mcts

    game = load(name)
    state = game.new_initial_state()
    best = "(take 2)"
    if name == "ticTacToe":
        best = "(mark 1 3)"
        # x has two in a row, and o has to answer.
        for move in ["(mark 1 1)", "(mark 3 3)", "(mark 1 2)"]:
            state.apply_action(game.game.actions.index(move))
    random = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    bot = mcts.MCTSBot(game, 1.0, 300, evaluator, solve=True, random_state=random)
    assert state.action_to_string(bot.step(state)) == best


@pytest.mark.parametrize("name", ["ticTacToe", "connectFour", "diceRace", "kuhnPoker", "pennies"])
def test_evaluate_bots(name):
    from open_spiel.python.algorithms import evaluate_bots

    game = in_turn(load(name))
    bots = [pyspiel.make_uniform_random_bot(player, player) for player in range(2)]
    rng = np.random.RandomState(1)
    ends = [evaluate_bots.evaluate_bots(game.new_initial_state(), bots, rng) for _ in range(10)]
    assert np.sum(ends, axis=1).tolist() == [0] * 10 and len({tuple(end) for end in ends}) > 1


def test_information_states():
    from open_spiel.python.algorithms import get_all_states

    game = load("kuhnPoker")
    states = get_all_states.get_all_states(game, include_terminals=False)
    known = {}
    for state in states.values():
        player = state.current_player()
        tensor = tuple(state.information_state_tensor(player))
        assert len(tensor) == game.information_state_tensor_size()
        assert len(state.observation_tensor(player)) == game.observation_tensor_size()
        known.setdefault(state.information_state_string(player), set()).add((tensor, player))
    # A player knows one of three cards, and what was played: four ways to come to a choice.
    assert len(known) == 12 and all(len(alike) == 1 for alike in known.values())
    assert len({tensor for alike in known.values() for tensor in alike}) == 12
    hidden = pyspiel.IIGObservationType(perfect_recall=True, private_info=pyspiel.PrivateInfoType.NONE)
    with pytest.raises(ValueError, match="not divided into public and private"):
        game.make_py_observer(hidden)
    # Only the last joint move is kept.
    short = propjit.openspiel.Game(game.game, recall=1)
    assert short.information_state_tensor_size() * 3 <= game.information_state_tensor_size()


def test_what_is_not_hidden_is_observed():
    game = load("connectFour")
    state = game.new_initial_state()
    assert game.observation_tensor_shape() == [86]
    state.apply_action(3)
    assert state.information_state_string(0) == "3" and "(cell 4 1 red)" in state.observation_string(1)
    planes = pyspiel.load_game("propjit(game=connectFour,observation=planes)")
    assert planes.observation_tensor_shape() == [6, 6, 7]
    state = planes.new_initial_state()
    state.apply_action(3)
    own, other = np.reshape(state.observation_tensor(0), [6, 6, 7])[:2].sum(axis=(1, 2))
    assert (own, other) == (1, 0)


def test_ends():
    game = propjit.Game.load(text=TRAP)
    wait, bait = game.actions.index("wait"), game.actions.index("bait")
    state = propjit.openspiel.Game(game).new_initial_state()
    state.apply_action(wait)
    assert not state.is_terminal()
    state.apply_action(bait)
    assert state.is_terminal() and state.returns() == [50]
    state = load("matches", max_steps=1).new_initial_state()
    state.apply_action(0)
    assert state.is_terminal() and state.returns() == [0, 0]


def test_errors():
    state = load("ticTacToe").new_initial_state()
    with pytest.raises(ValueError, match="action 9 of x is not legal"):
        state.apply_action(9)
    with pytest.raises(propjit.PlayError, match="pass `joint=True`"):
        load("pennies", joint=False)
    with pytest.raises(ValueError, match="`max_steps` must be at least 1"):
        load("matches", max_steps=0)
    with pytest.raises(ValueError, match="pass the name or the path"):
        pyspiel.load_game("propjit")
