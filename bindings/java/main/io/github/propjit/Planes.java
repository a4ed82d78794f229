package io.github.propjit;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The propositions of a game, arranged in channels of a board's height and width: each kind of contents
 * is a channel, each other proposition or relation is one or more. A game without a board has the height
 * 1. They never change, and any number of threads may use them.
 */
public final class Planes {
    private static final int ALWAYS = -2;

    private final Game game;
    private final List<String> names;
    private final int height;
    private final int width;
    /** For each player and each element, the number of its proposition, or what is always there. */
    private final int[][] index;

    Planes(Game game, long gamePointer, boolean relative) {
        this.game = game;
        long pointer = make(game, gamePointer, relative);
        try {
            names = Collections.unmodifiableList(Arrays.asList(names(pointer).split("\n")));
            Exchange exchange;
            do {
                exchange = Exchange.begin(0);
            } while (!exchange.holds(index(pointer, exchange.address(), exchange.capacity())));
            height = exchange.getInt();
            width = exchange.getInt();
            index = new int[exchange.getInt()][exchange.getInt()];
            for (int[] ofPlayer : index) {
                for (int element = 0; element < ofPlayer.length; element++) {
                    ofPlayer[element] = exchange.getInt();
                }
            }
        } finally {
            free(pointer);
        }
    }

    /**
     * A name for each channel: its contents, or its proposition. Where these depend on the player, they
     * are named for the players in their order.
     */
    public List<String> names() {
        return names;
    }

    /** The height of each channel. */
    public int height() {
        return height;
    }

    /** The width of each channel. */
    public int width() {
        return width;
    }

    /**
     * For each element, as a player sees it, the number of its proposition; -1 where there is always 0,
     * and -2 where there is always 1.
     *
     * @throws IllegalArgumentException if the role plays at random
     */
    public int[] index(int role) {
        return index[game.playerOf(role)].clone();
    }

    /**
     * What a player observes in a state: channel by channel, each row by row.
     *
     * @throws IllegalArgumentException if the role plays at random, or the state is of another game
     */
    public boolean[] observation(State state, int role) {
        if (state.game() != game) {
            throw new IllegalArgumentException("the state is of another game");
        }
        int[] sources = index[game.playerOf(role)];
        boolean[] observation = new boolean[sources.length];
        for (int element = 0; element < sources.length; element++) {
            int source = sources[element];
            observation[element] = source < 0 ? source == ALWAYS : State.holds(state.words, source);
        }
        return observation;
    }

    /** The game is given so that it lives until the planes have been made. */
    private static native long make(Game game, long pointer, boolean relative);

    private static native void free(long pointer);

    private static native String names(long pointer);

    private static native int index(long pointer, long address, int capacity);
}
