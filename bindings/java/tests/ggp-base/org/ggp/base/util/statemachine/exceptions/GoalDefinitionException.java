package org.ggp.base.util.statemachine.exceptions;

import org.ggp.base.util.statemachine.MachineState;
import org.ggp.base.util.statemachine.Role;

/** A role does not have exactly one goal. */
@SuppressWarnings("serial")
public final class GoalDefinitionException extends Exception {
    public GoalDefinitionException(MachineState state, Role role) {
        super(role + " in " + state);
    }
}
