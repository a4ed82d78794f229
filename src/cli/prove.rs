//! `propjit prove`: a proof that a role can force a goal, or that it cannot.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use propjit::Stop;
use propjit::game::ground::Literal;
use propjit::game::load::Game;
use propjit::game::machine::Move;
use propjit::proof::forced::{
    self, Cube, MAX_DEPTH, ParallelProver, Proof, ProofConfig, ProofCounts, ProofError, ProofMode,
    ProofPart, ProofWay, Target, Verdict,
};
use propjit::proof::unproved::Unproved;
use propjit::support::error_text::with_causes;
use serde::Serialize;

use super::options::{SetupArgs, in_range, not_ground, seconds, threads};
use super::output::{Failure, Output, counted, show_progress};
use super::position::PositionArgs;
use super::search_args::find_role;
use super::signals::stop_on_signals;
use super::time_limit::within;

/// Prove whether a role can force a goal, by iterative deepening
///
/// The verdict is `won`, `lost` (the role cannot force the goal against opponents that know its moves in
/// advance), or `not within` a number of joint moves. Nothing is proved from terminal states in which the role
/// does not have exactly one goal, or in games with `sees`. The proof also holds for all other states that agree
/// with the cube.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Rulesheet to read; `-` for standard input
    #[arg(required_unless_present = "serve")]
    rulesheet: Option<PathBuf>,

    /// Serve proof requests on standard input until it ends, as a worker for the player options `workers` and
    /// `prover` (docs/workers.md)
    #[arg(long, conflicts_with_all = ["rulesheet", "history", "moves", "role", "goal", "depth", "seconds", "threads", "mode", "without"])]
    serve: bool,

    #[command(flatten)]
    position: PositionArgs,

    /// Role that is to force the goal [default: the first]
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,

    /// Minimum goal value to force [default: the role's greatest goal]
    #[arg(long, value_name = "VALUE", value_parser = |text: &str| in_range(text, i32::MIN, i32::MAX))]
    goal: Option<i32>,

    /// Maximum search depth in joint moves
    #[arg(long, value_name = "PLIES", value_parser = |text: &str| in_range(text, 1, MAX_DEPTH))]
    depth: Option<u32>,

    /// Time limit, including the preparation of the search, which takes a while for large games [default: 10, or
    /// no limit with --depth]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<Duration>,

    /// Search threads
    #[arg(long, default_value = "1", value_name = "T", value_parser = threads)]
    threads: usize,

    /// Search method: full (all moves, iterative deepening), threats (threats only), both (these two in turn),
    /// numbers (proof-number search without a depth limit) or all (all three in turn)
    #[arg(long, default_value = "all", value_name = "MODE")]
    mode: Mode,

    /// Parts of the search to disable for comparison, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "PART")]
    without: Vec<Part>,

    #[command(flatten)]
    setup: SetupArgs,
}

/// How to search.
#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Mode {
    Full,
    Threats,
    Both,
    Numbers,
    All,
}

/// A part that a search can do without.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Part {
    /// Cubes: proofs that apply to other states
    Cubes,
    /// Fail cubes: proofs that the goal cannot be forced that apply to other states
    FailCubes,
    /// Dropping illegal replies from proofs where they would not help
    IllegalReplies,
    /// Move ordering by distance to the goal
    Order,
}

impl Part {
    fn part(self) -> ProofPart {
        match self {
            Part::Cubes => ProofPart::Cubes,
            Part::FailCubes => ProofPart::FailCubes,
            Part::IllegalReplies => ProofPart::IllegalReplies,
            Part::Order => ProofPart::Order,
        }
    }
}

/// For how long to search by default.
const DEFAULT_TIME: Duration = Duration::from_secs(10);

#[derive(Serialize)]
struct Report {
    role: String,
    goal: i32,
    /// `won`, `lost`, `not within` or `unknown`.
    verdict: &'static str,
    /// The number of joint moves for which the verdict holds.
    depth: Option<u32>,
    /// Joint moves by which the goal is forced.
    line: Vec<String>,
    /// The literals of the cube.
    cube: Option<Vec<String>>,
    /// The seconds after which each number of joint moves was searched.
    seconds_by_depth: Vec<f64>,
    seconds: f64,
    nodes: u64,
    /// How many of them were searched for wins by threats.
    threat_nodes: u64,
    /// How many of them were searched by proof numbers.
    number_nodes: u64,
    /// The order of the threats by which the goal was found to be forced.
    threats: Option<u32>,
    /// Whether the verdict was found by proof numbers.
    by_numbers: bool,
    /// The legal joint moves that were not searched because a cube was known, of those that are
    /// not leaves.
    discharged: f64,
    /// How full the lanes were.
    fill: f64,
    win_cubes: u64,
    fail_cubes: u64,
    /// The literals of a cube, in the mean.
    win_literals: f64,
    fail_literals: f64,
    propositions: usize,
    /// Observed obstacles to a proof.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unproved: Vec<Unproved>,
    interrupted: bool,
}

/// Searches and prints the results.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    if args.mode == Mode::Numbers && args.depth.is_some() {
        return Err(Failure::Usage(
            "`--mode numbers` has no depth limit: use `--seconds` instead of `--depth`".to_string(),
        ));
    }
    let stop = stop_on_signals();
    let Some(rulesheet) = &args.rulesheet else {
        return serve(&args.setup, &stop);
    };
    // The compilation takes a token when the game is loaded, and ends with the time, too.
    let making = stop.by(None);
    let game = args.setup.load_ground(rulesheet, &making)?;
    let position = args.position.position(&game)?;
    let (Some(ground), Some(engines)) = (game.ground_game(), game.engines()) else {
        return Err(not_ground(&game, "proofs"));
    };
    let role = find_role(ground.roles(), args.role.as_deref())?;
    let target = Target {
        role,
        value: goal(args, &ground.propnet().roles[role.index()])?,
    };
    if game.hides_information() {
        let report = Report::new(&ground.roles()[role.index()], target, None);
        return output.result(&Report {
            unproved: vec![Unproved::HiddenInformation],
            ..report
        });
    }
    let time = match args.depth {
        None => Some(args.seconds.unwrap_or(DEFAULT_TIME)),
        Some(_) => args.seconds,
    };
    let fluents = position.fluents();
    let fluents: Vec<&str> = fluents.iter().map(String::as_str).collect();
    let state = ground.parse_state(&fluents).map_err(Failure::new)?;
    let config = ProofConfig::default()
        .with_without(args.without.iter().map(|part| part.part()).collect())
        .with_mode(match args.mode {
            Mode::Full => ProofMode::Full,
            Mode::Threats => ProofMode::Threats,
            Mode::Both => ProofMode::Both,
            Mode::Numbers => ProofMode::Numbers,
            Mode::All => ProofMode::All,
        });
    let doing = Arc::new(Mutex::new("preparing".to_string()));
    let shown = show_progress({
        let doing = doing.clone();
        move || doing.lock().clone()
    });
    let prove = || {
        let mut prover = ParallelProver::new(engines, target, &config, args.threads, &making)?;
        let start = Instant::now();
        *doing.lock() = "searching".to_string();
        let searched = |depth| *doing.lock() = format!("{depth} joint moves are not enough");
        let most = args.depth.unwrap_or(MAX_DEPTH);
        let proof = prover.prove(&state, most, &making, searched)?;
        Ok((proof, prover.counts(), start.elapsed()))
    };
    let proved = match time {
        Some(time) => within(&making, time, prove)?,
        None => prove(),
    };
    drop(shown);
    let (proof, counts, time) = proved.map_err(|error| to_failure(&error, &stop))?;
    let joint = |joint: &Vec<Move>| ground.joint_text(joint);
    // A cube is about states of one phase.
    let phase = || {
        let bases = ground.phases().bases().iter();
        bases.map(|&base| Literal::new(base, state.contains(base)))
    };
    let cube = |cube: &Arc<Cube>| {
        let literals = phase().chain(cube.given());
        literals.map(|literal| literal.text(ground)).collect()
    };
    let name = &ground.roles()[role.index()];
    output.result(&Report {
        unproved: unproved(&proof, counts, name),
        line: proof.line.iter().map(joint).collect(),
        cube: proof.cube.as_ref().map(cube),
        seconds: time.as_secs_f64(),
        interrupted: stop.is_set(),
        propositions: ground.layout().bases.len(),
        ..Report::new(name, target, Some((&proof, counts)))
    })
}

/// Returns the observed obstacles to a verdict.
fn unproved(proof: &Proof, counts: [ProofCounts; 3], role: &str) -> Vec<Unproved> {
    let has_met = |kind: usize| counts.iter().any(|counts| counts.undefined[kind] > 0);
    let kinds = [
        Unproved::UndefinedGoal {
            role: role.to_string(),
        },
        Unproved::Stuck,
    ];
    let is_open = matches!(proof.verdict, Verdict::NotWithin(_));
    let met = kinds.into_iter().enumerate();
    let met = met.filter(|&(kind, _)| is_open && has_met(kind));
    met.map(|(_, why)| why).collect()
}

/// Returns the failure to search for a proof, and the remedy.
fn to_failure(error: &ProofError, stop: &Stop) -> Failure {
    match error {
        ProofError::JointMoves => Failure::Work(format!(
            "{error}; use `propjit solve` for values or `propjit analyze` for good moves"
        )),
        ProofError::Stopped if !stop.is_set() => {
            Failure::new("no time to prepare the prover: raise `--seconds`")
        }
        _ => Failure::new(error),
    }
}

/// Serves proofs on stdin and stdout, for games that are sent there.
fn serve(setup: &SetupArgs, stop: &Stop) -> Result<(), Failure> {
    let mut load = |name: &str, rules: &str| {
        let setup = setup.setup_for(Path::new(name)).with_stop(stop.clone());
        // The game is played already: its rules are not refused here.
        let reading = setup.reading.with_lenient(true);
        let setup = setup.with_reading(reading);
        let game = Game::from_text(name, rules, &setup).map_err(|error| with_causes(&error))?;
        if game.hides_information() {
            return Err(
                "proofs do not support games in which roles do not see the whole state".to_string(),
            );
        }
        let engines = game.engines().cloned();
        engines.ok_or_else(|| "proofs support only games that can be grounded".to_string())
    };
    let (input, output) = (Box::new(io::stdin()), Box::new(io::stdout()));
    forced::serve(input, output, &mut load, stop).map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::Pipe,
        _ => Failure::Work(format!("cannot serve proofs: {error}")),
    })
}

/// Returns the least goal value that counts.
fn goal(args: &Args, role: &propjit_gdl::propnet::Role) -> Result<i32, Failure> {
    let values: Vec<i32> = role.goals.iter().map(|goal| goal.value).collect();
    let most = values.last().copied();
    match (args.goal, most) {
        (_, None) => Err(Failure::Work("the role has no goals".to_string())),
        (None, Some(most)) => Ok(most),
        (Some(goal), Some(most)) if goal <= most => Ok(goal),
        (Some(goal), Some(most)) => Err(Failure::Usage(format!(
            "the role never has a goal of {goal} or more; its greatest is {most}"
        ))),
    }
}

impl Report {
    /// Makes the result, if there was a search.
    fn new(role: &str, target: Target, found: Option<(&Proof, [ProofCounts; 3])>) -> Report {
        let (verdict, depth) = match found.map(|(proof, _)| proof.verdict) {
            Some(Verdict::Won(depth)) => ("won", Some(depth)),
            Some(Verdict::Lost) => ("lost", None),
            None | Some(Verdict::NotWithin(0)) => ("unknown", None),
            Some(Verdict::NotWithin(depth)) => ("not within", Some(depth)),
        };
        let (proof, counts) = found.unzip();
        let [all, threats, numbers] = counts.unwrap_or_default();
        let counts = all.and(threats).and(numbers);
        let share = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
        Report {
            role: role.to_string(),
            goal: target.value,
            verdict,
            depth,
            line: Vec::new(),
            cube: None,
            seconds_by_depth: proof.map_or_else(Vec::new, |proof| {
                proof.times.iter().map(Duration::as_secs_f64).collect()
            }),
            seconds: 0.0,
            nodes: counts.nodes,
            threat_nodes: threats.nodes,
            number_nodes: numbers.nodes,
            threats: match proof.map(|proof| proof.way) {
                Some(ProofWay::Threats(order)) => Some(order),
                _ => None,
            },
            by_numbers: proof.is_some_and(|proof| proof.way == ProofWay::Numbers),
            discharged: share(counts.discharged, counts.discharged + counts.searched),
            fill: share(counts.lanes[0], counts.lanes[1]),
            win_cubes: counts.cubes[1],
            fail_cubes: counts.cubes[0],
            win_literals: share(counts.literals[1], counts.cubes[1]),
            fail_literals: share(counts.literals[0], counts.cubes[0]),
            propositions: 0,
            unproved: Vec::new(),
            interrupted: false,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { role, goal, .. } = self;
        let joints = |depth: u32| counted(depth, "joint move", "joint moves");
        match (self.verdict, self.depth) {
            ("won", Some(depth)) => {
                write!(f, "won: {role} can force {goal} in {}", joints(depth))?;
                match self.threats {
                    Some(order) => writeln!(f, ", by threats of order {order}")?,
                    None if self.by_numbers => writeln!(f, ", by proof numbers")?,
                    None => writeln!(f)?,
                }
            }
            ("not within", Some(depth)) => {
                writeln!(
                    f,
                    "not within {}: {role} cannot force {goal} by then",
                    joints(depth)
                )?;
            }
            ("lost", _) => writeln!(f, "lost: {role} cannot force {goal}")?,
            _ => writeln!(f, "unknown whether {role} can force {goal}")?,
        }
        for (number, joint) in (1..).zip(&self.line) {
            writeln!(f, "{number:>4}  {joint}")?;
        }
        if let Some(cube) = &self.cube {
            let all = self.propositions;
            writeln!(f, "cube of {} of {all} propositions:", cube.len())?;
            for literal in cube {
                writeln!(f, "      {literal}")?;
            }
        }
        let share = |nodes: u64| 100.0 * nodes as f64 / self.nodes.max(1) as f64;
        writeln!(
            f,
            "{} nodes, {:.0}% for threats, {:.0}% by proof numbers, in {:.2} s; {:.0}% of the joint \
             moves discharged; lanes {:.0}% full",
            self.nodes,
            share(self.threat_nodes),
            share(self.number_nodes),
            self.seconds,
            100.0 * self.discharged,
            100.0 * self.fill
        )?;
        writeln!(
            f,
            "{} win cubes of {:.1} literals, {} fail cubes of {:.1}",
            self.win_cubes, self.win_literals, self.fail_cubes, self.fail_literals
        )?;
        for why in &self.unproved {
            writeln!(f, "{why}")?;
        }
        match self.interrupted {
            true => writeln!(f, "interrupted"),
            false => Ok(()),
        }
    }
}
