package io.github.propjit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A game whose rules are written in the Game Description Language. Any number of threads may use it.
 *
 * <p>What the library has made for a game is freed when the game is closed, or, some time after nobody
 * refers to it any more, when the library is used again.
 *
 * <p>Most games are <em>ground</em>: all propositions and moves are known beforehand, and machine code
 * is made in the background. Where that would take too long, a prover plays the game: single states
 * and slow playouts.
 */
public final class Game implements AutoCloseable {
    /** How many joint moves a random match may have unless one says something else. */
    public static final int MAX_STEPS = 10_000;

    private static final String[] NO_LINES = {};

    static {
        Library.load();
    }

    private final long pointer;
    private final List<String> roles;
    private final boolean ground;
    /** For each role, once it is known, the actions of its moves. */
    private final AtomicReferenceArray<int[]> actionsOfRoles;

    private Game(long pointer) {
        this.pointer = pointer;
        Reclaimer.register(this, pointer, Game::free);
        roles = Collections.unmodifiableList(Arrays.asList(roleNames(pointer).split("\n")));
        ground = isGround(pointer);
        actionsOfRoles = new AtomicReferenceArray<>(roles.size());
    }

    /**
     * Loads the rulesheet in a file, of whatever file system.
     *
     * @throws LoadException if it cannot be read, or is wrong
     */
    public static Game load(Path path) {
        return load(path, false);
    }

    /**
     * Loads the rulesheet in a file, of whatever file system.
     *
     * @param proved whether the prover shall play the game: slow, ready at once, and the reference
     * @throws LoadException if it cannot be read, or is wrong
     */
    public static Game load(Path path, boolean proved) {
        String name = path.toString();
        if (path.getFileSystem() == FileSystems.getDefault()) {
            return new Game(load(name, proved));
        }
        try {
            ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(path));
            String rules = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
            return new Game(parse(name, rules, proved));
        } catch (IOException error) {
            throw new LoadException("cannot read " + name + ": " + error);
        }
    }

    /**
     * Loads a rulesheet that is given as text.
     *
     * @param name for messages
     * @throws LoadException if it is wrong
     */
    public static Game fromText(String name, String rules) {
        return new Game(parse(name, rules, false));
    }

    /** The names of the roles. */
    public List<String> roles() {
        return roles;
    }

    /** The number of the role that plays at random, or -1 if there is none. All others are players. */
    public int randomRole() {
        return roles.indexOf("random");
    }

    /**
     * Whether roles may not know the whole state. The first call may take some seconds.
     */
    public boolean hidesInformation() {
        return hidesInformation(pointer);
    }

    /** Whether all propositions and moves are known beforehand. */
    public boolean isGround() {
        return ground;
    }

    /** Waits until there is machine code, which is made in the background otherwise. */
    public void waitForCode() {
        waitForCode(pointer);
    }

    /** The state in which every match starts. */
    public State initial() {
        Exchange exchange;
        do {
            exchange = Exchange.begin(0);
        } while (!exchange.holds(initial(pointer, exchange.address(), exchange.capacity())));
        return view(exchange).end();
    }

    /**
     * The state in which exactly these propositions hold. The prover takes any term for a proposition.
     *
     * @throws UnknownNameException if one of them is none of the game's
     */
    public State state(Collection<String> fluents) {
        String lines = String.join("\n", fluents);
        Exchange exchange;
        do {
            exchange = Exchange.begin(0);
        } while (!exchange.holds(
                parseState(pointer, lines, exchange.address(), exchange.capacity())));
        return view(exchange).end();
    }

    /**
     * All moves that a role ever has, in the order of their numbers.
     *
     * @throws PlayException if the game is not ground
     */
    public List<String> moves(int role) {
        String[] texts = new String[moveCount(pointer, role)];
        for (int move = 0; move < texts.length; move++) {
            texts[move] = moveText(role, move);
        }
        return Collections.unmodifiableList(Arrays.asList(texts));
    }

    /**
     * The moves of all roles, numbered for learners: the same move has the same number for all roles, and
     * numbers depend on the rulesheet alone. They are those of Python's {@code Game.actions}, in this
     * order: the {@link #choiceCount} moves of players that may be legal beside another one of the same
     * player; moves of players that are proved to be forced whenever they are legal; moves that only the
     * role {@code random} has. Each of the three is sorted by functor, and then by arguments from left to
     * right: numbers first, by value, and then other names.
     *
     * @throws PlayException if the game is not ground
     */
    public List<String> actions() {
        String[] texts = new String[actionCount(pointer)];
        for (int action = 0; action < texts.length; action++) {
            texts[action] = actionText(pointer, action);
        }
        return Collections.unmodifiableList(Arrays.asList(texts));
    }

    /**
     * How many actions, which come first, may be a choice of a player.
     *
     * @throws PlayException if the game is not ground
     */
    public int choiceCount() {
        return choiceCount(pointer);
    }

    /**
     * The number among {@link #actions} of a move of a role.
     *
     * @throws PlayException if the game is not ground
     */
    public int actionOf(int role, int move) {
        return actionOf(pointer, role, move);
    }

    /**
     * The number of the move of a role that an action is.
     *
     * @throws IllegalArgumentException if the role does not have that move
     * @throws PlayException if the game is not ground
     */
    public int moveOf(int role, int action) {
        return moveOf(pointer, role, action);
    }

    /**
     * All propositions that may hold, in the order of their numbers.
     *
     * @throws PlayException if the game is not ground
     */
    public List<String> fluents() {
        String[] texts = new String[fluentCount()];
        for (int fluent = 0; fluent < texts.length; fluent++) {
            texts[fluent] = fluentText(fluent);
        }
        return Collections.unmodifiableList(Arrays.asList(texts));
    }

    /**
     * All that a role may ever perceive, in the order of observations.
     *
     * @throws PlayException if the game is not ground
     */
    public List<String> percepts(int role) {
        String[] texts = new String[perceptCount(pointer, role)];
        for (int percept = 0; percept < texts.length; percept++) {
            texts[percept] = perceptText(pointer, role, percept);
        }
        return Collections.unmodifiableList(Arrays.asList(texts));
    }

    /**
     * What players know at the start of a match: nothing.
     *
     * @throws PlayException if the game is not ground
     */
    public Knowledge knowledge() {
        Exchange exchange;
        do {
            exchange = Exchange.begin(0);
        } while (!exchange.holds(knowledge(pointer, exchange.address(), exchange.capacity())));
        return new Knowledge(this, exchange);
    }

    /**
     * Arranges the propositions in channels of a board's height and width. Boards are inferred from
     * random matches, the same ones each time.
     *
     * @param relative whether each player sees its own pieces where the others see theirs, and who it is
     *     in channels of their own
     * @throws PlayException if the game is not ground
     */
    public Planes planes(boolean relative) {
        return new Planes(this, pointer, relative);
    }

    /** The text of the proposition of a number. */
    public String fluentText(int fluent) {
        return fluentText(pointer, fluent);
    }

    /** The text of a move. */
    public String moveText(int role, int move) {
        return moveText(pointer, role, move);
    }

    /**
     * The number of the move that a text spells. The prover takes any term for a move.
     *
     * @throws UnknownNameException if it spells none
     */
    public int parseMove(int role, String text) {
        return parseMove(pointer, role, text);
    }

    /**
     * Plays random matches from the initial state.
     *
     * @param seed of the random numbers: the same one gives the same matches on one thread
     */
    public Playouts playouts(long matches, int threads, long seed) {
        requirePositive("matches", matches);
        requirePositive("threads", threads);
        int size = Playouts.size(roles.size());
        Exchange exchange = Exchange.begin(size);
        exchange.holds(playouts(pointer, matches, threads, seed, MAX_STEPS,
                exchange.address(), exchange.capacity()));
        return new Playouts(roles.size(), exchange);
    }

    /**
     * Plays this number of random matches from each of some states of this game, all together on one thread.
     * What came of each is in the order of the states.
     *
     * @param seed of the random numbers
     * @throws PlayException if the game is not ground
     */
    public Playouts[] playouts(List<State> states, long matches, long seed) {
        requirePositive("matches", matches);
        int size = 1;
        for (State state : states) {
            if (state.game() != this) {
                throw new IllegalArgumentException("a state is of another game");
            }
            size += 1 + state.words.length;
        }
        int answer = Playouts.size(roles.size()) * states.size();
        Exchange exchange = Exchange.begin(Math.max(size, answer)).put(states.size());
        for (State state : states) {
            exchange.putWords(state.words);
        }
        exchange.holds(playoutsFrom(pointer, matches, seed, MAX_STEPS,
                exchange.address(), exchange.capacity()));
        Playouts[] played = new Playouts[states.size()];
        for (int i = 0; i < played.length; i++) {
            played[i] = new Playouts(roles.size(), exchange);
        }
        return played;
    }

    /**
     * Frees what the library has made, as soon as the last call and the last search is done. After
     * that, everything about the game that would have to be worked out fails with an {@link
     * IllegalStateException}.
     */
    @Override
    public void close() {
        close(pointer);
    }

    @Override
    public String toString() {
        return "Game of " + String.join(", ", roles);
    }

    State next(State state, int[] moves) {
        Exchange exchange;
        do {
            exchange = question(state, moves, 0);
        } while (!exchange.holds(next(pointer, exchange.address(), exchange.capacity())));
        return view(exchange).end();
    }

    Charge charge(State state, long seed, int maxSteps) {
        requirePositive("maxSteps", maxSteps);
        Exchange exchange;
        do {
            exchange = question(state);
        } while (!exchange.holds(
                charge(pointer, seed, maxSteps, exchange.address(), exchange.capacity())));
        return view(exchange);
    }

    int goal(State state, int role) {
        Exchange exchange = question(state);
        return goal(pointer, role, exchange.address(), exchange.capacity());
    }

    String fluents(State state) {
        Exchange exchange = question(state);
        return fluents(pointer, exchange.address(), exchange.capacity());
    }

    String percepts(State state, int[] moves, int role) {
        Exchange exchange = question(state, moves, 0);
        return percepts(pointer, role, exchange.address(), exchange.capacity());
    }

    Knowledge knowledgeAfter(State state, int[] moves, long[] words) {
        Exchange exchange;
        do {
            exchange = question(state, moves, 1 + words.length).putWords(words);
        } while (!exchange.holds(
                knowledgeAfter(pointer, exchange.address(), exchange.capacity())));
        return new Knowledge(this, exchange);
    }

    int fluentCount() {
        return fluentCount(pointer);
    }

    /** The actions of a role's moves, in the order of the moves, which nobody changes. */
    int[] actionsOf(int role) {
        int[] actions = actionsOfRoles.get(role);
        if (actions == null) {
            Exchange exchange;
            do {
                exchange = Exchange.begin(0);
            } while (!exchange.holds(
                    actionsOf(pointer, role, exchange.address(), exchange.capacity())));
            actions = new int[exchange.getInt()];
            for (int move = 0; move < actions.length; move++) {
                actions[move] = exchange.getInt();
            }
            // Threads that find it at the same time find the same.
            actionsOfRoles.set(role, actions);
        }
        return actions;
    }

    int playerCount() {
        return randomRole() < 0 ? roles.size() : roles.size() - 1;
    }

    /** The number of a role among the players. */
    int playerOf(int role) {
        requireRole(role, roles.size());
        int random = randomRole();
        if (role == random) {
            throw new IllegalArgumentException("random plays at random and observes nothing");
        }
        return random >= 0 && random < role ? role - 1 : role;
    }

    long makeSearch(int threads, long seed, long memory, boolean evaluation) {
        return Search.make(this, pointer, threads, seed, memory, evaluation);
    }

    static Exchange question(State state) {
        return Exchange.begin(1 + state.words.length).putWords(state.words);
    }

    /** A question about a joint move, with room for more numbers. */
    private static Exchange question(State state, int[] moves, int more) {
        Exchange exchange = Exchange.begin(1 + state.words.length + moves.length + more);
        exchange.putWords(state.words);
        for (int move : moves) {
            exchange.put(move);
        }
        return exchange;
    }

    /** The lines of a text, which may have none. */
    static List<String> lines(String text) {
        String[] lines = text.isEmpty() ? NO_LINES : text.split("\n");
        return Collections.unmodifiableList(Arrays.asList(lines));
    }

    private Charge view(Exchange answer) {
        int steps = answer.getInt();
        return new Charge(new State(this, answer), steps);
    }

    static void requireRole(int role, int roles) {
        if (role < 0 || role >= roles) {
            throw new IllegalArgumentException("there is no role " + role + " of " + roles);
        }
    }

    static void requirePositive(String name, long number) {
        if (number <= 0) {
            throw new IllegalArgumentException(name + " must be positive, not " + number);
        }
    }

    private static native long load(String path, boolean proved);

    private static native long parse(String name, String rules, boolean proved);

    private static native void free(long pointer);

    private native void close(long pointer);

    private native void waitForCode(long pointer);

    private native boolean isGround(long pointer);

    private native String roleNames(long pointer);

    private native int moveCount(long pointer, int role);

    private native int actionCount(long pointer);

    private native int actionsOf(long pointer, int role, long address, int capacity);

    private native int choiceCount(long pointer);

    private native String actionText(long pointer, int action);

    private native int actionOf(long pointer, int role, int move);

    private native int moveOf(long pointer, int role, int action);

    private native int fluentCount(long pointer);

    private native String fluentText(long pointer, int fluent);

    private native String moveText(long pointer, int role, int move);

    private native int parseMove(long pointer, int role, String text);

    private native int initial(long pointer, long address, int capacity);

    private native int parseState(long pointer, String fluents, long address, int capacity);

    private native int next(long pointer, long address, int capacity);

    private native int charge(
            long pointer, long seed, int maxSteps, long address, int capacity);

    private native int goal(long pointer, int role, long address, int capacity);

    private native String fluents(long pointer, long address, int capacity);

    private native boolean hidesInformation(long pointer);

    private native int perceptCount(long pointer, int role);

    private native String perceptText(long pointer, int role, int percept);

    private native String percepts(long pointer, int role, long address, int capacity);

    private native int knowledge(long pointer, long address, int capacity);

    private native int knowledgeAfter(long pointer, long address, int capacity);

    private native int playouts(long pointer, long matches, int threads, long seed, int maxSteps,
            long address, int capacity);

    private native int playoutsFrom(long pointer, long matches, long seed, int maxSteps,
            long address, int capacity);
}
