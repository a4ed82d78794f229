"""Series, self-play and proofs on a cluster of this machine, some of whose workers are killed."""

import json
import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import propjit
from propjit.selfplay import random_policy, rollout

# Ray reads its variables when it is imported.
os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32), RAY_USAGE_STATS_ENABLED="0")
os.environ.update(PROPJIT_CACHE="off", PROPJIT_CONFIG="off")
ray = pytest.importorskip("ray", reason="Ray is not installed")
cluster = pytest.importorskip("propjit.ray")

ROOT = Path(__file__).parents[3]
GAME = ROOT / "gdl" / "games" / "ticTacToe.kif"
PLAYERS = ["--player", "random", "--player", "random:seed=7", "--swap"]


@pytest.fixture(scope="module")
def workers():
    """The address of a cluster that only these tests can use."""
    try:
        context = ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    except Exception as error:  # Ray has no other type for it; it gives its own processes half a minute to start.
        pytest.skip(f"Ray does not start here: {error}")
    yield context.address_info["address"]
    ray.shutdown()


@pytest.fixture
def deadly(program, tmp_path):
    """The program, but the first one that starts kills the worker that it was started by."""
    script = tmp_path / "deadly"
    mark = tmp_path / "killed"
    script.write_text(f'#!/bin/sh\nif mkdir "{mark}" 2> /dev/null; then kill -9 $PPID; exit 1; fi\nexec "{program}" "$@"\n')
    script.chmod(0o755)
    yield str(script)
    assert mark.is_dir()


def played(path):
    """What records say, but for the time that it took."""
    lines = map(json.loads, path.read_text().splitlines())
    parts = ["version", "game", "rulesheet", "series", "roles", "players", "seeds", "errors", "end", "goals"]
    records = {
        line["match"]: [
            *(line[part] for part in parts),
            [[move["move"] for move in joint] for joint in line["steps"]],
        ]
        for line in lines
    }
    assert len(records) == len(path.read_text().splitlines())
    return records


def series(path, games, program="propjit", **rest):
    return cluster.Series(GAME, path, games, 3, PLAYERS, program, **rest)


def test_a_killed_worker_costs_no_match(workers, program, deadly, tmp_path):
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    report = json.loads(series(whole, 4, program).report("--format", "json"))
    told = []
    cluster.play(series(parts, 4, deadly), progress=lambda *at: told.append(at))
    assert told == [(number, 4) for number in range(1, 5)]
    assert played(parts) == played(whole)
    assert json.loads(series(parts, 4, program).report("--format", "json")) == report


def test_a_killed_program_costs_no_match(workers, program, tmp_path):
    mark, script = tmp_path / "killed", tmp_path / "mortal"
    script.write_text(f'#!/bin/sh\nmkdir "{mark}" 2> /dev/null && kill -9 $$\nexec "{program}" "$@"\n')
    script.chmod(0o755)
    cluster.play(series(tmp_path / "r.jsonl", 1, str(script)))
    assert mark.is_dir() and set(played(tmp_path / "r.jsonl")) == {1}
    mark.rmdir()
    with pytest.raises(cluster.MatchKilled):
        cluster.play(series(tmp_path / "s.jsonl", 1, str(script)), retries=0)


def test_a_series_goes_on_in_its_own_file_only(workers, program, tmp_path):
    path = tmp_path / "r.jsonl"
    cluster.play(series(path, 2, program))
    before = path.read_text()
    # A last line that was not written to its end is no record.
    path.write_text(before + before[:50])
    cluster.play(series(path, 3, program))
    assert path.read_text().startswith(before) and set(played(path)) == {1, 2, 3}
    other = cluster.Series(GAME, path, 3, 4, PLAYERS, program)
    with pytest.raises(cluster.SeriesError, match="`seed` is 3 there and 4 here"):
        cluster.play(other)


def test_a_tournament_has_a_series_for_each_pair(workers, program, tmp_path):
    players = ["random", "legal", "random:seed=7"]
    pairs = cluster.tournament([GAME], players, tmp_path, games=2, seed=3, program=program)
    cluster.play(*pairs)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"ticTacToe.{pair}.jsonl" for pair in ["1-2", "1-3", "2-3"]]
    last = played(tmp_path / names[-1])
    assert [last[number][5] for number in [1, 2]] == [["legal", "random:seed=7"], ["random:seed=7", "legal"]]


def test_the_command_tells_what_is_wrong(workers, program, tmp_path, capsys):
    command = ["--program", program, "match", str(GAME), str(tmp_path / "r.jsonl"), "--games", "1", "--seed", "1"]
    assert cluster.main([*command, "--player", "random"]) == 1
    assert "error: " in capsys.readouterr().err
    assert cluster.main([*command, *PLAYERS]) == 0
    assert "ticTacToe: 1 match" in capsys.readouterr().out


def test_batches_are_those_of_one_process(workers, tmp_path):
    mark = tmp_path / "killed"

    def policy(parameters, env, rng):
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return random_policy(parameters, env, rng)

    game = propjit.Game.named("ticTacToe")
    play = cluster.SelfPlay(game, policy, actors=1, steps=12, environments=8, seed=5)
    batches = list(play.batches(None, 3))
    assert mark.exists()
    env = propjit.VectorEnv(game, 8)
    for number, batch in enumerate(batches):
        seed = int(np.random.SeedSequence([5, number]).generate_state(1)[0])
        same = rollout(env, random_policy, None, steps=12, seed=seed)
        for name, array in vars(batch).items():
            np.testing.assert_array_equal(array, getattr(same, name), err_msg=name)


def test_outcomes_are_those_of_the_match():
    env = propjit.VectorEnv(propjit.Game.named("ticTacToe"), 8)
    batch = rollout(env, random_policy, None, steps=12, seed=1)
    outcomes = batch.outcomes()
    ended = batch.terminated
    assert ended.any(axis=0).all() and not ended[-1].all()
    np.testing.assert_array_equal(outcomes[ended], batch.rewards[ended])
    follows = ~ended[:-1]
    np.testing.assert_array_equal(outcomes[:-1][follows], outcomes[1:][follows])
    assert np.isnan(outcomes[-1][~ended[-1]]).all()


def prover(address, program):
    return subprocess.Popen(
        [sys.executable, "-m", "propjit.ray", "--program", program, "prover"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "RAY_ADDRESS": address},
    )


def test_a_proof_comes_from_a_worker(workers, deadly):
    # The first worker dies, and whoever asks is told.
    first = prover(workers, deadly)
    _, told = first.communicate()
    assert first.returncode == 1 and "error: " in told
    second = prover(workers, deadly)
    cells = ["(cell 1 1 x)", "(cell 1 2 x)", "(cell 2 1 o)", "(cell 2 2 o)", "(control x)"]
    asks = [
        {"game": {"version": 1, "name": GAME.name, "rules": GAME.read_text()}},
        {"ask": {"request": 1, "share": 1.0, "positions": [{"state": cells, "role": "x"}]}},
    ]
    for ask in asks:
        second.stdin.write(json.dumps(ask) + "\n")
    second.stdin.flush()
    lines = map(json.loads, second.stdout)
    proof = next((line["proof"] for line in lines if "proof" in line), None)
    assert proof is not None, second.stderr.read()
    assert proof["joint"] == ["(mark 1 3)", "noop"]
    second.stdin.close()
    second.stdout.read()
    assert second.wait() == 0
