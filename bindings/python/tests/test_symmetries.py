"""Symmetries leave games unchanged: states, moves, goals, and what networks see."""

import pickle

import numpy as np
import pytest

import propjit
from propjit import Game, VectorEnv

GAMES = ["ticTacToe", "connectFour", "reversi", "breakthroughSmall", "tron", "kriegTicTacToe", "pegTriangle"]


def random_states(game, seed):
    rng = np.random.default_rng(seed)
    state = game.initial
    while True:
        yield state
        if state.terminal or not all(state.legal(role) for role in game.roles):
            return
        state = state.apply([int(rng.choice(state.legal_actions(role))) for role in game.roles])


@pytest.mark.parametrize("name", GAMES)
def test_images_are_played_alike(name):
    game = Game.named(name)
    symmetries = game.symmetries()
    assert symmetries
    rng = np.random.default_rng(1)
    for symmetry in symmetries:
        for images in [symmetry.players, symmetry.fluents, *symmetry.actions]:
            assert sorted(images) == list(range(len(images)))
        assert symmetry.actions.shape == (len(game.roles), game.num_actions)
        # Networks with an output for each choice can use them.
        assert (symmetry.actions[:, : game.num_choices] < game.num_choices).all()
        assert symmetry.keeps_initial == (symmetry.state(game.initial) == game.initial)
        for state in random_states(game, 2):
            image = symmetry.state(state)
            assert image.terminal == state.terminal
            joint = [0] * len(game.roles)
            for player, role in enumerate(game.roles):
                other = symmetry.players[player]
                assert image.goals[game.roles[other]] == state.goals[role]
                legal = state.legal_actions(role)
                assert sorted(symmetry.actions[player][legal]) == image.legal_actions(int(other))
                if legal:
                    joint[player] = int(rng.choice(legal))
            if not state.terminal and all(state.legal(role) for role in game.roles):
                of_image = [0] * len(joint)
                for player, action in enumerate(joint):
                    of_image[symmetry.players[player]] = int(symmetry.actions[player][action])
                assert symmetry.state(state.apply(joint)) == image.apply(of_image)
                for player, role in enumerate(game.roles):
                    other = game.roles[symmetry.players[player]]
                    numbers = [game.percepts(role).index(text) for text in state.percepts(joint, role)]
                    seen = {game.percepts(other)[number] for number in symmetry.percepts[player][numbers]}
                    assert seen == set(image.percepts(of_image, other))


def test_chance_has_images_too():
    # Two coins, side by side, of which a player takes one that is tossed.
    game = Game.load(text="""(role random) (role p) (side 1) (side 2) (init start)
        (init (coin 1 1)) (init (coin 2 1))
        (<= (legal random (toss ?x ?y)) (side ?x) (true (coin ?x ?y)) (true start))
        (<= (legal random noop) (not (true start)))
        (<= (legal p (take ?x ?y)) (true (coin ?x ?y)) (not (true start))) (<= (legal p noop) (true start))
        (<= (next (coin ?x ?y)) (true (coin ?x ?y)) (not (does p (take ?x ?y))))
        (<= (next (up ?x ?y)) (does random (toss ?x ?y))) (<= (next (up ?x ?y)) (true (up ?x ?y)))
        (<= (next (taken ?x ?y)) (does p (take ?x ?y)))
        (<= terminal (true (taken ?x ?y)))
        (<= won (true (up ?x ?y)) (true (taken ?x ?y))) (<= (goal p 100) won) (<= (goal p 0) (not won))
        (goal random 0)""")
    [swap] = game.symmetries()
    assert swap.players.tolist() == [0] and swap.keeps_initial
    tosses = [game.actions.index(f"(toss {side} 1)") for side in [1, 2]]
    assert swap.outcomes[tosses].tolist() == tosses[::-1]
    takes = [game.actions.index(f"(take {side} 1)") for side in [1, 2]]
    assert swap.actions[0][takes].tolist() == takes[::-1]


@pytest.mark.parametrize("name", ["connectFour", "reversi", "breakthroughSmall", "ticTacToe"])
@pytest.mark.parametrize("relative", [True, False])
def test_planes_of_images(name, relative):
    game = Game.named(name)
    planes = game.planes(relative)
    env = VectorEnv(game, 1, observation=planes, dtype="uint8")
    for symmetry in game.symmetries():
        elements = symmetry.planes(planes)
        for row in elements:
            assert sorted(row) == list(range(len(row)))
        for state in list(random_states(game, 1))[::12]:
            for player in range(2):
                here = env.observe([state], player).reshape(-1)
                there = env.observe([symmetry.state(state)], int(symmetry.players[player])).reshape(-1)
                moved = np.empty_like(here)
                moved[elements[player]] = here
                assert (moved == there).all()


def test_values():
    game = Game.named("connectFour")
    found = game.symmetries()
    assert [one.players.tolist() for one in found].count([1, 0]) == 2
    again = pickle.loads(pickle.dumps(found[0]))
    assert again.game == game and (again.fluents == found[0].fluents).all()
    with pytest.raises(ValueError, match="another game"):
        found[0].state(Game.named("ticTacToe").initial)
    # Where only the prover plays, there are no numbers.
    with pytest.raises(propjit.PlayError, match="symmetries"):
        Game.load(text=game.text, backend="prover").symmetries()
