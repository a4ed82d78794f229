package io.github.propjit.ggp;

import io.github.propjit.Charge;
import io.github.propjit.Game;
import io.github.propjit.IllegalMoveException;
import io.github.propjit.PlayException;
import io.github.propjit.Playouts;
import io.github.propjit.State;
import io.github.propjit.UnknownNameException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.ggp.base.util.gdl.grammar.Gdl;
import org.ggp.base.util.gdl.grammar.GdlSentence;
import org.ggp.base.util.gdl.grammar.GdlTerm;
import org.ggp.base.util.statemachine.MachineState;
import org.ggp.base.util.statemachine.Move;
import org.ggp.base.util.statemachine.Role;
import org.ggp.base.util.statemachine.StateMachine;
import org.ggp.base.util.statemachine.exceptions.GoalDefinitionException;
import org.ggp.base.util.statemachine.exceptions.MoveDefinitionException;
import org.ggp.base.util.statemachine.exceptions.TransitionDefinitionException;

/**
 * propjit as a state machine for ggp-base. Any number of threads may use it once it is initialised.
 *
 * <p>States are propjit's, and turned to sentences only when somebody asks for these; states of other
 * state machines are taken as well, at some cost. Since states never change, {@code
 * getNextStateDestructively} is {@code getNextState}, and {@code clone} of a state is that state.
 *
 * <p>As ggp-base's own machines do, it answers in terminal states by what the rules derive.
 */
public final class PropjitStateMachine extends StateMachine {
    private Game game;
    private Names names;
    private List<Role> roles;
    private PropjitState initial;

    /** A state machine that has to be initialised. */
    public PropjitStateMachine() {}

    /** The game behind it, for what only propjit has. */
    public Game game() {
        return game;
    }

    @Override
    public void initialize(List<Gdl> description) {
        StringBuilder rules = new StringBuilder();
        for (Gdl gdl : description) {
            rules.append(gdl).append('\n');
        }
        game = Game.fromText("ggp-base", rules.toString());
        names = new Names(game);
        List<Role> named = new ArrayList<>();
        for (String role : game.roles()) {
            named.add(names.role(role));
        }
        roles = Collections.unmodifiableList(named);
        initial = new PropjitState(names, game.initial());
    }

    @Override
    public List<Role> getRoles() {
        return roles;
    }

    @Override
    public MachineState getInitialState() {
        return initial;
    }

    @Override
    public boolean isTerminal(MachineState state) {
        return own(state).isTerminal();
    }

    @Override
    public int getGoal(MachineState state, Role role) throws GoalDefinitionException {
        try {
            return own(state).goal(number(role));
        } catch (PlayException error) {
            throw new GoalDefinitionException(state, role);
        }
    }

    @Override
    public List<Move> getLegalMoves(MachineState state, Role role) throws MoveDefinitionException {
        State own = own(state);
        int player = number(role);
        int count = own.derivedCount(player);
        if (count == 0) {
            throw new MoveDefinitionException(state, role);
        }
        List<Move> moves = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            moves.add(names.move(player, own.derivedMove(player, i)));
        }
        return moves;
    }

    @Override
    public MachineState getNextState(MachineState state, List<Move> moves)
            throws TransitionDefinitionException {
        try {
            int[] numbers = new int[moves.size()];
            for (int player = 0; player < numbers.length; player++) {
                numbers[player] = names.number(player, moves.get(player));
            }
            return new PropjitState(names, own(state).derivedNext(numbers));
        } catch (IllegalMoveException | UnknownNameException | PlayException error) {
            throw new TransitionDefinitionException(state, moves);
        }
    }

    @Override
    public MachineState getMachineStateFromSentenceList(Set<GdlSentence> sentences) {
        return new PropjitState(names, names.state(sentences));
    }

    @Override
    public Move getMoveFromTerm(GdlTerm term) {
        return new Move(term);
    }

    @Override
    public Move getRandomMove(MachineState state, Role role) throws MoveDefinitionException {
        State own = own(state);
        int player = number(role);
        int count = own.derivedCount(player);
        if (count == 0) {
            throw new MoveDefinitionException(state, role);
        }
        int chosen = count == 1 ? 0 : ThreadLocalRandom.current().nextInt(count);
        return names.move(player, own.derivedMove(player, chosen));
    }

    /** One call of the library. */
    @Override
    public MachineState performDepthCharge(MachineState state, int[] depth)
            throws TransitionDefinitionException, MoveDefinitionException {
        long seed = ThreadLocalRandom.current().nextLong();
        Charge charge;
        try {
            charge = own(state).charge(seed, Integer.MAX_VALUE);
        } catch (PlayException error) {
            throw new TransitionDefinitionException(state, Collections.<Move>emptyList());
        }
        MachineState end = new PropjitState(names, charge.end());
        if (!charge.end().isTerminal()) {
            throw new MoveDefinitionException(end, stuckRole(charge.end()));
        }
        if (depth != null) {
            depth[0] = charge.steps();
        }
        return end;
    }

    /**
     * Without discount and in a ground game, all charges are one call, and played hundreds at a time.
     * If one of them ends without goals or is too long for that, charges are made one after the other:
     * these take as long as they take, and tell the state and the role that are to blame.
     */
    @Override
    public void getAverageDiscountedScoresFromRepeatedDepthCharges(MachineState state,
            double[] avgScores, double[] avgDepth, double discountFactor, int repetitions)
            throws TransitionDefinitionException, MoveDefinitionException, GoalDefinitionException {
        if (discountFactor == 1 && repetitions > 0 && game.isGround()) {
            long seed = ThreadLocalRandom.current().nextLong();
            List<State> from = Collections.singletonList(own(state));
            Playouts played = game.playouts(from, repetitions, seed)[0];
            if (allScored(played, avgScores.length)) {
                avgDepth[0] = played.lengths().mean();
                for (int player = 0; player < avgScores.length; player++) {
                    avgScores[player] = played.goals(player).mean();
                }
                return;
            }
        }
        super.getAverageDiscountedScoresFromRepeatedDepthCharges(
                state, avgScores, avgDepth, discountFactor, repetitions);
    }

    /** Whether all matches ended in a terminal state with a goal for each of the first players. */
    private static boolean allScored(Playouts played, int players) {
        for (int player = 0; player < players; player++) {
            if (played.goals(player).count() < played.count()) {
                return false;
            }
        }
        return true;
    }

    /** The state as this machine has it. */
    private State own(MachineState state) {
        if (state instanceof PropjitState && ((PropjitState) state).isOf(names)) {
            return ((PropjitState) state).state();
        }
        return names.state(state.getContents());
    }

    private int number(Role role) {
        int number = roles.indexOf(role);
        if (number < 0) {
            throw new IllegalArgumentException("the game has no role " + role);
        }
        return number;
    }

    /** A role without a legal move. */
    private Role stuckRole(State state) {
        int player = 0;
        while (state.legalCount(player) > 0) {
            player++;
        }
        return roles.get(player);
    }
}
