//! The search for [patterns](super::patterns): what ends a match by the rules, and what was never seen
//! together with it.

use super::patterns::Pattern;
use super::samples::Samples;
use crate::ground::GroundGame;
use crate::influence::conjunctions;
use crate::state::ones;

/// How many states are looked at for what excludes what.
const STATES: usize = 4000;

/// Two propositions exclude each other if they were never seen together, but would have been so often if they
/// had nothing to do with each other: then the error is below one in a thousand.
const EXPECTED: f64 = 7.0;

/// The patterns of a game of which there are these samples.
pub(super) fn patterns(game: &GroundGame, samples: &Samples) -> Vec<Pattern> {
    let bases = game.layout().bases.len();
    let terminal = game.lowered().outputs()[game.layout().terminal];
    let mut found = conjunctions(game.lowered(), terminal);
    let sizes = Pattern::LEAST_PARTS..=Pattern::MOST_PARTS;
    found.retain(|parts| sizes.contains(&parts.len()) && parts.iter().all(|&base| base < bases));
    let excluded = Exclusions::new(bases, &found, samples);
    let pattern = |parts: Vec<usize>| Pattern {
        blockers: excluded.by(&parts),
        parts,
    };
    found.into_iter().map(pattern).collect()
}

/// Which propositions of patterns exclude each other.
struct Exclusions {
    /// For each proposition, its number among those of patterns.
    numbers: Vec<Option<usize>>,
    bases: Vec<usize>,
    /// In how many states each was seen, and each with each.
    seen: Vec<u32>,
    together: Vec<u32>,
    states: usize,
}

impl Exclusions {
    fn new(bases: usize, patterns: &[Vec<usize>], samples: &Samples) -> Exclusions {
        let mut numbers = vec![None; bases];
        let mut of_patterns: Vec<usize> = patterns.iter().flatten().copied().collect();
        of_patterns.sort_unstable();
        of_patterns.dedup();
        let bases = of_patterns;
        for (number, &base) in bases.iter().enumerate() {
            numbers[base] = Some(number);
        }
        let mut found = Exclusions {
            seen: vec![0; bases.len()],
            together: vec![0; bases.len() * bases.len()],
            numbers,
            bases,
            states: 0,
        };
        let step = samples.len().div_ceil(STATES).max(1);
        for sample in samples.each().step_by(step) {
            let present = ones(sample.state.iter().copied());
            let present: Vec<usize> = present.filter_map(|base| found.numbers[base]).collect();
            for &one in &present {
                found.seen[one] += 1;
                let row = &mut found.together[one * found.bases.len()..][..found.bases.len()];
                present.iter().for_each(|&other| row[other] += 1);
            }
            found.states += 1;
        }
        found
    }

    /// What excludes some of these propositions.
    fn by(&self, parts: &[usize]) -> Vec<usize> {
        let numbers = || parts.iter().filter_map(|&part| self.numbers[part]);
        let excludes = |one: usize, other: usize| {
            let expected =
                f64::from(self.seen[one]) * f64::from(self.seen[other]) / self.states.max(1) as f64;
            self.together[one * self.bases.len() + other] == 0 && expected >= EXPECTED
        };
        let others = (0..self.bases.len()).filter(|&other| {
            let mut parts = numbers();
            !parts.clone().any(|part| part == other) && parts.any(|part| excludes(part, other))
        });
        others.map(|other| self.bases[other]).collect()
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::game::{Game, Setup};
    use crate::machine::{Backend, RoleId, State};
    use crate::rng;

    /// The patterns of one of the project's games, by states of random matches; with their propositions.
    fn found(name: &str, matches: usize) -> Vec<[Vec<String>; 2]> {
        let rules = propjit_gdl::games::text(name).unwrap();
        let game = Game::from_text(name, rules, &Setup::default()).unwrap();
        let ground = game.ground_game().unwrap();
        let mut rng = rng::streams(1).next().unwrap();
        let mut machine = game.machine(Backend::Scalar).unwrap();
        let words = ground.layout().bases.len().div_ceil(64);
        let mut samples = Samples::new(words);
        let mut legal = Vec::new();
        for _ in 0..matches {
            let mut state = machine.initial_state().unwrap();
            let mut states = Vec::new();
            while !machine.is_terminal(&state).unwrap() {
                states.extend((0..words).map(|at| state.words().get(at).copied().unwrap_or(0)));
                let mut joint = Vec::new();
                for role in RoleId::first(2) {
                    machine.legal_moves(&state, role, &mut legal).unwrap();
                    joint.push(legal[rng.random_range(0..legal.len())]);
                }
                state = machine.next_state(&state, &joint).unwrap();
            }
            let count = states.len() / words;
            let results = std::iter::repeat_n([0.5; 2], count);
            samples.add_match(&states, &vec![RoleId(0); count], results);
        }
        let name = |&base: &usize| {
            let mut words = vec![0; words];
            words[base / 64] |= 1 << (base % 64);
            let mut state = State::new();
            state.assign(&words);
            ground.fluents(&state).remove(0)
        };
        let names = |bases: &[usize]| bases.iter().map(name).collect();
        let patterns = patterns(ground, &samples).into_iter();
        let named = patterns.map(|found| [names(&found.parts), names(&found.blockers)]);
        named.collect()
    }

    /// Three in a row are eight patterns for each role, and the other's marks in the same cells block them.
    #[test]
    fn rows_are_patterns() {
        let patterns = found("ticTacToe", 1000);
        assert_eq!(patterns.len(), 16, "{patterns:?}");
        for [parts, blockers] in patterns {
            assert_eq!(
                (parts.len(), blockers.len()),
                (3, 3),
                "{parts:?} {blockers:?}"
            );
            let swap = |name: &String| match name.contains(" x)") {
                true => name.replace(" x)", " o)"),
                false => name.replace(" o)", " x)"),
            };
            let mut expected: Vec<String> = parts.iter().map(swap).collect();
            let mut blockers = blockers.clone();
            expected.sort();
            blockers.sort();
            assert_eq!(blockers, expected);
        }
    }

    /// A pawn on the last row ends a match of breakthrough by itself.
    #[test]
    fn single_propositions_are_no_patterns() {
        assert!(found("breakthrough", 10).is_empty());
    }
}
