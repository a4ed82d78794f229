"""Recorded matches of public rulesheets, replayed with states."""

import json
import os

import pytest

from propjit import Game

from conftest import shared


def fnv(texts):
    """FNV-1a, 64 bits, of sorted lines."""
    value = 0xCBF29CE484222325
    for byte in "".join(f"{text}\n" for text in texts).encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def names():
    """All public rulesheets, or one in ten of them."""
    folder = shared()
    names = sorted(path.stem for path in (folder / "traces").glob("*.json")) if folder else []
    return names if os.environ.get("PROPJIT_SOAK") == "1" else names[::10]


@pytest.mark.parametrize("name", names())
def test_replay(name, public):
    game = Game.load(public / "games" / f"{name}.kif", ground_seconds=15)
    trace = json.loads((public / "traces" / f"{name}.json").read_text())
    # What only the prover plays is slow.
    for match in trace["matches"][: None if game.is_ground else 1]:
        state = game.initial
        for step in match["steps"][: None if game.is_ground else 5]:
            assert len(state.fluents) == step["fluents"] and fnv(state.fluents) == step["fluents_fnv"]
            assert state.terminal == step["terminal"]
            if "goals" in step:
                assert list(state.goals.values()) == step["goals"]
            if "legal" in step:
                legal = [sorted(moves) for moves in state.legal().values()]
                assert [len(moves) for moves in legal] == step["legal"]
                assert [fnv(moves) for moves in legal] == step["legal_fnv"]
            if "joint" in step:
                state = state.apply(step["joint"])
