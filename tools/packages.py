#!/usr/bin/env python3
"""Builds the packages of a release into `target/packages`, and prints them with their sizes.

    tools/packages.py                       all that are listed below
    tools/packages.py wheel c               these
    tools/packages.py --test                tests each one in an empty folder as well
    tools/packages.py --profile release     builds faster than the profile `dist` does

    crates    the packages for crates.io
    wheel     the package for Python 3.10 and later on this system
    sdist     the sources of the package for Python
    jar       the classes for Java with the native library for this system, their sources, and their documentation
    c         the header and the libraries for C, with a file for pkg-config
    program   the command `propjit`, its manual pages, and completions for shells

Needs Rust, Python 3.10 or later and, for `jar`, a JDK. maturin and, on Linux, Zig come from Python's registry, into a
virtual environment: Zig links against an old C library, so that packages run on other distributions, too. Tests
need a C compiler and pkg-config.
"""

import argparse
import gzip
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
PACKAGES = TARGET / "packages"
TOOLS = TARGET / "packages-tools"
#: Those whose output is tested; other versions may do as well.
REQUIREMENTS = ["maturin==1.16.0"]
#: The C library that programs and libraries for Linux are linked against: AlmaLinux 8, Debian 10, Ubuntu 18.10 have it.
GLIBC = "2.28"
CRATES = ["propjit-stop", "propjit-gdl", "propjit-jit", "propjit"]
LICENCES = ["LICENSE-MIT", "LICENSE-APACHE"]
THIRD_PARTY = "LICENSE-THIRD-PARTY"
LINUX = platform.system() == "Linux"
if LINUX:
    REQUIREMENTS += ["cargo-zigbuild==0.24.1", "ziglang==0.17.1", "auditwheel==6.8.2"]


def run(*command, cwd=ROOT, **environment):
    """Runs a command, whose output is shown."""
    print("+", *command, file=sys.stderr, flush=True)
    subprocess.run([str(word) for word in command], cwd=cwd, env={**os.environ, **environment}, check=True, stdout=sys.stderr)


def output(*command, cwd=ROOT, **environment):
    """What a command prints."""
    words, environment = [str(word) for word in command], {**os.environ, **environment}
    return subprocess.run(words, cwd=cwd, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def packages():
    """What Cargo knows of all packages that are needed, our own and others."""
    return json.loads(output("cargo", "metadata", "--locked", "--format-version=1"))["packages"]


def install_tools():
    """Makes a virtual environment with the tools, and puts it on the path."""
    folder = TOOLS / ("Scripts" if os.name == "nt" else "bin")
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
    listed = TOOLS / "requirements"
    if not listed.exists() or listed.read_text().split() != REQUIREMENTS:
        venv.create(TOOLS, with_pip=True, clear=True)
        run(folder / "python", "-m", "pip", "install", "--quiet", *REQUIREMENTS)
        listed.write_text("\n".join(REQUIREMENTS))


class Release:
    """What packages are made from: the version, this system, and the profile of the build."""

    def __init__(self, profile):
        self.profile = profile
        self.known = packages()
        self.version = next(package["version"] for package in self.known if package["name"] == "propjit")
        self.host = re.search(r"^host: (.*)$", output("rustc", "-vV"), re.MULTILINE)[1]
        self.time = int(output("git", "log", "-1", "--format=%ct"))

    def build(self, *names):
        """Builds packages of the workspace; the folder with programs and libraries."""
        profile = ["--locked", f"--profile={self.profile}"]
        target = f"{self.host}.{GLIBC}" if LINUX else self.host
        selected = [word for name in names for word in ("--package", name)]
        run("cargo", "zigbuild" if LINUX else "build", *profile, f"--target={target}", *selected)
        return TARGET / self.host / {"dev": "debug"}.get(self.profile, self.profile)

    @contextmanager
    def archive(self, name):
        """A folder that becomes an archive; it has the licences, and no dates or owners of this machine."""
        title = f"{name}-{self.version}-{self.host}"
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder, title)
            documents = root / "share/doc" / name
            documents.mkdir(parents=True)
            yield root
            for file in LICENCES:
                shutil.copy(ROOT / file, documents)
            (documents / THIRD_PARTY).write_text(self.third_party())

            def plain(entry):
                entry.uid = entry.gid = 0
                entry.uname = entry.gname = ""
                entry.mtime = self.time
                entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
                return entry

            with (
                open(PACKAGES / f"{title}.tar.gz", "wb") as file,
                gzip.GzipFile("", "wb", mtime=self.time, fileobj=file) as packed,
                tarfile.open(fileobj=packed, mode="w") as archive,
            ):
                # Folders are added with what is in them, in the order of names.
                archive.add(root, title, filter=plain)

    def third_party(self):
        """The licences of what is linked into programs and libraries."""
        known = {(package["name"], package["version"]): package for package in self.known}
        tree = output(
            "cargo", "tree", "--locked", "--workspace", "--edges=normal", "--prefix=none", "--format={p}", f"--target={self.host}"
        )
        listed, texts = [], {}
        for name, version in sorted(set(re.findall(r"^(\S+) v([^ \n]+)(?: \(proc-macro\))?(?: \(\*\))?$", tree, re.MULTILINE))):
            package = known[name, version]
            about = [package["license"], package["repository"], *package["authors"]]
            listed.append(f"{name} {version}: {', '.join(filter(None, about))}")
            for file in sorted(Path(package["manifest_path"]).parent.iterdir()):
                if re.match(r"(LICEN[CS]E|COPYING|COPYRIGHT|NOTICE|UNLICENSE)", file.name, re.IGNORECASE) and file.is_file():
                    text = file.read_text(encoding="utf-8", errors="replace").strip()
                    texts.setdefault(text, []).append(f"{name} {version}")
        parts = ["propjit contains the standard library of Rust (MIT OR Apache-2.0, https://github.com/rust-lang/rust) and:"]
        parts += ["\n".join(listed)]
        for text, names in texts.items():
            parts += [f"{'-' * 80}\n{', '.join(names)}\n{'-' * 80}", text]
        return "\n\n".join(parts) + "\n"


def crates(release):
    for name in CRATES:
        package = next(package for package in release.known if package["name"] == name)
        wanted = ["description", "keywords", "categories", "repository", "readme", "rust_version", "license", "documentation"]
        missing = [field for field in wanted if not package[field]]
        files = output("cargo", "package", "--list", "--allow-dirty", f"--package={name}").split()
        missing += [file for file in LICENCES if file not in files]
        if missing:
            sys.exit(f"{name} has no {', '.join(missing)}: add them to {package['manifest_path']}, or beside it")
    selected = [word for name in CRATES for word in ("--package", name)]
    run("cargo", "package", "--locked", "--no-verify", *selected)
    for name in CRATES:
        shutil.copy(TARGET / "package" / f"{name}-{release.version}.crate", PACKAGES)


def test_crates(release):
    """Builds each from its package."""
    run("cargo", "package", "--locked", *(word for name in CRATES for word in ("--package", name)))


def wheel(release):
    portable = ["--zig", "--compatibility", f"manylinux_{GLIBC.replace('.', '_')}"] if LINUX else []
    licences = ROOT / "bindings/python" / THIRD_PARTY
    licences.write_text(release.third_party())
    try:
        run(
            "maturin", "build", "--locked", f"--profile={release.profile}", f"--target={release.host}", *portable,
            "--manifest-path=bindings/python/Cargo.toml", f"--out={PACKAGES}",
        )  # fmt: skip
    finally:
        licences.unlink()


def test_wheel(release):
    [file] = PACKAGES.glob(f"propjit-{release.version}-*.whl")
    if LINUX:
        run("auditwheel", "show", file)
    check_wheel(release, file, [*LICENCES, THIRD_PARTY])


def check_wheel(release, file, licences):
    """Installs it beside numpy alone, and plays."""
    names = zipfile.ZipFile(file).namelist()
    information = f"propjit-{release.version}.dist-info/licenses"
    for name in ["propjit/py.typed", "propjit/_native.pyi", *(f"{information}/{licence}" for licence in licences)]:
        if name not in names:
            sys.exit(f"{file} has no {name}")
    with tempfile.TemporaryDirectory() as folder:
        venv.create(Path(folder, "environment"), with_pip=True)
        python = Path(folder, "environment", "Scripts" if os.name == "nt" else "bin", "python")
        run(python, "-m", "pip", "install", "--quiet", "--only-binary=numpy", file)
        Path(folder, "example.py").write_text(EXAMPLE)
        run(python, "example.py", release.version, cwd=folder)


EXAMPLE = """\
import sys
import numpy as np
import propjit

game = propjit.Game.named("connectFour")
search = propjit.Search(game, seed=1)
search.run(playouts=100_000)
environments = propjit.VectorEnv(game, 64)
environments.step_random(100)
assert search.report("red").best == "(drop 4)"
assert propjit.__version__ == sys.argv[1]
print("Python", sys.version.split()[0], "numpy", np.__version__, "propjit", propjit.__version__)
"""


def sdist(release):
    run("maturin", "sdist", "--manifest-path=bindings/python/Cargo.toml", f"--out={PACKAGES}")


def test_sdist(release):
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", f"--wheel-dir={folder}",
            PACKAGES / f"propjit-{release.version}.tar.gz", cwd=folder)  # fmt: skip
        [file] = Path(folder).glob("*.whl")
        check_wheel(release, file, LICENCES)


def jar(release):
    library = release.build("propjit-java") / shared_library("propjit_java")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, THIRD_PARTY).write_text(release.third_party())
        run("bindings/java/build", "--package", library, Path(folder, THIRD_PARTY))
    system, processor = platform.system().lower().replace("darwin", "macos"), platform.machine().replace("arm64", "aarch64")
    made = TARGET / "java"
    shutil.copy(made / "propjit.jar", PACKAGES / f"propjit-java-{release.version}-{system}-{processor}.jar")
    for kind in ("sources", "javadoc"):
        shutil.copy(made / f"propjit-{kind}.jar", PACKAGES / f"propjit-java-{release.version}-{kind}.jar")


def test_jar(release):
    """Compiles and runs the guide's example."""
    with empty_folder() as folder:
        [file] = [file for file in PACKAGES.glob(f"propjit-java-{release.version}-*-*.jar")]
        text = (ROOT / "docs/java.md").read_text()
        (folder / "Example.java").write_text(re.search(r"```java\n(import.*?)```", text, re.DOTALL)[1])
        run("javac", "-cp", file, "Example.java", cwd=folder)
        print(output("java", "-cp", f"{file}{os.pathsep}.", "Example", cwd=folder), file=sys.stderr)
        manifest = zipfile.ZipFile(file).read("META-INF/MANIFEST.MF").decode()
        if f"Implementation-Version: {release.version}" not in manifest:
            sys.exit(f"the manifest of {file} has not the version:\n{manifest}")


def shared_library(name):
    """The file's name of a library on this system."""
    return f"lib{name}.dylib" if platform.system() == "Darwin" else f"lib{name}.so"


PKG_CONFIG = """\
prefix=${{pcfiledir}}/../..
includedir=${{prefix}}/include
libdir=${{prefix}}/lib

Name: propjit
Description: General Game Playing: games in GDL, compiled and played many at a time
URL: https://github.com/propjit/propjit
Version: {version}
Cflags: -I${{includedir}}
Libs: -L${{libdir}} -lpropjit_c
Libs.private: {private}
"""


def c(release):
    built = release.build("propjit-c")
    shared = built / shared_library("propjit_c")
    with release.archive("propjit-c") as root:
        for folder in ("include", "lib/pkgconfig"):
            (root / folder).mkdir(parents=True)
        shutil.copy(ROOT / "bindings/c/include/propjit.h", root / "include")
        shutil.copy(shared, root / "lib")
        shutil.copy(built / "libpropjit_c.a", root / "lib")
        if platform.system() == "Darwin":
            # Programs look for it where they are told to, not where it was built.
            run("install_name_tool", "-id", f"@rpath/{shared.name}", root / "lib" / shared.name)
        private = "-lpthread -ldl -lm" if LINUX else ""
        text = PKG_CONFIG.format(version=release.version, private=private)
        (root / "lib/pkgconfig/propjit.pc").write_text(text)
        shutil.copy(ROOT / "docs/c.md", root / "share/doc/propjit-c/README.md")


def test_c(release):
    """Compiles and runs the guide's example, with the shared library and the static one."""
    with unpacked(release, "propjit-c") as (folder, root):
        text = (ROOT / "docs/c.md").read_text()
        (folder / "example.c").write_text(re.search(r"```c\n(#include.*?)```", text, re.DOTALL)[1])
        configured = {"PKG_CONFIG_PATH": str(root / "lib/pkgconfig")}

        def flags(*options):
            return output("pkg-config", *options, "propjit", **configured).split()

        libraries = flags("--variable=libdir")[0]
        run("cc", "example.c", *flags("--cflags", "--libs"), f"-Wl,-rpath,{libraries}", "-o", "shared", cwd=folder)
        archive = f"{libraries}/libpropjit_c.a"
        static = [archive if word == "-lpropjit_c" else word for word in flags("--cflags", "--libs", "--static")]
        run("cc", "example.c", *static, "-o", "static", cwd=folder)
        programs = ["shared", "static"]
        if LINUX:
            run("cc", "-static", "example.c", *flags("--cflags", "--libs", "--static"), "-o", "alone", cwd=folder)
            programs.append("alone")
        for program in programs:
            found = output(folder / program, cwd=folder)
            print(f"{program}: {found.strip()}", file=sys.stderr)
            if not re.match(r"\(drop [1-7]\), value [0-9]", found):
                sys.exit(f"the example for C, linked as {program}, printed {found!r}")
        if flags("--modversion") != [release.version]:
            sys.exit("pkg-config gives another version")


def program(release):
    built = release.build("propjit") / "propjit"
    with release.archive("propjit") as root:
        (root / "bin").mkdir()
        shutil.copy(built, root / "bin")
        run(built, "manual", root / "share/man/man1")
        for shell, place in COMPLETIONS.items():
            file = root / "share" / place
            file.parent.mkdir(parents=True)
            file.write_text(output(built, "completions", shell))
        for document in ("README.md", "CHANGELOG.md"):
            shutil.copy(ROOT / document, root / "share/doc/propjit")


#: Where shells look for completions, in `share`.
COMPLETIONS = {
    "bash": "bash-completion/completions/propjit",
    "zsh": "zsh/site-functions/_propjit",
    "fish": "fish/vendor_completions.d/propjit.fish",
}


def test_program(release):
    with unpacked(release, "propjit") as (folder, root):
        program = root / "bin/propjit"
        if output(program, "--version") != f"propjit {release.version}\n":
            sys.exit(f"{program} has another version")
        run(program, "playout", "gdl/games/connectFour.kif", "--seconds=1", cwd=folder, PROPJIT_CACHE=str(folder / "cache"))
        for shell, place in COMPLETIONS.items():
            if shutil.which(shell):
                run(shell, "-n", root / "share" / place)
        if not (root / "share/man/man1/propjit-playout.1").is_file():
            sys.exit("there are no manual pages of commands")


@contextmanager
def empty_folder():
    """A folder with a rulesheet where the examples of guides look for it, and nothing else."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "gdl/games").mkdir(parents=True)
        shutil.copy(ROOT / "gdl/games/connectFour.kif", folder / "gdl/games")
        yield folder


@contextmanager
def unpacked(release, name):
    """Such a folder, and the archive in it."""
    with empty_folder() as folder:
        title = f"{name}-{release.version}-{release.host}"
        run("tar", "-xzf", PACKAGES / f"{title}.tar.gz", cwd=folder)
        yield folder, folder / title


KINDS = {
    "crates": (crates, test_crates),
    "wheel": (wheel, test_wheel),
    "sdist": (sdist, test_sdist),
    "jar": (jar, test_jar),
    "c": (c, test_c),
    "program": (program, test_program),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="a kind of package (default: all)")
    parser.add_argument("--test", action="store_true", help="test each package in an empty folder")
    parser.add_argument("--profile", default="dist", help="profile of the build (default: dist)")
    arguments = parser.parse_args()
    if unknown := set(arguments.kinds) - set(KINDS):
        parser.error(f"no such kind: {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    shutil.rmtree(PACKAGES, ignore_errors=True)
    PACKAGES.mkdir(parents=True)
    install_tools()
    release = Release(arguments.profile)
    for kind in arguments.kinds or KINDS:
        make, test = KINDS[kind]
        make(release)
        if arguments.test:
            test(release)
    sums = []
    for file in sorted(PACKAGES.iterdir()):
        sums.append(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n")
        print(f"{file.stat().st_size / 1e6:8.2f} MB  {file}")
    (PACKAGES / "SHA256SUMS").write_text("".join(sums))


if __name__ == "__main__":
    main()
