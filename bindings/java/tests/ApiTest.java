import io.github.propjit.Charge;
import io.github.propjit.Game;
import io.github.propjit.IllegalMoveException;
import io.github.propjit.Knowledge;
import io.github.propjit.LoadException;
import io.github.propjit.Planes;
import io.github.propjit.PlayException;
import io.github.propjit.Playouts;
import io.github.propjit.Search;
import io.github.propjit.SearchReport;
import io.github.propjit.State;
import io.github.propjit.UnknownNameException;
import java.lang.reflect.Field;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** The plain interface: {@code ApiTest FOLDER}, with the folder of the project's own games. */
final class ApiTest {
    private final Path folder;

    private ApiTest(Path folder) {
        this.folder = folder;
    }

    public static void main(String[] arguments) throws Exception {
        ApiTest test = new ApiTest(Paths.get(arguments[0]));
        test.statesAreValues();
        test.matchesEnd();
        test.learnersPlayByActions();
        test.planesAreArrangements();
        test.rolesPerceive();
        test.playersKnowWhatTheyPerceived();
        test.nobodyMovesWhenTheMatchIsOver();
        test.filesMayBeAnywhere();
        test.errorsSayWhatIsWrong();
        test.unknownNumbersAreRefused();
        test.proversTakeAnyTerm();
        test.playoutsAreCounted();
        test.searchesFindWhatIsBest();
        test.searchesStop();
        test.closedSearchesBeginNoRun();
        test.closedObjectsRefuse();
        test.whatNobodyRefersToIsFreed();
        test.threadsAgree();
        test.answersMayBeLong();
        System.out.println("the Java interface works");
    }

    private Game game(String name) {
        return Game.load(folder.resolve(name + ".kif"));
    }

    private void statesAreValues() {
        try (Game game = game("connectFour")) {
            Checks.equal(game.roles(), Arrays.asList("red", "yellow"));
            Checks.holds(game.isGround(), "connect four is ground");
            State initial = game.initial();
            Checks.equal(initial.legalTexts(1), Collections.singletonList("noop"));
            int middle = game.parseMove(0, "( drop  4 )");
            Checks.equal(game.moveText(0, middle), "(drop 4)");
            Checks.equal(game.moves(0).get(middle), "(drop 4)");
            Checks.equal(game.actions().subList(7, 8), Collections.singletonList("noop"));
            Checks.equal(game.choiceCount(), 7);
            for (int role = 0; role < 2; role++) {
                int four = game.parseMove(role, "(drop 4)");
                Checks.equal(game.actionOf(role, four), 3);
                Checks.equal(game.moveOf(role, 3), four);
            }
            State next = initial.next(middle, initial.legalMove(1, 0));
            Checks.equal(next.fluents(), Arrays.asList("(cell 4 1 red)", "(control yellow)"));
            Checks.equal(next.toString(), "(cell 4 1 red)\n(control yellow)");
            State same = game.state(Arrays.asList("(control yellow)", "(cell 4 1 red)"));
            Checks.equal(same, next);
            Checks.equal(same.hashCode(), next.hashCode());
            Checks.holds(!same.equals(initial) && !same.isTerminal(), "another state");
            List<String> fluents = new ArrayList<>();
            next.forEachFluent(fluent -> fluents.add(game.fluentText(fluent)));
            Collections.sort(fluents);
            Checks.equal(fluents, next.fluents());
            next.legal(1)[0] = -1;
            Checks.holds(next.legalMove(1, 0) >= 0, "what is handed out is a copy");
        }
    }

    private void matchesEnd() {
        try (Game game = game("ticTacToe")) {
            Random random = new Random(1);
            for (int match = 0; match < 100; match++) {
                State state = game.initial();
                while (!state.isTerminal()) {
                    int x = state.legalMove(0, random.nextInt(state.legalCount(0)));
                    int o = state.legalMove(1, random.nextInt(state.legalCount(1)));
                    state = state.next(x, o);
                }
                Checks.equal(state.goal(0) + state.goal(1), 100);
            }
            Charge charge = game.initial().charge(7, Game.MAX_STEPS);
            Checks.holds(charge.end().isTerminal(), "a charge ends in a terminal state");
            Checks.holds(charge.steps() >= 5 && charge.steps() <= 9, "after 5 to 9 moves");
            Checks.equal(game.initial().charge(7, Game.MAX_STEPS).end(), charge.end());
            Checks.equal(game.initial().charge(7, 3).steps(), 3);
        }
    }

    private void learnersPlayByActions() throws Exception {
        try (Game game = game("ticTacToe"); Game other = Game.load(folder.resolve("ticTacToe.kif"), true)) {
            List<String> actions = game.actions();
            Random random = new Random(2);
            State state = game.initial();
            for (int turn = 0; !state.isTerminal(); turn++) {
                int mover = turn % 2;
                int[] legal = state.legalActions(mover);
                // Nobody has a choice on the last empty cell.
                Checks.equal(Arrays.toString(state.toMove()), turn < 8 ? "[" + mover + "]" : "[]");
                List<String> texts = new ArrayList<>();
                for (int action : legal) {
                    texts.add(actions.get(action));
                }
                List<String> expected = new ArrayList<>(state.legalTexts(mover));
                // So few numbers are in the order of texts.
                Collections.sort(expected);
                Checks.equal(texts, expected);
                int[] joint = {State.FORCED, State.FORCED};
                joint[mover] = legal[random.nextInt(legal.length)];
                int[] moves = {state.legalMove(0, 0), state.legalMove(1, 0)};
                moves[mover] = game.moveOf(mover, joint[mover]);
                State next = state.apply(joint);
                Checks.equal(next, state.next(moves));
                boolean[] observed = next.observation();
                List<String> fluents = new ArrayList<>();
                for (int i = 0; i < observed.length; i++) {
                    if (observed[i]) {
                        fluents.add(game.fluents().get(i));
                    }
                }
                Collections.sort(fluents);
                Checks.equal(fluents, next.fluents());
                state = next;
            }
            State end = state;
            Checks.equal(end.legalActions(0).length + end.toMove().length, 0);
            Checks.fails(IllegalMoveException.class, "the match is over",
                    () -> end.apply(State.FORCED, State.FORCED));
            State initial = game.initial();
            Checks.fails(IllegalMoveException.class, "x has 9 legal moves",
                    () -> initial.apply(State.FORCED, State.FORCED));
            Checks.fails(IllegalMoveException.class, "1 moves were given", () -> initial.apply(0));
            Checks.fails(IllegalMoveException.class, "x may not play noop here",
                    () -> initial.apply(9, State.FORCED));
            Checks.fails(IllegalArgumentException.class, "there is no action 10",
                    () -> initial.apply(10, State.FORCED));
            Checks.fails(IllegalArgumentException.class, "there is no role 2",
                    () -> initial.legalActions(2));
            State proved = other.initial();
            Checks.equal(Arrays.toString(proved.toMove()), "[0]");
            Checks.fails(PlayException.class, "ground", () -> proved.legalActions(0));
            Checks.fails(PlayException.class, "ground", () -> proved.observation());
            Checks.fails(PlayException.class, "ground", () -> other.planes(true));
            Checks.fails(PlayException.class, "ground", () -> other.knowledge());
        }
    }

    private void planesAreArrangements() throws Exception {
        try (Game game = game("connectFour"); Game other = game("ticTacToe")) {
            Planes planes = game.planes(true);
            int cells = planes.height() * planes.width();
            Checks.equal(planes.names().size() * cells, planes.index(0).length);
            int own = planes.names().indexOf("cell red | cell yellow");
            int others = planes.names().indexOf("cell yellow | cell red");
            int red = planes.names().indexOf("for red");
            State state = game.initial().apply(3, State.FORCED).apply(State.FORCED, 2);
            for (int role = 0; role < 2; role++) {
                boolean[] observed = planes.observation(state, role);
                Checks.equal(observed[red * cells], role == 0);
                int lowest = (planes.height() - 1) * planes.width();
                Checks.holds(observed[own * cells + lowest + (role == 0 ? 3 : 2)], "its own piece");
                Checks.holds(observed[others * cells + lowest + (role == 0 ? 2 : 3)], "the other one");
                int[] index = planes.index(role);
                boolean[] fluents = state.observation();
                for (int i = 0; i < index.length; i++) {
                    Checks.equal(observed[i], index[i] < 0 ? index[i] == -2 : fluents[index[i]]);
                }
            }
            Checks.holds(Arrays.equals(game.planes(false).index(0), game.planes(false).index(1)),
                    "all players see the same");
            Checks.fails(IllegalArgumentException.class, "another game",
                    () -> planes.observation(other.initial(), 0));
            Checks.fails(IllegalArgumentException.class, "there is no role 2", () -> planes.index(2));
        }
    }

    private void rolesPerceive() throws Exception {
        try (Game open = game("ticTacToe"); Game game = game("montyHall")) {
            Checks.holds(game.hidesInformation() && !open.hidesInformation(), "what is hidden");
            int random = game.randomRole();
            Checks.equal(game.roles().get(random), "random");
            Checks.equal(open.randomRole(), -1);
            int candidate = 1 - random;
            State state = game.initial();
            Knowledge known = game.knowledge();
            String[][] line = {{"noop", "(hide 2)"}, {"(choose 1)", "noop"}, {"noop", "(open 3)"}};
            for (String[] texts : line) {
                int[] joint = new int[2];
                joint[candidate] = game.parseMove(candidate, texts[0]);
                joint[random] = game.parseMove(random, texts[1]);
                List<String> percepts = state.percepts(candidate, joint);
                Checks.holds(game.percepts(candidate).containsAll(percepts), "percepts have numbers");
                Checks.equal(percepts.toString().contains("3"), texts[1].equals("(open 3)"));
                known = known.after(state, joint);
                state = state.next(joint);
            }
            int choice = game.actions().indexOf("(choose 1)");
            int percepts = game.percepts(candidate).size();
            Checks.holds(known.observation(candidate)[2 * percepts + choice], "it has chosen");
            Knowledge last = known;
            State here = state;
            Checks.fails(IllegalArgumentException.class, "plays at random",
                    () -> last.observation(random));
            Checks.fails(IllegalMoveException.class, "may not play (hide 2)", () -> here.percepts(
                    candidate, game.parseMove(candidate, "stay"), game.parseMove(random, "(hide 2)")));
            Checks.fails(IllegalArgumentException.class, "another game",
                    () -> last.after(open.initial(), 0, 0));
            int x = open.initial().legalMove(0, 0);
            int o = open.initial().legalMove(1, 0);
            Checks.equal(open.initial().percepts(0, x, o), Collections.emptyList());
        }
    }

    private void playersKnowWhatTheyPerceived() {
        try (Game game = game("kriegTicTacToe")) {
            List<List<String>> all = Arrays.asList(game.percepts(0), game.percepts(1));
            int widest = Math.max(all.get(0).size(), all.get(1).size());
            Random random = new Random(3);
            for (int match = 0; match < 20; match++) {
                State state = game.initial();
                Knowledge known = game.knowledge();
                boolean[][] expected = new boolean[2][2 * widest + game.choiceCount()];
                while (!state.isTerminal()) {
                    int[] joint = new int[2];
                    for (int role = 0; role < 2; role++) {
                        int count = state.legalCount(role);
                        joint[role] = state.legalMove(role, random.nextInt(count));
                        if (count > 1) {
                            Arrays.fill(expected[role], 0, widest, false);
                            int action = game.actionOf(role, joint[role]);
                            expected[role][2 * widest + action] = true;
                        }
                    }
                    for (int role = 0; role < 2; role++) {
                        for (String percept : state.percepts(role, joint)) {
                            int number = all.get(role).indexOf(percept);
                            expected[role][number] = true;
                            expected[role][widest + number] = true;
                        }
                    }
                    Knowledge before = known;
                    known = known.after(state, joint);
                    Checks.equal(known, before.after(state, joint));
                    state = state.next(joint);
                    for (int role = 0; role < 2; role++) {
                        Checks.holds(Arrays.equals(known.observation(role), expected[role]),
                                "what is known");
                    }
                }
                Checks.holds(!known.equals(game.knowledge()), "something is known");
            }
        }
    }

    private void nobodyMovesWhenTheMatchIsOver() throws Exception {
        String[][] line = {{"(mark 1 1)", "noop"}, {"noop", "(mark 2 1)"}, {"(mark 1 2)", "noop"},
            {"noop", "(mark 2 2)"}, {"(mark 1 3)", "noop"}};
        for (boolean proved : new boolean[] {false, true}) {
            try (Game game = Game.load(folder.resolve("ticTacToe.kif"), proved);
                    Search search = new Search(game, 1)) {
                State state = game.initial();
                for (String[] joint : line) {
                    state = state.next(game.parseMove(0, joint[0]), game.parseMove(1, joint[1]));
                }
                State end = state;
                Checks.holds(end.isTerminal(), "x has won");
                int[] derived = new int[2];
                for (int role = 0; role < 2; role++) {
                    Checks.equal(end.legalCount(role), 0);
                    Checks.equal(end.legal(role).length, 0);
                    Checks.equal(end.legalTexts(role), Collections.emptyList());
                    Checks.holds(end.derivedCount(role) > 0, "rules go on");
                    derived[role] = end.derivedMove(role, 0);
                }
                Checks.fails(IllegalMoveException.class, "the match is over",
                        () -> end.next(derived));
                Checks.fails(IllegalMoveException.class, "1 moves were given for 2 roles",
                        () -> end.next(derived[0]));
                Checks.holds(!end.derivedNext(derived).equals(end), "rules go on");
                Checks.equal(end.charge(1, Game.MAX_STEPS).steps(), 0);

                search.setRoot(end, line.length);
                search.run(0, 1000, 0);
                for (int role = 0; role < 2; role++) {
                    SearchReport report = search.report(role);
                    Checks.equal(report.value(), role == 0 ? 100.0 : 0.0);
                    Checks.holds(report.isSolved() && report.moves().isEmpty(), "nobody moves");
                    Checks.fails(PlayException.class, "no legal move", report::best);
                }
            }
        }
    }

    /** Such as in an archive. */
    private void filesMayBeAnywhere() throws Exception {
        Path archive = Files.createTempDirectory("propjit").resolve("games.zip");
        URI place = URI.create("jar:" + archive.toUri());
        try (FileSystem zip = FileSystems.newFileSystem(
                place, Collections.singletonMap("create", "true"))) {
            Path rules = zip.getPath("/ticTacToe.kif");
            Checks.fails(LoadException.class, "cannot read /ticTacToe.kif",
                    () -> Game.load(rules));
            Files.copy(folder.resolve("ticTacToe.kif"), rules);
            try (Game game = Game.load(rules); Game proved = Game.load(rules, true)) {
                Checks.holds(game.isGround() && !proved.isGround(), "the prover plays one");
                Checks.equal(game.initial().fluents(), proved.initial().fluents());
            }
        }
        Files.delete(archive);
        Files.delete(archive.getParent());
    }

    private void errorsSayWhatIsWrong() throws Exception {
        Checks.fails(LoadException.class, "--> mine.kif:2:",
                () -> Game.fromText("mine.kif", "(role player)\n(legal player ?x)"));
        Checks.fails(LoadException.class, "nothing.kif", () -> game("nothing"));
        Checks.fails(NullPointerException.class, "", () -> Game.fromText("mine.kif", null));
        try (Game game = game("ticTacToe"); Game other = game("ticTacToe")) {
            State initial = game.initial();
            int corner = game.parseMove(0, "(mark 1 1)");
            Checks.fails(IllegalMoveException.class, "1 moves were given for 2 roles",
                    () -> initial.next(corner));
            int noop = game.parseMove(0, "noop");
            Checks.fails(IllegalMoveException.class, "x may not play noop here",
                    () -> initial.next(noop, noop));
            Playouts played = game.playouts(1, 1, 1);
            for (int role : new int[] {-1, 2}) {
                for (Checks.Part part : Arrays.<Checks.Part>asList(() -> game.moves(role),
                        () -> game.moveText(role, 0), () -> game.parseMove(role, "noop"),
                        () -> initial.goal(role), () -> initial.legal(role),
                        () -> initial.legalCount(role), () -> initial.legalMove(role, 0),
                        () -> initial.legalTexts(role), () -> played.goals(role),
                        () -> played.undefined(role))) {
                    Checks.fails(IllegalArgumentException.class,
                            "there is no role " + role + " of 2", part);
                }
            }
            Checks.fails(IllegalArgumentException.class, "there is no action 10",
                    () -> game.moveOf(0, 10));
            Checks.fails(UnknownNameException.class, "x does not have a move `jump`",
                    () -> game.parseMove(0, "jump"));
            Checks.fails(UnknownNameException.class, "`(cell 9 9 x)`",
                    () -> game.state(Collections.singletonList("(cell 9 9 x)")));
            Game rules = Game.fromText("goals.kif", "(role player) (init p) (legal player wait)"
                    + "(<= (next q) (does player wait)) (<= terminal (true q))"
                    + "(<= (goal player 1) (true q)) (<= (goal player 2) (true q))");
            State end = rules.initial().next(rules.parseMove(0, "wait"));
            Checks.fails(PlayException.class, "the goals [1, 2] hold together", () -> end.goal(0));
            rules.close();
            Checks.fails(IllegalArgumentException.class, "must be positive",
                    () -> game.playouts(0, 1, 1));
            Checks.fails(IllegalArgumentException.class, "from 1 to 1024, not 1000000",
                    () -> game.playouts(1000, 1_000_000, 1));
            Checks.fails(IllegalArgumentException.class, "from 1 to 1024, not 1025",
                    () -> new Search(game, 1025, 1, Search.MEMORY, false));
            Checks.fails(OutOfMemoryError.class, "use less memory",
                    () -> new Search(game, 1, 1, Long.MAX_VALUE, false));
            Checks.fails(IllegalArgumentException.class, "another game",
                    () -> other.playouts(Collections.singletonList(initial), 1, 1));
            try (Search search = new Search(other, 1)) {
                Checks.fails(IllegalArgumentException.class, "needs a limit", () -> search.run(0));
                Checks.fails(IllegalArgumentException.class, "another game",
                        () -> search.setRoot(initial, 0));
                Checks.fails(IllegalArgumentException.class, "must not be negative",
                        () -> search.setRoot(other.initial(), -1));
            }
        }
    }

    private void proversTakeAnyTerm() throws Exception {
        try (Game game = Game.load(folder.resolve("ticTacToe.kif"), true)) {
            Checks.equal(game.moveText(0, game.parseMove(0, "( jump  9 )")), "(jump 9)");
            List<String> strange = Collections.singletonList("(cell 9 9 x)");
            Checks.equal(game.state(strange).fluents(), strange);
            Checks.fails(UnknownNameException.class, "(jump", () -> game.parseMove(0, "(jump"));
        }
    }

    /** Also where the prover numbers moves and propositions as it meets them. */
    private void unknownNumbersAreRefused() throws Exception {
        for (boolean proved : new boolean[] {false, true}) {
            try (Game game = Game.load(folder.resolve("ticTacToe.kif"), proved)) {
                State initial = game.initial();
                for (int unknown : new int[] {-1, 1000, Integer.MAX_VALUE}) {
                    Checks.fails(IllegalArgumentException.class, "there is no move " + unknown,
                            () -> game.moveText(0, unknown));
                    Checks.fails(IllegalArgumentException.class, "there is no move " + unknown,
                            () -> initial.next(unknown, initial.legalMove(1, 0)));
                    Checks.fails(IllegalArgumentException.class,
                            "there is no proposition " + unknown, () -> game.fluentText(unknown));
                }
            }
        }
    }

    private void playoutsAreCounted() {
        try (Game game = game("connectFour")) {
            Playouts all = game.playouts(10_000, 2, 1);
            Checks.equal(all.count(), 10_000L);
            Checks.equal(all.truncated() + all.stuck() + all.undefined(0), 0L);
            Checks.equal(all.goals(1).count(), 10_000L);
            // The mean goal of the first player is 55.7, the mean length 21.3; the bounds are ten
            // standard errors away or more.
            Checks.holds(Math.abs(all.goals(0).mean() - 55.7) < 5, "mean goal");
            Checks.holds(Math.abs(all.lengths().mean() - 21.3) < 1, "mean length");
            Checks.holds(all.goals(0).standardError() < 1, "standard error");

            State initial = game.initial();
            State won = initial;
            int noop = game.parseMove(0, "noop");
            for (int i = 0; i < 3; i++) {
                won = won.next(game.parseMove(0, "(drop 1)"), game.parseMove(1, "noop"));
                won = won.next(noop, game.parseMove(1, "(drop 2)"));
            }
            won = won.next(game.parseMove(0, "(drop 1)"), game.parseMove(1, "noop"));
            List<State> states = Arrays.asList(won, initial, won);
            Playouts[] played = game.playouts(states, 500, 3);
            Checks.equal(played.length, 3);
            Checks.equal(played[0].lengths().mean(), 0.0);
            Checks.equal(played[2].goals(0).mean(), 100.0);
            Checks.equal(played[1].count(), 500L);
            Checks.equal(played[1].goals(0).mean() + played[1].goals(1).mean(), 100.0);
            Checks.equal(game.playouts(states, 500, 3)[1].goals(0).mean(),
                    played[1].goals(0).mean());
        }
    }

    private void searchesFindWhatIsBest() {
        try (Game game = game("ticTacToe"); Search search = new Search(game, 1)) {
            search.run(0, 10_000_000, 0);
            SearchReport report = search.report(0);
            Checks.holds(report.isSolved(), "the game is solved");
            Checks.equal(report.value(), 50.0);
            // What is best for x here is to win at once.
            State state = game.state(Arrays.asList("(cell 1 1 x)", "(cell 1 2 x)", "(cell 2 1 o)",
                    "(cell 2 2 o)", "(control x)"));
            search.setRoot(state, 4);
            search.run(0, 1_000_000, 0);
            report = search.report(0);
            Checks.equal(game.moveText(0, report.best()), "(mark 1 3)");
            Checks.equal(report.moves().size(), 5);
            Checks.equal(report.value(), 100.0);
        }
    }

    private void searchesStop() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (Game game = game("connectFour")) {
            Search search = new Search(game, 1);
            // A stop may come before the run begins: then it ends nothing.
            Future<?> run = thread.submit(() -> search.run(0, Long.MAX_VALUE, 0));
            while (!run.isDone()) {
                search.stop();
                Thread.sleep(1);
            }
            run.get();
            Checks.holds(search.report(0).nodes() > 0, "there is something to report");
            search.close();
            Checks.fails(IllegalStateException.class, "closed", () -> search.report(0));
        } finally {
            thread.shutdown();
        }
    }

    /** Of two runs, one waits for the other, and does not begin when the search was closed meanwhile. */
    private void closedSearchesBeginNoRun() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (Game game = game("connectFour")) {
            Search search = new Search(game, 1);
            List<Future<?>> runs = new ArrayList<>();
            CountDownLatch begun = new CountDownLatch(2);
            for (int i = 0; i < 2; i++) {
                runs.add(threads.submit(() -> {
                    begun.countDown();
                    search.run(0, Long.MAX_VALUE, 0);
                }));
            }
            begun.await();
            search.close();
            int refused = 0;
            for (Future<?> run : runs) {
                try {
                    run.get();
                } catch (ExecutionException failed) {
                    Checks.holds(failed.getCause() instanceof IllegalStateException, "it was closed");
                    refused++;
                }
            }
            Checks.holds(refused > 0, "one of them waited");
        } finally {
            threads.shutdown();
        }
    }

    private void closedObjectsRefuse() throws Exception {
        Game game = game("ticTacToe");
        State initial = game.initial();
        Search search = new Search(game, 1);
        game.close();
        game.close();
        int[] legal = {initial.legalMove(0, 0), initial.legalMove(1, 0)};
        Checks.fails(IllegalStateException.class, "closed", () -> initial.next(legal));
        Checks.fails(IllegalStateException.class, "closed", () -> initial.goal(0));
        Checks.fails(IllegalStateException.class, "closed", () -> game.playouts(1, 1, 1));
        Checks.fails(IllegalStateException.class, "closed", () -> new Search(game, 1));
        Checks.equal(initial.legalCount(0), 9);
        // What was made from the game keeps it alive.
        search.run(0, 1000, 0);
        Checks.equal(search.report(0).moves().size(), 9);
        search.close();
        search.close();
    }

    /** Without another object being made. */
    private void whatNobodyRefersToIsFreed() throws Exception {
        Field waiting = Class.forName("io.github.propjit.Reclaimer").getDeclaredField("WAITING");
        waiting.setAccessible(true);
        try (Game game = game("ticTacToe")) {
            new Search(game, 1).run(0, 100, 0);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            // All that is left is the game.
            while (((Set<?>) waiting.get(null)).size() > 1) {
                Checks.holds(System.nanoTime() < end, "what is gone is freed");
                System.gc();
                game.initial();
                Thread.sleep(10);
            }
        }
    }

    /** Closes the game while threads play, which end with an exception or with the right answers. */
    private void threadsAgree() throws Exception {
        int count = 4;
        ExecutorService threads = Executors.newFixedThreadPool(count);
        Game game = game("breakthroughSmall");
        Charge expected = game.initial().charge(1, Game.MAX_STEPS);
        CountDownLatch started = new CountDownLatch(count);
        List<Future<Boolean>> played = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            played.add(threads.submit(() -> {
                for (int match = 0; ; match++) {
                    try {
                        Charge charge = game.initial().charge(1, Game.MAX_STEPS);
                        if (!charge.end().equals(expected.end())) {
                            return false;
                        }
                    } catch (IllegalStateException closed) {
                        return match > 0;
                    }
                    if (match == 0) {
                        started.countDown();
                    }
                }
            }));
        }
        // Whatever a test finds, no thread may keep the program alive.
        threads.shutdown();
        started.await();
        game.close();
        for (Future<Boolean> right : played) {
            Checks.holds(right.get(), "all threads play the same match");
        }
    }

    /** Has more legal moves than numbers fit in a thread's memory at first. */
    private void answersMayBeLong() {
        StringBuilder rules = new StringBuilder("(role player) (init (step 0))"
                + "(<= (legal player (pick ?a ?b)) (number ?a) (number ?b))"
                + "(<= (next (step 1)) (does player (pick ?a ?b)))"
                + "(<= terminal (true (step 1))) (goal player 100)");
        for (int i = 0; i < 70; i++) {
            rules.append("(number ").append(i).append(")");
        }
        try (Game game = Game.fromText("long.kif", rules.toString())) {
            State initial = game.initial();
            Checks.equal(initial.legalCount(0), 4900);
            int last = initial.legalMove(0, 4899);
            Checks.equal(initial.next(last).fluents(), Collections.singletonList("(step 1)"));
        }
    }
}
