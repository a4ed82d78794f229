package org.ggp.base.util.statemachine;

import java.util.HashSet;
import java.util.Set;
import org.ggp.base.util.gdl.grammar.GdlSentence;

/** A state: the sentences that hold. */
public class MachineState {
    private final Set<GdlSentence> contents;

    public MachineState() {
        this(null);
    }

    public MachineState(Set<GdlSentence> contents) {
        this.contents = contents;
    }

    public Set<GdlSentence> getContents() {
        return contents;
    }

    @Override
    public MachineState clone() {
        return new MachineState(new HashSet<>(contents));
    }

    @Override
    public int hashCode() {
        return getContents().hashCode();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MachineState
                && ((MachineState) other).getContents().equals(getContents());
    }

    @Override
    public String toString() {
        return getContents().toString();
    }
}
