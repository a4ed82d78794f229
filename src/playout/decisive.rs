//! When to play with decisive moves: as soon as there is an engine for it, and unless they
//! turn out to be rare.

use propjit_jit::evaluator::{Engine, LaneEvaluator};

use crate::decisive::DecisiveTier;
use crate::machine::lower::Layout;
use crate::machine::{LaneMask, section};

/// After how many matches it is looked how many moves were decisive.
const TRIAL: u64 = 1000;

/// For so many matches, at least one step must have been decisive.
const RARE: u64 = 10;

/// A change of engines.
#[derive(Debug)]
pub(super) enum Change {
    /// To one with decisive moves.
    To(Engine),
    /// Back to one without.
    Back,
}

/// How far it has come.
#[derive(Default, Debug)]
pub(super) enum Decisive {
    /// All moves are alike, from the start or because others are rare, and it stays so.
    #[default]
    Never,
    /// They are until there is an engine.
    Awaited(DecisiveTier),
    /// There is one, and it is on trial.
    Trial {
        /// How many matches have ended since.
        matches: u64,
        /// In how many steps of all matches moves of some role were left out.
        steps: u64,
    },
    /// It stays.
    Always,
}

impl Decisive {
    /// Waits for the game's engine.
    pub fn begin(&mut self, tier: &DecisiveTier) {
        if let Decisive::Never = self {
            *self = Decisive::Awaited(tier.clone());
        }
    }

    /// Whether the engine is the one with decisive moves.
    pub fn is_played(&self) -> bool {
        matches!(self, Decisive::Trial { .. } | Decisive::Always)
    }

    /// During the trial, counts the lanes in which moves of some role are left out.
    pub fn count_steps(&mut self, evaluator: &mut LaneEvaluator, layout: &Layout, going: LaneMask) {
        if let Decisive::Trial { steps, .. } = self {
            evaluator.evaluate(section::DECISIVE);
            let rows = evaluator.outputs(layout.decisive());
            let rows = rows.chunks_exact(evaluator.width().words());
            let some = rows
                .map(LaneMask::from_words)
                .fold(LaneMask::default(), LaneMask::or);
            *steps += some.and(going).count();
        }
    }

    /// During the trial, counts matches that have ended.
    pub fn count_ends(&mut self, ended: u64) {
        if let Decisive::Trial { matches, .. } = self {
            *matches += ended;
        }
    }

    /// What is to be changed now, if anything.
    pub fn change(&mut self) -> Option<Change> {
        match self {
            Decisive::Awaited(tier) => {
                let engine = tier.get()?.cloned();
                *self = match &engine {
                    Some(_) => Decisive::Trial {
                        matches: 0,
                        steps: 0,
                    },
                    None => Decisive::Never,
                };
                engine.map(Change::To)
            }
            Decisive::Trial {
                matches: matches @ TRIAL..,
                steps,
            } => {
                let rare = *steps * RARE < *matches;
                *self = match rare {
                    true => Decisive::Never,
                    false => Decisive::Always,
                };
                rare.then_some(Change::Back)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use propjit_gdl::games::BY_SIZE;

    use super::*;
    use crate::game::{Game, Setup};

    #[test]
    fn what_is_rare_is_given_up() {
        for (matches, steps, stays) in [(1000, 100, true), (1024, 102, false)] {
            let mut decisive = Decisive::Trial { matches, steps };
            assert_eq!(matches!(decisive.change(), Some(Change::Back)), !stays);
            assert_eq!(decisive.is_played(), stays);
        }
        let mut early = Decisive::Trial {
            matches: 999,
            steps: 0,
        };
        assert!(early.change().is_none() && early.is_played());
    }

    #[test]
    fn it_is_on_trial_when_there_is_an_engine() {
        let mut engines = 0;
        for (name, text) in BY_SIZE {
            let game = Game::from_text(name, text, &Setup::default()).unwrap();
            let tier = game.decisive(false).unwrap();
            let mut decisive = Decisive::default();
            assert!(decisive.change().is_none());
            decisive.begin(tier);
            let found = tier.wait().is_some();
            let change = decisive.change();
            assert_eq!(matches!(change, Some(Change::To(_))), found, "{name}");
            assert_eq!(decisive.is_played(), found, "{name}");
            engines += u32::from(found);
        }
        assert!(engines > 1, "{engines}");
    }
}
