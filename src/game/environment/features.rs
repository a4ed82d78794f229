//! The elements of observations, as places of propositions.

/// An arrangement of a game's base propositions in observations, from the point of view of each player: each element is
/// whether a proposition holds, or a constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Features {
    /// For each player, the sources of the elements.
    sources: Vec<Vec<u32>>,
}

/// The source of one element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// Always 0.
    Zero,
    /// Always 1.
    One,
    /// Whether the base proposition with this number holds.
    Base(usize),
}

const ZERO: u32 = u32::MAX;
const ONE: u32 = u32::MAX - 1;

impl Features {
    /// Creates an arrangement from the elements that each player sees.
    ///
    /// # Panics
    /// If players see different numbers of elements.
    pub fn new(of_players: &[Vec<Source>]) -> Features {
        let number = |source: &Source| match *source {
            Source::Zero => ZERO,
            Source::One => ONE,
            Source::Base(base) => base as u32,
        };
        let sources: Vec<Vec<u32>> = (of_players.iter())
            .map(|sources| sources.iter().map(number).collect())
            .collect();
        let is_even = sources.windows(2).all(|two| two[0].len() == two[1].len());
        assert!(is_even, "as many elements for each player");
        Features { sources }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.sources.first().map_or(0, Vec::len)
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of players.
    pub fn players(&self) -> usize {
        self.sources.len()
    }

    /// Returns whether elements depend on the player who observes.
    pub fn are_relative(&self) -> bool {
        self.sources.windows(2).any(|two| two[0] != two[1])
    }

    /// Returns the source of an element as a player sees it.
    ///
    /// # Panics
    /// If there is no such player or element.
    pub fn source(&self, player: usize, element: usize) -> Source {
        match self.sources[player][element] {
            ZERO => Source::Zero,
            ONE => Source::One,
            base => Source::Base(base as usize),
        }
    }

    /// Adds the elements that a player sees in a state, a bit each, packed from the lowest bit of a word on.
    ///
    /// # Panics
    /// If there is no such player.
    pub fn pack(&self, player: usize, state: &[u64], packed: &mut Vec<u64>) {
        for sources in self.sources[player].chunks(64) {
            let mut word = 0;
            for (at, &source) in sources.iter().enumerate() {
                let holds = match source {
                    ZERO => false,
                    ONE => true,
                    // States are trimmed: words that they do not have are zero.
                    base => (state.get(base as usize / 64))
                        .is_some_and(|word| word >> (base % 64) & 1 == 1),
                };
                word |= u64::from(holds) << at;
            }
            packed.push(word);
        }
    }

    /// Writes a row for each element, given those of the base propositions, as a player sees it: the player's own lanes
    /// are set, others are left as they are. Rows have as many words as `lanes`.
    pub(crate) fn add_rows(&self, player: usize, lanes: &[u64], bases: &[u64], rows: &mut [u64]) {
        let words = lanes.len();
        for (row, &source) in rows.chunks_exact_mut(words).zip(&self.sources[player]) {
            match source {
                ZERO => {}
                ONE => row
                    .iter_mut()
                    .zip(lanes)
                    .for_each(|(to, lanes)| *to |= lanes),
                base => {
                    let from = &bases[base as usize * words..][..words];
                    for ((to, from), lanes) in row.iter_mut().zip(from).zip(lanes) {
                        *to |= from & lanes;
                    }
                }
            }
        }
    }
}
