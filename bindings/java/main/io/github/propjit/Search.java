package io.github.propjit;

/**
 * A Monte Carlo tree search, with what it has found out so far. Threads take turns; {@link #stop} and
 * {@link #close} do not wait.
 */
public final class Search implements AutoCloseable {
    /** How many bytes a search may take unless one says something else. */
    public static final long MEMORY = 1L << 30;

    private final Game game;
    private final long pointer;

    /** A search from the initial state, on one thread. */
    public Search(Game game, long seed) {
        this(game, 1, seed, MEMORY, false);
    }

    /**
     * A search from the initial state.
     *
     * @param memory how many bytes it may take
     * @param evaluation whether an evaluation of states is learned at first, for games of two to four
     *     roles
     */
    public Search(Game game, int threads, long seed, long memory, boolean evaluation) {
        Game.requirePositive("threads", threads);
        Game.requirePositive("memory", memory);
        this.game = game;
        pointer = game.makeSearch(threads, seed, memory, evaluation);
        Reclaimer.register(this, pointer, Search::free);
    }

    /** Searches for a number of seconds, or until the value is proved. */
    public void run(double seconds) {
        run(seconds, 0, 0);
    }

    /**
     * Searches until the time has passed, or the given number of further playouts have ended or of further
     * nodes were made, each without limit if it is 0; or until the value is proved or the search is
     * stopped.
     */
    public void run(double seconds, long playouts, long nodes) {
        if (!(seconds >= 0 && playouts >= 0 && nodes >= 0 && seconds + playouts + nodes > 0)) {
            throw new IllegalArgumentException("a search needs a limit, and none below 0");
        }
        run(pointer, seconds, playouts, nodes);
    }

    /** Ends the run that is under way, which may be in another thread. */
    public void stop() {
        stop(pointer);
    }

    /**
     * Searches from another state from now on, which comes after {@code depth} joint moves. What is known of
     * it and of what follows is kept.
     */
    public void setRoot(State state, int depth) {
        if (state.game() != game) {
            throw new IllegalArgumentException("the state is of another game");
        }
        if (depth < 0) {
            throw new IllegalArgumentException("depth must not be negative, as " + depth + " is");
        }
        Exchange exchange = Game.question(state);
        setRoot(pointer, depth, exchange.address(), exchange.capacity());
    }

    /** What is known so far, for one role. */
    public SearchReport report(int role) {
        Exchange exchange;
        do {
            exchange = Exchange.begin(0);
        } while (!exchange.holds(report(pointer, role, exchange.address(), exchange.capacity())));
        return new SearchReport(exchange);
    }

    /** Ends a run that is under way, and frees what was found out. */
    @Override
    public void close() {
        close(pointer);
    }

    /** The game is given so that it lives until the search has been made. */
    static native long make(Game game, long pointer, int threads, long seed, long memory,
            boolean evaluation);

    private static native void free(long pointer);

    private native void close(long pointer);

    private native void run(long pointer, double seconds, long playouts, long nodes);

    private native void stop(long pointer);

    private native void setRoot(long pointer, int depth, long address, int capacity);

    private native int report(long pointer, int role, long address, int capacity);
}
