package org.ggp.base.util.gdl.grammar;

/** What may hold or not. */
public abstract class GdlSentence extends Gdl {
    GdlSentence(String text) {
        super(text);
    }

    public abstract GdlTerm get(int index);
}
