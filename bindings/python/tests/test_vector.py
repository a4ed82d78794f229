"""Batched environments, against single states."""

import copy
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

from propjit import Game, IllegalMoveError, PlayError, Search, VectorEnv
from propjit.selfplay import random_policy, rollout

from test_game import GROWING


def random_actions(env, rng):
    return env.nth_legal_action(rng.integers(env.legal_action_counts))


def reference(state, actions):
    """The next state in which a player has a choice, or the last one, given actions by role."""
    state = state.apply(actions)
    while not state.terminal and not state.to_move:
        state = state.apply({})
    return state


@pytest.mark.parametrize("dtype", ["bool", "uint8", "float32", "bits"])
def test_connect_four(dtype):
    game = Game.named("connectFour")
    env = VectorEnv(game, 70, dtype=dtype, threads=2)
    assert env.players == game.roles and not env.joint and len(env) == env.num_envs == 70
    assert env.action_names == game.actions and env.zero_sum and env.reward_range == (-1, 1)
    rng = np.random.default_rng(1)
    states = [game.initial] * 70
    ends = 0
    arrays = (env.observation, env.rewards, env.terminated, env.truncated)

    def propositions(observation):
        if dtype == "bits":
            return np.unpackbits(observation, axis=1, bitorder="little", count=len(game.fluents))
        return observation

    for _ in range(50):
        bits = propositions(env.observation)
        actions = random_actions(env, rng)
        for i, state in enumerate(states):
            assert np.flatnonzero(bits[i]).tolist() == state.numbers
            player = env.players[env.current_player[i]]
            assert state.to_move == (player,)
            legal = state.legal_actions(player)
            assert len(legal) > 1 and np.flatnonzero(env.legal_action_mask[i]).tolist() == legal
            assert env.legal_action_counts[i] == len(legal)
            states[i] = reference(state, {player: int(actions[i])})
        results = env.step(actions)
        assert all(one is other for one, other in zip(results, arrays))
        finals = propositions(env.final_obs)
        for i, state in enumerate(states):
            assert state.terminal == env.terminated[i]
            if state.terminal:
                ends += 1
                red = (state.goals["red"] - 50) / 50
                assert env.rewards[i].tolist() == [red, -red]
                assert np.flatnonzero(finals[i]).tolist() == state.numbers
                assert env.final_info["current_player"][i] == -2
                assert not env.final_info["legal_action_mask"][i].any()
                states[i] = game.initial
            else:
                assert not env.rewards[i].any()
            assert env.state(i) == states[i]
    assert ends > 70 and not env.truncated.any()


GAMES = [
    "battleships", "breakthroughSmall", "captureGo", "connectFour", "darkBreakthroughSmall", "diceRace", "dotsAndBoxes",
    "fourPlayerHalma", "hexPie", "kriegTicTacToe", "kuhnPoker", "leducPoker", "liarsDice", "mastermind", "minesweeper",
    "montyHall", "nineBoardTicTacToe", "pegTriangle", "phantomConnectFour", "piglet", "pipes", "threePlayerTicTacToe",
    "ticTacToe", "tron",
]  # fmt: skip


@pytest.mark.parametrize("autoreset", ["SameStep", "NextStep", "Disabled"])
@pytest.mark.parametrize("name", GAMES)
def test_somebody_has_a_choice(name, autoreset):
    """On one to four players, with chance and hidden information, in turns and at the same time."""
    game = Game.named(name)
    env = VectorEnv(game, 33, seed=1, autoreset=autoreset, max_steps=40)
    rng = np.random.default_rng(1)
    ends = 0
    for _ in range(120):
        over = env.current_player == -2
        if autoreset == "SameStep":
            assert not over.any()
        counts = env.legal_action_counts.reshape(33, -1)
        assert ((counts > 1).any(axis=1) != over).all() and not counts[over].any()
        for i in np.flatnonzero(~over)[:5]:
            choosing = [player for player in env.players if player in env.state(i).to_move]
            assert choosing
            assert env.current_player[i] == (env.players.index(choosing[0]) if len(choosing) == 1 else -1)
        if autoreset == "Disabled" and over.any():
            before = env.observation.copy()
            with pytest.raises(IllegalMoveError, match="is over: reset"):
                env.step(env.nth_legal_action(np.zeros_like(env.legal_action_counts)))
            env.reset(mask=over)
            assert (env.observation[~over] == before[~over]).all()
            assert not (env.current_player == -2).any()
        env.step(env.nth_legal_action(rng.integers(np.maximum(env.legal_action_counts, 1))))
        assert not env.terminated[over].any() or autoreset == "Disabled"
        ended = env.terminated | env.truncated
        ends += ended.sum()
        assert not env.rewards[~env.terminated].any()
        if env.zero_sum:
            assert (env.rewards[:, 0] == -env.rewards[:, 1]).all()
    assert ends > 33


def test_rewards():
    game = Game.named("ticTacToe")
    for rewards, won in [(None, [1, -1]), ("zero-sum", [1, -1]), ("goals", [100, 0])]:
        env = VectorEnv(game, 1, rewards=rewards)
        for action in [0, 3, 1, 4]:
            env.step([action])
            assert not env.rewards.any() and not env.terminated.any()
        env.step([2])
        assert env.rewards.tolist() == [won] and env.terminated.all()
    # Both can win: the difference of goals would be another game.
    both = Game.load(
        text="""(role a) (role b) (init start) (<= (legal ?r left) (role ?r)) (<= (legal ?r right) (role ?r))
        (<= (next (both)) (does a left) (does b left)) (<= (next over) (true start)) (<= terminal (true over))
        (<= (goal ?r 100) (role ?r) (true (both))) (<= (goal ?r 0) (role ?r) (not (true (both))))"""
    )
    env = VectorEnv(both, 2)
    assert not env.zero_sum and env.reward_range == (0, 100)
    env.step([[0, 0], [0, 1]])
    assert env.rewards.tolist() == [[100, 100], [0, 0]]
    assert VectorEnv(both, 1, rewards="zero-sum").zero_sum
    with pytest.raises(ValueError, match="zero-sum rewards are for two players, and this game has 3"):
        VectorEnv(Game.named("threePlayerTicTacToe"), 1, rewards="zero-sum")


def test_truncated_matches_can_be_bootstrapped():
    game = Game.named("connectFour")
    env = VectorEnv(game, 3, max_steps=4)
    states = [game.initial] * 3
    for step in range(4):
        player = env.players[env.current_player[0]]
        states = [state.apply({player: action}) for action, state in enumerate(states)]
        observation = env.step([0, 1, 2])[0]
    assert env.truncated.all() and not env.terminated.any() and not env.rewards.any()
    for i, state in enumerate(states):
        assert np.flatnonzero(env.final_obs[i]).tolist() == state.numbers
        mask = env.final_info["legal_action_mask"][i]
        assert np.flatnonzero(mask).tolist() == state.legal_actions("red")
        assert np.flatnonzero(observation[i]).tolist() == game.initial.numbers
    assert (env.final_info["current_player"] == 0).all()

    # With the next step, the last state is seen, and the action after that is ignored.
    env = VectorEnv(game, 3, max_steps=4, autoreset="NextStep")
    assert env.final_obs is None and env.final_info is None and env.autoreset == "NextStep"
    for step in range(4):
        env.step([0, 1, 2])
    assert env.truncated.all() and (env.current_player == -2).all() and not env.legal_action_mask.any()
    assert np.flatnonzero(env.observation[1]).tolist() == states[1].numbers
    env.step([99, -1, 7])
    assert not env.truncated.any() and (env.current_player == 0).all()
    assert np.flatnonzero(env.observation[1]).tolist() == game.initial.numbers


def test_some_environments_take_steps():
    game = Game.named("ticTacToe")
    env = VectorEnv(game, 4)
    mask = np.array([True, False, True, False])
    env.step([0, 99, 1, -5], mask=mask)
    assert env.current_player.tolist() == [1, 0, 1, 0]
    assert env.state(1) == game.initial != env.state(0)
    env.reset(mask=~mask)
    assert env.current_player.tolist() == [1, 0, 1, 0]
    env.reset(mask=mask)
    assert env.current_player.tolist() == [0, 0, 0, 0]
    for wrong in [[1, 0, 1, 0], mask[:3], [0.5] * 4]:
        with pytest.raises(ValueError, match=r"a mask of environments is an array of bool and of the shape \(4,\)"):
            env.reset(mask=wrong)


def test_arrays_of_the_caller():
    game = Game.named("ticTacToe")
    env = VectorEnv(game, 4, seed=1)
    observations = np.zeros((3, 4, 20), dtype=bool)
    rewards = np.zeros((3, 4, 2), dtype=np.float32)
    first = env.observation
    start = first.copy()
    for step in range(3):
        result = env.step([2 * step] * 4, out={"observation": observations[step], "rewards": rewards[step]})
        assert result[0] is env.observation
    assert (observations.sum(axis=(1, 2)) == [8, 12, 16]).all() and (first == start).all()
    other = VectorEnv(game, 4)
    for step in range(3):
        assert (other.step([2 * step] * 4)[0] == observations[step]).all()
    for wrong in [
        np.zeros((4, 20)),
        np.zeros((4, 21), dtype=bool),
        np.zeros((8, 20), dtype=bool)[::2],
        "nothing",
    ]:
        with pytest.raises(ValueError, match="`observation` must be a writable, C-contiguous NumPy array of bool"):
            env.step([1] * 4, out={"observation": wrong})
    frozen = np.zeros((4, 20), dtype=bool)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        env.reset(out={"observation": frozen})
    with pytest.raises(ValueError, match="`obs` is not an array that can be given"):
        env.reset(out={"obs": frozen})
    # A step that is refused leaves the arrays.
    with pytest.raises(IllegalMoveError):
        env.step([0] * 4, out={"observation": np.zeros((4, 20), dtype=bool)})
    assert np.shares_memory(env.observation, observations)


def test_arrays_are_shared():
    env = VectorEnv(Game.named("connectFour"), 65, observation="planes", dtype="float32")
    arrays = [
        env.observation, env.legal_action_mask, env.legal_action_counts, env.current_player, env.rewards, env.terminated,
        env.truncated, env.final_obs, *env.final_info.values(),
    ]  # fmt: skip
    for array in arrays:
        assert array.ctypes.data % 64 == 0 and array.flags.c_contiguous
        assert np.shares_memory(np.from_dlpack(array), array)


def test_jax_shares_arrays():
    jax = pytest.importorskip("jax")
    env = VectorEnv(Game.named("connectFour"), 65, observation="planes", dtype="float32")
    for array in [env.observation, env.legal_action_mask, env.rewards]:
        assert jax.dlpack.from_dlpack(array).unsafe_buffer_pointer() == array.ctypes.data


def test_torch_shares_arrays():
    torch = pytest.importorskip("torch")
    env = VectorEnv(Game.named("connectFour"), 65, observation="planes", dtype="float32")
    for array in [env.observation, env.legal_action_mask, env.rewards]:
        assert torch.from_dlpack(array).data_ptr() == array.ctypes.data


def test_states():
    game = Game.named("connectFour")
    env = VectorEnv(game, 3, observation="planes")
    middle = game.initial.apply("(drop 4)")
    states = [game.initial, middle, middle.apply(game.actions.index("(drop 4)"))]
    observation = env.set_states(states)
    assert [env.state(i) for i in range(3)] == states and env.current_player.tolist() == [0, 1, 0]
    assert (env.observe(states) == observation).all() and observation[2, 0].sum() == 1
    assert (env.observe(states, player=0)[1] != env.observe(states, player=1)[1]).any()
    env.set_states([middle], mask=[True, False, False])
    assert env.state(0) == middle and env.state(2) == states[2]
    # Matches count as new.
    short = VectorEnv(game, 1, max_steps=2)
    short.step([0])
    short.set_states([middle])
    assert not short.step([0])[3].any() and short.step([0])[3].all()
    with pytest.raises(ValueError, match="2 states were given for 3 environments"):
        env.set_states(states[:2])
    with pytest.raises(ValueError, match="another game"):
        env.set_states([Game.named("ticTacToe").initial] * 3)
    with pytest.raises(ValueError, match="`player` must be less than 2"):
        env.observe(states, player=2)
    over = game.initial
    for column in [1, 2, 1, 2, 1, 2, 1]:
        over = over.apply(f"(drop {column})")
    before = env.observation.copy()
    with pytest.raises(ValueError, match="the state for environment 1 is terminal"):
        env.set_states([middle, over, middle])
    assert (env.observation == before).all()


@pytest.mark.parametrize("name", ["connectFour", "piglet", "kuhnPoker", "tron"])
def test_environments_are_pickled(name):
    game = Game.named(name)
    rng = np.random.default_rng(1)
    for autoreset in ["SameStep", "NextStep"]:
        env = VectorEnv(game, 700, autoreset=autoreset, seed=3, max_steps=9)
        for _ in range(5):
            env.step(env.nth_legal_action(rng.integers(np.maximum(env.legal_action_counts, 1))))
        copies = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
        for one in copies:
            for array in ["observation", "legal_action_mask", "current_player", "rewards", "terminated", "truncated"]:
                assert (getattr(one, array) == getattr(env, array)).all()
            assert all(one.state(i) == env.state(i) for i in range(0, 700, 50))
        actions = env.nth_legal_action(np.zeros_like(env.legal_action_counts))
        both = [one.step(actions) for one in copies]
        assert all((one == other).all() for one, other in zip(*both))
        if game.random_role is None:
            assert all((one == other).all() for one, other in zip(env.step(actions), both[0]))


def test_games_and_searches_are_values():
    game, again = Game.named("connectFour"), Game.named("connectFour")
    assert game == again and hash(game) == hash(again) and game != Game.named("ticTacToe") and game != 1
    assert pickle.loads(pickle.dumps(game)) == game
    state = game.initial.apply("(drop 4)")
    search = Search(state, seed=1)
    search.run(playouts=2000)
    # A copy starts anew from the same root.
    other = pickle.loads(pickle.dumps(search))
    assert other.report("yellow").playouts == 0
    other.run(playouts=2000)
    assert {one.move for one in other.report("yellow").moves} == set(state.legal("yellow"))
    search.set_root(state.apply("(drop 3)"), 2)
    other = copy.copy(search)
    other.run(playouts=2000)
    assert {one.move for one in other.report("red").moves} == set(state.legal("yellow"))


def test_actions_are_numbered_for_all_roles():
    game = Game.named("ticTacToe")
    marks = tuple(f"(mark {row} {column})" for row in (1, 2, 3) for column in (1, 2, 3))
    assert game.actions == (*marks, "noop")
    assert (game.num_choices, game.num_actions) == (9, 10)
    env = VectorEnv(game, 2)
    assert (env.num_choices, env.num_actions) == (9, 10)
    env.step([3, 4])
    assert env.legal_action_mask.astype(int).tolist() == [
        [1, 1, 1, 0, 1, 1, 1, 1, 1, 0],
        [1, 1, 1, 1, 0, 1, 1, 1, 1, 0],
    ]
    assert "(cell 2 1 x)" in env.state(0).fluents
    # A step says the same as a state, for both players; what chance does comes last.
    tron = VectorEnv(Game.named("tron"), 1)
    for player, role in enumerate(tron.players):
        legal = tron.legal_action_mask[0, player].nonzero()[0].tolist()
        assert tron.state(0).legal_actions(role) == legal
    piglet = Game.named("piglet")
    of_players = {move for role in piglet.roles if role != "random" for move in piglet.moves(role)}
    assert set(piglet.actions[: piglet.num_actions]) == of_players


def test_several_players_at_the_same_time():
    game = Game.named("tron")
    env = VectorEnv(game, 3, max_steps=4)
    assert env.joint and env.legal_action_mask.shape == (3, 2, env.num_actions)
    rng = np.random.default_rng(1)
    for step in range(4):
        actions = random_actions(env, rng)
        assert actions.shape == (3, 2)
        env.step(actions)
    assert (env.terminated | env.truncated).all() or not env.terminated.any()
    with pytest.raises(ValueError, match=r"\(3,\) was given, but shape \(3, 2\) is needed: one number for each player"):
        env.step([0, 0, 0])
    with pytest.raises(ValueError, match=r"\(2, 3\) was given, but shape \(3, 2\) is needed"):
        env.step(random_actions(env, rng).T)
    apart = VectorEnv(game, 3, joint=False)
    assert (apart.current_player == -1).all()
    with pytest.raises(IllegalMoveError, match="joint"):
        apart.step([0, 0, 0])


def test_chance_is_part_of_the_environment():
    game = Game.named("piglet")
    env = VectorEnv(game, 64)
    assert game.random_role == "random" and "random" not in env.players
    env.reset(seed=5)
    rng = np.random.default_rng(1)
    for _ in range(20):
        env.step(random_actions(env, rng))
    assert len({env.state(i) for i in range(64)}) > 10


def test_seeds():
    game = Game.named("connectFour")
    env = VectorEnv(game, 1000, threads=2)
    batches = [rollout(env, random_policy, None, steps=4, seed=3) for _ in range(2)]
    assert (batches[0].observations == batches[1].observations).all()

    def play(seed, threads):
        env = VectorEnv(game, 600, threads=threads)
        env.reset(seed)
        return env.step_random(30), env.observation.copy()

    (one, seen), (other, also), (third, different) = play(1, 1), play(1, 2), play(2, 1)
    assert one == other and (seen == also).all() and (seen != different).any()
    assert sum(one.rewards) == 0 and one.terminated > 0
    # Without a seed, matches differ: those of two environments, and those before and after a reset.
    env, other = VectorEnv(game, 600), VectorEnv(game, 600)
    seen = []
    for one in [env, env, other]:
        one.reset()
        one.step_random(20)
        seen.append(one.observation.tobytes())
    assert len(set(seen)) == 3


def test_what_is_wrong_is_told():
    game = Game.named("ticTacToe")
    env = VectorEnv(game, 3)
    before = env.observation.copy()
    with pytest.raises(IllegalMoveError, match="action 9 of x is not legal in environment 2"):
        env.step([0, 1, 9])
    with pytest.raises(TypeError):
        env.step([0.5, 1, 2])
    for dtype in [np.int64, np.uint64, object]:
        with pytest.raises((IllegalMoveError, TypeError)):
            env.step(np.array([0, 1, 2 + 2**32], dtype=dtype))
    for wrong in [[[0], [1], [2]], [0, 1], [0, 1, 2, 3], 0]:
        for use in [env.step, env.nth_legal_action]:
            with pytest.raises(ValueError, match=r"was given, but shape \(3,\) is needed: one number for each environment"):
                use(wrong)
    for wrong in [-1, 9, 2**31 - 1]:
        with pytest.raises(IllegalMoveError, match="x has 9 legal actions in environment 1: none has rank"):
            env.nth_legal_action([0, wrong, 1])
    assert (env.observation == before).all()
    env.step(np.array([0, 1, 2], dtype=np.int64))
    for wrong in [3, -1, 2**70]:
        with pytest.raises(IndexError, match="from 0 to 2"):
            env.state(wrong)
    for arguments, message in [
        ({"dtype": "int8"}, "`dtype` is one of `bool`, `uint8`, `float32` and `bits`, not `int8`"),
        ({"observation": "bool"}, "`observation` is one of `fluents`, `planes` and `percepts`"),
        ({"observation": "percepts"}, "for games that hide information"),
        ({"observation": Game.named("tron").planes()}, "of another game"),
        ({"rewards": "win"}, "`rewards` is one of `goals` and `zero-sum`"),
        ({"autoreset": "next"}, "`autoreset` is one of `NextStep`, `SameStep` and `Disabled`"),
        ({"max_steps": 0}, "`max_steps` must be at least 1"),
        ({"max_steps": -3}, "`max_steps` must be at least 1"),
        ({"max_steps": 2**32}, "`max_steps` must be at least 1, and less than 2"),
        ({"threads": 0}, "`threads` must be at least 1"),
        ({"threads": -1}, "`threads` must be at least 1"),
        ({"seed": -1}, "`seed` must be at least 0"),
        ({"observer": 2}, "this game has 2 players"),
        ({"n": 0}, "`n` must be at least 1"),
        ({"n": -1}, "`n` must be at least 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            VectorEnv(game, **{"n": 3, **arguments})
    with pytest.raises(TypeError):
        VectorEnv(game, 1.5)
    with pytest.raises(ValueError, match="`k` must be at least 0"):
        env.step_random(-1)
    with pytest.raises(ValueError, match="`seed` must be at least 0"):
        env.reset(seed=-1)
    with pytest.raises(ValueError, match="too many"):
        VectorEnv(game, 2**62)
    with pytest.raises(PlayError):
        VectorEnv(Game.load(text=GROWING, backend="prover"), 1)
    # Rust's memory stays where it is.
    with pytest.raises(ValueError):
        env.rewards.resize((100, 2), refcheck=False)


def test_one_thread_at_a_time():
    env = VectorEnv(Game.named("connectFour"), 512)
    worker = threading.Thread(target=env.step_random, args=(20_000,))
    worker.start()
    refused = 0
    while worker.is_alive():
        for use in [lambda: env.nth_legal_action([0] * 512), lambda: env.state(0)]:
            try:
                use()
            except RuntimeError as error:
                assert "another thread is using this environment" in str(error)
                refused += 1
    worker.join()
    assert refused > 0


def limited(code):
    """What a program prints that may have 8 GB of addresses."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))\n"
    done = subprocess.run([sys.executable, "-c", limit + code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_without_memory_there_is_an_error():
    game = Game.named("connectFour")
    # More than any machine can address.
    for arguments in [{}, {"joint": True}, {"dtype": "bits", "threads": 1024}]:
        with pytest.raises(MemoryError, match="memory"):
            VectorEnv(game, 10**15, **arguments)
    with pytest.raises(ValueError, match="too many"):
        VectorEnv(game, 2**63)
    # Threads that have nothing to do are not started.
    assert VectorEnv(game, 600, threads=1024).step_random(30).terminated > 0


def test_there_are_not_too_many_threads():
    game = Game.named("ticTacToe")
    for threads in [1025, 10**6, 2**62]:
        for use in [
            lambda: VectorEnv(game, 10**6, threads=threads),
            lambda: Search(game, threads=threads),
            lambda: game.playouts(10**6, threads=threads),
        ]:
            with pytest.raises(ValueError, match="must be at most 1024"):
                use()
    Search(game, threads=1024).run(playouts=1000)
    with pytest.raises(MemoryError, match="use less memory"):
        Search(game, memory=2**62)


@pytest.mark.skipif(sys.platform != "linux", reason="addresses are limited otherwise here")
def test_under_a_limit_there_is_an_error():
    printed = limited("""
from propjit import Game, VectorEnv
game = Game.named("connectFour")
for n, dtype in [(2 * 10**8, "bool"), (10**8, "float32"), (10**9, "bits"), (10**12, "bool")]:
    try:
        VectorEnv(game, n, dtype=dtype)
    except MemoryError:
        print("refused", end=" ")
print(VectorEnv(game, 1000).step_random(50).terminated > 0)
""")
    assert printed == "refused " * 4 + "True\n"


def test_types_of_numpy_are_types_of_observations():
    game = Game.named("ticTacToe")
    for name in ["bool", "uint8", "float32"]:
        env = VectorEnv(game, 2, dtype=np.dtype(name))
        assert env.observation.dtype == np.dtype(name)
        assert pickle.loads(pickle.dumps(env)).observation.dtype == np.dtype(name)
    assert VectorEnv(game, 2, dtype=np.float32).observation.dtype == np.float32
    with pytest.raises(ValueError, match="not `int64`"):
        VectorEnv(game, 2, dtype=np.int64)
    with pytest.raises(TypeError):
        VectorEnv(game, 2, dtype=object())
