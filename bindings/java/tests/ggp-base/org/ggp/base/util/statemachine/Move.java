package org.ggp.base.util.statemachine;

import java.io.Serializable;
import org.ggp.base.util.gdl.grammar.GdlTerm;

/** A move of some role. */
@SuppressWarnings("serial")
public class Move implements Serializable {
    protected final GdlTerm contents;

    public Move(GdlTerm contents) {
        this.contents = contents;
    }

    public GdlTerm getContents() {
        return contents;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Move && ((Move) other).contents.equals(contents);
    }

    @Override
    public int hashCode() {
        return contents.hashCode();
    }

    @Override
    public String toString() {
        return contents.toString();
    }
}
