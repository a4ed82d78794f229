"""Batched environments, against single states."""

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


@pytest.mark.parametrize("kind", ["bool", "float32", "bits"])
def test_connect_four(kind):
    game = Game.named("connectFour")
    env = VectorEnv(game, 70, observation=kind, threads=2)
    assert env.players == game.roles and not env.joint and len(env) == env.num_envs == 70
    rng = np.random.default_rng(1)
    states = [game.initial] * 70
    ends = 0
    arrays = (env.observation, env.rewards, env.terminated, env.truncated)
    for _ in range(50):
        bits = env.observation
        if kind == "bits":
            bits = np.unpackbits(bits, axis=1, bitorder="little", count=len(game.fluents))
        actions = random_actions(env, rng)
        for i, state in enumerate(states):
            assert np.flatnonzero(bits[i]).tolist() == state.numbers
            player = env.players[env.current_player[i]]
            assert state.to_move in [(player,), ()]
            legal = state.legal_actions(player)
            assert np.flatnonzero(env.legal_action_mask[i]).tolist() == legal
            assert env.legal_action_counts[i] == len(legal)
            assert env.action_text(actions[i]) == game.actions[actions[i]]
            states[i] = state.apply({player: env.action_text(actions[i])})
        results = env.step(actions)
        assert all(one is other for one, other in zip(results, arrays))
        for i, state in enumerate(states):
            assert state.terminal == env.terminated[i]
            if state.terminal:
                ends += 1
                assert env.rewards[i].tolist() == list(state.goals.values())
                states[i] = game.initial
            else:
                assert not env.rewards[i].any()
            assert env.state(i) == states[i]
    assert ends > 70 and not env.truncated.any()


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
    with pytest.raises(IllegalMoveError, match="6 are needed"):
        env.step([0, 0, 0])
    with pytest.raises(ValueError, match=r"\[2, 3\] was given, but shape \[3, 2\] is needed"):
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
    assert sum(one.rewards) == 100 * one.terminated


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
    with pytest.raises(ValueError, match=r"\[3, 1\] was given, but shape \[3\] is needed"):
        env.step([[0], [1], [2]])
    with pytest.raises(IllegalMoveError, match="none has rank 9"):
        env.nth_legal_action([0, 9, 1])
    assert (env.observation == before).all()
    env.step(np.array([0, 1, 2], dtype=np.int64))
    with pytest.raises(IndexError):
        env.state(3)
    with pytest.raises(IndexError):
        env.action_text(99)
    with pytest.raises(ValueError, match="`int8`"):
        VectorEnv(game, 3, observation="int8")
    with pytest.raises(ValueError):
        VectorEnv(game, 0)
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
    for arguments in [{}, {"joint": True}, {"observation": "bits", "threads": 1024}]:
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
for n, observation in [(2 * 10**8, "bool"), (10**8, "float32"), (10**9, "bits"), (10**12, "bool")]:
    try:
        VectorEnv(game, n, observation=observation)
    except MemoryError:
        print("refused", end=" ")
print(VectorEnv(game, 1000).step_random(50).terminated > 0)
""")
    assert printed == "refused " * 4 + "True\n"
