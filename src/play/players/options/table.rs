//! The table of options of the player `mcts`.

use super::option::{Group, Kind, MctsOptions, PlayerOption};
use crate::game::profile::MAX_THREADS;
use crate::proof::forced::own_worker;
use crate::search::chooser::SearchKind;
use crate::search::mcts::EvaluationUse;

/// The default of what depends on time.
const TIMED: Option<&str> = Some("true, or false with a counted budget");

/// All options, in the order in which they are read: what uses an evaluation comes after `evaluation`.
pub(super) const OPTIONS: &[PlayerOption] = &[
    PlayerOption {
        name: "seconds",
        value_name: "SECONDS",
        about: "Time limit of a move, within the play clock",
        default: None,
        group: Group::Budget,
        kind: Kind::Seconds(|options, time| options.config.budget.time = Some(time)),
    },
    PlayerOption {
        name: "nodes",
        value_name: "N",
        about: "Nodes to add to the tree for a move",
        default: None,
        group: Group::Budget,
        kind: Kind::Count(1..=u64::MAX, |options, nodes| {
            options.config.budget.nodes = Some(nodes)
        }),
    },
    PlayerOption {
        name: "total-playouts",
        value_name: "N",
        about: "Playouts for a move",
        default: None,
        group: Group::Budget,
        kind: Kind::Count(1..=u64::MAX, |options, playouts| {
            options.config.budget.playouts = Some(playouts)
        }),
    },
    PlayerOption {
        name: "threads",
        value_name: "T",
        about: "Search threads; a search on the prover uses one",
        default: Some("1"),
        group: Group::Search,
        kind: Kind::Count(1..=MAX_THREADS as u64, |options, threads| {
            options.config.search.threads = threads as usize
        }),
    },
    PlayerOption {
        name: "memory",
        value_name: "MIB",
        about: "Memory for the search tree",
        default: Some("1024"),
        group: Group::Search,
        kind: Kind::Mebibytes(|options, bytes| options.config.search.memory = bytes),
    },
    PlayerOption {
        name: "backend",
        value_name: "BACKEND",
        about: "Backend that evaluates the game",
        default: Some("the fastest"),
        group: Group::Search,
        kind: Kind::Text("prover, scalar, lanes or compiled", |options, name| {
            options.config.backend = name.parse().ok();
            options.config.backend.is_some()
        }),
    },
    PlayerOption {
        name: "seed",
        value_name: "N",
        about: "Seed of the random numbers",
        default: Some("derived from the seed of the series"),
        group: Group::Search,
        kind: Kind::Count(0..=u64::MAX, |options, seed| options.seed = Some(seed)),
    },
    PlayerOption {
        name: "search",
        value_name: "SEARCH",
        about: "Search algorithm: tree search by playouts; minimax on the learned evaluation, where the game allows it; or what does better in trial matches",
        default: Some("auto, or mcts with a counted budget"),
        group: Group::Search,
        kind: Kind::Text("mcts, minimax or auto", |options, name| {
            match name.parse() {
                Ok(kind) => {
                    options.config.kind = kind;
                    true
                }
                Err(()) => false,
            }
        }),
    },
    PlayerOption {
        name: "ponder",
        value_name: "BOOL",
        about: "Search while other roles are to move",
        default: TIMED,
        group: Group::Search,
        kind: Kind::Flag(|options, ponder| options.config.ponder = ponder),
    },
    PlayerOption {
        name: "decisive",
        value_name: "BOOL",
        about: "Play decisive moves in playouts",
        default: Some("true"),
        group: Group::Search,
        kind: Kind::Flag(|options, decisive| options.config.search.decisive = decisive),
    },
    PlayerOption {
        name: "darkening",
        value_name: "BOOL",
        about: "Specialise machine code for the rest of the match",
        default: Some("true"),
        group: Group::Search,
        kind: Kind::Flag(|options, darkening| options.config.search.darkening = darkening),
    },
    PlayerOption {
        name: "local",
        value_name: "BOOL",
        about: "Search for forced wins beside the tree search",
        default: TIMED,
        group: Group::Search,
        kind: Kind::Flag(|options, local| options.config.search.helpers.local = local),
    },
    PlayerOption {
        name: "local-share",
        value_name: "X",
        about: "Share of the time for the search for forced wins",
        default: Some("0.2, or 0.05 beside an evaluation"),
        group: Group::Search,
        kind: Kind::Number(0.001..=1.0, |options, share| {
            options.config.search.helpers.local_share = Some(share)
        }),
    },
    PlayerOption {
        name: "workers",
        value_name: "N",
        about: "Processes, each `propjit prove --serve`, that search for forced wins",
        default: Some("0"),
        group: Group::Search,
        kind: Kind::Count(0..=64, |options, workers| {
            let workers = vec![own_worker(); workers as usize];
            options.config.search.helpers.provers.extend(workers);
        }),
    },
    PlayerOption {
        name: "prover",
        value_name: "COMMAND",
        about: "Another program that searches for forced wins",
        default: None,
        group: Group::Search,
        kind: Kind::Text("cmd:COMMAND", |options, text| {
            let command = text.strip_prefix("cmd:");
            let command = command.and_then(|command| command.parse().ok());
            let is_command = command.is_some();
            options.config.search.helpers.provers.extend(command);
            is_command
        }),
    },
    PlayerOption {
        name: "plan",
        value_name: "BOOL",
        about: "Plan in games of one role, on two more threads beside the search",
        default: TIMED,
        group: Group::Search,
        kind: Kind::Flag(|options, plan| options.config.search.helpers.plan = plan),
    },
    PlayerOption {
        name: "solve",
        value_name: "BOOL",
        about: "Enumerate all states in games of several roles that have few, on another thread beside the search",
        default: TIMED,
        group: Group::Search,
        kind: Kind::Flag(|options, solve| options.config.search.helpers.solve = solve),
    },
    PlayerOption {
        name: "evaluation",
        value_name: "BOOL",
        about: "Value positions with a learned evaluation as well: a stored one, or one learned beside the search",
        default: TIMED,
        group: Group::Learning,
        kind: Kind::Flag(|options, evaluation| {
            let evaluation = evaluation.then(EvaluationUse::default);
            options.config.search.learning.evaluation = evaluation;
        }),
    },
    PlayerOption {
        name: "network",
        value_name: "FILE",
        about: "Value positions and rank moves with the network in this file, instead of playouts and a learned evaluation",
        default: None,
        group: Group::Learning,
        kind: Kind::Network(|options, network| {
            options.config.network = Some(network);
            options.config.search.learning.evaluation = None;
            options.config.kind = SearchKind::Mcts;
        }),
    },
    PlayerOption {
        name: "keep",
        value_name: "BOOL",
        about: "Store learned evaluations for later searches of the game",
        default: Some("true"),
        group: Group::Learning,
        kind: Kind::Flag(|options, keep| options.config.search.learning.keep = keep),
    },
    PlayerOption {
        name: "learn-on",
        value_name: "BOOL",
        about: "Continue learning beside the search, or between moves if no core is free",
        default: TIMED,
        group: Group::Experiments,
        kind: Kind::Flag(|options, learn_on| options.config.learn_on = learn_on),
    },
    PlayerOption {
        name: "leaf",
        value_name: "X",
        about: "Weight of a leaf's evaluation against its playouts",
        default: None,
        group: Group::Experiments,
        kind: Kind::Number(0.0..=1.0, |options, leaf| {
            weigh(options, |weights| weights.leaf = Some(leaf as f32))
        }),
    },
    PlayerOption {
        name: "backup",
        value_name: "X",
        about: "Weight of minimax values against means",
        default: None,
        group: Group::Experiments,
        kind: Kind::Number(0.0..=1.0, |options, backup| {
            weigh(options, |weights| weights.backup = Some(backup as f32))
        }),
    },
    PlayerOption {
        name: "prior",
        value_name: "VISITS",
        about: "Number of visits that the evaluation of a fresh node counts as",
        default: None,
        group: Group::Experiments,
        kind: Kind::Number(0.0..=1000.0, |options, prior| {
            weigh(options, |weights| weights.prior = Some(prior as f32))
        }),
    },
    PlayerOption {
        name: "spread",
        value_name: "X",
        about: "Difference in value to the best move, as a share of the range of goals, at which a move is explored half as much",
        default: None,
        group: Group::Experiments,
        kind: Kind::Number(0.0..=f64::INFINITY, |options, spread| {
            weigh(options, |weights| weights.spread = Some(spread as f32))
        }),
    },
    PlayerOption {
        name: "exploration",
        value_name: "X",
        about: "UCB exploration constant, for goals scaled to 0 to 1",
        default: Some("0.5, or 0.2 beside an evaluation or with RAVE"),
        group: Group::Experiments,
        kind: Kind::Number(0.0..=100.0, |options, weight| {
            options.config.search.tree.exploration = Some(weight as f32)
        }),
    },
    PlayerOption {
        name: "rave",
        value_name: "VISITS",
        about: "RAVE equivalence parameter, a number of visits",
        default: Some("1000 where a playout informs about many moves, or else 0"),
        group: Group::Experiments,
        kind: Kind::Number(0.0..=1e6, |options, visits| {
            options.config.search.tree.rave = Some(visits as f32)
        }),
    },
    PlayerOption {
        name: "batch",
        value_name: "N",
        about: "Maximum number of leaves in progress per thread",
        default: None,
        group: Group::Experiments,
        kind: Kind::Count(1..=512, |options, batch| {
            options.config.search.tree.batch = Some(batch as usize)
        }),
    },
    PlayerOption {
        name: "leaf-playouts",
        value_name: "N",
        about: "Playouts per visit of a leaf",
        default: Some("1 to 4, by their cost"),
        group: Group::Experiments,
        kind: Kind::Count(1..=1 << 20, |options, playouts| {
            options.config.search.tree.leaf_playouts = Some(playouts)
        }),
    },
    PlayerOption {
        name: "recycle",
        value_name: "BOOL",
        about: "Discard the least visited nodes when the tree is full",
        default: Some("true"),
        group: Group::Experiments,
        kind: Kind::Flag(|options, recycle| options.config.search.tree.recycle = recycle),
    },
];

/// Changes how the learned evaluation is used, if it is.
fn weigh(options: &mut MctsOptions, change: impl FnOnce(&mut EvaluationUse)) {
    if let Some(weights) = &mut options.config.search.learning.evaluation {
        change(weights);
    }
}
