import io.github.propjit.Game;
import io.github.propjit.PlayException;
import io.github.propjit.State;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Recorded matches of public rulesheets, replayed with states and with the state machine for ggp-base:
 * {@code TraceTest FOLDER}. Of the rulesheets, one in ten, or all with {@code PROPJIT_SOAK=1}.
 */
final class TraceTest {
    private final Game game;
    private final Replay[] replays;

    private TraceTest(Path rules) throws Exception {
        game = Game.load(rules);
        replays = new Replay[] {new StateReplay(game), new MachineReplay(rules)};
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Paths.get(arguments[0]);
        List<String> names;
        try (Stream<Path> files = Files.list(folder.resolve("traces"))) {
            names = files.map(file -> file.getFileName().toString().replace(".json", ""))
                    .sorted()
                    .collect(Collectors.toList());
        }
        int every = "1".equals(System.getenv("PROPJIT_SOAK")) ? 1 : 10;
        int replayed = 0;
        for (int i = 0; i < names.size(); i += every) {
            String name = names.get(i);
            byte[] trace = Files.readAllBytes(folder.resolve("traces").resolve(name + ".json"));
            try {
                TraceTest test = new TraceTest(folder.resolve("games").resolve(name + ".kif"));
                test.replay(Json.read(new String(trace, StandardCharsets.UTF_8)));
            } catch (Exception | AssertionError error) {
                throw new AssertionError(name, error);
            }
            replayed++;
        }
        System.out.println("the traces of " + replayed + " rulesheets replay in Java");
    }

    private void replay(Map<String, Object> trace) throws Exception {
        // What only the prover plays is slow.
        int matches = game.isGround() ? Integer.MAX_VALUE : 1;
        int steps = game.isGround() ? Integer.MAX_VALUE : 5;
        for (Replay replay : replays) {
            list(trace.get("matches")).stream().limit(matches).forEach(match -> {
                List<Object> recorded = list(map(match).get("steps"));
                try {
                    replay.start();
                    for (int i = 0; i < Math.min(steps, recorded.size()); i++) {
                        check(replay, map(recorded.get(i)));
                    }
                } catch (Exception error) {
                    throw new AssertionError(error);
                }
            });
        }
    }

    private void check(Replay replay, Map<String, Object> step) throws Exception {
        List<String> fluents = replay.fluents();
        Checks.equal((double) fluents.size(), step.get("fluents"));
        Checks.equal(fnv(fluents), step.get("fluents_fnv"));
        Checks.equal(replay.isTerminal(), step.get("terminal"));
        int roles = game.roles().size();
        for (int role = 0; role < roles; role++) {
            if (step.containsKey("goals")) {
                Object goal = list(step.get("goals")).get(role);
                Checks.equal(String.valueOf(replay.goal(role)), String.valueOf(goal));
            }
            if (step.containsKey("legal")) {
                List<String> legal = replay.legal(role);
                Checks.equal((double) legal.size(), list(step.get("legal")).get(role));
                Checks.equal(fnv(legal), list(step.get("legal_fnv")).get(role));
            }
        }
        if (step.containsKey("joint")) {
            List<String> joint = new ArrayList<>();
            list(step.get("joint")).forEach(move -> joint.add((String) move));
            replay.play(joint);
        }
    }

    /** FNV-1a, 64 bits, of sorted lines. */
    private static String fnv(List<String> texts) {
        long hash = 0xCBF29CE484222325L;
        for (String text : texts) {
            for (byte letter : (text + "\n").getBytes(StandardCharsets.UTF_8)) {
                hash = (hash ^ (letter & 0xFF)) * 0x100000001B3L;
            }
        }
        return String.format("%016x", hash);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    private static List<Object> list(Object value) {
        return (List<Object>) value;
    }

    /** A match that is replayed with states. */
    private static final class StateReplay implements Replay {
        private final Game game;
        private State state;

        StateReplay(Game game) {
            this.game = game;
        }

        @Override
        public void start() {
            state = game.initial();
        }

        @Override
        public List<String> fluents() {
            return state.fluents();
        }

        @Override
        public boolean isTerminal() {
            return state.isTerminal();
        }

        @Override
        public Double goal(int role) {
            try {
                return (double) state.goal(role);
            } catch (PlayException undefined) {
                return null;
            }
        }

        @Override
        public List<String> legal(int role) {
            String[] texts = state.legalTexts(role).toArray(new String[0]);
            Arrays.sort(texts);
            return Arrays.asList(texts);
        }

        @Override
        public void play(List<String> joint) {
            int[] moves = new int[joint.size()];
            for (int role = 0; role < moves.length; role++) {
                moves[role] = game.parseMove(role, joint.get(role));
            }
            state = state.next(moves);
        }
    }
}
