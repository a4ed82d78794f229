//! Player specifications on the command line: `random`, `random:seed=5`, `cmd:./agent`,
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

use std::str::FromStr;

use rand::RngExt;

use super::mcts::MctsPlayer;
use super::options::{self, GivenOptions, mcts_options, removed};
use super::simple::SimplePlayer;
use super::spec_error::SpecError;
use crate::play::ggp::{Address, RemotePlayer};
use crate::play::line_protocol::LinePlayer;
use crate::play::matches::{PlayerFactory, Seat};
use crate::support::program::ProgramCommand;
use crate::support::rng::streams;

/// A kind of player.
struct PlayerKind {
    /// Its name on the command line.
    name: &'static str,
    /// The options it takes.
    options: fn() -> Vec<&'static str>,
    /// Reads the options and makes a player of this name.
    read: fn(&str, &GivenOptions) -> Result<PlayerFactory, SpecError>,
}

/// All kinds of players except programs and remote players.
const KINDS: &[PlayerKind] = &[
    PlayerKind {
        name: "mcts",
        options: || mcts_options().iter().map(|option| option.name).collect(),
        read: read_mcts,
    },
    PlayerKind {
        name: "random",
        // An option of `mcts`, too, and read as there.
        options: || vec!["seed"],
        read: |name, options| {
            let seed = options::read(options)?.seed;
            Ok(PlayerFactory::new(name, move |seat| {
                let seat = seated(seat, seed);
                let rng = streams(seat.seed).next().expect("streams do not end");
                Ok(Box::new(SimplePlayer::random(&seat, rng)?))
            }))
        },
    },
    PlayerKind {
        name: "legal",
        options: Vec::new,
        read: |name, _| {
            let make = |seat: &_| Ok(Box::new(SimplePlayer::legal(seat)?) as _);
            Ok(PlayerFactory::new(name, make))
        },
    },
];

/// A constant that separates the streams of players with a seed of their own from those of a series
/// with that seed.
const OWN_SEEDS: u64 = 0x706c_6179_6572_7365;

/// Returns the specification of a player that has a machine for itself: a `mcts` player without a counted budget searches on
/// all `cores` but one, unless its number of threads is given; and if a core is left then, the search for forced wins has it
/// for itself.
pub fn with_all_cores(text: &str, cores: usize) -> String {
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    let given = |option: &str| {
        let mut options = rest.split(',').filter_map(|part| part.split_once('='));
        options
            .find(|(name, _)| *name == option)
            .map(|(_, value)| value)
    };
    let is_counted = ["nodes", "total-playouts"]
        .iter()
        .any(|option| given(option).is_some());
    if name != "mcts" || is_counted {
        return text.to_string();
    }
    let mut options: Vec<String> = rest
        .split(',')
        .filter(|part| !part.is_empty())
        .map(String::from)
        .collect();
    let threads = match given("threads") {
        Some(threads) => threads.parse().unwrap_or(cores),
        None => {
            let threads = cores.saturating_sub(1).max(1);
            options.push(format!("threads={threads}"));
            threads
        }
    };
    if threads < cores && given("local-share").is_none() {
        options.push("local-share=1".to_string());
    }
    match options.is_empty() {
        true => name.to_string(),
        false => format!("{name}:{}", options.join(",")),
    }
}

/// Returns the seat, with a seed that depends on the player's `seed`, if it has one, on the number of the match, and
/// on the role alone. So the matches of a series differ, and so do players with the same `seed`; and the same series
/// can be played again.
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

fn read_mcts(name: &str, options: &GivenOptions) -> Result<PlayerFactory, SpecError> {
    let read = options::read(options)?;
    let (seed, config) = (read.seed, read.config);
    Ok(PlayerFactory::new(name, move |seat| {
        Ok(Box::new(MctsPlayer::new(
            &seated(seat, seed),
            config.clone(),
        )))
    }))
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

fn read_options(kind: &PlayerKind, text: &str) -> Result<Vec<(String, String)>, SpecError> {
    let known = (kind.options)();
    let mut options: Vec<(String, String)> = Vec::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (option, value) = part.split_once('=').unwrap_or((part, ""));
        if !known.contains(&option) {
            return Err(match removed(option).filter(|_| kind.name == "mcts") {
                Some((option, instead)) => SpecError::Removed {
                    kind: kind.name,
                    option,
                    instead,
                },
                None if option == "playouts" && kind.name == "mcts" => SpecError::Playouts,
                None => SpecError::Option {
                    kind: kind.name,
                    option: option.to_string(),
                    options: known,
                },
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
    Ok(options)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::game::load::Setup;
    use crate::play::matches::Rulesheet;

    #[test]
    fn a_seed_of_the_player_replaces_that_of_the_seat() {
        let rules = "(role p) (legal p go) (init a) (<= terminal (true a)) (goal p 100)";
        let rulesheet = Rulesheet::parse("seeds.kif", rules, Setup::default());
        let rulesheet = Arc::new(rulesheet.unwrap());
        let seat = |number, seed| Seat {
            number,
            seed,
            ..Seat::first(&rulesheet)
        };
        let seed = |number, seed, own| seated(&seat(number, seed), own).seed;
        assert_eq!(seed(0, 5, None), 5);
        assert_eq!(seed(3, 5, Some(1)), seed(3, 6, Some(1)));
        assert_ne!(seed(3, 5, Some(1)), seed(4, 5, Some(1)));
        assert_ne!(seed(3, 5, Some(1)), seed(3, 5, Some(2)));
    }

    #[test]
    fn a_player_with_a_machine_for_itself_uses_it() {
        for (text, cores, expected) in [
            ("mcts", 1, "mcts:threads=1"),
            ("mcts", 2, "mcts:threads=1,local-share=1"),
            (
                "mcts:ponder=false",
                8,
                "mcts:ponder=false,threads=7,local-share=1",
            ),
            ("mcts:threads=8", 8, "mcts:threads=8"),
            (
                "mcts:threads=2,local-share=0.1",
                8,
                "mcts:threads=2,local-share=0.1",
            ),
            ("mcts:nodes=100", 8, "mcts:nodes=100"),
            ("random", 8, "random"),
            ("cmd:mcts --a=b", 8, "cmd:mcts --a=b"),
            ("mtcs", 8, "mtcs"),
        ] {
            assert_eq!(with_all_cores(text, cores), expected);
            let known: Result<PlayerFactory, _> = expected.parse();
            assert_eq!(known.is_ok(), text != "mtcs", "{expected}");
        }
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
                "mcts:settle=true",
                "`mcts` has no option `settle` any more: a search uses the whole clock",
            ),
            (
                "mcts:minimax=0.3",
                "`mcts` has no option `minimax` any more: it is called `backup`",
            ),
            (
                "mcts:workers=65",
                "the option `workers` must be a whole number from 0 to 64, not `65`",
            ),
            (
                "cmd: ",
                "a command must start with the name of a program, as in cmd:./agent",
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
