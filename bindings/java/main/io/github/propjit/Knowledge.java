package io.github.propjit;

import java.util.Arrays;

/**
 * What each player knows of a match in a game that hides information: its percepts and its choices. It
 * never changes: moves lead to other knowledge.
 */
public final class Knowledge {
    private final Game game;
    /** How many elements an observation has. */
    private final int elements;
    /** A bit for each element of each player, whose words follow each other. */
    private final long[] words;

    Knowledge(Game game, Exchange answer) {
        this.game = game;
        elements = answer.getInt();
        words = answer.getWords();
    }

    /**
     * What is known after a move of each role in a state of the match, in the order of the roles.
     *
     * @throws IllegalMoveException if a move is not legal, there is not one of each role, or the match
     *     is over
     */
    public Knowledge after(State state, int... moves) {
        if (state.game() != game) {
            throw new IllegalArgumentException("the state is of another game");
        }
        state.requireLegal(moves);
        return game.knowledgeAfter(state, moves, words);
    }

    /**
     * What a player observes: its percepts since it last had a choice, and its percepts since the match
     * began, both in the order of {@link Game#percepts(int)} and as many as the player with the most of
     * them has; and the actions that it has chosen, of {@link Game#choiceCount}.
     *
     * @throws IllegalArgumentException if the role plays at random
     */
    public boolean[] observation(int role) {
        int first = game.playerOf(role) * (words.length / game.playerCount());
        boolean[] observation = new boolean[elements];
        for (int element = 0; element < elements; element++) {
            observation[element] = State.holds(words, Long.SIZE * first + element);
        }
        return observation;
    }

    /** Whether the same is known in the same game. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Knowledge
                && ((Knowledge) other).game == game
                && Arrays.equals(((Knowledge) other).words, words);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(words);
    }
}
