//! Discovery of patterns: combinations that end a match by the rules, and propositions
//! that were never seen together with them.

use crate::game::ground::GroundGame;
use crate::game::vocabulary::state::ones;
use crate::proof::influence::conjunctions;
use crate::search::learned::inputs::Pattern;
use crate::search::learned::samples::Samples;

/// The number of states that are searched for exclusions.
const STATES: usize = 4000;

/// Two propositions exclude each other if they were never seen together, but would have been so often if they
/// had nothing to do with each other: then the error is below one in a thousand.
const EXPECTED: f64 = 7.0;

/// Finds the patterns of a game from these samples.
pub(super) fn patterns(game: &GroundGame, samples: &Samples) -> Vec<Pattern> {
    let bases = game.layout().bases.len();
    let terminal = game.lowered().outputs()[game.layout().terminal];
    let mut found = conjunctions(game.lowered(), terminal);
    let sizes = Pattern::MIN_PARTS..=Pattern::MAX_PARTS;
    found.retain(|parts| sizes.contains(&parts.len()) && parts.iter().all(|&base| base < bases));
    let excluded = Exclusions::new(&found, samples);
    let pattern = |parts: Vec<usize>| Pattern {
        blockers: excluded.by(&parts),
        parts,
    };
    found.into_iter().map(pattern).collect()
}

/// Which propositions of patterns exclude each other.
struct Exclusions {
    /// The propositions of patterns, ascending.
    bases: Vec<usize>,
    /// For each of them, in which states it was seen: a bit for each state.
    seen: Vec<Vec<u64>>,
    /// In how many.
    counts: Vec<f64>,
    states: f64,
}

impl Exclusions {
    fn new(patterns: &[Vec<usize>], samples: &Samples) -> Exclusions {
        let mut bases: Vec<usize> = patterns.iter().flatten().copied().collect();
        bases.sort_unstable();
        bases.dedup();
        let step = samples.len().div_ceil(STATES).max(1);
        let states: Vec<&[u64]> = samples.each().step_by(step).map(|at| at.state).collect();
        let holds = |base: usize| {
            let word = |states: &[&[u64]]| {
                let bits = states
                    .iter()
                    .map(|state| state[base / 64] >> (base % 64) & 1);
                bits.rev().fold(0, |word, bit| word << 1 | bit)
            };
            states.chunks(64).map(word).collect()
        };
        let seen: Vec<Vec<u64>> = bases.iter().map(|&base| holds(base)).collect();
        let count = |states: &Vec<u64>| ones(states.iter().copied()).count() as f64;
        Exclusions {
            counts: seen.iter().map(count).collect(),
            states: states.len().max(1) as f64,
            bases,
            seen,
        }
    }

    /// Returns the propositions that exclude some of these.
    fn by(&self, parts: &[usize]) -> Vec<usize> {
        let numbers = parts
            .iter()
            .map(|part| self.bases.partition_point(|base| base < part));
        let numbers: Vec<usize> = numbers.collect();
        let excluding = (0..self.bases.len()).filter(|other| {
            !numbers.contains(other) && numbers.iter().any(|&one| self.excludes(one, *other))
        });
        excluding.map(|other| self.bases[other]).collect()
    }

    /// Whether two of the propositions, by their numbers, exclude each other.
    fn excludes(&self, one: usize, other: usize) -> bool {
        let expected = self.counts[one] * self.counts[other] / self.states;
        let mut both = self.seen[one].iter().zip(&self.seen[other]);
        expected >= EXPECTED && both.all(|(one, other)| one & other == 0)
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::game::load::{Game, Setup};
    use crate::game::machine::{Backend, Move, RoleId, State};
    use crate::game::playout::MatchSteps;
    use crate::search::learned::samples::ToMove;
    use crate::support::rng;

    /// The patterns of one of the project's games, by states of random matches; with their propositions.
    fn found(name: &str, matches: usize) -> Vec<[Vec<String>; 2]> {
        let rules = propjit_gdl::games::text(name).unwrap();
        let game = Game::from_text(name, rules, &Setup::default()).unwrap();
        let ground = game.ground_game().unwrap();
        let mut rng = rng::streams(1).next().unwrap();
        let mut machine = game.machine(Backend::Scalar).unwrap();
        let words = ground.layout().bases.len().div_ceil(64);
        let mut samples = Samples::new(words);
        let mut steps = MatchSteps::new(2, usize::MAX);
        let mut pick = |legal: &[Move]| legal[rng.random_range(0..legal.len())];
        for _ in 0..matches {
            steps.start(&machine.initial_state().unwrap());
            let mut states = Vec::new();
            while steps.choose(&mut *machine, &mut pick).unwrap().is_none() {
                let state = steps.state().words();
                states.extend((0..words).map(|at| state.get(at).copied().unwrap_or(0)));
                steps.advance(&mut *machine).unwrap();
            }
            let count = states.len() / words;
            let results = std::iter::repeat_n([0.5; 4], count);
            samples.add_match(&states, &vec![ToMove::one(RoleId(0)); count], results);
        }
        let name = |&base: &usize| {
            let mut words = vec![0; words];
            words[base / 64] |= 1 << (base % 64);
            let state = State::from_words(&words);
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
