import com.sun.management.OperatingSystemMXBean;
import io.github.propjit.Game;
import io.github.propjit.ggp.PropjitStateMachine;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.List;
import org.ggp.base.util.gdl.grammar.Gdl;
import org.ggp.base.util.gdl.grammar.GdlPool;
import org.ggp.base.util.statemachine.MachineState;
import org.ggp.base.util.statemachine.Role;
import org.ggp.base.util.statemachine.StateMachine;
import org.ggp.base.util.statemachine.exceptions.GoalDefinitionException;

/**
 * State changes of random matches in a second of CPU time, with the state machine for ggp-base:
 * {@code States SECONDS RULESHEET...}. State by state, as a search calls it; by depth charges; by
 * averages of them; and by playouts of the plain interface.
 */
final class States {
    /** Plays matches and returns how many state changes they had. */
    private interface Matches {
        long play() throws Exception;
    }

    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final StateMachine machine = new PropjitStateMachine();
    private final double seconds;

    private States(double seconds) {
        this.seconds = seconds;
    }

    public static void main(String[] arguments) throws Exception {
        States states = new States(Double.parseDouble(arguments[0]));
        System.out.println("game,state_by_state_per_s,depth_charges_per_s,averages_per_s,batches_per_s");
        for (String rulesheet : arguments) {
            if (rulesheet != arguments[0]) {
                new States(states.seconds).measure(Paths.get(rulesheet));
            }
        }
    }

    private void measure(Path rulesheet) throws Exception {
        String rules = new String(Files.readAllBytes(rulesheet), StandardCharsets.UTF_8);
        machine.initialize(Collections.<Gdl>singletonList(GdlPool.getConstant(rules)));
        Game game = ((PropjitStateMachine) machine).game();
        game.waitForCode();
        MachineState initial = machine.getInitialState();
        int[] depth = new int[1];
        double stepping = rate(this::match);
        double charging = rate(() -> {
            machine.performDepthCharge(initial, depth);
            return depth[0];
        });
        // Where goals are undefined, so are the scores.
        double[] scores = new double[0];
        double[] mean = new double[1];
        int charges = 10_000;
        double averaging = rate(() -> {
            machine.getAverageDiscountedScoresFromRepeatedDepthCharges(
                    initial, scores, mean, 1, charges);
            return Math.round(mean[0] * charges);
        });
        long matches = 100_000;
        double batches = rate(() ->
                Math.round(game.playouts(matches, 1, 1).lengths().mean() * matches));
        String name = rulesheet.getFileName().toString().replace(".kif", "");
        System.out.printf("%s,%.0f,%.0f,%.0f,%.0f%n", name, stepping, charging, averaging, batches);
        game.close();
    }

    /** A random match with what a search asks about each state. */
    private long match() throws Exception {
        MachineState state = machine.getInitialState();
        long steps = 0;
        while (!machine.isTerminal(state)) {
            state = machine.getNextState(state, machine.getRandomJointMove(state));
            steps++;
        }
        List<Role> roles = machine.getRoles();
        for (Role role : roles) {
            try {
                machine.getGoal(state, role);
            } catch (GoalDefinitionException undefined) {
                // So it is in some games.
                continue;
            }
        }
        return steps;
    }

    /**
     * State changes in a second of this process, its garbage collection included, after the virtual
     * machine has had as much time to compile.
     */
    private double rate(Matches matches) throws Exception {
        double rate = 0;
        for (int round = 0; round < 2; round++) {
            long changes = 0;
            long start = PROCESS.getProcessCpuTime();
            double passed;
            do {
                changes += matches.play();
                passed = (PROCESS.getProcessCpuTime() - start) / 1e9;
            } while (passed < seconds);
            rate = changes / passed;
        }
        return rate;
    }
}
