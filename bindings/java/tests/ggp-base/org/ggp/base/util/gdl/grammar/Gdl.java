package org.ggp.base.util.gdl.grammar;

/** A piece of a game description. */
public abstract class Gdl {
    private final String text;

    Gdl(String text) {
        this.text = text;
    }

    @Override
    public final String toString() {
        return text;
    }
}
