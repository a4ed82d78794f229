package io.github.propjit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/** The native library, which comes with the classes. */
final class Library {
    static {
        String given = System.getProperty("propjit.library");
        System.load((given == null ? extracted() : Paths.get(given).toAbsolutePath()).toString());
    }

    private Library() {}

    /** Loads the library, unless it is there already. */
    static void load() {
        // The class has been initialised.
    }

    /** The file into which the library for this system was written. */
    private static Path extracted() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        system = system.startsWith("windows") ? "windows" : system.startsWith("mac") ? "macos" : system;
        String processor = System.getProperty("os.arch").replace("amd64", "x86_64");
        String name = System.mapLibraryName("propjit_java");
        String place = "native/" + system + "-" + processor + "/" + name;
        try (InputStream library = Library.class.getResourceAsStream(place)) {
            if (library == null) {
                throw new UnsatisfiedLinkError(
                        "this jar has no " + place + ": build it here with bindings/java/build");
            }
            Path folder = Files.createTempDirectory("propjit");
            Path file = folder.resolve(name);
            Files.copy(library, file, StandardCopyOption.REPLACE_EXISTING);
            // They are deleted in the opposite order.
            folder.toFile().deleteOnExit();
            file.toFile().deleteOnExit();
            return file;
        } catch (IOException error) {
            throw new UnsatisfiedLinkError("the library cannot be written to a file: " + error);
        }
    }
}
