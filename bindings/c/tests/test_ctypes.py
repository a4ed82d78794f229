"""The C interface from Python, without a compiler: `test_ctypes.py LIBRARY FOLDER`."""

import ctypes
import sys
from pathlib import Path


def main(library, folder):
    lib = ctypes.CDLL(library)
    lib.propjit_last_error.restype = ctypes.c_char_p
    game, state = ctypes.c_void_p(), ctypes.c_void_p()

    def check(status):
        assert status == 0, lib.propjit_last_error().decode()

    check(lib.propjit_game_load(str(Path(folder) / "connectFour.kif").encode(), None, ctypes.byref(game)))
    check(lib.propjit_state_initial(game, ctypes.byref(state)))
    moves, count = (ctypes.c_uint32 * 16)(), ctypes.c_size_t()
    terminal, steps = ctypes.c_bool(), 0
    while True:
        check(lib.propjit_state_terminal(state, ctypes.byref(terminal)))
        if terminal.value:
            break
        joint = (ctypes.c_uint32 * 2)()
        for role in range(2):
            check(lib.propjit_state_legal(state, role, moves, 16, ctypes.byref(count)))
            assert count.value >= 1
            joint[role] = moves[0]
        check(lib.propjit_state_play(state, joint, ctypes.c_size_t(2)))
        steps += 1
    goal, total = ctypes.c_int32(), 0
    for role in range(2):
        check(lib.propjit_state_goal(state, role, ctypes.byref(goal)))
        total += goal.value
    assert total == 100 and 7 <= steps <= 48
    assert lib.propjit_state_goal(state, 5, ctypes.byref(goal)) == 1
    assert b"no role 5" in lib.propjit_last_error()
    lib.propjit_state_free(state)
    lib.propjit_game_free(game)
    print("the C interface works from Python")


if __name__ == "__main__":
    main(*sys.argv[1:])
