//! `propjit factors`: the independent parts of a game.

use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use propjit::game::ground::{GroundGame, Literal};
use propjit::game::machine::RoleId;
use propjit::proof::factors::{Checked, Factors, Form, NotFound};
use propjit::support::rng::random_seed;
use serde::Serialize;

use super::options::{GroundArgs, game_name, in_range, load, not_ground, seed};
use super::output::{Failure, Output, counted, show_progress};
use super::signals::stop_on_signals;

/// Decompose a game into independent parts
#[derive(clap::Args)]
pub(super) struct Args {
    /// Rulesheet to read; `-` for standard input
    rulesheet: PathBuf,

    /// Compare the parts with the whole game in this many steps of random matches
    #[arg(long, value_name = "STEPS", value_parser = |text: &str| in_range(text, 1, u64::MAX))]
    check: Option<u64>,

    /// Seed of the random numbers of these matches [default: random]
    #[arg(long, value_name = "N", requires = "check", value_parser = seed)]
    seed: Option<u64>,

    #[command(flatten)]
    ground: GroundArgs,
}

#[derive(Serialize)]
struct Report {
    game: String,
    propositions: usize,
    /// The propositions that change independently of moves.
    clock: Vec<String>,
    /// The parts. If there is only one, the game does not fall into parts.
    parts: Vec<Part>,
    /// The reason if they are unknown.
    unknown: Option<String>,
    moves: Vec<Moves>,
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<Check>,
    seconds: f64,
}

#[derive(Serialize)]
struct Part {
    propositions: Vec<String>,
    /// The number of wires that `terminal` and the goals read of it.
    observables: usize,
    relevant: bool,
    /// By role, the number of different effects of moves on it.
    ways: Vec<usize>,
}

/// How the moves of a role are composed of their effects on parts.
#[derive(Serialize)]
struct Moves {
    role: String,
    /// `one` part is changed, or `each` is, in the phases in which the role decides.
    change: Vec<&'static str>,
}

#[derive(Serialize)]
struct Check {
    steps: u64,
    comparisons: u64,
    seed: u64,
    /// The difference.
    difference: Option<String>,
    /// Whether there were fewer steps than asked for.
    interrupted: bool,
}

/// Finds the parts of a game and prints them.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let stop = stop_on_signals();
    let setup = args.ground.setup().with_stop(stop.clone());
    let game = load(&args.rulesheet, &setup)?;
    let ground = game.ground_game();
    let ground = ground.ok_or_else(|| not_ground(&game, "parts"))?;
    let start = Instant::now();
    let shown = show_progress(|| "decomposing the game".to_string());
    let found = Factors::find(ground, &stop);
    let time = start.elapsed();
    drop(shown);
    let mut report = Report::new(ground, game_name(&args.rulesheet), &found, time);
    let mut difference = None;
    if let (Some(steps), Ok(factors)) = (args.check, &found) {
        let seed = args.seed.unwrap_or_else(random_seed);
        let shown = show_progress(|| "playing".to_string());
        let checked = factors.check(ground, steps, seed, &stop);
        drop(shown);
        difference = checked.as_ref().err().map(ToString::to_string);
        let Checked {
            steps, comparisons, ..
        } = checked.unwrap_or_default();
        report.check = Some(Check {
            difference: difference.clone(),
            interrupted: stop.is_set(),
            steps,
            comparisons,
            seed,
        });
    }
    output.result(&report)?;
    match difference {
        Some(difference) => Err(Failure::Work(difference)),
        None => Ok(()),
    }
}

impl Report {
    fn new(
        ground: &GroundGame,
        game: String,
        found: &Result<Factors, NotFound>,
        time: Duration,
    ) -> Report {
        let names = |bases: &[usize]| -> Vec<String> {
            let literals = bases.iter().map(|&base| Literal::new(base, true));
            literals.map(|literal| literal.text(ground)).collect()
        };
        let roles = || (0..ground.roles().len() as u32).map(RoleId);
        let known = found.iter();
        let parts = known.clone().flat_map(|factors| {
            let part = |(number, part): (usize, &propjit::proof::factors::Part)| Part {
                propositions: names(&part.propositions),
                observables: part.observables.len(),
                relevant: part.is_relevant(),
                ways: roles().map(|role| factors.ways(role, number)).collect(),
            };
            factors.parts.iter().enumerate().map(part)
        });
        let moves = known.clone().flat_map(|factors| {
            roles().map(|role| {
                let mut change: Vec<&str> = factors.forms(role).map(form_name).collect();
                change.sort_unstable();
                change.dedup();
                Moves {
                    role: ground.roles()[role.index()].clone(),
                    change,
                }
            })
        });
        let clock = known
            .clone()
            .flat_map(|factors| names(&factors.clock.propositions));
        Report {
            game,
            propositions: ground.propnet().bases.len(),
            clock: clock.collect(),
            parts: parts.collect(),
            moves: moves.collect(),
            unknown: found.as_ref().err().map(ToString::to_string),
            check: None,
            seconds: time.as_secs_f64(),
        }
    }
}

fn form_name(form: Form) -> &'static str {
    match form {
        Form::One => "one",
        Form::Each => "each",
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let relevant = self.parts.iter().filter(|part| part.relevant).count();
        writeln!(
            f,
            "{}: {} propositions, {} of them of the clock, in {}, {} of them relevant, found in {:.1} ms",
            self.game,
            self.propositions,
            self.clock.len(),
            counted(self.parts.len(), "part", "parts"),
            relevant,
            self.seconds * 1e3
        )?;
        if let Some(reason) = &self.unknown {
            writeln!(f, "unknown: {reason}")?;
        }
        if !self.clock.is_empty() {
            writeln!(f, "{:<10} {}", "clock", self.clock.join(" "))?;
        }
        for (number, part) in (1..).zip(&self.parts) {
            let ways: Vec<String> = part.ways.iter().map(ToString::to_string).collect();
            let read = match part.relevant {
                true => {
                    let wires = counted(part.observables, "wire", "wires");
                    format!("{wires} read by terminal and goals")
                }
                false => "irrelevant".to_string(),
            };
            writeln!(
                f,
                "{:<10} {}, changed in {} ways, {read}: {}",
                format!("part {number}"),
                counted(part.propositions.len(), "proposition", "propositions"),
                ways.join(" or "),
                part.propositions.join(" ")
            )?;
        }
        for moves in self.moves.iter().filter(|moves| !moves.change.is_empty()) {
            let change: Vec<&str> = (moves.change.iter())
                .map(|form| match *form {
                    "one" => "one part at most",
                    _ => "each part, in all combinations",
                })
                .collect();
            writeln!(
                f,
                "{:<10} moves of {} change {}",
                "joined",
                moves.role,
                change.join(", or ")
            )?;
        }
        if let Some(check) = &self.check {
            match &check.difference {
                None => writeln!(
                    f,
                    "checked    {} steps of random matches, {} comparisons of a part with the whole, seed {}",
                    check.steps, check.comparisons, check.seed
                )?,
                Some(difference) => writeln!(f, "wrong      {difference}, seed {}", check.seed)?,
            }
            if check.interrupted {
                writeln!(f, "interrupted")?;
            }
        }
        Ok(())
    }
}
