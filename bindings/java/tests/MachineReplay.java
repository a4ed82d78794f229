import io.github.propjit.ggp.PropjitStateMachine;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.ggp.base.util.gdl.factory.GdlFactory;
import org.ggp.base.util.gdl.grammar.Gdl;
import org.ggp.base.util.gdl.grammar.GdlPool;
import org.ggp.base.util.gdl.grammar.GdlSentence;
import org.ggp.base.util.statemachine.MachineState;
import org.ggp.base.util.statemachine.Move;
import org.ggp.base.util.statemachine.exceptions.GoalDefinitionException;
import org.ggp.base.util.statemachine.exceptions.MoveDefinitionException;

/** A match that is replayed with the state machine for ggp-base. */
final class MachineReplay implements Replay {
    final PropjitStateMachine machine = new PropjitStateMachine();
    MachineState state;

    MachineReplay(Path rules) throws Exception {
        this(new String(Files.readAllBytes(rules), StandardCharsets.UTF_8));
    }

    MachineReplay(String rules) {
        // A description is known by its text only.
        machine.initialize(Collections.<Gdl>singletonList(GdlPool.getConstant(rules)));
    }

    /** A text of ggp-base's as propjit writes it. */
    static String text(Object gdl) {
        return gdl.toString().trim().replace("( ", "(").replace(" )", ")");
    }

    @Override
    public void start() {
        state = machine.getInitialState();
    }

    @Override
    public List<String> fluents() {
        List<String> fluents = new ArrayList<>();
        for (GdlSentence sentence : state.getContents()) {
            fluents.add(text(sentence.get(0)));
        }
        Collections.sort(fluents);
        return fluents;
    }

    @Override
    public boolean isTerminal() {
        return machine.isTerminal(state);
    }

    @Override
    public Double goal(int role) {
        try {
            return (double) machine.getGoal(state, machine.getRoles().get(role));
        } catch (GoalDefinitionException undefined) {
            return null;
        }
    }

    @Override
    public List<String> legal(int role) {
        List<String> legal = new ArrayList<>();
        try {
            for (Move move : machine.getLegalMoves(state, machine.getRoles().get(role))) {
                legal.add(text(move));
            }
        } catch (MoveDefinitionException none) {
            return legal;
        }
        Collections.sort(legal);
        return legal;
    }

    @Override
    public void play(List<String> joint) throws Exception {
        List<Move> moves = new ArrayList<>();
        for (String move : joint) {
            moves.add(machine.getMoveFromTerm(GdlFactory.createTerm(move)));
        }
        state = machine.getNextState(state, moves);
    }
}
