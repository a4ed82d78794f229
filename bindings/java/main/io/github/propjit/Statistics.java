package io.github.propjit;

/** How many values there were, and their mean. */
public final class Statistics {
    private final long count;
    private final double mean;
    private final double standardError;

    Statistics(Exchange answer) {
        count = answer.get();
        mean = answer.getDouble();
        standardError = answer.getDouble();
    }

    /** The number of values. */
    public long count() {
        return count;
    }

    /** Their mean, or not a number if there are none. */
    public double mean() {
        return mean;
    }

    /** The standard error of the mean, or not a number if there are less than two values. */
    public double standardError() {
        return standardError;
    }
}
