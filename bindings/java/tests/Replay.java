import java.util.List;

/** A match that is replayed in some way; texts are those of propjit, sorted. */
interface Replay {
    void start() throws Exception;

    List<String> fluents() throws Exception;

    boolean isTerminal() throws Exception;

    /** The goal of a role, or null if it does not have exactly one. */
    Double goal(int role) throws Exception;

    List<String> legal(int role) throws Exception;

    void play(List<String> joint) throws Exception;
}
