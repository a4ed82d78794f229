"""The example scripts, with tiny settings."""

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from propjit import Game, network

ROOT = Path(__file__).parents[3]


def run(name, *arguments):
    command = [sys.executable, str(ROOT / "examples" / name), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_reinforce():
    text = run("reinforce.py", "--updates", 2, "--environments", 16, "--rate", 0.1)
    scores = [float(score) for score in re.findall(r"(?:before|after): ([\d.]+) of 100", text)]
    # The network learns something: it does not play the same matches again.
    assert len(scores) == 2 and scores[0] != scores[1]


def test_reinforce_prefers_what_pays():
    script = runpy.run_path(str(ROOT / "examples" / "reinforce.py"))
    network = script["Network"](3, 8, 4, np.random.default_rng(1))
    observations, masks = np.eye(3, dtype=np.float32), np.ones((3, 4), bool)
    masks[:, 3] = False
    wanted = np.array([0, 1, 2])
    for _ in range(100):
        for actions in [wanted, (wanted + 1) % 3]:
            gains = np.where(actions == wanted, 1, -1).astype(np.float32)
            network.learn(observations, masks, actions, gains, 0.01)
    likely, _ = network.probabilities(observations, masks)
    assert (likely.argmax(axis=1) == wanted).all()
    assert (likely[:, 3] == 0).all()


def test_two_searches():
    text = run("two_searches.py", "--matches", 2, "--playouts", 500)
    matches = re.findall(r"match \d: (\w+) gets (\d+)", text)
    assert [role for role, _ in matches] == ["red", "yellow"]
    mean = sum(int(goal) for _, goal in matches) / 2
    assert f"gets {mean:.1f} of 100" in text


def test_material():
    text = run("material.py", "--matches", 2, "--leaves", 200)
    goals = [int(goal) for goal in re.findall(r"match \d: (\d+) for the evaluation", text)]
    assert len(goals) == 2 and f"mean {sum(goals) / 2:.0f} of 100" in text


def test_alphazero(tmp_path):
    pytest.importorskip("torch")
    small = ["--games", 16, "--simulations", 4, "--channels", 4, "--blocks", 1, "--batch", 32]
    match = ["--matches", 2, "--searched", 4, "--playouts", 10, "--folder", tmp_path, "--every", 0.02]
    run("alphazero.py", "--minutes", 0.04, *small, *match)
    text = run("alphazero.py", "--minutes", 0.02, *small, *match, "--resume")
    # The curve goes on where it was.
    rows = (tmp_path / "curve.csv").read_text().splitlines()
    assert len(rows) >= 4 and rows[0].startswith("minutes,games")
    assert len(text.splitlines()) < len(rows) - 1
    assert (tmp_path / "curve.svg").read_text().count("<polyline") == 1
    metadata, _ = network.read(tmp_path / "network.safetensors")
    assert metadata["game"] == Game.named("connectFour").vocabulary_hash


def test_alphazero_learns(program, tmp_path):
    """In two minutes, it learns to win against a little tree search, and the command line plays what it has learned."""
    pytest.importorskip("torch")
    if os.environ.get("PROPJIT_SOAK") != "1":
        pytest.skip("PROPJIT_SOAK=1 runs this")
    run("alphazero.py", "--minutes", 2, "--every", 2, "--playouts", 30, "--folder", tmp_path)
    score = float((tmp_path / "curve.csv").read_text().splitlines()[-1].split(",")[-1])
    assert score > 0.6
    player = f"mcts:network={tmp_path / 'network.safetensors'},total-playouts=200"
    game = ROOT / "gdl" / "games" / "connectFour.kif"
    series = ["--player", player, "--player", "random", "--games", "10", "--swap", "--seed", "1", "--format", "json"]
    done = subprocess.run([program, "match", str(game), *series], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["standings"][0]["wins"] >= 9


def test_read_records(program, tmp_path):
    pytest.importorskip("pandas")
    records = tmp_path / "records.jsonl"
    players = ["--player", "random", "--player", "legal", "--swap"]
    game = ROOT / "gdl" / "games" / "ticTacToe.kif"
    series = ["--games", "4", "--seed", "1", "--output", str(records)]
    subprocess.run([program, "match", str(game), *players, *series], check=True, capture_output=True)
    rows = [line.split() for line in run("read_records.py", records).splitlines()]
    # For each player in each role: the number of matches, goals, moves, time.
    counts = [row[-5] for row in rows if row[-6:-5] in (["x"], ["o"])]
    assert counts == ["2"] * 4, rows


def run_notebook(name, folder, program, settings=()):
    """What a notebook prints, with other settings in place of some."""
    cells = json.loads((ROOT / "examples" / name).read_text())["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    for usual, other in settings:
        assert usual in code
        code = code.replace(usual, other)
    script = folder / "notebook.py"
    script.write_text(code)
    env = {**os.environ, "PROPJIT": program, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, str(script)], cwd=ROOT / "examples", capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_notebook(program, tmp_path):
    pytest.importorskip("pandas")
    few = ('"--updates", "20"', '"--updates", "1", "--environments", "16"')
    assert "connectFour: 10 matches" in run_notebook("propjit.ipynb", tmp_path, program, [few])


def test_gymnasium_notebook(program, tmp_path):
    pytest.importorskip("gymnasium")
    text = run_notebook("gymnasium.ipynb", tmp_path, program, [("UPDATES = 60", "UPDATES = 20")])
    heads = ("mean reward at random:", "update 20: mean reward")
    at_random, learned = (float(re.search(head + r" (-?[\d.]+)", text)[1]) for head in heads)
    # The first player of tic-tac-toe is ahead at random; the learner is, in connect four, by much.
    assert 0 < at_random < 0.6 < learned


def test_pgx_notebook(program, tmp_path):
    text = run_notebook("pgx.ipynb", tmp_path, program)
    assert re.search(r"\d+ matches, mean rewards", text) and "moves of the longest match" in text


def test_openspiel_notebook(program, tmp_path):
    pytest.importorskip("pyspiel")
    text = run_notebook("openspiel.ipynb", tmp_path, program)
    assert "the value of tic-tac-toe: 0.0" in text and "a move by MCTSBot: (drop" in text
    assert 0 <= float(re.search(r"exploitability after 100 iterations: ([\d.]+)", text)[1]) < 0.02
