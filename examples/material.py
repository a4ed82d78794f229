"""Lets a search whose leaves are evaluated by a function play breakthrough against random playouts.

The function knows no more than that pieces are good. Both searches look at as many leaves.
"""

import argparse

import numpy as np

from propjit import Game, Search


def material(game):
    """An evaluation of many positions at once: what a lead in pieces is worth."""
    cells = [fluent.startswith("(cell") for fluent in game.fluents]
    pieces = [[f" {role})" in fluent for role in game.roles] for fluent in game.fluents]
    pieces = (np.array(pieces) & np.array(cells)[:, None]).astype(np.float32)

    def evaluation(observation, legal_action_mask, current_player):
        counts = observation @ pieces
        return (counts - counts[:, ::-1]) / 10

    return evaluation


def play(game, searches, leaves):
    """Plays a match, and returns the goals of the roles."""
    state, depth = game.initial, 0
    while not state.terminal:
        role = state.to_move[0]
        search = searches[game.roles.index(role)]
        search.set_root(state, depth)
        search.run(playouts=leaves)
        state, depth = state.apply(search.report(role).best), depth + 1
    return list(state.goals.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=4)
    parser.add_argument("--leaves", type=int, default=2000, help="for each move")
    args = parser.parse_args()
    game = Game.named("breakthroughSmall")
    total = 0
    for match in range(args.matches):
        evaluated = Search(game, evaluation=material(game), seed=match)
        playouts = Search(game, seed=match)
        if match % 2 == 0:
            goal = play(game, [evaluated, playouts], args.leaves)[0]
        else:
            goal = play(game, [playouts, evaluated], args.leaves)[1]
        print(f"match {match + 1}: {goal} for the evaluation")
        total += goal
    print(f"mean {total / args.matches:.0f} of 100")


if __name__ == "__main__":
    main()
