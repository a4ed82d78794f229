//! Sets of moves as bits, and their similarity.

/// The set of moves that can be played in each of several positions.
///
/// Sets of the same game's positions that were made with the same labels can be compared.
#[derive(Clone, Debug)]
pub struct MoveSets {
    /// The words of a set.
    words: usize,
    sets: Vec<u64>,
    sizes: Vec<u32>,
}

impl MoveSets {
    pub(super) fn new(words: usize, capacity: usize) -> MoveSets {
        MoveSets {
            words,
            sets: Vec::with_capacity(words * capacity),
            sizes: Vec::with_capacity(capacity),
        }
    }

    pub(super) fn push(&mut self, set: &[u64]) {
        self.sets.extend_from_slice(set);
        self.sizes
            .push(set.iter().map(|word| word.count_ones()).sum());
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// Returns the similarity of continuations at depth 1 of one of the positions and one of
    /// another collection: see [`continuations`]. None if neither has moves.
    pub fn similarity(&self, at: usize, others: &MoveSets, other: usize) -> Option<f64> {
        let set = &self.sets[at * self.words..][..self.words];
        let other_set = &others.sets[other * self.words..][..self.words];
        let shared = set.iter().zip(other_set).map(|(a, b)| (a & b).count_ones());
        let shared: u32 = shared.sum();
        ratio(shared, self.sizes[at] + others.sizes[other])
    }
}

/// Returns the similarity of continuations (equation 1, section 2.1) of two sets of moves, which
/// are ascending: the number of moves in both over the number of moves in either. None if both are
/// empty.
pub fn continuations(a: &[u32], b: &[u32]) -> Option<f64> {
    let mut others = b.iter().peekable();
    let shared = a.iter().filter(|&label| {
        while others.next_if(|&other| other < label).is_some() {}
        others.peek() == Some(&label)
    });
    ratio(shared.count() as u32, (a.len() + b.len()) as u32)
}

/// The ratio of the sizes of intersection and union, from that of the intersection and the sum of
/// the sizes of both sets.
fn ratio(shared: u32, sizes: u32) -> Option<f64> {
    (sizes > 0).then(|| f64::from(shared) / f64::from(sizes - shared))
}
