//! Packed sets of actions, with a bit for each, and packed bytes.

use propjit_jit::lanes::transpose::column_words;

/// Returns the number of words of a set, given the number of actions: at least one.
pub(super) fn words(actions: usize) -> usize {
    column_words(actions).max(1)
}

/// Returns whether an action is in the set.
pub(super) fn contains(words: &[u64], action: usize) -> bool {
    let word = words.get(action / 64);
    word.is_some_and(|word| word >> (action % 64) & 1 == 1)
}

/// Returns the number of actions in the set.
pub(super) fn count_ones(words: &[u64]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

/// Returns the action in the set with this rank: the one after `rank` others.
pub(super) fn nth_one(words: &[u64], mut rank: u32) -> Option<i32> {
    for (&word, first) in words.iter().zip((0..).step_by(64)) {
        let count = word.count_ones();
        if rank < count {
            return Some(first + place_of_one(word, rank) as i32);
        }
        rank -= count;
    }
    None
}

/// Returns the position of the one bit of a word with this rank, which must exist: eight bytes at a
/// time, and without a branch that depends on the word (Vigna, "Broadword Implementation of
/// Rank/Select Queries", 2008, algorithm 2).
fn place_of_one(word: u64, rank: u32) -> u32 {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * LOW;
    // In each byte, the number of ones up to its end.
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let sums = ((fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(LOW);
    // The bytes that end before the one: their sums are not more than the rank.
    let before = ((((u64::from(rank) * LOW) | HIGH) - sums) & HIGH) >> 7;
    let first = 8 * (before.wrapping_mul(LOW) >> 56) as u32;
    let rank = u64::from(rank) - (sums << 8 >> first & 0xff);
    // In each byte, one bit of the byte; and then the number of ones up to it.
    let bits = ((word >> first & 0xff) * LOW) & 0x8040_2010_0804_0201;
    let ones = ((bits + (HIGH - LOW)) >> 7) & LOW;
    let sums = ones.wrapping_mul(LOW);
    let before = ((((rank * LOW) | HIGH) - sums) & HIGH) >> 7;
    first + (before.wrapping_mul(LOW) >> 56) as u32
}

/// Copies the first bytes of the words, the lowest first.
pub(super) fn to_packed(words: &[u64], bytes: &mut [u8]) {
    for (word, bytes) in words.iter().zip(bytes.chunks_mut(8)) {
        bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Words with few and with many ones.
        #[test]
        fn the_ones_have_their_places(words in prop::collection::vec(
            prop_oneof![any::<u64>(), Just(0), Just(!0), 0u64..256, (0u32..64).prop_map(|at| 1 << at)],
            0..4,
        )) {
            let places = (0..64 * words.len()).filter(|&place| contains(&words, place));
            let places: Vec<usize> = places.collect();
            prop_assert_eq!(count_ones(&words), places.len());
            for (rank, &place) in (0..).zip(&places) {
                prop_assert_eq!(nth_one(&words, rank), Some(place as i32));
            }
            prop_assert_eq!(nth_one(&words, places.len() as u32), None);
        }

        #[test]
        fn bits_come_to_their_bytes(words: [u64; 3], count in 0usize..=192) {
            let mut packed = vec![9; count.div_ceil(8)];
            to_packed(&words, &mut packed);
            for at in 0..count {
                prop_assert_eq!(packed[at / 8] >> (at % 8) & 1 == 1, contains(&words, at));
            }
        }
    }
}
