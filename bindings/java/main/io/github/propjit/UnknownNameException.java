package io.github.propjit;

/** A text is not the name of a role, move or proposition of the game. */
public final class UnknownNameException extends PropjitException {
    private static final long serialVersionUID = 1;

    UnknownNameException(String message) {
        super(message);
    }
}
