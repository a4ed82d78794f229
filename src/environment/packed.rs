//! Sets of actions, a bit each.

/// Whether an action is in the set.
pub(super) fn contains(words: &[u64], action: usize) -> bool {
    let word = words.get(action / 64);
    word.is_some_and(|word| word >> (action % 64) & 1 == 1)
}

/// The number of actions in the set.
pub(super) fn count_ones(words: &[u64]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

/// The action in the set that comes after so many others.
pub(super) fn nth_one(words: &[u64], mut rank: u32) -> Option<i32> {
    for (&word, first) in words.iter().zip((0..).step_by(64)) {
        let count = word.count_ones();
        if rank < count {
            let mut rest = word;
            for _ in 0..rank {
                rest &= rest - 1;
            }
            return Some(first + rest.trailing_zeros() as i32);
        }
        rank -= count;
    }
    None
}
