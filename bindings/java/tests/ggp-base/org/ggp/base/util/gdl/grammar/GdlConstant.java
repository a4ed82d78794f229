package org.ggp.base.util.gdl.grammar;

/** A constant. */
public final class GdlConstant extends GdlTerm {
    GdlConstant(String text) {
        super(text);
    }
}
