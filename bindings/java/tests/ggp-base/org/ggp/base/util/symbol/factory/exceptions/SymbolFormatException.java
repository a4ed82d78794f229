package org.ggp.base.util.symbol.factory.exceptions;

/** A text is no term. */
@SuppressWarnings("serial")
public final class SymbolFormatException extends Exception {
    public SymbolFormatException(String source) {
        super(source);
    }
}
