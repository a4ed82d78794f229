package io.github.propjit.ggp;

import io.github.propjit.State;
import java.util.Set;
import org.ggp.base.util.gdl.grammar.GdlSentence;
import org.ggp.base.util.statemachine.MachineState;

/** A state of propjit's, which has its sentences only when somebody asks for them. */
final class PropjitState extends MachineState {
    private final Names names;
    private final State state;

    PropjitState(Names names, State state) {
        this.names = names;
        this.state = state;
    }

    boolean isOf(Names names) {
        return this.names == names;
    }

    State state() {
        return state;
    }

    @Override
    public Set<GdlSentence> getContents() {
        return names.sentences(state);
    }

    /** The same state, since it never changes. */
    @Override
    public MachineState clone() {
        return this;
    }

    /** That of the contents, as other machine states have it. */
    @Override
    public int hashCode() {
        return names.hash(state);
    }

    @Override
    public boolean equals(Object other) {
        if (other instanceof PropjitState && ((PropjitState) other).isOf(names)) {
            return ((PropjitState) other).state.equals(state);
        }
        return super.equals(other);
    }
}
