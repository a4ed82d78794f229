package io.github.propjit;

/** What goes wrong in propjit. */
public class PropjitException extends RuntimeException {
    private static final long serialVersionUID = 1;

    PropjitException(String message) {
        super(message);
    }
}
