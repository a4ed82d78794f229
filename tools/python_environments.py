#!/usr/bin/env python3
"""Measures steps a second of batched environments in Python, on one thread.

Random legal actions are chosen with NumPy, by their ranks or from the mask in two ways, and
observations, masks and rewards are written out, of planes as well; or actions are chosen inside (`step_random`). With
pgx (on the CPU) and OpenSpiel, where they are installed, for comparison. Times are of the
thread's own CPU time, so that other programs count less; of pgx, whose threads are its own, they are
wall-clock times, and `taskset -c 0` gives it one core.

    pip install ./bindings/python pgx open_spiel
    taskset -c 0 tools/python_environments.py
"""

import argparse
import time
from functools import partial

import numpy as np

from propjit import Game, VectorEnv

# The names of pgx and of OpenSpiel for each of our games.
GAMES = {
    "connectFour": ("connect_four", "connect_four"),
    "breakthrough": (None, "breakthrough"),
    "reversi": ("othello", "othello"),
}


def rate(work, steps, seconds, clock):
    """Steps a second: the best of several parts of the time."""
    # The first calls may compile something.
    work()
    work()
    best, end = 0.0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        start, count = clock(), 0
        while clock() - start < seconds / 5:
            work()
            count += steps
        best = max(best, count / (clock() - start))
    return best


def propjit_rates(name, n, seconds):
    """By choosing ranks of legal actions, also with planes, from the mask in two ways, and inside."""
    game = Game.named(name)
    game.wait()
    env = VectorEnv(game, n)
    planes = [VectorEnv(game, n, observation="planes", dtype=dtype) for dtype in ["bool", "float32"]]
    for one in [env, *planes]:
        one.step_random(100)
    rng = np.random.default_rng(1)
    starts = np.arange(0, n * env.num_actions, env.num_actions)

    def ranks(env=env):
        return (rng.random(n, dtype=np.float32) * env.legal_action_counts).astype(np.int32)

    def by_rank(env=env):
        env.step(env.nth_legal_action(ranks(env)))

    def by_mask():
        # A random number for each action.
        mask = env.legal_action_mask
        env.step((rng.random(mask.shape, dtype=np.float32) * mask).argmax(axis=1))

    def by_nonzero():
        # A random number for each environment.
        counts = env.legal_action_counts
        legal = env.legal_action_mask.ravel().nonzero()[0]
        env.step(legal[counts.cumsum() - counts + ranks()] - starts)

    def inside():
        env.step_random(100)

    with_planes = [(partial(by_rank, one), n) for one in planes]
    works = [(by_rank, n), *with_planes, (by_mask, n), (by_nonzero, n), (inside, 100 * n)]
    return [rate(work, steps, seconds, time.thread_time) for work, steps in works]


def single_step_microseconds(name, seconds):
    """The time of one step of one environment beyond that of NumPy for copying the same arrays; and that."""
    game = Game.named(name)
    game.wait()
    env = VectorEnv(game, 1)
    arrays = [
        env.observation,
        env.legal_action_mask,
        env.legal_action_counts,
        env.current_player,
        env.rewards,
        env.terminated,
        env.truncated,
    ]
    copies = [array.copy() for array in arrays]
    steps, writes = [], []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        actions = env.nth_legal_action(np.zeros(1, dtype=np.int32))
        start = time.perf_counter()
        env.step(actions)
        steps.append(time.perf_counter() - start)
        start = time.perf_counter()
        for array, copy in zip(arrays, copies):
            np.copyto(copy, array)
        writes.append(time.perf_counter() - start)
    step, write = (float(np.median(times)) * 1e6 for times in (steps, writes))
    return step - write, write


def pgx_rate(name, n, seconds):
    """With an action chosen from the mask, in one compiled function."""
    try:
        import jax
        import pgx
        from pgx.experimental.wrappers import auto_reset
    except ImportError:
        return None
    env = pgx.make(name)
    step = auto_reset(env.step, env.init)

    def play(state, key):
        key, choice, again = jax.random.split(key, 3)
        logits = jax.numpy.log(state.legal_action_mask.astype(jax.numpy.float32))
        actions = jax.random.categorical(choice, logits, axis=1)
        return jax.vmap(step)(state, actions, jax.random.split(again, n)), key

    play = jax.jit(play)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(1), n))
    holder = [(state, jax.random.PRNGKey(2))]

    def work():
        holder[0] = play(*holder[0])
        jax.block_until_ready(holder[0])

    return rate(work, n, seconds, time.perf_counter)


def openspiel_rate(name, seconds):
    """Matches one after the other, by its Python interface."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game(name)
    rng = np.random.default_rng(1)
    holder = [game.new_initial_state()]

    def work():
        for _ in range(100):
            state = holder[0]
            if state.is_terminal():
                state.returns()
                holder[0] = state = game.new_initial_state()
            legal = state.legal_actions()
            state.apply_action(legal[rng.integers(len(legal))])
            if not state.is_terminal():
                state.observation_tensor()

    return rate(work, 100, seconds, time.thread_time)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="for each figure")
    parser.add_argument("--environments", type=int, nargs="+", default=[1024, 8192])
    args = parser.parse_args()
    ours = ["by rank", "planes", "planes as float32", "by mask", "by nonzero", "step_random", "one step: beyond NumPy + NumPy"]
    headings = ["game", "n", *ours, "pgx", "OpenSpiel"]
    print("| " + " | ".join(headings) + " |")
    print("|" + " --- |" * len(headings))

    def millions(figure):
        return "-" if figure is None else f"{figure / 1e6:.2f} M"

    for name, (pgx_name, spiel_name) in GAMES.items():
        alone = " + ".join(f"{of:.1f} us" for of in single_step_microseconds(name, args.seconds))
        spiel = openspiel_rate(spiel_name, args.seconds)
        for n in args.environments:
            other = pgx_rate(pgx_name, n, args.seconds) if pgx_name else None
            figures = [*propjit_rates(name, n, args.seconds)]
            cells = [name, str(n), *map(millions, figures), alone, millions(other), millions(spiel)]
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
