//! The transposition table: what earlier searches found out about states, shared by all threads.
//!
//! Entries are pairs of atomic words, the data and the key combined with it, so that a pair of which another thread
//! has replaced one word does not look like an entry (Hyatt and Mann, "A lock-less transposition-table
//! implementation for parallel search", 2002).

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use super::value::Value;

/// What is known of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// The value for the role that decides there.
    pub value: Value,
    /// How the value relates to the true one.
    pub bound: Bound,
    /// The depth of the search.
    pub depth: u8,
    /// The place of the best move among the legal ones, if one is known.
    pub best: Option<u16>,
}

/// How a value that was found relates to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    /// It is not more.
    Lower = 1,
    /// It is not less.
    Upper = 2,
    /// It is the same.
    Exact = 3,
}

/// The depth of what is proved.
pub(super) const PROVED: u8 = u8::MAX;

/// The number of entries that a key may be in.
const WAYS: usize = 4;

/// The number of buckets in a segment of the table, each as large as a cache line.
const SEGMENT: usize = 1 << 14;

/// A place for [`WAYS`] entries.
#[derive(Default, Debug)]
#[repr(align(64))]
struct Bucket([[AtomicU64; 2]; WAYS]);

/// Entries for the states of a game, by their [keys](crate::search::learned::LaneScorer).
#[derive(Debug)]
pub(super) struct Table {
    /// Allocated when they are needed.
    segments: Vec<OnceLock<Box<[Bucket]>>>,
    /// The number of the current search; entries of earlier ones are replaced first.
    age: AtomicU8,
}

impl Table {
    /// An empty table with at most about this memory, in bytes.
    pub(super) fn new(memory: usize) -> Table {
        let count = (memory / (SEGMENT * size_of::<Bucket>())).max(1);
        Table {
            segments: (0..count).map(|_| OnceLock::new()).collect(),
            age: AtomicU8::new(0),
        }
    }

    /// Another search begins.
    pub(super) fn grow_older(&self) {
        self.age.fetch_add(1, Ordering::Relaxed);
    }

    fn bucket(&self, key: u64) -> &Bucket {
        // The number of segments need not be a power of two.
        let place = (u128::from(key) * self.segments.len() as u128) >> 64;
        let segment = self.segments[place as usize].get_or_init(|| {
            let buckets = (0..SEGMENT).map(|_| Bucket::default());
            buckets.collect()
        });
        &segment[key as usize % SEGMENT]
    }

    /// Returns what is known of a state.
    pub(super) fn find(&self, key: u64) -> Option<Entry> {
        let Bucket(entries) = self.bucket(key);
        let entries = entries.iter().filter_map(|[check, data]| {
            let data = data.load(Ordering::Relaxed);
            (check.load(Ordering::Relaxed) ^ data == key).then_some(data)
        });
        entries.filter_map(Entry::unpack).next()
    }

    /// Records something about a state, unless more is known already.
    pub(super) fn store(&self, key: u64, entry: Entry) {
        let age = self.age.load(Ordering::Relaxed);
        let Bucket(entries) = self.bucket(key);
        let mut entry = entry;
        let mut worst = (&entries[0], i32::MAX);
        for place @ [check, data] in entries {
            let data = data.load(Ordering::Relaxed);
            let is_same = check.load(Ordering::Relaxed) ^ data == key;
            let Some(known) = Entry::unpack(data) else {
                worst = (place, i32::MIN);
                continue;
            };
            if is_same {
                if known.depth == PROVED && entry.depth < PROVED {
                    return;
                }
                entry.best = entry.best.or(known.best);
                worst = (place, i32::MIN);
                break;
            }
            let is_old = (data >> 56) as u8 != age;
            let worth = i32::from(known.depth) - if is_old { 1000 } else { 0 };
            if worth < worst.1 {
                worst = (place, worth);
            }
        }
        let data = entry.pack(age);
        let [check, place] = worst.0;
        check.store(key ^ data, Ordering::Relaxed);
        place.store(data, Ordering::Relaxed);
    }
}

impl Entry {
    /// Eight bits of the age, eight of the depth, two of the bound, 22 of the value, and 16 of the place, plus one.
    fn pack(self, age: u8) -> u64 {
        let best = self.best.map_or(0, |best| best.saturating_add(1));
        u64::from(age) << 56
            | u64::from(self.depth) << 48
            | (self.bound as u64) << 40
            | u64::from(self.value as u32 & ((1 << 22) - 1)) << 16
            | u64::from(best)
    }

    fn unpack(data: u64) -> Option<Entry> {
        let bound = match data >> 40 & 3 {
            1 => Bound::Lower,
            2 => Bound::Upper,
            3 => Bound::Exact,
            _ => return None,
        };
        Some(Entry {
            // The sign is extended.
            value: ((data >> 16) as i32) << 10 >> 10,
            bound,
            depth: (data >> 48) as u8,
            best: (data as u16).checked_sub(1),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entries() -> impl Strategy<Value = Entry> {
        let bounds = prop::sample::select(vec![Bound::Lower, Bound::Upper, Bound::Exact]);
        (
            -1_000_001..=1_000_001,
            bounds,
            any::<u8>(),
            prop::option::of(0..u16::MAX),
        )
            .prop_map(|(value, bound, depth, best)| Entry {
                value,
                bound,
                depth,
                best,
            })
    }

    proptest! {
        #[test]
        fn what_was_stored_is_found(entry in entries(), age in any::<u8>(), key in any::<u64>()) {
            prop_assert_eq!(Entry::unpack(entry.pack(age)), Some(entry));
            let table = Table::new(1 << 21);
            prop_assert_eq!(table.find(key), None);
            table.store(key, entry);
            prop_assert_eq!(table.find(key), Some(entry));
        }
    }

    #[test]
    fn proofs_and_deep_entries_stay() {
        let table = Table::new(0);
        let entry = |depth| Entry {
            value: i32::from(depth),
            bound: Bound::Exact,
            depth,
            best: None,
        };
        // All in one bucket.
        let key = |number: u64| number * SEGMENT as u64;
        (1..=4).for_each(|number| table.store(key(number), entry(10 * number as u8)));
        table.store(key(5), entry(1));
        assert_eq!(table.find(key(1)), None);
        assert_eq!(table.find(key(5)), Some(entry(1)));
        assert_eq!(table.find(key(4)), Some(entry(40)));
        table.store(key(4), entry(PROVED));
        table.store(key(4), entry(3));
        assert_eq!(table.find(key(4)), Some(entry(PROVED)));
        // Those of earlier searches go first.
        table.grow_older();
        (6..=8).for_each(|number| table.store(key(number), entry(2)));
        assert_eq!(table.find(key(4)), Some(entry(PROVED)));
        table.store(key(9), entry(2));
        assert_eq!(table.find(key(4)), None);
    }
}
