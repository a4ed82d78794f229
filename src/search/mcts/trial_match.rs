//! Matches between a search with an evaluation and one without, by which the evaluation is tried.

use propjit_stop::Stop;
use rand::{Rng, RngExt};

use super::config::{EvaluationUse, MctsConfig};
use super::node::Bounds;
use super::report::SearchReport;
use super::shared::{Shared, Wanted};
use super::tree::Tree;
use super::valuation::Valuation;
use super::worker::Worker;
use crate::machine::{MachineError, Move, RoleId};
use crate::rng::{self, GameRng};
use crate::search::evaluator::{Evaluator, lanes_evaluator};
use crate::search::heuristic::{MAX_STEPS, Roles, SearchMatch};
use crate::search::successor::{Successor, Turn};

/// How many nodes a search makes before a move. With 100 or 300, evaluations win that lose at equal clocks: in quad_7x7
/// they get 0.80 and 0.85, with 1000 nodes 0.25 and with 3000 0.10.
const NODES: u64 = 1000;

/// How many decisions are made at random at the start.
const OPENING: u32 = 2;

/// How much memory each tree may have. Where that is too little for so many nodes, there are fewer.
const MEMORY: usize = 64 << 20;

/// One of the two searches.
struct Side {
    tree: Tree,
    shared: Shared,
}

/// Plays a match: see [`PlaySearchMatch`](crate::search::heuristic::PlaySearchMatch). The searches are made on this thread,
/// one after the other.
///
/// # Errors
/// When the machine cannot go on.
pub fn play_search_match(one: &SearchMatch<'_>, stop: &Stop) -> Result<Option<f32>, MachineError> {
    let mut rng = stream(one.seed.wrapping_add(one.number), 0);
    // The same in two matches.
    let mut opening_rng = stream(one.seed.wrapping_add(one.number / 2), 1);
    let mut evaluator = lanes_evaluator(one.engines, MAX_STEPS, rng.next_u64());
    let initial = evaluator.initial_state()?;
    let mut at = evaluator.skip_forced_moves(&initial, 0)?;
    let mut sides = sides(&at, &mut *evaluator, one);
    let ranges: Box<[Bounds]> = sides[0].tree.ranges().into();
    let is_own = |role: RoleId| (one.number + u64::from(role.0)).is_multiple_of(2);
    let mut opening = OPENING;
    while !matches!(at.info.turn, Turn::Over(_)) && at.info.depth < MAX_STEPS {
        let legal = evaluator.legal_moves(&at.state)?;
        let mut joint: Vec<Move> = legal.iter().map(|moves| moves[0]).collect();
        let deciding = || RoleId::first(legal.len()).filter(|role| legal[role.index()].len() > 1);
        if opening > 0 {
            for role in deciding() {
                let moves = &legal[role.index()];
                joint[role.index()] = moves[opening_rng.random_range(0..moves.len())];
            }
            opening -= 1;
        } else {
            for (side, own) in sides.iter_mut().zip([true, false]) {
                if !deciding().any(|role| is_own(role) == own) {
                    continue;
                }
                side.search(&at, &mut *evaluator, rng.clone(), stop)?;
                rng.jump();
                for role in deciding().filter(|&role| is_own(role) == own) {
                    let best = side.best(role, &legal[role.index()]);
                    joint[role.index()] = best.unwrap_or(joint[role.index()]);
                }
            }
        }
        if stop.is_set() {
            return Ok(None);
        }
        let next = evaluator.next_state(&at.state, &joint)?;
        at = evaluator.skip_forced_moves(&next, at.info.depth + 1)?;
    }
    // As in playouts, what takes too long is worth nothing.
    let goal = |role: RoleId| match &at.info.turn {
        Turn::Over(goals) => goals[role.index()],
        _ => 0.0,
    };
    let share = |role: RoleId| ranges[role.index()].to_unit(goal(role));
    let roles = Roles::new(ranges.len());
    Ok(roles.map(|roles| roles.pairs_won(&roles.shares(share), is_own)))
}

fn stream(seed: u64, number: usize) -> GameRng {
    let stream = rng::streams(seed).nth(number);
    stream.expect("streams do not end")
}

/// The search with the evaluation, and the one without.
fn sides(start: &Successor, evaluator: &mut dyn Evaluator, one: &SearchMatch<'_>) -> [Side; 2] {
    let ranges = Bounds::of_goals(evaluator.goal_ranges());
    let mut sides = [(); 2].map(|()| Side {
        tree: Tree::new(start, ranges.clone(), None, MEMORY),
        shared: Shared::default(),
    });
    let valuation = Valuation::new(one.evaluation.clone(), EvaluationUse::default());
    sides[0].tree.set_valuation(valuation, start);
    sides
}

impl Side {
    /// Searches from a state in which somebody decides, until a stop comes at most.
    fn search(
        &mut self,
        from: &Successor,
        evaluator: &mut dyn Evaluator,
        rng: GameRng,
        stop: &Stop,
    ) -> Result<(), MachineError> {
        let Side { tree, shared } = self;
        tree.set_root(from);
        shared.root_statistics.get_mut().clear();
        let wanted = Wanted {
            playouts: None,
            nodes: Some(tree.made() + NODES),
            choice: None,
        };
        let config = MctsConfig::default().with_max_steps(MAX_STEPS);
        let worker = Worker::new(shared, tree, &config, evaluator, rng, true);
        worker.run(stop, wanted)
    }

    /// The best of a role's moves.
    fn best(&self, role: RoleId, legal: &[Move]) -> Option<Move> {
        let statistics = self.shared.root_statistics.lock();
        let report = SearchReport::new(&self.tree, &statistics, role, legal, 0, Default::default());
        report.best
    }
}
