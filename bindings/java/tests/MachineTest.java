import io.github.propjit.Game;
import io.github.propjit.PlayException;
import io.github.propjit.State;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.ggp.base.util.gdl.grammar.GdlSentence;
import org.ggp.base.util.statemachine.MachineState;
import org.ggp.base.util.statemachine.Move;
import org.ggp.base.util.statemachine.Role;
import org.ggp.base.util.statemachine.exceptions.GoalDefinitionException;
import org.ggp.base.util.statemachine.exceptions.MoveDefinitionException;
import org.ggp.base.util.statemachine.exceptions.TransitionDefinitionException;

/** The state machine for ggp-base: {@code MachineTest FOLDER}, with the project's own games. */
final class MachineTest {
    private final Path folder;

    private MachineTest(Path folder) {
        this.folder = folder;
    }

    public static void main(String[] arguments) throws Exception {
        MachineTest test = new MachineTest(Paths.get(arguments[0]));
        for (String game : Arrays.asList("connectFour", "kalah", "pegTriangle",
                "threePlayerTicTacToe", "ticTacToe", "tron")) {
            test.agreesWithTheProver(game);
        }
        test.statesAreWhatTheyContain();
        test.chargesEndAsMatchesDo();
        test.terminalStatesAnswerAsGgpBaseDoes();
        test.averagesAreThoseOfCharges();
        test.errorsAreThoseOfGgpBase();
        System.out.println("the state machine for ggp-base works");
    }

    private MachineReplay replay(String game) throws Exception {
        MachineReplay replay = new MachineReplay(folder.resolve(game + ".kif"));
        replay.start();
        return replay;
    }

    /** Plays at random and compares all that both say. */
    private void agreesWithTheProver(String name) throws Exception {
        MachineReplay replay = replay(name);
        Random random = new Random(name.hashCode());
        try (Game game = Game.load(folder.resolve(name + ".kif"), true)) {
            Checks.holds(!game.isGround(), "the prover plays");
            State state = game.initial();
            for (int step = 0; step < 12; step++) {
                Checks.equal(replay.fluents(), state.fluents());
                Checks.equal(replay.isTerminal(), state.isTerminal());
                int[] moves = new int[game.roles().size()];
                List<String> joint = new ArrayList<>();
                for (int role = 0; role < moves.length; role++) {
                    Checks.equal(String.valueOf(replay.goal(role)), goal(state, role));
                    List<String> legal = new ArrayList<>();
                    for (int move = 0; move < state.derivedCount(role); move++) {
                        legal.add(game.moveText(role, state.derivedMove(role, move)));
                    }
                    Collections.sort(legal);
                    Checks.equal(replay.legal(role), legal);
                    if (!state.isTerminal()) {
                        String chosen = legal.get(random.nextInt(legal.size()));
                        joint.add(chosen);
                        moves[role] = game.parseMove(role, chosen);
                    }
                }
                if (state.isTerminal()) {
                    break;
                }
                replay.play(joint);
                state = state.next(moves);
            }
        }
    }

    private static String goal(State state, int role) {
        try {
            return String.valueOf((double) state.goal(role));
        } catch (PlayException undefined) {
            return "null";
        }
    }

    private void statesAreWhatTheyContain() throws Exception {
        MachineReplay replay = replay("connectFour");
        MachineState initial = replay.state;
        replay.play(Arrays.asList("(drop 4)", "noop"));
        MachineState state = replay.state;
        Set<GdlSentence> contents = new HashSet<>(state.getContents());
        MachineState stranger = new MachineState(contents);
        MachineState made = replay.machine.getMachineStateFromSentenceList(contents);
        for (MachineState same : Arrays.asList(stranger, made, state.clone())) {
            Checks.equal(same, state);
            Checks.equal(state, same);
            Checks.equal(same.hashCode(), state.hashCode());
            Checks.holds(!same.equals(initial), "the state before is another one");
        }
        Role yellow = replay.machine.getRoles().get(1);
        Checks.equal(replay.machine.getLegalMoves(stranger, yellow),
                replay.machine.getLegalMoves(state, yellow));
        // Moves of one role may be spelled like those of another one, and have other numbers there.
        Move drop = replay.machine.getLegalMoves(initial, replay.machine.getRoles().get(0)).get(0);
        List<Move> joint = Arrays.asList(
                replay.machine.getLegalMoves(state, replay.machine.getRoles().get(0)).get(0), drop);
        replay.state = replay.machine.getNextState(stranger, joint);
        Checks.equal(replay.fluents().size(), 3);
    }

    private void chargesEndAsMatchesDo() throws Exception {
        MachineReplay replay = replay("connectFour");
        int[] depth = new int[1];
        Map<MachineState, Integer> ends = new HashMap<>();
        for (int i = 0; i < 100; i++) {
            MachineState end = replay.machine.performDepthCharge(replay.state, depth);
            Checks.holds(replay.machine.isTerminal(end), "a charge ends in a terminal state");
            Checks.equal(end.getContents().size(), depth[0] + 1);
            ends.put(end, depth[0]);
        }
        Checks.holds(ends.size() > 1, "charges differ");
        Checks.holds(replay.machine.performDepthCharge(replay.state, null) != null, "no depth");

        double[] scores = new double[2];
        double[] mean = new double[1];
        for (double discount : new double[] {1, 0.99}) {
            Arrays.fill(scores, 0);
            mean[0] = 0;
            replay.machine.getAverageDiscountedScoresFromRepeatedDepthCharges(
                    replay.state, scores, mean, discount, 500);
            Checks.holds(mean[0] >= 7 && mean[0] <= 42, "a match has 7 to 42 moves");
            double most = 100 * Math.pow(discount, 7);
            double least = 100 * Math.pow(discount, 42);
            double both = scores[0] + scores[1];
            Checks.holds(both <= most + 1e-6 && both >= least - 1e-6, "goals add up to 100");
        }
        Checks.equal(replay.machine.getRandomJointMove(replay.state).size(), 2);
    }

    /** By what the rules derive, as those of ggp-base's own machines, which do not look at the end. */
    private void terminalStatesAnswerAsGgpBaseDoes() throws Exception {
        MachineReplay replay = replay("ticTacToe");
        for (String[] joint : new String[][] {{"( mark 1 1 )", "noop"}, {"noop", "( mark 2 1 )"},
            {"( mark 1 2 )", "noop"}, {"noop", "( mark 2 2 )"}, {"( mark 1 3 )", "noop"}}) {
            replay.play(Arrays.asList(joint));
        }
        MachineState end = replay.state;
        Checks.holds(replay.isTerminal(), "x has won");
        for (Role role : replay.machine.getRoles()) {
            Checks.holds(!replay.machine.getLegalMoves(end, role).isEmpty(), "rules go on");
        }
        List<Move> joint = replay.machine.getRandomJointMove(end);
        Checks.holds(!replay.machine.getNextState(end, joint).equals(end), "rules go on");
    }

    /** Where charges are long, and where they end without goals. */
    private void averagesAreThoseOfCharges() throws Exception {
        StringBuilder rules = new StringBuilder("(role climber) (init (at 0)) (legal climber climb)"
                + "(legal climber slip) (<= (next (at 0)) (does climber slip))"
                + "(<= (next (at ?m)) (does climber climb) (true (at ?n)) (above ?n ?m))"
                + "(<= terminal (true (at 13))) (goal climber 70)");
        for (int step = 0; step < 13; step++) {
            rules.append("(above " + step + " " + (step + 1) + ")");
        }
        MachineReplay climb = new MachineReplay(rules.toString());
        climb.start();
        double[] scores = new double[1];
        double[] depth = new double[1];
        // The mean length of a match is 16,382 moves.
        climb.machine.getAverageDiscountedScoresFromRepeatedDepthCharges(
                climb.state, scores, depth, 1, 10);
        Checks.holds(Math.abs(scores[0] - 70) < 1e-6 && depth[0] >= 13, "all ends are reached");

        String ending = "(role left) (role right) (init (at 0)) (legal left wait)"
                + "(<= (legal right wait) (true (at 0))) (<= (next (at 1)) (true (at 0)))"
                + "(<= terminal (true (at ?n)) (last ?n)) (goal left 100)"
                + "(<= (goal right 0) (true (at 0)))";
        MachineReplay stuck = new MachineReplay(ending + "(last 2)");
        stuck.start();
        Checks.fails(MoveDefinitionException.class, "right in [ ( true ( at 1 ) )]",
                () -> stuck.machine.getAverageDiscountedScoresFromRepeatedDepthCharges(
                        stuck.state, new double[2], new double[1], 1, 10));
        MachineReplay undefined = new MachineReplay(ending + "(last 1)");
        undefined.start();
        Checks.fails(GoalDefinitionException.class, "right in [ ( true ( at 1 ) )]",
                () -> undefined.machine.getAverageDiscountedScoresFromRepeatedDepthCharges(
                        undefined.state, new double[2], new double[1], 1, 10));
    }

    private void errorsAreThoseOfGgpBase() throws Exception {
        MachineReplay replay = replay("connectFour");
        Role red = replay.machine.getRoles().get(0);
        Checks.fails(TransitionDefinitionException.class, "noop",
                () -> replay.play(Arrays.asList("noop", "noop")));
        Checks.fails(TransitionDefinitionException.class, "jump",
                () -> replay.play(Arrays.asList("jump", "noop")));
        Checks.fails(TransitionDefinitionException.class, "noop",
                () -> replay.play(Arrays.asList("noop")));
        MachineState nothing =
                replay.machine.getMachineStateFromSentenceList(new HashSet<GdlSentence>());
        Checks.fails(MoveDefinitionException.class, "red",
                () -> replay.machine.getLegalMoves(nothing, red));
        Checks.fails(MoveDefinitionException.class, "red",
                () -> replay.machine.getRandomMove(nothing, red));
        Checks.fails(MoveDefinitionException.class, "red",
                () -> replay.machine.performDepthCharge(nothing, null));
        MachineReplay goals = replay("pegTriangle");
        Checks.fails(GoalDefinitionException.class, "",
                () -> goals.machine.getGoal(
                        goals.machine.getMachineStateFromSentenceList(new HashSet<GdlSentence>()),
                        goals.machine.getRoles().get(0)));
    }
}
