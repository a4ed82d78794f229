//! Training samples: states of matches, with the results of the matches.

use super::inputs::Inputs;
use super::weights::Shares;
use crate::game::machine::RoleId;
use crate::game::vocabulary::state::ones;

/// States of matches, packed.
#[derive(Clone, Debug)]
pub(super) struct Samples {
    /// The number of words of a state.
    words: usize,
    states: Vec<u64>,
    /// The label of each state.
    labels: Vec<Label>,
    /// The end of each match.
    ends: Vec<usize>,
    /// The inputs of patterns that are true in the first `known` states.
    patterns: Vec<u32>,
    known: usize,
}

/// The label of a state. It is read at random, and so kept in one place.
#[derive(Clone, Copy, Debug)]
struct Label {
    to_move: ToMove,
    /// The results that the roles got in the end or are expected to get, as shares of the range of goals.
    results: Shares,
    /// The places of the inputs of its patterns.
    patterns: [usize; 2],
}

/// The roles to move in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ToMove {
    /// The role that is, or the first role where several are.
    pub role: RoleId,
    pub are_several: bool,
}

#[cfg(test)]
impl ToMove {
    /// Returns that only this role is to move.
    pub(super) fn one(role: RoleId) -> ToMove {
        ToMove {
            role,
            are_several: false,
        }
    }
}

/// A state of a match.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample<'a> {
    pub state: &'a [u64],
    /// The inputs of patterns that are true, if they were [found](Samples::find_patterns).
    pub patterns: &'a [u32],
    /// The role that is to move, or the first role where several are.
    pub to_move: RoleId,
    pub are_several: bool,
    pub results: Shares,
}

impl Samples {
    /// Returns an empty list of samples, of states of `words` words.
    pub(super) fn new(words: usize) -> Samples {
        Samples {
            words,
            states: Vec::new(),
            labels: Vec::new(),
            ends: Vec::new(),
            patterns: Vec::new(),
            known: 0,
        }
    }

    /// Adds a match: its states, one after the other, with the roles to move in each, and what the roles
    /// get.
    pub(super) fn add_match(
        &mut self,
        states: &[u64],
        to_move: &[ToMove],
        results: impl Iterator<Item = Shares>,
    ) {
        self.states.extend_from_slice(states);
        let labels = to_move.iter().zip(results);
        self.labels.extend(labels.map(|(&to_move, results)| Label {
            to_move,
            results,
            patterns: [0; 2],
        }));
        self.ends.push(self.len());
    }

    /// Adds samples without known patterns.
    pub(super) fn append(&mut self, mut other: Samples) {
        let before = self.len();
        self.states.append(&mut other.states);
        self.labels.append(&mut other.labels);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }

    /// Finds the inputs of patterns that are true in those states in which they are not known: most states
    /// are learned from several times.
    pub(super) fn find_patterns(&mut self, inputs: &Inputs) {
        let mut counts = inputs.no_counts();
        let mut present = Vec::new();
        for at in self.known..self.len() {
            present.clear();
            present.extend(ones(self.get(at).state.iter().copied()));
            let start = self.patterns.len();
            inputs.add_patterns(&present, &mut counts, &mut self.patterns);
            self.labels[at].patterns = [start, self.patterns.len()];
        }
        self.known = self.len();
    }

    /// Forgets the first matches, so that about this number of states is left.
    pub(super) fn keep_last(&mut self, most: usize) {
        let surplus = self.len().saturating_sub(most);
        let matches = self.ends.partition_point(|&end| end <= surplus);
        let Some(&first) = matches.checked_sub(1).and_then(|last| self.ends.get(last)) else {
            return;
        };
        self.states.drain(..first * self.words);
        let patterns = match first.min(self.known).checked_sub(1) {
            Some(last) => self.labels[last].patterns[1],
            None => 0,
        };
        self.patterns.drain(..patterns);
        self.labels.drain(..first);
        self.known = self.known.saturating_sub(first);
        for label in &mut self.labels[..self.known] {
            label.patterns = label.patterns.map(|at| at - patterns);
        }
        self.ends.drain(..matches);
        self.ends.iter_mut().for_each(|end| *end -= first);
    }

    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.labels.len()
    }

    /// The number of words of a state.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    pub(super) fn get(&self, at: usize) -> Sample<'_> {
        let Label {
            to_move: ToMove { role, are_several },
            results,
            patterns: [start, end],
        } = self.labels[at];
        Sample {
            state: &self.states[at * self.words..][..self.words],
            patterns: &self.patterns[start..end],
            to_move: role,
            are_several,
            results,
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
    use crate::search::learned::inputs::Pattern;

    /// Patterns stay with their states when matches are forgotten, and when more are added.
    #[test]
    fn patterns_stay_with_states() {
        let pattern = Pattern {
            parts: vec![0, 1, 2],
            blockers: vec![3],
        };
        let inputs = Inputs::new(4, vec![pattern], Vec::new());
        let mut samples = Samples::new(1);
        let add = |samples: &mut Samples, states: &[u64]| {
            let results = std::iter::repeat_n([0.5; 4], states.len());
            samples.add_match(states, &vec![ToMove::one(RoleId(0)); states.len()], results);
        };
        let found = |samples: &Samples| -> Vec<Vec<u32>> {
            samples.each().map(|at| at.patterns.to_vec()).collect()
        };
        add(&mut samples, &[0b0011, 0b0001]);
        samples.find_patterns(&inputs);
        add(&mut samples, &[0b0110, 0b1110, 0b0101]);
        assert_eq!(found(&samples), [vec![4], vec![], vec![], vec![], vec![]]);
        samples.find_patterns(&inputs);
        samples.keep_last(3);
        add(&mut samples, &[0b0011]);
        samples.find_patterns(&inputs);
        assert_eq!(found(&samples), [vec![4], vec![], vec![4], vec![4]]);
        samples.keep_last(0);
        assert_eq!((samples.len(), samples.patterns.len()), (0, 0));
    }

    #[test]
    fn matches_of_others_come_after_the_own() {
        let matches = |numbers: std::ops::Range<u64>| {
            let mut samples = Samples::new(1);
            for number in numbers {
                let results = std::iter::repeat_n([number as f32, 0.0, 0.0, 0.0], 2);
                samples.add_match(
                    &[number, 10 + number],
                    &[ToMove::one(RoleId(0)); 2],
                    results,
                );
            }
            samples
        };
        let mut samples = matches(0..2);
        samples.find_patterns(&Inputs::plain(64));
        samples.append(matches(2..5));
        let all = matches(0..5);
        let each = |samples: &Samples| {
            let each = samples.by_match().map(|samples| {
                let numbers = samples.map(|sample| (sample.state[0], sample.results[0]));
                numbers.collect::<Vec<_>>()
            });
            each.collect::<Vec<_>>()
        };
        assert_eq!(each(&samples), each(&all));
        samples.keep_last(5);
        assert_eq!(each(&samples), each(&all)[2..]);
    }

    #[test]
    fn whole_matches_are_forgotten() {
        let mut samples = Samples::new(1);
        for number in 0..4u64 {
            let states = [number, number, number];
            let results = std::iter::repeat_n([number as f32, 0.0, 0.0, 0.0], 3);
            samples.add_match(&states, &[ToMove::one(RoleId(0)); 3], results);
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
