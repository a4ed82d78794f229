//! Trial matches between a search with an evaluation and one without.

use propjit_stop::Stop;
use rand::{Rng, RngExt};

use super::config::{EvaluationUse, MctsConfig};
use super::report::SearchReport;
use super::shared::{Shared, Wanted};
use super::tree::Tree;
use super::tree::node::Bounds;
use super::tree::valuation::Valuation;
use super::worker::Worker;
use crate::game::machine::expansion::successor::Successor;
use crate::game::machine::{MachineError, Move, RoleId};
use crate::search::expansion::{Evaluator, lanes_evaluator};
use crate::search::learned::{MAX_STEPS, Roles, SearchMatch, TrustedEvaluation};
use crate::support::rng::{self, GameRng};

/// How many nodes a search makes before a move. With 100 or 300, evaluations win that lose at equal clocks: in quad_7x7
/// they get 0.80 and 0.85, with 1000 nodes 0.25 and with 3000 0.10.
const NODES: u64 = 1000;

/// How many decisions are made at random at the start.
const OPENING: u32 = 2;

/// How much memory each tree may have. If that is too little for the wanted number of nodes, there are
/// fewer.
const MEMORY: usize = 64 << 20;

/// A match that is being played.
struct TrialMatch {
    evaluator: Box<dyn Evaluator>,
    rng: GameRng,
    roles: Roles,
    /// The search with the evaluation, and the one without.
    sides: [Side; 2],
    /// How many matches there were before.
    number: u64,
}

/// One of the two searches.
struct Side {
    tree: Tree,
    shared: Shared,
}

/// Plays a match: see [`PlaySearchMatch`](crate::search::learned::PlaySearchMatch). The searches are made on this thread,
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
    let ranges = Bounds::of_goals(evaluator.goal_ranges());
    let mut this = TrialMatch {
        evaluator,
        rng,
        roles: one.evaluation.evaluation.roles(),
        sides: sides(&at, &ranges, one.evaluation),
        number: one.number,
    };
    let mut opening = OPENING;
    while !at.info.turn.is_end() && at.info.depth < MAX_STEPS {
        let legal = this.evaluator.legal_moves(&at.state)?;
        let joint = match opening {
            0 => this.decide(&at, &legal, stop)?,
            _ => {
                opening -= 1;
                let chosen = |moves: &Vec<Move>| moves[opening_rng.random_range(0..moves.len())];
                legal.iter().map(chosen).collect()
            }
        };
        if stop.is_set() {
            return Ok(None);
        }
        let next = this.evaluator.next_state(&at.state, &joint)?;
        let depth = at.info.depth + 1;
        at = this.evaluator.skip_forced_moves(&next, depth)?;
    }
    // A match that takes too long is worth nothing.
    let share = |role: RoleId| ranges[role.index()].to_unit(at.info.turn.counted_goal(role));
    let roles = this.roles;
    let is_own = |role: RoleId| roles.side(one.number, role, this.sides.len()) == 0;
    Ok(Some(roles.pairs_won(&roles.shares(share), is_own)))
}

fn stream(seed: u64, number: usize) -> GameRng {
    let stream = rng::streams(seed).nth(number);
    stream.expect("streams do not end")
}

/// A search with the evaluation, and one without.
fn sides(start: &Successor, ranges: &[Bounds], evaluation: &TrustedEvaluation) -> [Side; 2] {
    let mut sides = [(); 2].map(|()| Side {
        tree: Tree::new(
            start,
            ranges.into(),
            evaluation.evaluation.roles().random(),
            MEMORY,
        ),
        shared: Shared::default(),
    });
    let valuation = Valuation::new(evaluation.clone(), EvaluationUse::default());
    sides[0].tree.set_valuation(valuation, start);
    sides
}

impl TrialMatch {
    /// Returns the moves of all roles in a state, each as its side's search finds best.
    fn decide(
        &mut self,
        at: &Successor,
        legal: &[Vec<Move>],
        stop: &Stop,
    ) -> Result<Vec<Move>, MachineError> {
        let mut joint: Vec<Move> = legal.iter().map(|moves| moves[0]).collect();
        if let Some(random) = self.roles.random() {
            let moves = &legal[random.index()];
            joint[random.index()] = moves[self.rng.random_range(0..moves.len())];
        }
        for number in 0..self.sides.len() {
            let roles = RoleId::first(legal.len());
            let deciding: Vec<RoleId> = roles
                .filter(|&role| {
                    legal[role.index()].len() > 1
                        && self.roles.random() != Some(role)
                        && self.roles.side(self.number, role, self.sides.len()) == number
                })
                .collect();
            if deciding.is_empty() {
                continue;
            }
            let side = &mut self.sides[number];
            side.search(at, &mut *self.evaluator, self.rng.clone(), stop)?;
            self.rng.jump();
            for role in deciding {
                if let Some(best) = side.best(role, &legal[role.index()]) {
                    joint[role.index()] = best;
                }
            }
        }
        Ok(joint)
    }
}

impl Side {
    /// Searches from a state in which some role decides, until a stop comes at most.
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
        };
        let config = MctsConfig::default().with_max_steps(MAX_STEPS);
        let worker = Worker::new(shared, tree, &config, evaluator, rng, true);
        worker.run(stop, stop, wanted)
    }

    /// The best of a role's moves.
    fn best(&self, role: RoleId, legal: &[Move]) -> Option<Move> {
        let statistics = self.shared.root_statistics.lock();
        let report = SearchReport::new(&self.tree, &statistics, role, legal, 0, Default::default());
        report.best
    }
}
