/** What tests share: checks, and the way they are run. */
final class Checks {
    private Checks() {}

    /** A part of a test that may throw anything. */
    interface Part {
        void run() throws Exception;
    }

    static void holds(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    static void equal(Object is, Object expected) {
        holds(is.equals(expected), is + " instead of " + expected);
    }

    /** That a part fails with an exception or error of this class, which tells this text. */
    static void fails(Class<? extends Throwable> kind, String text, Part part) throws Exception {
        try {
            part.run();
        } catch (Throwable error) {
            holds(kind.isInstance(error) && error.toString().contains(text),
                    error + " instead of " + kind.getName() + ": " + text);
            return;
        }
        throw new AssertionError("no " + kind.getName() + ": " + text);
    }
}
