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
    /** Stands for the only legal move of a role: see {@link #apply}. */
    public static final int FORCED = -1;

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

    /** The roles that have several legal moves: none in a terminal state. */
    public int[] toMove() {
        int[] roles = new int[derived.length];
        int count = 0;
        for (int role = 0; role < derived.length; role++) {
            if (legalOf(role).length > 1) {
                roles[count++] = role;
            }
        }
        return Arrays.copyOf(roles, count);
    }

    /**
     * The actions that are a role's legal moves, ascending: see {@link Game#actions}. None in a terminal
     * state.
     *
     * @throws PlayException if the game is not ground
     */
    public int[] legalActions(int role) {
        int[] moves = legalOf(role);
        int[] ofMoves = game.actionsOf(role);
        int[] actions = new int[moves.length];
        for (int i = 0; i < actions.length; i++) {
            actions[i] = ofMoves[moves[i]];
        }
        Arrays.sort(actions);
        return actions;
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
        requireLegal(moves);
        return game.next(this, moves);
    }

    /**
     * The state that follows when each role plays its action, in the order of the roles; for {@link
     * #FORCED}, its only legal move.
     *
     * @throws IllegalMoveException if an action is not legal, there is not one of each role, a role
     *     without one has a choice, or the match is over
     * @throws IllegalArgumentException if a role does not have the move that its action is
     * @throws PlayException if the game is not ground
     */
    public State apply(int... actions) {
        requireMoveOfEachRole(actions);
        requireGoing();
        int[] moves = new int[actions.length];
        for (int role = 0; role < moves.length; role++) {
            int[] legal = derived[role];
            if (actions[role] != FORCED) {
                moves[role] = game.moveOf(role, actions[role]);
            } else if (legal.length == 1) {
                moves[role] = legal[0];
            } else {
                throw new IllegalMoveException(game.roles().get(role) + " has " + legal.length
                        + " legal moves: pass the action of one of them");
            }
        }
        return derivedNext(moves);
    }

    /**
     * What a role perceives when each role makes its move, in the order of the roles: sorted, and nothing
     * in games without {@code sees} rules, in which roles see all.
     *
     * @throws IllegalMoveException if a move is not legal, there is not one of each role, or the match
     *     is over
     */
    public List<String> percepts(int role, int... moves) {
        requireLegal(moves);
        return Game.lines(game.percepts(this, moves, role));
    }

    /**
     * As {@link #next}, but what follows by the rules from a terminal state, too, where it means
     * nothing.
     *
     * @throws IllegalMoveException if a move is not derived as legal, or there is not one of each role
     */
    public State derivedNext(int... moves) {
        requireMoveOfEachRole(moves);
        requireDerived(moves);
        return game.next(this, moves);
    }

    /** Checks that these moves are possible, one of each role. */
    void requireLegal(int[] moves) {
        requireMoveOfEachRole(moves);
        requireGoing();
        requireDerived(moves);
    }

    private void requireGoing() {
        if (terminal) {
            throw new IllegalMoveException(
                    "the match is over: no moves are possible in a terminal state");
        }
    }

    private void requireDerived(int[] moves) {
        for (int role = 0; role < moves.length; role++) {
            if (!isDerived(role, moves[role])) {
                String text = game.moveText(role, moves[role]);
                throw new IllegalMoveException(
                        game.roles().get(role) + " may not play " + text + " here");
            }
        }
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

    /**
     * Whether each proposition holds, in the order of {@link Game#fluents}.
     *
     * @throws PlayException if the game is not ground
     */
    public boolean[] observation() {
        boolean[] observation = new boolean[game.fluentCount()];
        forEachFluent(fluent -> observation[fluent] = true);
        return observation;
    }

    /** Whether a bit is set; words that are missing are zero. */
    static boolean holds(long[] words, int bit) {
        int word = bit / Long.SIZE;
        return word < words.length && (words[word] >>> bit & 1) != 0;
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
        return Game.lines(game.fluents(this));
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
