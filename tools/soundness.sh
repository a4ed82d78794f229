#!/usr/bin/env bash
# Looks for faults that ordinary tests seldom show: in unsafe code, between threads, and with
# inputs that nobody thought of.
#
#   tools/soundness.sh            all parts
#   tools/soundness.sh PART...    these parts
#   tools/soundness.sh --ci       the parts that take seconds where `cargo test` was run before
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

skip() {
    echo "skipped: $1"
    return 77
}

assembler() { cargo test --locked -p propjit-jit --lib -- code::avx2; }

stress() {
    cargo test --locked -p propjit --lib -- search::mcts &&
        cargo test --locked -p propjit-jit --lib -- memory
}

finds() { cargo test --locked -p propjit --test main -- finds::; }

loom() {
    # More switches between threads than these are seldom needed to show a fault.
    LOOM_MAX_PREEMPTIONS=3 CARGO_TARGET_DIR=target/soundness/loom \
        RUSTFLAGS="--cfg propjit_loom" \
        cargo test --locked --no-default-features -p propjit --lib -- mcts::model
}

# sanitized NAME KIND ARGUMENTS...: cargo test with a sanitizer.
sanitized() {
    local name="$1" kind="$2"
    shift 2
    local runtime
    runtime="$(rustc --print target-libdir)/librustc-*_rt.$name.a"
    compgen -G "$runtime" > /dev/null || { skip "rustc has no $kind sanitizer for $target"; return; }
    RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="target/soundness/$name" CARGO_PROFILE_TEST_OPT_LEVEL=1 \
        RUSTFLAGS="-Zsanitizer=$kind -Cunsafe-allow-abi-mismatch=sanitizer" PROPTEST_CASES="${PROPTEST_CASES:-64}" \
        cargo test --locked --no-default-features --target "$target" "$@"
}

asan() {
    sanitized asan address -p propjit-jit --lib --test main &&
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
    cargo +nightly miri --version > /dev/null 2>&1 ||
        { skip "no nightly toolchain with Miri (rustup +nightly component add miri rust-src)"; return; }
    # Property tests look at the clock and at files. Miri runs no machine code: there is no
    # generator for it then, and rows are vectors of words.
    export MIRIFLAGS="-Zmiri-disable-isolation ${MIRIFLAGS:-}"
    export CARGO_TARGET_DIR=target/soundness/miri PROPTEST_CASES="${PROPTEST_CASES:-4}"
    cargo +nightly miri test --locked -p propjit-jit --lib -- lanes:: scalar:: memory:: &&
        cargo +nightly miri test --locked -p propjit-jit --test main -- interpreters:: select:: \
            --skip equally_likely &&
        cargo +nightly miri test --locked --no-default-features -p propjit --lib -- search::mcts
}

fuzz() {
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
