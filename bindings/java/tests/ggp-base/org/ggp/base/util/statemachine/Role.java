package org.ggp.base.util.statemachine;

import org.ggp.base.util.gdl.grammar.GdlConstant;

/** A role. */
public class Role {
    protected final GdlConstant name;

    public Role(GdlConstant name) {
        this.name = name;
    }

    public GdlConstant getName() {
        return name;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Role && ((Role) other).name.equals(name);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    @Override
    public String toString() {
        return name.toString();
    }
}
