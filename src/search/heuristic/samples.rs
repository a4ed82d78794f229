//! States of matches, with the results of the matches.

use crate::machine::RoleId;

/// States of matches, packed.
#[derive(Clone, Debug)]
pub(super) struct Samples {
    /// The number of words of a state.
    words: usize,
    states: Vec<u64>,
    to_move: Vec<RoleId>,
    /// For each state, what the roles got in the end or are expected to get, as shares of the range of goals.
    results: Vec<[f32; 2]>,
    /// Where each match ends.
    ends: Vec<usize>,
}

/// A state of a match.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample<'a> {
    pub state: &'a [u64],
    pub to_move: RoleId,
    pub results: [f32; 2],
}

impl Samples {
    /// No samples yet, of states of so many words.
    pub(super) fn new(words: usize) -> Samples {
        Samples {
            words,
            states: Vec::new(),
            to_move: Vec::new(),
            results: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Adds a match: its states, one after the other, with who is to move in each, and what the
    /// roles get.
    pub(super) fn add_match(
        &mut self,
        states: &[u64],
        to_move: &[RoleId],
        results: impl Iterator<Item = [f32; 2]>,
    ) {
        self.states.extend_from_slice(states);
        self.to_move.extend_from_slice(to_move);
        self.results.extend(results);
        self.ends.push(self.to_move.len());
    }

    /// Forgets the first matches, so that about this number of states is left.
    pub(super) fn keep_last(&mut self, most: usize) {
        let surplus = self.len().saturating_sub(most);
        let matches = self.ends.partition_point(|&end| end <= surplus);
        let Some(&first) = matches.checked_sub(1).and_then(|last| self.ends.get(last)) else {
            return;
        };
        self.states.drain(..first * self.words);
        self.to_move.drain(..first);
        self.results.drain(..first);
        self.ends.drain(..matches);
        self.ends.iter_mut().for_each(|end| *end -= first);
    }

    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.to_move.len()
    }

    /// The number of words of a state.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    pub(super) fn get(&self, at: usize) -> Sample<'_> {
        Sample {
            state: &self.states[at * self.words..][..self.words],
            to_move: self.to_move[at],
            results: self.results[at],
        }
    }

    /// All of them.
    pub(super) fn each(&self) -> impl Iterator<Item = Sample<'_>> {
        (0..self.len()).map(|at| self.get(at))
    }

    /// The samples of each match.
    pub(super) fn by_match(&self) -> impl Iterator<Item = impl Iterator<Item = Sample<'_>>> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let ranges = starts.zip(&self.ends);
        ranges.map(|(&start, &end)| (start..end).map(|at| self.get(at)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_matches_are_forgotten() {
        let mut samples = Samples::new(1);
        for number in 0..4u64 {
            let states = [number, number, number];
            let results = std::iter::repeat_n([number as f32, 0.0], 3);
            samples.add_match(&states, &[RoleId(0); 3], results);
        }
        samples.keep_last(7);
        assert_eq!(samples.len(), 9);
        samples.keep_last(6);
        let matches = samples.by_match().map(|samples| {
            let numbers = samples.map(|sample| (sample.state[0], sample.results[0]));
            numbers.collect::<Vec<_>>()
        });
        let matches: Vec<_> = matches.collect();
        assert_eq!(matches, [[(2, 2.0); 3], [(3, 3.0); 3]]);
        samples.keep_last(0);
        assert_eq!(samples.len(), 0);
    }
}
