package org.ggp.base.util.gdl.grammar;

/** A term. */
public abstract class GdlTerm extends Gdl {
    GdlTerm(String text) {
        super(text);
    }
}
