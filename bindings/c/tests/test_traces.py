"""Recorded matches of public rulesheets, replayed by the C interface: `test_traces.py LIBRARY SHARED`.

One in ten of them, or all if the environment variable `PROPJIT_SOAK` is 1.
"""

import ctypes
import json
import os
import sys
from pathlib import Path

PLAY_FAILED = 5


def fnv(texts):
    """FNV-1a, 64 bits, of sorted lines."""
    value = 0xCBF29CE484222325
    for byte in "".join(f"{text}\n" for text in sorted(texts)).encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


class Library:
    """The functions that a replay needs, with errors as exceptions."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.propjit_last_error.restype = ctypes.c_char_p
        for free in ["text", "state", "game"]:
            getattr(self.lib, f"propjit_{free}_free").argtypes = [ctypes.c_void_p]

    def call(self, name, *arguments):
        status = getattr(self.lib, f"propjit_{name}")(*arguments)
        assert status == 0, self.lib.propjit_last_error().decode()

    def text(self, name, *arguments):
        text = ctypes.c_void_p()
        self.call(name, *arguments, ctypes.byref(text))
        try:
            return ctypes.string_at(text).decode()
        finally:
            self.lib.propjit_text_free(text)

    def legal(self, game, state, role):
        """The texts of a role's legal moves."""
        count = ctypes.c_size_t()
        self.call("state_legal", state, role, None, ctypes.c_size_t(0), ctypes.byref(count))
        moves = (ctypes.c_uint32 * count.value)()
        self.call("state_legal", state, role, moves, count, ctypes.byref(count))
        return [self.text("game_move_text", game, role, move) for move in moves]

    def goal(self, state, role):
        """The goal of a role, or none if it does not have exactly one value."""
        goal = ctypes.c_int32()
        status = self.lib.propjit_state_goal(state, role, ctypes.byref(goal))
        assert status in [0, PLAY_FAILED], self.lib.propjit_last_error().decode()
        return goal.value if status == 0 else None


def replay(lib, game, trace):
    """Replays matches; of a game that only the prover plays, the start of one."""
    roles, sizes = ctypes.c_uint32(), (ctypes.c_size_t(), ctypes.c_size_t())
    lib.call("game_roles", game, ctypes.byref(roles))
    is_ground = lib.lib.propjit_game_sizes(game, 0, *map(ctypes.byref, sizes)) == 0
    roles = range(roles.value)
    for match in trace["matches"][: None if is_ground else 1]:
        state = ctypes.c_void_p()
        lib.call("state_initial", game, ctypes.byref(state))
        for step in match["steps"][: None if is_ground else 5]:
            fluents = lib.text("state_text", state).splitlines()
            assert [len(fluents), fnv(fluents)] == [step["fluents"], step["fluents_fnv"]]
            terminal = ctypes.c_bool()
            lib.call("state_terminal", state, ctypes.byref(terminal))
            assert terminal.value == step["terminal"]
            if "goals" in step:
                assert [lib.goal(state, role) for role in roles] == step["goals"]
            if "legal" in step:
                legal = [lib.legal(game, state, role) for role in roles]
                assert [len(moves) for moves in legal] == step["legal"]
                assert [fnv(moves) for moves in legal] == step["legal_fnv"]
            if "joint" in step:
                joint = (ctypes.c_uint32 * len(roles))()
                for role, text in zip(roles, step["joint"]):
                    played = ctypes.c_uint32()
                    lib.call(
                        "game_parse_move", game, role, text.encode(), ctypes.byref(played)
                    )
                    joint[role] = played
                lib.call("state_play", state, joint, ctypes.c_size_t(len(roles)))
        lib.lib.propjit_state_free(state)


def main(library, shared):
    lib, shared = Library(library), Path(shared)
    traces = sorted((shared / "traces").glob("*.json"))
    if os.environ.get("PROPJIT_SOAK") != "1":
        traces = traces[::10]
    assert traces
    for path in traces:
        game = ctypes.c_void_p()
        rules = shared / "games" / f"{path.stem}.kif"
        try:
            lib.call("game_load", str(rules).encode(), None, ctypes.byref(game))
            replay(lib, game, json.loads(path.read_text()))
        except AssertionError as error:
            raise AssertionError(f"{path.stem} is replayed otherwise") from error
        lib.lib.propjit_game_free(game)
    print(f"matches of {len(traces)} games are replayed by the C interface")


if __name__ == "__main__":
    main(*sys.argv[1:])
