package org.ggp.base.util.statemachine.exceptions;

import java.util.List;
import org.ggp.base.util.statemachine.MachineState;
import org.ggp.base.util.statemachine.Move;

/** Nothing follows from moves. */
@SuppressWarnings("serial")
public final class TransitionDefinitionException extends Exception {
    public TransitionDefinitionException(MachineState state, List<Move> moves) {
        super(moves + " in " + state);
    }
}
