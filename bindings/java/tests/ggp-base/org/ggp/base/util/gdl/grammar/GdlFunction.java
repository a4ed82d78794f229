package org.ggp.base.util.gdl.grammar;

/** A term with arguments. */
public final class GdlFunction extends GdlTerm {
    GdlFunction(String text) {
        super(text);
    }
}
