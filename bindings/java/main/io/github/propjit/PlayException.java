package io.github.propjit;

/**
 * The rules leave open what follows, it took too long to find out, or the game would have to be
 * ground.
 */
public final class PlayException extends PropjitException {
    private static final long serialVersionUID = 1;

    PlayException(String message) {
        super(message);
    }
}
