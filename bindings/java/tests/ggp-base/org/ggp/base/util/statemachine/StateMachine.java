package org.ggp.base.util.statemachine;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.ggp.base.util.gdl.grammar.Gdl;
import org.ggp.base.util.gdl.grammar.GdlSentence;
import org.ggp.base.util.gdl.grammar.GdlTerm;
import org.ggp.base.util.statemachine.exceptions.GoalDefinitionException;
import org.ggp.base.util.statemachine.exceptions.MoveDefinitionException;
import org.ggp.base.util.statemachine.exceptions.TransitionDefinitionException;

/** The methods of ggp-base's state machine that propjit overrides or that its tests call. */
public abstract class StateMachine {
    public abstract void initialize(List<Gdl> description);

    public abstract int getGoal(MachineState state, Role role) throws GoalDefinitionException;

    public abstract boolean isTerminal(MachineState state);

    public abstract List<Role> getRoles();

    public abstract MachineState getInitialState();

    public abstract List<Move> getLegalMoves(MachineState state, Role role)
            throws MoveDefinitionException;

    public abstract MachineState getNextState(MachineState state, List<Move> moves)
            throws TransitionDefinitionException;

    public MachineState getMachineStateFromSentenceList(Set<GdlSentence> sentences) {
        return new MachineState(sentences);
    }

    public Move getMoveFromTerm(GdlTerm term) {
        return new Move(term);
    }

    public MachineState getNextStateDestructively(MachineState state, List<Move> moves)
            throws TransitionDefinitionException {
        return getNextState(state, moves);
    }

    public Move getRandomMove(MachineState state, Role role) throws MoveDefinitionException {
        throw new UnsupportedOperationException("propjit has its own");
    }

    public List<Move> getRandomJointMove(MachineState state) throws MoveDefinitionException {
        List<Move> moves = new ArrayList<>();
        for (Role role : getRoles()) {
            moves.add(getRandomMove(state, role));
        }
        return moves;
    }

    public MachineState performDepthCharge(MachineState state, int[] depth)
            throws TransitionDefinitionException, MoveDefinitionException {
        throw new UnsupportedOperationException("propjit has its own");
    }

    /** The scores and depths of charges one after the other. */
    public void getAverageDiscountedScoresFromRepeatedDepthCharges(MachineState state,
            double[] avgScores, double[] avgDepth, double discountFactor, int repetitions)
            throws TransitionDefinitionException, MoveDefinitionException, GoalDefinitionException {
        int[] depth = new int[1];
        for (int i = 0; i < repetitions; i++) {
            MachineState end = performDepthCharge(state.clone(), depth);
            avgDepth[0] += (double) depth[0] / repetitions;
            double discount = Math.pow(discountFactor, depth[0]);
            for (int role = 0; role < avgScores.length; role++) {
                avgScores[role] += getGoal(end, getRoles().get(role)) * discount / repetitions;
            }
        }
    }
}
