package io.github.propjit;

/** A random match. */
public final class Charge {
    private final State end;
    private final int steps;

    Charge(State end, int steps) {
        this.end = end;
        this.steps = steps;
    }

    /**
     * Where it ended: in a terminal state, in one in which a role has no legal move, or after as many
     * joint moves as it might have.
     */
    public State end() {
        return end;
    }

    /** How many joint moves it had. */
    public int steps() {
        return steps;
    }
}
