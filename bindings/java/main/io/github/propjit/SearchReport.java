package io.github.propjit;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** What a search has found out about a role. */
public final class SearchReport {
    private final boolean solved;
    private final double value;
    private final long nodes;
    private final long playouts;
    private final List<MoveReport> moves;

    SearchReport(Exchange answer) {
        solved = answer.get() != 0;
        value = answer.getDouble();
        nodes = answer.get();
        playouts = answer.get();
        MoveReport[] reports = new MoveReport[answer.getInt()];
        for (int i = 0; i < reports.length; i++) {
            reports[i] = new MoveReport(answer);
        }
        moves = Collections.unmodifiableList(Arrays.asList(reports));
    }

    /**
     * The best move.
     *
     * @throws PlayException if there is no legal one, as in a terminal state
     */
    public int best() {
        if (moves.isEmpty()) {
            throw new PlayException("there is no legal move");
        }
        return moves.get(0).move();
    }

    /** Whether the value is proved. */
    public boolean isSolved() {
        return solved;
    }

    /** The goal that the role can expect, or not a number if nothing was looked at. */
    public double value() {
        return value;
    }

    /** How many nodes there are. */
    public long nodes() {
        return nodes;
    }

    /** How many matches were played since the state was set. */
    public long playouts() {
        return playouts;
    }

    /** The role's moves, best first. */
    public List<MoveReport> moves() {
        return moves;
    }
}
