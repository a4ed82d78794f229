package org.ggp.base.util.statemachine.exceptions;

import org.ggp.base.util.statemachine.MachineState;
import org.ggp.base.util.statemachine.Role;

/** A role has no legal move. */
@SuppressWarnings("serial")
public final class MoveDefinitionException extends Exception {
    public MoveDefinitionException(MachineState state, Role role) {
        super(role + " in " + state);
    }
}
