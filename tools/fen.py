#!/usr/bin/env python3
"""The fluents of a chess position in Forsyth-Edwards notation.

    tools/fen.py 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1' > position.txt
    propjit similarity gdl/games/chess.kif --a-state @position.txt

The last two fields may be missing. A square for capture in passing is one that a pawn has passed.
"""

import argparse
import sys

RANKS = range(8, 0, -1)
FILES = "abcdefgh"


def fluents(position):
    """The fluents of gdl/games/chess.kif that are true in the position."""
    board, mover, castling, passed, *counts = position.split()
    colours = {"w": "white", "b": "black"}
    yield f"(control {colours[mover]})"
    yield f"(quiet {counts[0] if counts else 0})"
    rows = board.split("/")
    if len(rows) != 8:
        raise ValueError(f"the board has {len(rows)} ranks, not 8")
    for rank, row in zip(RANKS, rows):
        pieces = []
        for letter in row:
            colour = "w" if letter.isupper() else "b"
            empty = int(letter) if letter.isdigit() else 0
            pieces += ["empty"] * empty if empty else [colour + letter.lower()]
        if len(pieces) != 8:
            raise ValueError(f"rank {rank} has {len(pieces)} squares, not 8: {row}")
        for file, piece in zip(FILES, pieces):
            yield f"(cell {file} {rank} {piece})"
    for right in castling.strip("-"):
        side = {"k": "short", "q": "long"}[right.lower()]
        yield f"(castling {'white' if right.isupper() else 'black'} {side})"
    if passed != "-":
        yield f"(passed {passed[0]})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("position", help="in Forsyth-Edwards notation, as one argument")
    try:
        print("\n".join(fluents(parser.parse_args().position)))
    except (KeyError, ValueError) as error:
        sys.exit(f"error: not a position in Forsyth-Edwards notation: {error}")


if __name__ == "__main__":
    main()
