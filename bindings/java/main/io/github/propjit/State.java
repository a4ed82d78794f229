package io.github.propjit;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * A state of a game. It never changes, and any number of threads may use it.
 *
 * <p>Roles and moves are numbers from 0: those of moves are indices into {@link Game#moves}. A state
 * knows whether it is terminal and which moves are legal; everything else is worked out when it is
 * asked for.
 */
public final class State {
    private static final String[] NO_LINES = {};
    private static final int[] NO_MOVES = {};

    private final Game game;
    /** A bit for each proposition, without words that are zero at the end. */
    final long[] words;
    private final boolean terminal;
    /** For each role, what the rules derive as legal. */
    private final int[][] derived;

    /** Reads a view of a state. */
    State(Game game, Exchange view) {
        this.game = game;
        terminal = view.get() != 0;
        words = view.getWords();
        derived = new int[game.roles().size()][];
        for (int role = 0; role < derived.length; role++) {
            int[] moves = new int[view.getInt()];
            for (int i = 0; i < moves.length; i++) {
                moves[i] = view.getInt();
            }
            derived[role] = moves;
        }
    }

    /** The game. */
    public Game game() {
        return game;
    }

    /** Whether a match ends here. */
    public boolean isTerminal() {
        return terminal;
    }

    /** The numbers of a role's legal moves: none in a terminal state. */
    public int[] legal(int role) {
        return legalOf(role).clone();
    }

    /** How many legal moves a role has: none in a terminal state. */
    public int legalCount(int role) {
        return legalOf(role).length;
    }

    /** One of the legal moves of a role, from 0 up to their number. */
    public int legalMove(int role, int index) {
        return legalOf(role)[index];
    }

    /** The texts of a role's legal moves. */
    public List<String> legalTexts(int role) {
        int[] moves = legalOf(role);
        String[] texts = new String[moves.length];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = game.moveText(role, moves[i]);
        }
        return Collections.unmodifiableList(Arrays.asList(texts));
    }

    private int[] legalOf(int role) {
        int[] moves = derivedOf(role);
        return terminal ? NO_MOVES : moves;
    }

    private int[] derivedOf(int role) {
        Game.requireRole(role, derived.length);
        return derived[role];
    }

    /**
     * How many moves the rules derive as legal for a role, in a terminal state, too, where they mean
     * nothing. State machines that do not look whether a match is over answer with them.
     */
    public int derivedCount(int role) {
        return derivedOf(role).length;
    }

    /** One of the moves that the rules derive as legal for a role, from 0 up to their number. */
    public int derivedMove(int role, int index) {
        return derivedOf(role)[index];
    }

    /**
     * The state that follows when each role makes its move, in the order of the roles.
     *
     * @throws IllegalMoveException if a move is not legal, there is not one of each role, or the match
     *     is over
     */
    public State next(int... moves) {
        requireMoveOfEachRole(moves);
        if (terminal) {
            throw new IllegalMoveException(
                    "the match is over: no moves are possible in a terminal state");
        }
        return derivedNext(moves);
    }

    /**
     * As {@link #next}, but what follows by the rules from a terminal state, too, where it means
     * nothing.
     *
     * @throws IllegalMoveException if a move is not derived as legal, or there is not one of each role
     */
    public State derivedNext(int... moves) {
        requireMoveOfEachRole(moves);
        for (int role = 0; role < moves.length; role++) {
            if (!isDerived(role, moves[role])) {
                String text = game.moveText(role, moves[role]);
                throw new IllegalMoveException(
                        game.roles().get(role) + " may not play " + text + " here");
            }
        }
        return game.next(this, moves);
    }

    private void requireMoveOfEachRole(int[] moves) {
        if (moves.length != derived.length) {
            throw new IllegalMoveException(
                    moves.length + " moves were given for " + derived.length + " roles");
        }
    }

    private boolean isDerived(int role, int move) {
        for (int other : derived[role]) {
            if (other == move) {
                return true;
            }
        }
        return false;
    }

    /**
     * The goal of a role.
     *
     * @throws PlayException if it does not have exactly one
     */
    public int goal(int role) {
        return game.goal(this, role);
    }

    /**
     * Plays a random match from here.
     *
     * @param seed of the random numbers: the same one gives the same match
     * @param maxSteps how many joint moves it may have
     */
    public Charge charge(long seed, int maxSteps) {
        return game.charge(this, seed, maxSteps);
    }

    /** Hands out the numbers of the propositions that hold, ascending. */
    public void forEachFluent(IntConsumer found) {
        for (int i = 0; i < words.length; i++) {
            for (long word = words[i]; word != 0; word &= word - 1) {
                found.accept(Long.SIZE * i + Long.numberOfTrailingZeros(word));
            }
        }
    }

    /** The propositions that hold, as text, sorted. */
    public List<String> fluents() {
        String lines = game.fluents(this);
        String[] fluents = lines.isEmpty() ? NO_LINES : lines.split("\n");
        return Collections.unmodifiableList(Arrays.asList(fluents));
    }

    /** Whether it is the same state of the same game. */
    @Override
    public boolean equals(Object other) {
        return other instanceof State
                && ((State) other).game == game
                && Arrays.equals(((State) other).words, words);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(words);
    }

    /** The propositions that hold, one in each line. */
    @Override
    public String toString() {
        return game.fluents(this);
    }
}
