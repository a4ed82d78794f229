package io.github.propjit;

/** A move is not legal in a state, or the match is over. */
public final class IllegalMoveException extends PropjitException {
    private static final long serialVersionUID = 1;

    IllegalMoveException(String message) {
        super(message);
    }
}
