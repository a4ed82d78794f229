//! The options of the player `mcts`, in one table for reading and documentation.

use std::fmt::Write;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use propjit_jit::memory::is_available;

use super::mcts::{MctsPlayerConfig, MoveBudget, free_cores};
use super::spec_error::SpecError;
use crate::proof::forced::own_worker;
use crate::search::chooser::SearchKind;
use crate::search::learned::LearnOn;
use crate::search::mcts::{EvaluationUse, MctsConfig};
use crate::support::program::ProgramCommand;

/// An option of a player.
pub(super) struct PlayerOption {
    /// Its name.
    pub(super) name: &'static str,
    group: Group,
    /// The possible values.
    values: &'static str,
    /// Its effect, and its default.
    about: &'static str,
    set: Set,
}

/// The purpose of an option.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    /// The budget of a move.
    Budget,
    /// Parts of the search, and of the threads beside it.
    Search,
    /// Learning.
    Learning,
    /// Weights and sizes of the tree.
    Experiments,
}

/// How a value is read into the configuration.
enum Set {
    Flag(fn(&mut Draft, bool)),
    Count(RangeInclusive<u64>, fn(&mut Draft, u64)),
    Number(RangeInclusive<f64>, fn(&mut Draft, f64)),
    /// Whether it is a possible value.
    Text(fn(&mut Draft, &str) -> bool),
}

/// A configuration that is being read.
pub(super) struct Draft {
    config: MctsPlayerConfig,
    evaluation: bool,
    uses: EvaluationUse,
    learn_on: bool,
    workers: usize,
    prover: Option<ProgramCommand>,
    pub(super) seed: Option<u64>,
}

/// Former options, with their replacements.
const REMOVED: [(&str, &str); 3] = [
    ("latches", "goal latches are always looked for"),
    ("minimax", "it is called `backup`"),
    ("settle", "a search uses the whole clock"),
];

/// All options. Those of budgets come first, since defaults depend on them.
pub(super) const OPTIONS: &[PlayerOption] = &[
    PlayerOption {
        name: "seconds",
        group: Group::Budget,
        values: "a number of seconds, more than 0 and at most 1e9",
        about: "time for a move, within the play clock",
        set: Set::Number(f64::MIN_POSITIVE..=1e9, |draft, seconds| {
            draft.config.budget.time = Some(Duration::from_secs_f64(seconds));
        }),
    },
    PlayerOption {
        name: "nodes",
        group: Group::Budget,
        values: "a number of nodes, at least 1",
        about: "nodes that are added to the tree for a move",
        set: Set::Count(1..=u64::MAX, |draft, nodes| {
            draft.config.budget.nodes = Some(nodes);
        }),
    },
    PlayerOption {
        name: "total-playouts",
        group: Group::Budget,
        values: "a number of playouts, at least 1",
        about: "playouts for a move",
        set: Set::Count(1..=u64::MAX, |draft, playouts| {
            draft.config.budget.playouts = Some(playouts);
        }),
    },
    PlayerOption {
        name: "threads",
        group: Group::Search,
        values: "a number from 1 to 1024",
        about: "threads of the search; by default 1",
        set: Set::Count(1..=1024, |draft, threads| {
            draft.config.search.threads = threads as usize;
        }),
    },
    PlayerOption {
        name: "memory",
        group: Group::Search,
        values: "a number of MiB, at least 1",
        about: "memory of the tree; by default 1024",
        set: Set::Count(1..=1 << 30, |draft, memory| {
            draft.config.search.memory = (memory as usize) << 20;
        }),
    },
    PlayerOption {
        name: "backend",
        group: Group::Search,
        values: "prover, scalar, lanes or compiled",
        about: "the backend; by default the fastest",
        set: Set::Text(|draft, name| {
            draft.config.backend = name.parse().ok();
            draft.config.backend.is_some()
        }),
    },
    PlayerOption {
        name: "seed",
        group: Group::Search,
        values: "a whole number",
        about: "a seed of the player's own, instead of one from the series",
        set: Set::Count(0..=u64::MAX, |draft, seed| draft.seed = Some(seed)),
    },
    PlayerOption {
        name: "search",
        group: Group::Search,
        values: "mcts or minimax",
        about: "the kind of search; by default mcts",
        set: Set::Text(|draft, name| match name.parse() {
            Ok(kind) => {
                draft.config.kind = kind;
                true
            }
            Err(()) => false,
        }),
    },
    PlayerOption {
        name: "ponder",
        group: Group::Search,
        values: FLAG,
        about: "searches while others think; by default true without a counted budget",
        set: Set::Flag(|draft, ponder| draft.config.ponder = ponder),
    },
    PlayerOption {
        name: "decisive",
        group: Group::Search,
        values: FLAG,
        about: "plays moves that win at once in playouts; by default true",
        set: Set::Flag(|draft, decisive| draft.config.search.decisive = decisive),
    },
    PlayerOption {
        name: "darkening",
        group: Group::Search,
        values: FLAG,
        about: "specialises code for what is left of the match; by default true",
        set: Set::Flag(|draft, darkening| draft.config.search.darkening = darkening),
    },
    PlayerOption {
        name: "local",
        group: Group::Search,
        values: FLAG,
        about: "looks for forced wins beside the search; by default true without a counted budget",
        set: Set::Flag(|draft, local| draft.config.search.helpers.local = local),
    },
    PlayerOption {
        name: "local-share",
        group: Group::Search,
        values: "a number from 0.001 to 1",
        about: "the part of the time for that; by default 0.2, and 0.05 beside an evaluation",
        set: Set::Number(0.001..=1.0, |draft, share| {
            draft.config.search.helpers.local_share = Some(share);
        }),
    },
    PlayerOption {
        name: "workers",
        group: Group::Search,
        values: "a number from 0 to 64",
        about: "processes of this program that look for forced wins; by default 0",
        set: Set::Count(0..=64, |draft, workers| draft.workers = workers as usize),
    },
    PlayerOption {
        name: "prover",
        group: Group::Search,
        values: "cmd:COMMAND",
        about: "another program that looks for forced wins",
        set: Set::Text(|draft, text| {
            let command = text.strip_prefix("cmd:");
            draft.prover = command.and_then(|command| command.parse().ok());
            draft.prover.is_some()
        }),
    },
    PlayerOption {
        name: "plan",
        group: Group::Search,
        values: FLAG,
        about: "plans in games of one role; by default true without a counted budget",
        set: Set::Flag(|draft, plan| draft.config.search.helpers.plan = plan),
    },
    PlayerOption {
        name: "solve",
        group: Group::Search,
        values: FLAG,
        about: "enumerates the states of games of several roles that have few; by default true without a counted budget",
        set: Set::Flag(|draft, solve| draft.config.search.helpers.solve = solve),
    },
    PlayerOption {
        name: "evaluation",
        group: Group::Learning,
        values: FLAG,
        about: "learns an evaluation and uses it; by default true without a counted budget",
        set: Set::Flag(|draft, evaluation| draft.evaluation = evaluation),
    },
    PlayerOption {
        name: "keep",
        group: Group::Learning,
        values: FLAG,
        about: "keeps evaluations for the next time; by default true",
        set: Set::Flag(|draft, keep| draft.config.search.learning.keep = keep),
    },
    PlayerOption {
        name: "learn-on",
        group: Group::Experiments,
        values: FLAG,
        about: "goes on learning beside the search, or between moves where no core is free; by default true without a counted budget",
        set: Set::Flag(|draft, learn_on| draft.learn_on = learn_on),
    },
    PlayerOption {
        name: "leaf",
        group: Group::Experiments,
        values: "a number from 0 to 1",
        about: "the weight of a leaf's evaluation against its playouts",
        set: Set::Number(0.0..=1.0, |draft, leaf| draft.uses.leaf = Some(leaf as f32)),
    },
    PlayerOption {
        name: "backup",
        group: Group::Experiments,
        values: "a number from 0 to 1",
        about: "the weight of minimax values against means",
        set: Set::Number(0.0..=1.0, |draft, backup| {
            draft.uses.backup = Some(backup as f32);
        }),
    },
    PlayerOption {
        name: "prior",
        group: Group::Experiments,
        values: "a number from 0 to 1000",
        about: "how many visits the evaluation of a fresh node counts as",
        set: Set::Number(0.0..=1000.0, |draft, prior| {
            draft.uses.prior = Some(prior as f32);
        }),
    },
    PlayerOption {
        name: "spread",
        group: Group::Experiments,
        values: "a number from 0 to inf",
        about: "how much worse a move's evaluation is where it is explored half as much",
        set: Set::Number(0.0..=f64::INFINITY, |draft, spread| {
            draft.uses.spread = Some(spread as f32);
        }),
    },
    PlayerOption {
        name: "exploration",
        group: Group::Experiments,
        values: "a number from 0 to 100",
        about: "the exploration constant of UCB, for goals from 0 to 1; by default 0.5, and 0.2 beside an evaluation or with RAVE",
        set: Set::Number(0.0..=100.0, |draft, weight| {
            draft.config.search.tree.exploration = Some(weight as f32);
        }),
    },
    PlayerOption {
        name: "rave",
        group: Group::Experiments,
        values: "a number of visits up to 1000000",
        about: "the equivalence parameter of RAVE; by default 1000 where playouts say much about moves, and 0 elsewhere",
        set: Set::Number(0.0..=1e6, |draft, visits| {
            draft.config.search.tree.rave = Some(visits as f32);
        }),
    },
    PlayerOption {
        name: "batch",
        group: Group::Experiments,
        values: "a number of leaves from 1 to 512",
        about: "leaves under way at a time, at most, for each thread",
        set: Set::Count(1..=512, |draft, batch| {
            draft.config.search.tree.batch = Some(batch as usize);
        }),
    },
    PlayerOption {
        name: "leaf-playouts",
        group: Group::Experiments,
        values: "a number of playouts, at least 1",
        about: "playouts of a leaf at a time; by default 1 to 4, by what they cost",
        set: Set::Count(1..=1 << 20, |draft, playouts| {
            draft.config.search.tree.leaf_playouts = Some(playouts);
        }),
    },
    PlayerOption {
        name: "recycle",
        group: Group::Experiments,
        values: FLAG,
        about: "a tree that is full forgets what was visited least; by default true",
        set: Set::Flag(|draft, recycle| draft.config.search.tree.recycle = recycle),
    },
];

const FLAG: &str = "true or false";

impl Draft {
    /// Reads options, which are given by name and value.
    pub(super) fn read(given: &[(String, String)]) -> Result<Draft, SpecError> {
        let mut draft = Draft {
            config: MctsPlayerConfig {
                kind: SearchKind::default(),
                search: MctsConfig::default(),
                backend: None,
                ponder: true,
                budget: MoveBudget::default(),
            },
            evaluation: true,
            uses: EvaluationUse::default(),
            learn_on: true,
            workers: 0,
            prover: None,
            seed: None,
        };
        let (budgets, others): (Vec<_>, Vec<_>) = (OPTIONS.iter())
            .filter_map(|option| {
                let value = given.iter().find(|(name, _)| name == option.name);
                Some((option, &*value?.1))
            })
            .partition(|(option, _)| option.group == Group::Budget);
        for (option, value) in budgets {
            option.read(&mut draft, value)?;
        }
        // With a budget of nodes or playouts, nothing should depend on time: neither on how long
        // others think, nor on what other threads find out meanwhile.
        let is_timed = !draft.config.budget.is_counted();
        draft.config.ponder = is_timed;
        (draft.evaluation, draft.learn_on) = (is_timed, is_timed);
        let helpers = &mut draft.config.search.helpers;
        (helpers.local, helpers.plan, helpers.solve) = (is_timed, is_timed, is_timed);
        for (option, value) in others {
            option.read(&mut draft, value)?;
        }
        let memory = draft.config.search.memory;
        let is_asked = given.iter().any(|(name, _)| name == "memory");
        if is_asked && !is_available(memory) {
            return Err(SpecError::Memory(memory >> 20));
        }
        Ok(draft)
    }

    /// The configuration, when all options are read.
    pub(super) fn finish(self) -> MctsPlayerConfig {
        let mut config = self.config;
        let search = &mut config.search;
        search.helpers.provers = vec![own_worker(); self.workers];
        search.helpers.provers.extend(self.prover);
        let learning = &mut search.learning;
        learning.evaluation = self.evaluation.then_some(self.uses);
        learning.learn_on = match (self.learn_on, free_cores(search.threads)) {
            (false, _) => LearnOn::Never,
            (true, 0) => LearnOn::Between,
            (true, _) => LearnOn::Beside,
        };
        config
    }
}

impl PlayerOption {
    fn read(&self, draft: &mut Draft, text: &str) -> Result<(), SpecError> {
        let is_read = match &self.set {
            Set::Flag(set) => apply(draft, text, |_| true, *set),
            Set::Count(range, set) => apply(draft, text, |count| range.contains(count), *set),
            Set::Number(range, set) => apply(draft, text, |number| range.contains(number), *set),
            Set::Text(set) => set(draft, text),
        };
        match is_read {
            true => Ok(()),
            false => Err(SpecError::Value {
                option: self.name,
                wanted: self.values,
                value: text.to_string(),
            }),
        }
    }
}

/// Sets a value, if it can be read and is possible. Returns whether it is.
fn apply<T: FromStr>(
    draft: &mut Draft,
    text: &str,
    is_possible: impl Fn(&T) -> bool,
    set: fn(&mut Draft, T),
) -> bool {
    let value = text.parse().ok().filter(is_possible);
    value.map(|value| set(draft, value)).is_some()
}

/// Returns the replacement of a former option.
pub(super) fn removed(name: &str) -> Option<(&'static str, &'static str)> {
    REMOVED.into_iter().find(|(removed, _)| *removed == name)
}

/// The options of the player `mcts` as tables in Markdown.
pub fn mcts_options() -> String {
    let mut text = String::new();
    for (group, title) in [
        (Group::Budget, "What a move may cost"),
        (
            Group::Search,
            "What the search has, and what works beside it",
        ),
        (Group::Learning, "What is learned"),
        (
            Group::Experiments,
            "For experiments: by default, these are chosen by the game",
        ),
    ] {
        let _ = write!(
            text,
            "### {title}\n\n| option | values | |\n|---|---|---|\n"
        );
        for option in OPTIONS.iter().filter(|option| option.group == group) {
            let PlayerOption {
                name,
                values,
                about,
                ..
            } = option;
            let _ = writeln!(text, "| `{name}` | {values} | {about} |");
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}
