package io.github.propjit;

/** What came of random matches. */
public final class Playouts {
    private final long count;
    private final long truncated;
    private final long stuck;
    private final Statistics lengths;
    private final Statistics[] goals;
    private final long[] undefined;

    Playouts(int roles, Exchange answer) {
        count = answer.get();
        truncated = answer.get();
        stuck = answer.get();
        lengths = new Statistics(answer);
        goals = new Statistics[roles];
        undefined = new long[roles];
        for (int role = 0; role < roles; role++) {
            goals[role] = new Statistics(answer);
            undefined[role] = answer.get();
        }
    }

    /** The length of an answer about a game with this number of roles. */
    static int size(int roles) {
        return 6 + 4 * roles;
    }

    /** The number of matches. */
    public long count() {
        return count;
    }

    /** The number of matches that were given up because they were too long. */
    public long truncated() {
        return truncated;
    }

    /** The number of matches that ended where a role has no legal move. */
    public long stuck() {
        return stuck;
    }

    /** The numbers of joint moves. */
    public Statistics lengths() {
        return lengths;
    }

    /** The goals of a role where matches ended in a terminal state. */
    public Statistics goals(int role) {
        Game.requireRole(role, goals.length);
        return goals[role];
    }

    /** The number of terminal states in which a role did not have exactly one goal. */
    public long undefined(int role) {
        Game.requireRole(role, undefined.length);
        return undefined[role];
    }
}
