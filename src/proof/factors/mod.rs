//! Factors of a game: parts of its state that change independently of each other.
//!
//! A [`Part`] is a set of propositions that depends only on itself, the *clock* (what changes by itself,
//! such as the role to move), and what the moves of each role do to it. The legality of a move is a
//! conjunction of conditions on each part. Then a match can be analysed part by part, and parts are joined
//! by three things only: which moves there are, when the match is over, and the goals.
//!
//! 1. `clock`: propositions that change by themselves, and the phases that these make: for each,
//!    they are constants in the circuit (`substitution`).
//! 2. `cofactors`: what each move leaves of the next state in a phase. Propositions that depend on each other
//!    are in one part (`sets`).
//! 3. `forms`: moves that change several parts are accepted if all combinations of what they do to
//!    each are moves, by enumeration of them all. Otherwise these parts are one.
//! 4. `observables`: what `terminal` and the goals read of each part. Parts of which they read nothing
//!    are irrelevant, but for the moves that are made in them.
//!
//! All of that is read off the circuit and holds for any state and any legal moves. [`Factors::check`]
//! tests it in random matches. `table` enumerates the states of one part, and `joint` has the result of a
//! match as a function of the observables of all of them.
//!
//! Sources: "Through a Murky Lense", Sancho's blog, 12 July 2015; Günther, Schiffel and Thielscher,
//! "Factoring general games", 2009; Hufschmitt, Vittaut and Jouandeau, "Statistical GGP game
//! decomposition", 2018.

mod check;
mod clock;
mod cofactors;
mod forms;
pub(crate) mod joint;
mod observables;
mod sets;
mod substitution;
pub(crate) mod table;
#[cfg(test)]
pub(crate) mod test_games;

use std::slice;

use propjit_jit::circuit::{Edge, NodeId};
use propjit_stop::Stop;

use crate::game::ground::GroundGame;
use crate::game::vocabulary::moves::RoleId;

pub use check::{Checked, Difference};
pub use clock::Clock;
use cofactors::PhaseCofactors;
pub use forms::Form;
use forms::Groups;
pub(crate) use forms::{Phase, RoleMoves};
use sets::Sets;
use substitution::Substitution;

/// The most gates that are visited in a phase.
const MAX_WORK: usize = 5_000_000;

/// The parts into which a game falls.
#[derive(Clone, Debug)]
pub struct Factors {
    /// The clock: what changes by itself.
    pub clock: Clock,
    /// The parts, by their first propositions.
    pub parts: Vec<Part>,
    pub(crate) phases: Vec<Phase>,
}

/// Propositions that depend on nothing but themselves, the clock, and what moves do to them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The propositions, ascending.
    pub propositions: Vec<usize>,
    /// The nodes of the game's [circuit](crate::game::ground::LoweredGame::lowered) that depend on nothing but this part,
    /// and that `terminal` and the goals read, ascending.
    pub observables: Vec<NodeId>,
}

/// Why nothing is known of the parts of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotFound {
    /// The effect of a move is defined by recursion.
    #[error("the effects of moves are defined by rules that are recursive after grounding")]
    Recursion,
    /// There is too much to analyse.
    #[error("the game has too many moves, propositions and gates")]
    TooMuch,
    /// A stop came.
    #[error("it was stopped")]
    Stopped,
}

impl Part {
    /// Whether `terminal` or the goals depend on the part.
    pub fn is_relevant(&self) -> bool {
        !self.observables.is_empty()
    }
}

impl Factors {
    /// The parts of a game. There is one if it does not fall into several.
    ///
    /// # Errors
    /// If that cannot be found out.
    pub fn find(game: &GroundGame, stop: &Stop) -> Result<Factors, NotFound> {
        let (circuit, layout) = (game.lowered(), game.layout());
        let clock = Clock::new(game);
        let mut is_clock = vec![false; layout.bases.len()];
        clock
            .propositions
            .iter()
            .for_each(|&base| is_clock[base] = true);
        let free: Vec<usize> = (0..is_clock.len())
            .filter(|&base| !is_clock[base])
            .collect();
        let mut sets = Sets::new(free.len());
        let mut phases = Vec::new();
        for phase in 0..clock.phases() {
            if stop.is_set() {
                return Err(NotFound::Stopped);
            }
            let roots = clock::dynamics(circuit, game, &is_clock);
            let wires = Substitution::new(circuit, roots, MAX_WORK);
            let known = clock.known(phase);
            phases.push(PhaseCofactors::new(
                game, wires, known, &free, &mut sets, stop,
            )?);
        }
        let inputs = free.iter().map(|&base| Edge::from(circuit.inputs()[base]));
        let inputs: Vec<Edge> = inputs.collect();
        loop {
            if stop.is_set() {
                return Err(NotFound::Stopped);
            }
            let (groups, group_of) = sets.groups();
            let groups = Groups {
                groups: &groups,
                group_of: &group_of,
                inputs: &inputs,
            };
            let mut has_changed = false;
            for phase in &phases {
                has_changed |= groups.groups.len() > 1 && forms::unite(phase, &groups, &mut sets);
            }
            if has_changed {
                continue;
            }
            let named = |group: &Vec<usize>| -> Vec<usize> {
                group.iter().map(|&place| free[place]).collect()
            };
            let propositions: Vec<Vec<usize>> = groups.groups.iter().map(named).collect();
            let all = [&propositions[..], slice::from_ref(&clock.propositions)].concat();
            let observables = observables::of(game, &all);
            let parts = propositions.into_iter().zip(observables);
            return Ok(Factors {
                parts: parts
                    .map(|(propositions, observables)| Part {
                        propositions,
                        observables,
                    })
                    .collect(),
                phases: phases
                    .into_iter()
                    .map(|phase| Phase::new(phase, &groups))
                    .collect(),
                clock,
            });
        }
    }

    /// Returns whether matches can be analysed part by part: legality depends on nothing but parts and
    /// phases.
    pub(crate) fn are_timeless(&self) -> bool {
        self.clock.is_phased() && self.phases.iter().all(|phase| !phase.is_guarded)
    }

    /// Returns in how many ways the moves of a role change a part, in the phase with the most of them. One
    /// of them is not to change it, or what most moves do.
    pub fn ways(&self, role: RoleId, part: usize) -> usize {
        let kinds = self
            .phases
            .iter()
            .map(|phase| phase.roles[role.index()].kinds[part].len());
        kinds.max().unwrap_or(0)
    }

    /// Returns how the moves of a role are composed of their effects on parts, in each phase in which it
    /// has several that are not the same to all parts.
    pub fn forms(&self, role: RoleId) -> impl Iterator<Item = Form> {
        let roles = self
            .phases
            .iter()
            .map(move |phase| &phase.roles[role.index()]);
        let chooses = |moves: &&RoleMoves| moves.kinds.iter().any(|kinds| kinds.len() > 1);
        roles.filter(chooses).map(|moves| moves.form)
    }
}

#[cfg(test)]
mod tests {
    use propjit_gdl::games::GAMES;

    use super::*;
    use crate::game::load::{Game, Setup};

    fn ground(rules: &str) -> std::sync::Arc<GroundGame> {
        let game = Game::from_text("test.kif", rules, &Setup::default()).unwrap();
        game.ground_game().unwrap().clone()
    }

    /// The propositions of each part, and whether it is relevant.
    fn parts(game: &GroundGame) -> Vec<(Vec<String>, bool)> {
        let factors = Factors::find(game, &Stop::new()).unwrap();
        let named = |part: &Part| {
            let state = part.propositions.iter().copied().collect();
            (game.fluents(&state), part.is_relevant())
        };
        factors.parts.iter().map(named).collect()
    }

    /// The numbers of propositions of the parts.
    fn sizes(rules: &str) -> Vec<usize> {
        let parts = parts(&ground(rules)).into_iter();
        parts.map(|(propositions, _)| propositions.len()).collect()
    }

    #[test]
    fn moves_in_one_part_leave_the_others_alone() {
        assert_eq!(sizes(&test_games::wheels(9, false)), [5, 5]);
        assert_eq!(sizes(&test_games::nim(&[3, 1, 2], false)), [4, 2, 3]);
        for in_turns in [false, true] {
            assert_eq!(sizes(&test_games::pairs(in_turns, true)), [12, 12]);
        }
    }

    #[test]
    fn all_combinations_of_moves_are_moves_in_each_part() {
        let game = ground(&test_games::walkers("none none"));
        let factors = Factors::find(&game, &Stop::new()).unwrap();
        assert_eq!(factors.parts.len(), 2);
        let role = RoleId(0);
        assert_eq!((factors.ways(role, 0), factors.ways(role, 1)), (3, 3));
        assert!(factors.forms(role).eq([Form::Each]));
        // Cells of a strip exclude each other, those of different strips do not.
        assert_eq!(sizes(test_games::strips()), [4, 4]);
        // A combination that is missing joins the parts.
        assert_eq!(sizes(&test_games::walkers("stay stay")), [10]);
    }

    #[test]
    fn what_nothing_reads_is_irrelevant() {
        let rules = "(role r) (init (left 3)) (less 3 2) (less 2 1) (less 1 0)
            (legal r (press ?b)) (<= (legal r (press ?b)) (button ?b)) (button p) (button q)
            (<= (next (lit ?b)) (button ?b) (does r (press ?b)) (not (true (lit ?b))))
            (<= (next (lit ?b)) (true (lit ?b)) (not (does r (press ?b))))
            (<= (next (left ?m)) (true (left ?n)) (less ?n ?m))
            (<= terminal (true (left 0)))
            (<= (goal r 100) (true (lit p))) (<= (goal r 0) (not (true (lit p))))";
        let rules = rules.replace("(legal r (press ?b)) (<=", "(<=");
        let expected = [("(lit p)", true), ("(lit q)", false)];
        let expected = expected.map(|(name, relevant)| (vec![name.to_string()], relevant));
        assert_eq!(parts(&ground(&rules)), expected);
    }

    #[test]
    fn parts_are_compared_with_the_whole() {
        let own = GAMES.iter().map(|(_, text)| text.to_string());
        let small = [
            test_games::wheels(9, true),
            test_games::walkers("none none"),
            test_games::walkers("stay on"),
            test_games::strips().to_string(),
            test_games::nim(&[3, 4, 5], true),
            test_games::pairs(false, false),
            test_games::pairs(true, true),
        ];
        for rules in small.into_iter().chain(own) {
            let game = ground(&rules);
            let Ok(factors) = Factors::find(&game, &Stop::new()) else {
                continue;
            };
            let checked = factors.check(&game, 2000, 1, &Stop::new());
            assert!(checked.unwrap().steps >= 2000, "{rules}");
        }
    }

    #[test]
    fn a_false_split_shows_in_matches() {
        let rules = |guard: &str| {
            format!(
                "(role r) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (legal r (set a)) (legal r (set b))
                 (<= (next a) (does r (set a))) (<= (next a) (true a) {guard})
                 (<= (next b) (does r (set b))) (<= (next b) (true b))
                 (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= terminal (true (step 3)))
                 (<= (goal r 100) (true a) (true b)) (<= (goal r 0) (not (true a)))"
            )
        };
        let split = Factors::find(&ground(&rules("")), &Stop::new()).unwrap();
        assert_eq!(split.parts.len(), 2);
        let joined = ground(&rules("(not (true b))"));
        let difference = split.check(&joined, 2000, 1, &Stop::new()).unwrap_err();
        assert_eq!(difference.what, "a");
        assert_eq!(Factors::find(&joined, &Stop::new()).unwrap().parts.len(), 1);
    }
}
