package io.github.propjit;

/** What a search has found out about a move. */
public final class MoveReport {
    private final int move;
    private final long visits;
    private final double value;
    private final double standardError;

    MoveReport(Exchange answer) {
        move = answer.getInt();
        visits = answer.get();
        value = answer.getDouble();
        standardError = answer.getDouble();
    }

    /** The move. */
    public int move() {
        return move;
    }

    /** How often it was looked at. */
    public long visits() {
        return visits;
    }

    /** The goal that the role can expect, or not a number if the move was not looked at. */
    public double value() {
        return value;
    }

    /** The standard error of that, or not a number if the value is proved. */
    public double standardError() {
        return standardError;
    }
}
