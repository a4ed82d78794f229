//! Names of players on the command line: `random`, `random:seed=5`, `cmd:./agent`,
//! `http://localhost:9147`.
//!
//! A [`PlayerFactory`] is read from a name, which may be followed by options, as in
//! `name:option=value,option=value`. `KINDS` lists the names; a new kind of player is one more
//! entry there.
//!
//! ```
//! use propjit::play::matches::PlayerFactory;
//!
//! let player: PlayerFactory = "random:seed=5".parse()?;
//! assert_eq!(player.name(), "random:seed=5");
//! let error = "random:speed=5".parse::<PlayerFactory>().unwrap_err();
//! assert_eq!(error.to_string(), "`random` has no option `speed`; it has seed");
//! # Ok::<(), propjit::play::players::SpecError>(())
//! ```

use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use propjit_jit::memory::is_available;
use rand::RngExt;
use thiserror::Error;

use super::mcts::{MctsPlayer, MctsPlayerConfig, MoveBudget, free_cores};
use super::simple::SimplePlayer;
use crate::play::ggp::{Address, AddressError, RemotePlayer};
use crate::play::line_protocol::LinePlayer;
use crate::play::matches::{PlayerFactory, Seat};
use crate::proof::forced::own_worker;
use crate::search::learned::LearnOn;
use crate::search::mcts::{self, EvaluationUse};
use crate::support::program::{NoProgram, ProgramCommand};
use crate::support::rng::streams;

/// A kind of player.
struct PlayerKind {
    /// Its name on the command line.
    name: &'static str,
    /// The options it takes.
    options: &'static [&'static str],
    /// Reads the options and makes a player of this name.
    read: fn(&str, &PlayerOptions) -> Result<PlayerFactory, SpecError>,
}

/// All kinds of players but programs and those at the other end of a connection.
const KINDS: &[PlayerKind] = &[
    PlayerKind {
        name: "mcts",
        options: &[
            "threads",
            "memory",
            "leaf-playouts",
            "batch",
            "nodes",
            "total-playouts",
            "seconds",
            "exploration",
            "rave",
            "decisive",
            "local",
            "local-share",
            "workers",
            "prover",
            "plan",
            "solve",
            "evaluation",
            "keep",
            "learn-on",
            "leaf",
            "minimax",
            "prior",
            "spread",
            "backend",
            "recycle",
            "latches",
            "darkening",
            "ponder",
            "settle",
            "seed",
        ],
        read: read_mcts,
    },
    PlayerKind {
        name: "random",
        options: &["seed"],
        read: |name, options| {
            let seed = options.seed()?;
            Ok(PlayerFactory::new(name, move |seat| {
                let seat = seated(seat, seed);
                let rng = streams(seat.seed).next().expect("streams do not end");
                Ok(Box::new(SimplePlayer::random(&seat, rng)?))
            }))
        },
    },
    PlayerKind {
        name: "legal",
        options: &[],
        read: |name, _| {
            let make = |seat: &_| Ok(Box::new(SimplePlayer::legal(seat)?) as _);
            Ok(PlayerFactory::new(name, make))
        },
    },
];

/// What tells the streams of players with a seed of their own from those of a series with that seed.
const OWN_SEEDS: u64 = 0x706c_6179_6572_7365;

/// The seat, with a seed that depends on the player's `seed`, if it has one, on the number of
/// the match, and on the role alone. So the matches of a series differ, and so do those who play with the same `seed`;
/// and the same series can be played again.
fn seated(seat: &Seat, seed: Option<u64>) -> Seat {
    let mut seat = seat.clone();
    if let Some(seed) = seed {
        let rng = streams(seed ^ OWN_SEEDS).nth(seat.number as usize);
        let mut seeds = rng.expect("streams do not end").random_iter();
        let own = seeds.nth(seat.role.index());
        seat.seed = own.expect("random numbers do not end");
    }
    seat
}

fn read_mcts(name: &str, options: &PlayerOptions) -> Result<PlayerFactory, SpecError> {
    let (nodes, playouts) = (
        "a number of nodes, at least 1",
        "a number of playouts, at least 1",
    );
    let seconds = "a number of seconds, more than 0 and at most 1e9";
    let seconds: Option<f64> = options.within("seconds", seconds, f64::MIN_POSITIVE..=1e9)?;
    let budget = MoveBudget::default()
        .with_nodes(options.within("nodes", nodes, 1..=u64::MAX)?)
        .with_playouts(options.within("total-playouts", playouts, 1..=u64::MAX)?)
        .with_time(seconds.map(Duration::from_secs_f64));
    // Where nodes or playouts count, nothing should depend on time: not what others take to think,
    // and not what other threads find out meanwhile.
    let is_timed = !budget.is_counted();
    let mut config = MctsPlayerConfig {
        search: mcts::MctsConfig::default()
            .with_local(is_timed)
            .with_plan(is_timed)
            .with_solve(is_timed),
        backend: options.get("backend", "prover, scalar, lanes or compiled")?,
        ponder: options.get("ponder", "true or false")?.unwrap_or(is_timed),
        settle: options.get("settle", "true or false")?.unwrap_or(false),
        budget,
    };
    let search = &mut config.search;
    if let Some(threads) = options.within("threads", "a number from 1 to 1024", 1..=1024)? {
        search.threads = threads;
    }
    let memory = options.within("memory", "a number of MiB, at least 1", 1usize..=1 << 30)?;
    if let Some(memory) = memory {
        if !is_available(memory << 20) {
            return Err(SpecError::Memory(memory));
        }
        search.memory = memory << 20;
    }
    search.batch = options.within("batch", "a number of leaves from 1 to 512", 1..=512)?;
    search.leaf_playouts = options.within("leaf-playouts", playouts, 1..=1 << 20)?;
    if let Some(visits) = options.within("rave", "a number of visits up to 1000000", 0.0..=1e6)? {
        search.rave = Some(visits);
    }
    if let Some(weight) = options.within("exploration", "a number from 0 to 100", 0.0..=100.0)? {
        search.exploration = Some(weight);
    }
    for (option, flag) in [
        ("latches", &mut search.latches),
        ("darkening", &mut search.darkening),
        ("decisive", &mut search.decisive),
        ("recycle", &mut search.recycle),
        ("local", &mut search.local),
        ("plan", &mut search.plan),
        ("solve", &mut search.solve),
    ] {
        *flag = options.get(option, "true or false")?.unwrap_or(*flag);
    }
    search.local_share = options.within("local-share", "a number from 0.001 to 1", 0.001..=1.0)?;
    let workers = options.within("workers", "a number from 0 to 64", 0..=64)?;
    search.provers = vec![own_worker(); workers.unwrap_or(0)];
    let Prover(prover) = options.get("prover", "cmd:COMMAND")?.unwrap_or_default();
    search.provers.extend(prover);
    let mut used = EvaluationUse::default();
    for (option, weight, wanted, most) in [
        ("leaf", &mut used.leaf, "a number from 0 to 1", 1.0),
        ("minimax", &mut used.minimax, "a number from 0 to 1", 1.0),
        ("prior", &mut used.prior, "a number from 0 to 1000", 1000.0),
        (
            "spread",
            &mut used.spread,
            "a number from 0 to inf",
            f32::INFINITY,
        ),
    ] {
        *weight = options.within(option, wanted, 0.0..=most)?;
    }
    let is_used: Option<bool> = options.get("evaluation", "true or false")?;
    search.evaluation = is_used.unwrap_or(is_timed).then_some(used);
    search.keep = options.get("keep", "true or false")?.unwrap_or(true);
    let learns_on: Option<bool> = options.get("learn-on", "true or false")?;
    search.learn_on = match (learns_on.unwrap_or(is_timed), free_cores(search.threads)) {
        (false, _) => LearnOn::Never,
        (true, 0) => LearnOn::Between,
        (true, _) => LearnOn::Beside,
    };
    let seed = options.seed()?;
    Ok(PlayerFactory::new(name, move |seat| {
        Ok(Box::new(MctsPlayer::new(
            &seated(seat, seed),
            config.clone(),
        )))
    }))
}

/// The option `prover`: `cmd:` and a command.
#[derive(Default)]
struct Prover(Option<ProgramCommand>);

impl FromStr for Prover {
    type Err = NoProgram;

    fn from_str(text: &str) -> Result<Prover, NoProgram> {
        let command = text.strip_prefix("cmd:").ok_or(NoProgram)?;
        Ok(Prover(Some(command.parse()?)))
    }
}

/// Why a text names no player.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SpecError {
    /// There is no such kind.
    #[error("there is no player `{name}`; there are {}, cmd:COMMAND and http://HOST:PORT", known(.names))]
    Kind {
        /// The name that was given.
        name: String,
        /// The names there are.
        names: Vec<&'static str>,
    },
    /// It has no such option.
    #[error("`{kind}` has no option `{option}`; it has {}", known(.options))]
    Option {
        /// The player's kind.
        kind: &'static str,
        /// The option that was given.
        option: String,
        /// The options there are.
        options: &'static [&'static str],
    },
    /// It is not clear which playouts are meant.
    #[error(
        "`playouts` is `total-playouts`, how many a move may cost, or `leaf-playouts`, how many a \
         leaf gets at a time"
    )]
    Playouts,
    /// The option lacks a value.
    #[error("the option `{0}` lacks a value: write `{0}=VALUE`")]
    NoValue(String),
    /// The option is given twice.
    #[error("the option `{0}` is given twice")]
    Twice(String),
    /// The option cannot have this value.
    #[error("the option `{option}` must be {wanted}, not `{value}`")]
    Value {
        /// The option.
        option: &'static str,
        /// The values that it can have.
        wanted: &'static str,
        /// The value that was given.
        value: String,
    },
    /// The system cannot provide this many MiB.
    #[error("the option `memory` asks for {0} MiB, which the system does not give: ask for less")]
    Memory(usize),
    /// It is not an address.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// It is not a command.
    #[error(transparent)]
    Command(#[from] NoProgram),
}

fn known(names: &[&str]) -> String {
    match names {
        [] => "none".to_string(),
        names => names.join(", "),
    }
}

/// The options of a player.
#[derive(Clone, Debug)]
struct PlayerOptions(Vec<(String, String)>);

impl PlayerOptions {
    /// The option `seed`.
    fn seed(&self) -> Result<Option<u64>, SpecError> {
        self.get("seed", "a whole number")
    }

    /// The value of an option, if it is given; `wanted` tells what it must be.
    ///
    /// # Errors
    /// [`SpecError::Value`] if it is not that.
    fn get<T: FromStr>(
        &self,
        option: &'static str,
        wanted: &'static str,
    ) -> Result<Option<T>, SpecError> {
        self.find(option, wanted, |_| true)
    }

    /// As [`get`](PlayerOptions::get), of a value in this range.
    ///
    /// # Errors
    /// As [`get`](PlayerOptions::get).
    fn within<T: FromStr + PartialOrd>(
        &self,
        option: &'static str,
        wanted: &'static str,
        range: RangeInclusive<T>,
    ) -> Result<Option<T>, SpecError> {
        self.find(option, wanted, |value| range.contains(value))
    }

    fn find<T: FromStr>(
        &self,
        option: &'static str,
        wanted: &'static str,
        is_possible: impl Fn(&T) -> bool,
    ) -> Result<Option<T>, SpecError> {
        let mut all = self.0.iter();
        let Some((_, text)) = all.find(|(name, _)| name == option) else {
            return Ok(None);
        };
        match text.parse().ok().filter(is_possible) {
            Some(value) => Ok(Some(value)),
            None => Err(SpecError::Value {
                option,
                wanted,
                value: text.clone(),
            }),
        }
    }
}

impl FromStr for PlayerFactory {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<PlayerFactory, SpecError> {
        if text.starts_with("http:") {
            let address: Address = text.parse()?;
            let asked = address.clone();
            let factory = PlayerFactory::new(text, move |seat| {
                Ok(Box::new(RemotePlayer::new(address.clone(), seat)))
            });
            return Ok(factory.with_wait(move |stop| RemotePlayer::wait_until_free(&asked, stop)));
        }
        if let Some(command) = text.strip_prefix("cmd:") {
            let command: ProgramCommand = command.parse()?;
            return Ok(PlayerFactory::new(text, move |seat| {
                Ok(Box::new(LinePlayer::new(command.clone(), seat)))
            }));
        }
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let unknown = || SpecError::Kind {
            name: name.to_string(),
            names: KINDS.iter().map(|kind| kind.name).collect(),
        };
        let mut kinds = KINDS.iter();
        let kind = kinds.find(|kind| kind.name == name).ok_or_else(unknown)?;
        let options = read_options(kind, rest)?;
        (kind.read)(text, &options)
    }
}

fn read_options(kind: &PlayerKind, text: &str) -> Result<PlayerOptions, SpecError> {
    let mut options: Vec<(String, String)> = Vec::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (option, value) = part.split_once('=').unwrap_or((part, ""));
        if !kind.options.contains(&option) {
            if option == "playouts" && kind.name == "mcts" {
                return Err(SpecError::Playouts);
            }
            return Err(SpecError::Option {
                kind: kind.name,
                option: option.to_string(),
                options: kind.options,
            });
        }
        if value.is_empty() {
            return Err(SpecError::NoValue(option.to_string()));
        }
        if options.iter().any(|(other, _)| other == option) {
            return Err(SpecError::Twice(option.to_string()));
        }
        options.push((option.to_string(), value.to_string()));
    }
    Ok(PlayerOptions(options))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::game::load::Setup;
    use crate::game::machine::RoleId;
    use crate::play::matches::Rulesheet;

    #[test]
    fn a_seed_of_the_player_replaces_that_of_the_seat() {
        let rules = "(role p) (legal p go) (init a) (<= terminal (true a)) (goal p 100)";
        let rulesheet = Rulesheet::parse("seeds.kif", rules, Setup::default());
        let rulesheet = Arc::new(rulesheet.unwrap());
        let seat = |number, seed| Seat {
            match_id: "m".to_string(),
            number,
            rulesheet: rulesheet.clone(),
            role: RoleId(0),
            start_clock: Duration::from_secs(1),
            play_clock: Duration::from_secs(1),
            seed,
            opening: Arc::default(),
        };
        let seed = |number, seed, own| seated(&seat(number, seed), own).seed;
        assert_eq!(seed(0, 5, None), 5);
        assert_eq!(seed(3, 5, Some(1)), seed(3, 6, Some(1)));
        assert_ne!(seed(3, 5, Some(1)), seed(4, 5, Some(1)));
        assert_ne!(seed(3, 5, Some(1)), seed(3, 5, Some(2)));
    }

    #[test]
    fn errors_name_the_remedy() {
        for (text, expected) in [
            (
                "mtcs",
                "there is no player `mtcs`; there are mcts, random, legal, cmd:COMMAND and http://HOST:PORT",
            ),
            ("legal:seed=5", "`legal` has no option `seed`; it has none"),
            (
                "random:seed",
                "the option `seed` lacks a value: write `seed=VALUE`",
            ),
            ("random:seed=1,seed=2", "the option `seed` is given twice"),
            (
                "random:seed=-1",
                "the option `seed` must be a whole number, not `-1`",
            ),
            (
                "mcts:prover=propjit",
                "the option `prover` must be cmd:COMMAND, not `propjit`",
            ),
            (
                "mcts:workers=65",
                "the option `workers` must be a number from 0 to 64, not `65`",
            ),
            (
                "cmd: ",
                "a command begins with the name of a program, as in cmd:./agent",
            ),
            (
                "http://:80",
                "`http://:80` is not an address like http://localhost:9147",
            ),
        ] {
            let error = text.parse::<PlayerFactory>().unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }
}
