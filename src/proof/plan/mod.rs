//! Planning: the best match of a game in which one role decides.
//!
//! If no other role answers, a match that was found can be played, and searches need no samples. A
//! [`Planner`] has three ways of looking for matches, each on a thread of its own, which share what they
//! find out, and end when all is known:
//!
//! | part | finds | proves |
//! |---|---|---|
//! | `beam` | matches, by search through states in lanes, where an `estimator` says which are promising | the best goal, if no state was left out |
//! | `satisfier` | matches of any length, by a SAT solver and the `unrolled` circuit | that a goal is out of reach |
//! | `parts` | matches, by the states of each [factor](crate::proof::factors), one after the other | the best goal, if the match has to end |
//!
//! If some match may end without exactly one goal, or in a state in which no move is legal, greater goals
//! are not excluded.
//!
//! - `effects`: the effects of moves, and which can be made in any order; `clock`: what changes by itself.
//! - `table`: the states that were seen, and the way to each.
//! - `findings`: what is known, shared by all planners.
//! - `gate`: pauses planners.
//!
//! ```
//! # use std::time::Duration;
//! # use propjit::game::load::{Game, Setup};
//! use propjit::proof::plan::{PlanLimits, Planner};
//! # let rules = "(role player) (init (step 0)) (succ 0 1) (succ 1 2)
//! #     (legal player wait) (legal player go)
//! #     (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
//! #     (<= (next gone) (does player go)) (<= (next gone) (true gone))
//! #     (<= terminal (true (step 2)))
//! #     (<= (goal player 100) (true gone)) (<= (goal player 0) (not (true gone)))";
//! # let game = Game::from_text("steps.kif", rules, &Setup::default())?;
//! let ground = game.ground_game().unwrap();
//! let planner = Planner::start(game.engines().unwrap(), ground.initial(), PlanLimits::default());
//! planner.resume();
//! while !planner.known().is_solved() {
//!     planner.wait(Duration::from_secs(1));
//! }
//! assert_eq!(planner.known().low, 100);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod beam;
mod clock;
mod effects;
mod estimator;
mod findings;
mod gate;
mod parts;
mod satisfier;
mod table;
mod unrolled;

use std::sync::Arc;
use std::time::Duration;

use crate::game::engine::Engines;
use crate::game::machine::{RoleId, State};
use crate::support::setters::setters;
use crate::support::threads;

use beam::Beam;
use findings::Findings;
pub use findings::{Known, Plan, PlanMethod, PlanProgress};
use gate::Gate;
use parts::Combiner;
use satisfier::Satisfier;

/// How many parts a planner has.
const PARTS: usize = 3;

/// The only role.
const ROLE: RoleId = RoleId(0);

/// The start of plans, and their limits.
#[derive(Clone, Debug)]
struct Root {
    state: State,
    limits: PlanLimits,
}

/// The limits of a planner.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlanLimits {
    /// About how much memory it may take, in bytes.
    pub memory: usize,
    /// How many steps a match may have.
    pub steps: usize,
    /// The number of threads that work, at least two: all but one of them search through states.
    pub threads: usize,
}

impl PlanLimits {
    setters! {
        with_memory(memory: usize);
        with_steps(steps: usize);
        with_threads(threads: usize);
    }

    /// Returns the share of the memory of each way of looking for matches, in bytes.
    fn share(&self) -> usize {
        self.memory / 2
    }
}

impl Default for PlanLimits {
    /// 1 GiB, matches of 1,000 steps, and two threads.
    fn default() -> PlanLimits {
        PlanLimits {
            memory: 1 << 30,
            steps: 1000,
            threads: 2,
        }
    }
}

/// Looks for the best match of a game of one role, on threads of its own, while it may. They end
/// when this is dropped.
#[derive(Debug)]
pub struct Planner {
    findings: Arc<Findings>,
    gate: Arc<Gate>,
}

impl Planner {
    /// Gets ready to look for matches from a state on. Nothing is done before it is
    /// [resumed](Planner::resume).
    ///
    /// # Panics
    /// If the game has not one role.
    pub fn start(engines: &Arc<Engines>, state: &State, limits: PlanLimits) -> Planner {
        assert_eq!(engines.game().roles().len(), 1, "one role decides");
        let planner = Planner {
            findings: Arc::new(Findings::new(engines)),
            gate: Arc::new(Gate::default()),
        };
        let root = Arc::new(Root {
            state: state.clone(),
            limits,
        });
        type Work = fn(&Arc<Engines>, &Root, &Findings, &Gate);
        let parts: [(&str, Work); PARTS] = [
            ("plan-search", |engines, root, findings, gate| {
                Beam::new(engines, root, findings, gate).run();
            }),
            ("plan-sat", |engines, root, findings, gate| {
                Satisfier::new(engines, root, findings, gate).run();
            }),
            ("plan-parts", |engines, root, findings, gate| {
                Combiner::new(engines, root, findings, gate).run();
            }),
        ];
        for (name, work) in parts {
            let (engines, root) = (engines.clone(), root.clone());
            let (findings, gate) = (planner.findings.clone(), planner.gate.clone());
            let run = move || {
                if gate.pass().is_some() {
                    work(&engines, &root, &findings, &gate);
                }
                findings.end_part();
            };
            if threads::or_without(threads::start(name, run)).is_none() {
                planner.findings.end_part();
            }
        }
        planner
    }

    /// Lets it work.
    pub fn resume(&self) {
        self.gate.open();
    }

    /// Stops it until it is resumed.
    pub fn pause(&self) {
        self.gate.close();
    }

    /// Returns what is known by now.
    pub fn known(&self) -> Known {
        self.findings.known()
    }

    /// Whether it has done all that it can.
    pub fn is_done(&self) -> bool {
        self.findings.is_done()
    }

    /// Records from another source that the role can get at least `least` and not more than `most`.
    pub fn limit(&self, least: i32, most: i32) {
        self.findings.limit(least, most);
    }

    /// Waits until more is known, for a time at most.
    pub fn wait(&self, time: Duration) {
        self.findings.wait(self.findings.range(), time);
    }
}

impl Drop for Planner {
    fn drop(&mut self) {
        self.gate.end();
    }
}

#[cfg(test)]
mod tests {
    use crate::game::load::{Game, Setup};
    use crate::game::machine::Move;
    use propjit_gdl::games;

    use super::*;
    use crate::game::machine::expansion::Expander;

    /// The task of a part of the planner.
    pub(super) struct Task {
        pub(super) engines: Arc<Engines>,
        pub(super) root: Root,
        pub(super) findings: Findings,
        pub(super) gate: Gate,
    }

    /// The task to look for the best match of a game, at a gate that is open.
    pub(super) fn task(rules: &str) -> Task {
        let game = Game::from_text("test.kif", rules, &Setup::default()).unwrap();
        let engines = game.engines().unwrap().clone();
        let gate = Gate::default();
        gate.open();
        Task {
            root: Root {
                state: engines.game().initial().clone(),
                limits: PlanLimits::default().with_memory(1 << 27),
            },
            findings: Findings::new(&engines),
            gate,
            engines,
        }
    }

    /// A lock with four digits, each of which is set once, in their order; 100 for the sum of 9, but
    /// only if the last digit is `last`, and 50 for the sum of 1.
    pub(super) fn lock(last: u32) -> String {
        let digits = "(digit 0) (digit 1) (digit 2)";
        let sums: String = (0..=8).map(|n| format!("(succ {n} {})", n + 1)).collect();
        format!(
            "(role r) {digits} {sums} (init (place 0)) (init (sum 0))
             (<= (legal r (set ?d)) (digit ?d))
             (<= (next (place ?m)) (true (place ?n)) (succ ?n ?m))
             (<= (next (sum ?s)) (true (sum ?s)) (does r (set 0)))
             (<= (next (sum ?t)) (true (sum ?s)) (does r (set 1)) (succ ?s ?t))
             (<= (next (sum ?u)) (true (sum ?s)) (does r (set 2)) (succ ?s ?t) (succ ?t ?u))
             (<= (next (last ?d)) (does r (set ?d)))
             (<= terminal (true (place 4)))
             (<= (goal r 100) (true (sum 8)) (true (last {last})))
             (<= (goal r 50) (true (sum 1)))
             (<= (goal r 0) (not (goal r 100)) (not (goal r 50)))"
        )
    }

    /// The goal at the end of a match, if it can be played.
    pub(super) fn replayed(task: &Task, moves: &[Move]) -> Option<i32> {
        let mut expander = Expander::new(&task.engines);
        let mut state = task.root.state.packed(expander.words());
        let mut goal = None;
        for &played in moves {
            let mut after = None;
            expander.expand(&state, |child| {
                if child.joint == [played] && goal.is_none() {
                    after = Some((child.state.to_vec(), child.goals.and_then(|goals| goals[0])));
                }
            });
            (state, goal) = after?;
        }
        goal
    }

    #[test]
    fn the_best_match_of_own_games_is_found_and_proved() {
        for name in [
            "pegTriangle",
            "pipes",
            "sudoku",
            "twistyCorridor",
            "untwistyCorridor",
        ] {
            let task = task(games::text(name).unwrap());
            let planner = Planner::start(&task.engines, &task.root.state, task.root.limits.clone());
            assert_eq!(planner.known().plan, None, "it is paused at first");
            planner.resume();
            while !planner.known().is_solved() {
                planner.wait(Duration::from_secs(1));
            }
            planner.pause();
            let known = planner.known();
            let (plan, _) = known.plan.unwrap();
            assert_eq!((known.low, plan.goal), (100, 100), "{name}");
            assert_eq!(replayed(&task, &plan.moves), Some(100), "{name}");
        }
    }
}
