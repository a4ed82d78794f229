package io.github.propjit;

/**
 * A rulesheet cannot be read or is wrong. The message names each mistake with its place, as a
 * compiler does.
 */
public final class LoadException extends PropjitException {
    private static final long serialVersionUID = 1;

    LoadException(String message) {
        super(message);
    }
}
