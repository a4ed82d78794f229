package org.ggp.base.util.gdl.grammar;

/** A sentence with arguments. */
public final class GdlRelation extends GdlSentence {
    private final GdlTerm[] body;

    GdlRelation(String text, GdlTerm[] body) {
        super(text);
        this.body = body;
    }

    @Override
    public GdlTerm get(int index) {
        return body[index];
    }
}
