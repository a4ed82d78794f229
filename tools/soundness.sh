#!/usr/bin/env bash
# Looks for faults that ordinary tests seldom show: in unsafe code, between threads, and with
# inputs that nobody thought of.
#
#   tools/soundness.sh            all parts
#   tools/soundness.sh PART...    these parts
#   tools/soundness.sh --ci       the parts that take seconds where `cargo test` was run before
#   tools/soundness.sh --filters  runs nothing: checks that each filter below is a module
#
# part       what it does                                                        needs
# assembler  encodes AVX2 instructions, decodes them with iced-x86 (--ci)        -
# stress     threads build one search tree and check what they see (--ci)        -
# finds      tries again what fuzzing found before (--ci)                        -
# loom       tries all orders of accesses to the words of a node                 a build of its own
# asan       AddressSanitizer: interpreters, machine code, cache, search         a build of its own
# tsan       ThreadSanitizer: search tree and shared memory                      a build of its own
# miri       interpreters, lanes, arena and stress under Miri                    nightly with Miri
# fuzz       each fuzz target for SECONDS_PER_TARGET (60)                      cargo-fuzz
#
# A part whose tool is missing is skipped, and the script says so. The sanitizers are unstable
# features of rustc, hence RUSTC_BOOTSTRAP. What they do not see:
# - Machine code that is generated here is not instrumented: asan only sees that it leaves the
#   memory around the rows alone as far as the evaluator looks at it afterwards.
# - The standard library is not instrumented either (that needs its sources): tsan does not see
#   how OnceLock, Arc and channels order what they hold, nor fences as in crossbeam-epoch, and
#   warns of what is right. So it looks only at what orders its accesses by itself: the tree, its
#   arena, and memory that threads share. What it still says wrongly is in tools/tsan.supp.
# - x86-64 orders accesses to memory more than the language promises: what breaks on other CPUs
#   only is for loom and miri to find.
#
# Builds go to target/soundness/PART. Exit code: 0 if nothing was found, 1 if something was, 2
# on wrong usage.
set -uo pipefail
cd "$(dirname "$0")/.."

readonly all=(assembler stress finds loom asan tsan miri fuzz)
readonly ci=(assembler stress finds)
readonly fuzz_targets=(rulesheet message cache_file history circuit)
target="$(rustc -vV | sed -n 's/^host: //p')"
readonly target

passed=() found=() skipped=()
filters_only=

skip() {
    echo "skipped: $1"
    return 77
}

# tests ARGUMENTS... -- FILTERS...: `cargo test` of the tests that match a filter. A filter that
# matches none is an error: the tests have been renamed, and nothing would be checked. Options of
# the test program may follow the filters. CARGO_TEST are the words of the command.
tests() {
    local arguments=() filters=() options=() listed filter
    while [ "$1" != -- ]; do arguments+=("$1"); shift; done
    shift
    while [ $# != 0 ] && [[ "$1" != --* ]]; do filters+=("$1"); shift; done
    options=("$@")
    if [ -n "$filters_only" ]; then
        are_modules "${arguments[*]}" "${filters[@]}"
        return
    fi
    listed="$("${CARGO_TEST[@]}" "${arguments[@]}" -- --list --format terse | grep ': test$')" ||
        { echo "there is no test in \`${arguments[*]}\`" >&2; return 1; }
    for filter in "${filters[@]}"; do
        grep -q -F -- "$filter" <<< "$listed" ||
            { echo "no test in \`${arguments[*]}\` matches \`$filter\`" >&2; return 1; }
    done
    "${CARGO_TEST[@]}" "${arguments[@]}" -- "${filters[@]}" "${options[@]}"
}
# are_modules ARGUMENTS FILTERS...: whether each filter is the path of a module of what is tested.
are_modules() {
    local folder=. filter found
    [[ "$1" == *propjit-jit* ]] && folder=jit
    case "$1" in
        *--lib*) folder+=/src ;;
        *) folder+=/tests ;;
    esac
    shift
    for filter in "$@"; do
        filter="${filter%::}"
        found="$(find "$folder" \( -path "*/${filter//:://}" -o -path "*/${filter//:://}.rs" \) -print -quit)"
        [ -n "$found" ] || { echo "there is no module \`$filter\` in $folder" >&2; return 1; }
    done
}
CARGO_TEST=(cargo test --locked)

assembler() { tests -p propjit-jit --lib -- code::assembler; }

stress() {
    tests -p propjit --lib -- search::mcts &&
        tests -p propjit-jit --lib -- memory::
}

finds() { tests -p propjit --test main -- finds::; }

loom() {
    # More switches between threads than these are seldom needed to show a fault.
    LOOM_MAX_PREEMPTIONS=3 CARGO_TARGET_DIR=target/soundness/loom \
        RUSTFLAGS="--cfg propjit_loom" \
        tests --no-default-features -p propjit --lib -- mcts::tree::model
}

# sanitized NAME KIND ARGUMENTS...: cargo test with a sanitizer.
sanitized() {
    local name="$1" kind="$2"
    shift 2
    [ -z "$filters_only" ] || { tests "$@"; return; }
    local runtime
    runtime="$(rustc --print target-libdir)/librustc-*_rt.$name.a"
    compgen -G "$runtime" > /dev/null || { skip "rustc has no $kind sanitizer for $target"; return; }
    RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="target/soundness/$name" CARGO_PROFILE_TEST_OPT_LEVEL=1 \
        RUSTFLAGS="-Zsanitizer=$kind -Cunsafe-allow-abi-mismatch=sanitizer" PROPTEST_CASES="${PROPTEST_CASES:-64}" \
        tests --no-default-features --target "$target" "$@"
}

asan() {
    sanitized asan address -p propjit-jit --lib --test main -- &&
        sanitized asan address -p propjit --lib -- search:: &&
        sanitized asan address -p propjit --test main -- mcts:: playouts:: finds::
}

tsan() {
    local supp
    supp="$PWD/tools/tsan.supp"
    export TSAN_OPTIONS="suppressions=$supp ${TSAN_OPTIONS:-}"
    sanitized tsan thread -p propjit-jit --lib -- memory:: &&
        sanitized tsan thread -p propjit --lib -- search::
}

miri() {
    [ -n "$filters_only" ] || cargo +nightly miri --version > /dev/null 2>&1 ||
        { skip "no nightly toolchain with Miri (rustup +nightly component add miri rust-src)"; return; }
    # Property tests look at the clock and at files. Miri runs no machine code: there is no
    # generator for it then, and rows are vectors of words.
    if [ -z "$filters_only" ]; then
        export MIRIFLAGS="-Zmiri-disable-isolation ${MIRIFLAGS:-}"
        export CARGO_TARGET_DIR=target/soundness/miri PROPTEST_CASES="${PROPTEST_CASES:-4}"
        local CARGO_TEST=(cargo +nightly miri test --locked)
    fi
    tests -p propjit-jit --lib -- lanes:: scalar:: memory:: &&
        tests -p propjit-jit --test main -- interpreters:: select:: --skip equally_likely &&
        tests -p propjit --no-default-features --lib -- search::mcts
}

fuzz() {
    [ -z "$filters_only" ] || { skip 'targets have no filters'; return; }
    cargo fuzz --version > /dev/null 2>&1 ||
        { skip "no cargo-fuzz (cargo install cargo-fuzz)"; return; }
    export RUSTC_BOOTSTRAP=1
    local name
    for name in "${fuzz_targets[@]}"; do
        mkdir -p "fuzz/corpus/$name"
        cargo fuzz run --target-dir target/soundness/fuzz "$name" "fuzz/corpus/$name" \
            "tests/finds/$name" -- -max_total_time="${SECONDS_PER_TARGET:-60}" \
            -timeout=30 -rss_limit_mb=4096 || return
    done
}

parts=("$@")
case "${1:-}" in
    "") parts=("${all[@]}") ;;
    --ci) parts=("${ci[@]}") ;;
    --filters) parts=("${all[@]}") filters_only=1 ;;
esac
for part in "${parts[@]}"; do
    if [[ " ${all[*]} " != *" $part "* ]]; then
        echo "no part \`$part\`; there are ${all[*]}" >&2
        exit 2
    fi
done
for part in "${parts[@]}"; do
    echo "== $part"
    ("$part")
    case $? in
        0) passed+=("$part") ;;
        77) skipped+=("$part") ;;
        *) found+=("$part") ;;
    esac
done
echo "passed: ${passed[*]:-none}; skipped: ${skipped[*]:-none}; failed: ${found[*]:-none}"
[ ${#found[@]} = 0 ]
