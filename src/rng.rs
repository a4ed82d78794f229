//! Random numbers: one seed, one independent stream per thread.

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
