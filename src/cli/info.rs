//! `propjit info`: the parts of a game.

use std::fmt;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use propjit::game::boards::{Grid, Grids};
use propjit::game::ground::{GroundGame, Shares};
use propjit::game::load::Game;
use propjit::game::machine::Backend;
use serde::Serialize;

use super::options::{SetupArgs, game_name};
use super::output::{Failure, Output, cannot_write, writable};
use super::signals::stop_on_signals;

/// Show the size of a game: roles, propositions, moves, gates, set-up time
#[derive(clap::Args)]
pub(super) struct Args {
    /// Rulesheet to read; `-` for standard input
    rulesheet: PathBuf,

    /// Write the propositional network to this file in Graphviz DOT format
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,

    #[command(flatten)]
    setup: SetupArgs,
}

#[derive(Serialize)]
struct Report {
    game: String,
    rules: usize,
    roles: Vec<Role>,
    backend: &'static str,
    /// Whether roles may not know the whole state; none without `sees` rules, when they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    hides_information: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grounding_error: Option<String>,
    /// The reason if the game is interpreted though it was to be compiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_compiled: Option<String>,
    #[serde(flatten)]
    ground: Option<Ground>,
    boards: Vec<Board>,
    setup: Vec<Stage>,
    setup_seconds: f64,
    peak_memory_bytes: Option<u64>,
}

#[derive(Serialize)]
struct Role {
    name: String,
    /// The number of moves that may ever be legal; known of games that are grounded.
    moves: Option<usize>,
    goals: Option<Vec<i32>>,
    /// The number of percepts that it may ever have, if the game has `sees` rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    percepts: Option<usize>,
}

#[derive(Serialize)]
struct Ground {
    propositions: usize,
    propnet_gates: usize,
    /// Gates that depend on themselves.
    recursive_gates: usize,
    circuit: Circuit,
}

#[derive(Serialize)]
struct Circuit {
    inputs: usize,
    outputs: usize,
    gates_before_passes: usize,
    gates: usize,
    depth: usize,
    loops: usize,
    /// Gates that only goals need, and those that only `terminal` needs.
    goal_gates: usize,
    terminal_gates: usize,
    passes: Vec<Pass>,
}

#[derive(Serialize)]
struct Pass {
    name: &'static str,
    gates_before: usize,
    gates_after: usize,
    seconds: f64,
    /// Whether it was cut off by its time limit.
    is_cut: bool,
}

/// A board that was inferred.
#[derive(Serialize)]
struct Board {
    /// The names of its fluents.
    fluents: Vec<String>,
    kind: &'static str,
    columns: usize,
    rows: usize,
    places: usize,
}

#[derive(Serialize)]
struct Stage {
    stage: &'static str,
    seconds: f64,
}

/// Loads the game and prints its parts.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    if let Some(path) = &args.dot {
        writable(path, [&args.rulesheet])?;
    }
    let stop = stop_on_signals();
    let prepare = Game::prepare_or_interpret;
    let (game, backend) = (args.setup).load(&args.rulesheet, &stop, Game::bulk_backend, prepare)?;
    let network = match (&args.dot, game.ground_game()) {
        (Some(path), Some(ground)) => Some((path, ground)),
        (Some(_), None) => {
            let why = "no propositional network to draw: the game was not grounded";
            return Err(Failure::new(why));
        }
        (None, _) => None,
    };
    let grids = Grids::find(&game, &stop)?;
    // The network is drawn even if the reader of the result is gone.
    let printed = output.result(&report(&game, &grids, backend, &args.rulesheet));
    if let Some((path, ground)) = network {
        write_dot(ground, path).map_err(|error| cannot_write(path, &error))?;
    }
    printed
}

fn write_dot(ground: &GroundGame, path: &Path) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    ground.propnet().write_dot(&mut file)?;
    file.flush()
}

fn report(game: &Game, grids: &Grids, backend: Backend, rulesheet: &Path) -> Report {
    let rules = game.rules();
    let ground = game.ground_game();
    let role = |(at, &name): (usize, _)| {
        let ports = ground.map(|ground| &ground.propnet().roles[at]);
        Role {
            name: rules.terms.text(name),
            moves: ports.map(|role| role.moves.len()),
            goals: ports.map(|role| role.goals.iter().map(|goal| goal.value).collect()),
            percepts: (ports.filter(|_| rules.has_percepts())).map(|role| role.percepts.len()),
        }
    };
    let stage = |stage: &propjit::game::load::SetupStage| Stage {
        stage: stage.name,
        seconds: stage.time.as_secs_f64(),
    };
    let board = |grid: &Grid| {
        let (columns, rows) = grid.size();
        Board {
            fluents: grid.names.clone(),
            kind: grid.kind.name(),
            columns,
            rows,
            places: grid.sites.len(),
        }
    };
    Report {
        game: game_name(rulesheet),
        boards: grids.grids().iter().map(board).collect(),
        rules: rules.rules.len(),
        roles: rules.roles.iter().enumerate().map(role).collect(),
        backend: backend.name(),
        hides_information: (rules.has_percepts()).then(|| game.hides_information()),
        grounding_error: game.grounding_error().map(ToString::to_string),
        not_compiled: game.not_compiled().map(ToString::to_string),
        ground: ground.map(|ground| describe(game, ground, backend)),
        setup: game.stages().iter().map(stage).collect(),
        setup_seconds: game.setup_time().as_secs_f64(),
        peak_memory_bytes: peak_memory(),
    }
}

fn describe(game: &Game, ground: &GroundGame, backend: Backend) -> Ground {
    // The prover has no circuit; that of the other backends is of interest all the same.
    let optimised = game.circuit(backend).unwrap_or(ground.min_gates());
    let circuit = &optimised.circuit;
    let pass = |pass: &propjit_jit::passes::PassReport| Pass {
        name: pass.name,
        gates_before: pass.gates_before,
        gates_after: pass.gates_after,
        seconds: pass.time.as_secs_f64(),
        is_cut: pass.is_cut,
    };
    let shares = Shares::new(circuit, ground.layout());
    Ground {
        propositions: ground.propnet().bases.len(),
        propnet_gates: ground.propnet().len(),
        recursive_gates: ground.propnet().recursive_gates(),
        circuit: Circuit {
            inputs: circuit.inputs().len(),
            outputs: circuit.outputs().len(),
            gates_before_passes: ground.lowered().gates(),
            gates: circuit.gates(),
            depth: circuit.depth(),
            loops: circuit.loops().len(),
            goal_gates: shares.goals,
            terminal_gates: shares.terminal,
            passes: optimised.passes.iter().map(pass).collect(),
        },
    }
}

/// Returns the most memory that the process has had so far, if the system reports it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} rules, backend {}",
            self.game, self.rules, self.backend
        )?;
        for role in &self.roles {
            write!(f, "role {}", role.name)?;
            if let (Some(moves), Some(goals)) = (role.moves, &role.goals) {
                write!(f, ": {moves} moves, goals {goals:?}")?;
            }
            if let Some(percepts) = role.percepts {
                write!(f, ", {percepts} percepts")?;
            }
            writeln!(f)?;
        }
        match self.hides_information {
            Some(true) => writeln!(
                f,
                "information is hidden: roles may not know the whole state"
            )?,
            Some(false) => writeln!(f, "nothing is hidden: percepts tell roles the whole state")?,
            None => {}
        }
        if let Some(reason) = &self.grounding_error {
            writeln!(f, "not ground: {reason}")?;
        }
        if let Some(reason) = &self.not_compiled {
            writeln!(f, "not compiled: {reason}")?;
        }
        if let Some(ground) = &self.ground {
            write!(f, "{ground}")?;
        }
        for board in &self.boards {
            writeln!(
                f,
                "board: {}, {} of {} x {}, {} places",
                board.fluents.join(" "),
                board.kind,
                board.columns,
                board.rows,
                board.places
            )?;
        }
        for stage in &self.setup {
            writeln!(
                f,
                "set-up: {:<12} {:>9.1} ms",
                stage.stage,
                stage.seconds * 1e3
            )?;
        }
        writeln!(
            f,
            "set-up: {:<12} {:>9.1} ms",
            "all",
            self.setup_seconds * 1e3
        )?;
        if let Some(bytes) = self.peak_memory_bytes {
            writeln!(
                f,
                "peak memory: {:.1} MiB",
                bytes as f64 / f64::from(1 << 20)
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Ground {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ground {
            propositions,
            propnet_gates,
            recursive_gates,
            circuit,
        } = self;
        writeln!(f, "{propositions} propositions")?;
        writeln!(
            f,
            "propnet: {propnet_gates} gates, {recursive_gates} of them recursive"
        )?;
        writeln!(
            f,
            "circuit: {} gates, {} before passes; depth {}, {} loops, {} inputs, {} outputs",
            circuit.gates,
            circuit.gates_before_passes,
            circuit.depth,
            circuit.loops,
            circuit.inputs,
            circuit.outputs
        )?;
        writeln!(
            f,
            "of these, {} gates only for goals, {} only for terminal",
            circuit.goal_gates, circuit.terminal_gates
        )?;
        for pass in &circuit.passes {
            writeln!(
                f,
                "pass: {:<14} {:>9} -> {:>9} gates {:>9.1} ms{}",
                pass.name,
                pass.gates_before,
                pass.gates_after,
                pass.seconds * 1e3,
                if pass.is_cut {
                    ", cut off by its time limit"
                } else {
                    ""
                }
            )?;
        }
        Ok(())
    }
}
