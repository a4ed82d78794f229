package org.ggp.base.util.gdl.grammar;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** All there is of the grammar: what is written alike is the same object. */
public final class GdlPool {
    private static final Map<String, Gdl> POOL = new ConcurrentHashMap<>();

    public static final GdlConstant TRUE = getConstant("true");

    private GdlPool() {}

    public static GdlConstant getConstant(String value) {
        return (GdlConstant) pooled(value, GdlConstant::new);
    }

    public static GdlFunction getFunction(GdlConstant name, GdlTerm[] body) {
        return (GdlFunction) pooled(text(name, body), GdlFunction::new);
    }

    /** Other than terms, relations have a space in front here, so that the pool tells them apart. */
    public static GdlRelation getRelation(GdlConstant name, GdlTerm[] body) {
        String text = " " + text(name, body);
        return (GdlRelation) pooled(text, written -> new GdlRelation(written, body));
    }

    private static Gdl pooled(String text, Function<String, Gdl> make) {
        return POOL.computeIfAbsent(text, make);
    }

    private static String text(GdlConstant name, GdlTerm[] body) {
        StringBuilder text = new StringBuilder("( ").append(name).append(' ');
        for (GdlTerm term : body) {
            text.append(term).append(' ');
        }
        return text.append(')').toString();
    }
}
