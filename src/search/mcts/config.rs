//! The configuration of a tree search.

use std::time::Duration;

use crate::search::external::LeafEvaluation;
use crate::search::learned::{LearnOn, Trust};
use crate::support::program::ProgramCommand;
use crate::support::setters::setters;

/// How to search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MctsConfig {
    /// How many threads, from 1 to 120.
    pub threads: usize,
    /// How much memory the tree may have, in bytes.
    pub memory: usize,
    /// How many joint moves a match may have.
    pub max_steps: u32,
    /// Whether to recompile the circuit for the rest of a match.
    pub darkening: bool,
    /// Whether [decisive moves](crate::game::circuits::decisive) are played in playouts.
    pub decisive: bool,
    /// The weights and sizes of the tree, for experiments.
    pub tree: TreeConfig,
    /// The learning of a game, and the use of the result.
    pub learning: LearningConfig,
    /// The helpers beside the search.
    pub helpers: HelperConfig,
    /// How leaves are [evaluated from outside](crate::search::external), if they are: then there are no
    /// random playouts, and nothing is learned.
    pub leaves: Option<LeafEvaluation>,
    /// The [seed](crate::support::rng) of the random numbers.
    pub seed: u64,
}

/// The weights and sizes of the tree. Settings that are not given get values that suit the game.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TreeConfig {
    /// How many playouts a leaf gets each time that it is visited. By default one where playouts
    /// are long or the circuit is large, and up to 4 where they cost nearly nothing.
    pub leaf_playouts: Option<u64>,
    /// How many leaves each thread may have under way at a time, at most; by default as many as have room in the
    /// lanes. With fewer, each is chosen with more knowledge, and the search is slower.
    pub batch: Option<usize>,
    /// The UCB exploration constant: the factor in the upper confidence bound, for goals that range from 0
    /// to 1. By default 0.5 with playouts alone, and 0.2 beside an evaluation or with RAVE, as values vary
    /// less then. Beside prior probabilities of moves, it is the factor of these, and 1 by default.
    pub exploration: Option<f32>,
    /// The RAVE equivalence parameter: the number of visits of a move that count as much as any number of
    /// playouts in which it was made later; with 0, RAVE (all-moves-as-first) statistics are not used. By
    /// default 1000 where a playout gives information about many moves, and 0 elsewhere and beside an
    /// evaluation, which takes their place with its values.
    pub rave: Option<f32>,
    /// Whether the tree forgets what was visited least when its memory is full, instead of growing no more.
    pub recycle: bool,
}

/// The learning of a game, and the use of the result.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LearningConfig {
    /// How a [learned evaluation](crate::search::learned) is used, if it is.
    pub evaluation: Option<EvaluationUse>,
    /// How long an evaluation may be learned, on a thread beside the search, unless one is known
    /// that was learned for at least half of that.
    pub time: Duration,
    /// On how many threads matches are played for that.
    pub threads: usize,
    /// Whether evaluations are [kept](crate::search::learned::Known) in the folder of profiles, so that those of known
    /// games are there at once.
    pub keep: bool,
    /// Whether learning goes on when an evaluation is there. The tree is rebuilt with each new evaluation.
    pub learn_on: LearnOn,
    /// Whether goal bounds and decisive moves, if they take long, are looked for only after an evaluation
    /// is learned: for a single core that has both to do, when the start of a match is for learning.
    pub learn_first: bool,
}

/// The helpers beside the search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HelperConfig {
    /// Whether a [prover](crate::proof::forced) looks for forced wins beside the search.
    pub local: bool,
    /// The share of each thread's time that this prover has, up to one thread in all; more than 0.
    /// By default 0.2 with playouts alone, and 0.05 beside an evaluation, which sees much of the
    /// same.
    pub local_share: Option<f64>,
    /// Processes that look for forced wins, beside that prover or instead of it.
    pub provers: Vec<ProgramCommand>,
    /// Whether a [planner](crate::proof::plan) works beside the search, on two threads of its own, in a
    /// game of one role. It has a quarter of the memory.
    pub plan: bool,
    /// Whether all states are enumerated beside the search, in a game of several roles, if there are
    /// so few that this takes at most a tenth of the first search's time, on a thread of its own,
    /// and a quarter as much memory as the tree may have.
    pub solve: bool,
}

/// How a [learned evaluation](crate::search::learned) is used. Settings that are not given get values that
/// suit the [trust](Trust) in the evaluation.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct EvaluationUse {
    /// The weight of a leaf's evaluation against that of its playouts. With 1 there are none.
    pub leaf: Option<f32>,
    /// The weight of minimax values against means.
    pub backup: Option<f32>,
    /// How many visits the value of a fresh node counts as.
    pub prior: Option<f32>,
    /// By how much the value of a move is less than that of the best one, as a share of the range of goals, where it
    /// is explored half as much. With an infinite spread all moves are explored alike.
    pub spread: Option<f32>,
}

/// The weights of an evaluation: see [`EvaluationUse`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct EvaluationWeights {
    pub leaf: f32,
    pub backup: f32,
    pub prior: f32,
    pub spread: f32,
}

/// The weights that suit an evaluation. The values of a few states among many that are far too good decide about
/// minimax values: those of a hint are no help there.
const FULL_WEIGHTS: EvaluationWeights = EvaluationWeights {
    leaf: 0.5,
    backup: 0.3,
    prior: 4.0,
    spread: 0.2,
};
const HINT_WEIGHTS: EvaluationWeights = EvaluationWeights {
    leaf: 0.25,
    backup: 0.0,
    ..FULL_WEIGHTS
};

impl EvaluationUse {
    /// The weights of an evaluation that is trusted so far.
    pub(super) fn weights(self, trust: Trust) -> EvaluationWeights {
        let default = match trust {
            Trust::Full => FULL_WEIGHTS,
            Trust::Hint => HINT_WEIGHTS,
        };
        EvaluationWeights {
            leaf: self.leaf.unwrap_or(default.leaf),
            backup: self.backup.unwrap_or(default.backup),
            prior: self.prior.unwrap_or(default.prior),
            spread: self.spread.unwrap_or(default.spread),
        }
    }
}

/// The UCB exploration constants: with playouts only; beside an evaluation that is a hint; and beside one
/// that is more, or with RAVE.
const EXPLORATION: f32 = 0.5;
const HINT_EXPLORATION: f32 = 0.35;
const LITTLE_EXPLORATION: f32 = 0.2;

/// The most threads: evaluations under way must fit into the tree's counters.
const MAX_THREADS: usize = 120;

/// The weight of prior probabilities.
const PRIOR_EXPLORATION: f32 = 1.0;

/// The default RAVE equivalence parameter.
const RAVE: f32 = 1000.0;

/// The share of a prover where there are only playouts, and beside an evaluation.
const LOCAL_SHARE: [f64; 2] = [0.2, 0.05];

impl Default for MctsConfig {
    fn default() -> MctsConfig {
        MctsConfig {
            threads: 1,
            memory: 1 << 30,
            max_steps: 10_000,
            darkening: true,
            decisive: true,
            tree: TreeConfig {
                leaf_playouts: None,
                batch: None,
                exploration: None,
                rave: None,
                recycle: true,
            },
            learning: LearningConfig {
                evaluation: None,
                time: Duration::from_secs(3),
                threads: 1,
                keep: true,
                learn_on: LearnOn::Never,
                learn_first: false,
            },
            helpers: HelperConfig {
                local: false,
                local_share: None,
                provers: Vec::new(),
                plan: false,
                solve: false,
            },
            leaves: None,
            seed: 0,
        }
    }
}

impl MctsConfig {
    setters! {
        with_threads(threads: usize);
        with_memory(memory: usize);
        with_max_steps(max_steps: u32);
        with_darkening(darkening: bool);
        with_decisive(decisive: bool);
        with_leaf_playouts(tree.leaf_playouts: Option<u64>);
        with_batch(tree.batch: Option<usize>);
        with_exploration(tree.exploration: Option<f32>);
        with_rave(tree.rave: Option<f32>);
        with_recycle(tree.recycle: bool);
        with_evaluation(learning.evaluation: Option<EvaluationUse>);
        with_learning_time(learning.time: Duration);
        with_learning_threads(learning.threads: usize);
        with_keep(learning.keep: bool);
        with_learn_on(learning.learn_on: LearnOn);
        with_learn_first(learning.learn_first: bool);
        with_local(helpers.local: bool);
        with_local_share(helpers.local_share: Option<f64>);
        with_provers(helpers.provers: Vec<ProgramCommand>);
        with_plan(helpers.plan: bool);
        with_solve(helpers.solve: bool);
        with_leaves(leaves: Option<LeafEvaluation>);
        with_seed(seed: u64);
    }

    /// How many threads there are.
    pub(super) fn thread_count(&self) -> usize {
        self.threads.clamp(1, MAX_THREADS)
    }

    /// Returns the UCB exploration constant, in a search with an evaluation or without, and with RAVE or
    /// without.
    pub(super) fn exploration_weight(&self, trust: Option<Trust>, has_first_moves: bool) -> f32 {
        let default = match (&self.leaves, trust) {
            (Some(_), _) => PRIOR_EXPLORATION,
            (None, Some(Trust::Full)) => LITTLE_EXPLORATION,
            (None, Some(Trust::Hint)) => HINT_EXPLORATION,
            (None, None) if has_first_moves => LITTLE_EXPLORATION,
            (None, None) => EXPLORATION,
        };
        self.tree.exploration.unwrap_or(default)
    }

    /// Returns the RAVE equivalence parameter; RAVE is not used if it is 0.
    pub(super) fn rave_visits(&self, has_evaluation: bool) -> f32 {
        match has_evaluation || self.leaves.is_some() {
            true => 0.0,
            false => self.tree.rave.unwrap_or(RAVE),
        }
    }

    /// Returns the share of the time that the prover has, with `threads` threads, beside an evaluation or
    /// without.
    pub(super) fn prover_share(&self, threads: usize, has_evaluation: bool) -> f64 {
        let default = LOCAL_SHARE[usize::from(has_evaluation)];
        let share = self.helpers.local_share.unwrap_or(default) * threads as f64;
        share.min(1.0)
    }
}
