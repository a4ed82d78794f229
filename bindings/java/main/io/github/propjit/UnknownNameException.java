package io.github.propjit;

/** A text names no role, move or proposition of the game. */
public final class UnknownNameException extends PropjitException {
    private static final long serialVersionUID = 1;

    UnknownNameException(String message) {
        super(message);
    }
}
