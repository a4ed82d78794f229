package org.ggp.base.util.gdl.factory;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Arrays;
import org.ggp.base.util.gdl.grammar.GdlConstant;
import org.ggp.base.util.gdl.grammar.GdlPool;
import org.ggp.base.util.gdl.grammar.GdlTerm;
import org.ggp.base.util.symbol.factory.exceptions.SymbolFormatException;

/** Terms from text. */
public final class GdlFactory {
    private GdlFactory() {}

    public static GdlTerm createTerm(String string) throws SymbolFormatException {
        String spaced = string.replace("(", " ( ").replace(")", " ) ").trim();
        Iterator<String> tokens = Arrays.asList(spaced.split("\\s+")).iterator();
        GdlTerm term = term(tokens.next(), tokens);
        if (term == null || tokens.hasNext()) {
            throw new SymbolFormatException(string);
        }
        return term;
    }

    /** The term that starts with a token, or null if that ends a list. */
    private static GdlTerm term(String token, Iterator<String> tokens) {
        if (token.equals(")")) {
            return null;
        }
        if (!token.equals("(")) {
            return GdlPool.getConstant(token);
        }
        GdlConstant name = GdlPool.getConstant(tokens.next());
        List<GdlTerm> body = new ArrayList<>();
        GdlTerm next;
        while ((next = term(tokens.next(), tokens)) != null) {
            body.add(next);
        }
        return GdlPool.getFunction(name, body.toArray(new GdlTerm[0]));
    }
}
