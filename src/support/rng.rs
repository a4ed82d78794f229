//! Random numbers: one seed, and independent streams of numbers for threads and matches.
//!
//! Everywhere in propjit, a seed is a `u64`. In the library it defaults to 0, so that the same
//! calls give the same results unless threads or the clock interfere. Commands draw a
//! [`random_seed`] if the user gives none, and print it, so that a run can be repeated.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The generator of all random play: small, fast, and able to jump ahead
/// (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021).
pub type GameRng = Xoshiro256PlusPlus;

/// Streams of random numbers that do not overlap: one seed gives the same
/// streams in the same order, each 2^128 numbers long.
pub fn streams(seed: u64) -> impl Iterator<Item = GameRng> {
    let first = GameRng::seed_from_u64(seed);
    std::iter::successors(Some(first), |stream| {
        let mut next = stream.clone();
        next.jump();
        Some(next)
    })
}

/// A seed from the operating system.
pub fn random_seed() -> u64 {
    rand::random()
}
