"""Records of matches, and pictures."""

import json
import subprocess
from xml.etree import ElementTree

import numpy as np
import pytest

from propjit import Game, IllegalMoveError, PropjitError, drawing, matches


def random_match(game, seed):
    rng = np.random.default_rng(seed)
    state, moves = game.initial, []
    while not state.terminal:
        joint = [str(rng.choice(state.legal(role))) for role in game.roles]
        moves.append(joint)
        state = state.apply(joint)
    players = [None if role == "random" else f"player {number}" for number, role in enumerate(game.roles)]
    return matches.Match.of(game, moves, players=players, number=seed, seed=seed), state


@pytest.mark.parametrize("name", ["connectFour", "diceRace", "tron", "pegTriangle"])
def test_matches_are_written_and_read(name, tmp_path):
    game, path = Game.named(name), tmp_path / "records.jsonl"
    played = [random_match(game, seed) for seed in [1, 2, 3]]
    matches.write(path, [match for match, _ in played[:2]])
    matches.write(path, [played[2][0]], append=True)
    again = matches.read(path)
    assert again == [match for match, _ in played]
    for match, (_, last) in zip(again, played):
        assert match.states(game)[-1] == last and match.end == "terminal"
        assert dict(zip(game.roles, match.goals)) == last.goals


def test_the_command_line_reads_them(program, tmp_path):
    game, path = Game.named("connectFour"), tmp_path / "records.jsonl"
    rules = tmp_path / "connectFour.kif"
    rules.write_text(game.text)
    match, _ = random_match(game, 2)
    matches.write(path, [random_match(game, 1)[0], match])
    command = [program, "analyze", str(rules), "--history", str(path), "--match", "2", "--first", "4"]
    done = subprocess.run([*command, "--playouts", "100", "--format", "json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)


def test_records_of_the_command_line_are_read(program, tmp_path):
    game, path = Game.named("ticTacToe"), tmp_path / "records.jsonl"
    rules = tmp_path / "ticTacToe.kif"
    rules.write_text(game.text)
    players = ["--player", "mcts:nodes=50", "--player", "random"]
    command = [program, "match", str(rules), *players, "--games", "2", "--seed", "1", "--output", str(path)]
    subprocess.run(command, check=True, capture_output=True)
    for match in matches.read(path):
        assert match.states(game)[-1].terminal
        assert match.players == ("mcts:nodes=50", "random") and match.roles == game.roles
        assert any(said and "visits" in said for step in match.statistics for said in step)


def test_what_is_no_match_is_refused(tmp_path):
    game, path = Game.named("ticTacToe"), tmp_path / "records.jsonl"
    path.write_text('{"steps": []}\n')
    with pytest.raises(ValueError, match="records.jsonl:1: this is not the record"):
        matches.read(path)
    with pytest.raises(ValueError, match="1 players were given"):
        matches.Match.of(game, [], players=["me"])
    with pytest.raises(IllegalMoveError):
        matches.Match.of(game, ["(mark 1 1)", "(mark 1 1)"], players=["me", "you"])
    with pytest.raises(PropjitError):
        random_match(Game.named("connectFour"), 1)[0].states(game)


@pytest.mark.parametrize("name", ["connectFour", "breakthrough", "ticTacToe", "pegTriangle", "diceRace"])
def test_positions_are_drawn(name):
    state = random_match(Game.named(name), 5)[1]
    picture = ElementTree.fromstring(drawing.position(state))
    places = picture.findall("{*}circle")
    texts = {text.text for text in picture.findall("{*}text")}
    listed = [fluent for fluent in state.fluents if fluent in texts]
    # Each proposition is at a place of a board, or in the list.
    assert len(places) + len(listed) >= len(state.fluents) and len(listed) <= len(state.fluents)


def test_curves_are_drawn():
    picture = drawing.curve([0, 1, 2], {"a < b": [1.0, None, 3.0], "c": [0, float("nan"), 5]}, x="minutes", y="score")
    root = ElementTree.fromstring(picture)
    assert len(root.findall("{*}polyline")) == 2 and len(root.findall("{*}circle")) == 4
    texts = [text.text for text in root.findall("{*}text")]
    assert "a < b" in texts and "minutes" in texts
    ElementTree.fromstring(drawing.curve([1], {"one": [7]}))
    with pytest.raises(ValueError, match="no numbers"):
        drawing.curve([1], {"one": [None]})
