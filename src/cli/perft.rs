//! `propjit perft`: the number of sequences of joint moves.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use propjit::game::load::Game;
use propjit::game::machine::perft::{self, PerftCount};
use propjit::game::machine::{RoleId, StateMachine};
use serde::Serialize;

use super::options::{SetupArgs, game_name, in_range};
use super::output::{Failure, Output, counted, show_progress};
use super::signals::stop_on_signals;

/// Count all sequences of joint moves of a given length
#[derive(clap::Args)]
pub(super) struct Args {
    /// Rulesheet to read; `-` for standard input
    rulesheet: PathBuf,

    /// Number of joint moves
    #[arg(value_parser = |text: &str| in_range(text, 0, MAX_DEPTH))]
    depth: usize,

    /// Print the count after each first joint move
    #[arg(long)]
    divide: bool,

    #[command(flatten)]
    setup: SetupArgs,
}

/// Deeper counts would take too long; the states on the way take memory.
const MAX_DEPTH: usize = 100_000;

#[derive(Serialize)]
struct Report {
    game: String,
    backend: &'static str,
    /// The reason if the game is interpreted though it was to be compiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_compiled: Option<String>,
    depth: usize,
    /// At most `u128::MAX`, even if there are more.
    sequences: u128,
    ended: u128,
    stuck: u128,
    /// Whether first joint moves are missing.
    interrupted: bool,
    setup_seconds: f64,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    divide: Option<Vec<Part>>,
}

#[derive(Serialize)]
struct Part {
    joint_move: Vec<String>,
    sequences: u128,
    ended: u128,
    stuck: u128,
}

/// Counts sequences and prints the counts.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let stop = stop_on_signals();
    let (game, backend) = args.setup.load(
        &args.rulesheet,
        &stop,
        Game::backend,
        Game::prepare_or_interpret,
    )?;
    let mut machine = game.machine(backend)?;
    let start = Instant::now();
    let shown = show_progress(|| "counting".to_string());
    let initial = machine.initial_state()?;
    let (division, is_all) = match args.divide {
        false => (None, true),
        true => {
            let (division, is_all) = perft::divide(&mut *machine, &initial, args.depth, &stop)?;
            (Some(division), is_all)
        }
    };
    let count = match &division {
        Some(division) if !division.is_empty() => Some(perft::total(division)),
        // Without a first move, the only sequence is the state itself.
        _ => perft::perft(&mut *machine, &initial, args.depth, &stop)?,
    };
    let divide = division.map(|division| parts(&*machine, division));
    drop(shown);
    let Some(count) = count else {
        return Err(Failure::new("interrupted before the count was complete"));
    };
    output.result(&Report {
        game: game_name(&args.rulesheet),
        backend: backend.name(),
        not_compiled: game.not_compiled().map(ToString::to_string),
        depth: args.depth,
        sequences: count.sequences,
        ended: count.ended,
        stuck: count.stuck,
        interrupted: !is_all,
        setup_seconds: game.setup_time().as_secs_f64(),
        seconds: start.elapsed().as_secs_f64(),
        divide,
    })
}

fn parts(machine: &dyn StateMachine, division: perft::Division) -> Vec<Part> {
    let part = |(joint, count): (Vec<_>, PerftCount)| Part {
        joint_move: RoleId::first(joint.len())
            .zip(joint)
            .map(|(role, played)| machine.move_text(role, played))
            .collect(),
        sequences: count.sequences,
        ended: count.ended,
        stuck: count.stuck,
    };
    division.into_iter().map(part).collect()
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in self.divide.iter().flatten() {
            writeln!(f, "{:>20}  {}", part.sequences, part.joint_move.join(" "))?;
        }
        let least = match self.sequences {
            u128::MAX => "at least ",
            _ => "",
        };
        if self.interrupted {
            writeln!(
                f,
                "interrupted: the counts of other first moves are incomplete"
            )?;
        }
        write!(
            f,
            "{} at depth {} has {least}{} of joint moves; {} more ended before",
            self.game,
            self.depth,
            counted(self.sequences, "sequence", "sequences"),
            self.ended
        )?;
        match self.stuck {
            0 => writeln!(f)?,
            stuck => writeln!(f, ", and {stuck} where a role has no legal move")?,
        }
        writeln!(f, "{:.3} s on {}", self.seconds, self.backend)
    }
}
