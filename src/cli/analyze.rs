//! `propjit analyze`: the moves in a position, best first.

use std::fmt;
use std::time::Duration;

use propjit::Stop;
use propjit::game::machine::{RANDOM_ROLE, RoleId};
use propjit::game::position::History;
use propjit::proof::unproved::Unproved;
use propjit::search::chooser::{SearchChoice, learning_time};
use propjit::search::mcts::{LocalReport, MinimaxPart, PlanReport, ProvedBy, StatesReport};
use serde::Serialize;

use super::counters::reached;
use super::hidden::HiddenAnalysis;
use super::output::{Failure, Output, counted, message, show_progress};
use super::ranking::{Forcing, Goals, Ranked, Table, advised, number, ranking};
use super::search_args::{BudgetArgs, Position, SearchArgs, find_role, think};
use super::signals::stop_on_signals;

/// Rank the moves in a position
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    search: SearchArgs,

    /// Role whose moves are ranked [default: the role that has a choice]
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,

    #[command(flatten)]
    budget: BudgetArgs,

    /// Wait for machine code, goal latches, decisive moves and the evaluation before searching; without this, the
    /// search starts at once and uses each as soon as it is ready
    #[arg(long)]
    wait: bool,
}

/// For how long to think by default.
const DEFAULT_TIME: Duration = Duration::from_secs(5);

/// The number of moves that are shown to people.
const SHOWN: usize = 20;

#[derive(Serialize)]
struct Analysis {
    role: String,
    /// The number of joint moves before.
    depth: usize,
    /// None if there is no legal move, or no search.
    best: Option<String>,
    value: Option<f64>,
    solved: bool,
    nodes: usize,
    playouts: u64,
    /// What minimax did, if that has searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    minimax: Option<MinimaxPart>,
    /// The choice between minimax and tree search, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    choice: Option<SearchChoice>,
    seconds: f64,
    /// None without a search.
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    moves: Vec<Ranked>,
    /// The reason if the game is interpreted though it was to be compiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_compiled: Option<String>,
    /// The results of local search, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    local: Option<LocalReport>,
    /// The results of a planner, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<PlanReport>,
    /// The enumeration of the states of the game, if all that follow are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<StatesReport>,
    /// The reason if the result is decided though the match goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    decided: Option<Decided>,
    /// The method by which the value is proved, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    proved_by: Option<ProvedBy>,
    /// Observed obstacles to a proof of the value, unless it is proved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unproved: Vec<Unproved>,
    /// The goals of all roles, if the match is over.
    goals: Option<Goals>,
    /// Whether a stop came before the budget was used.
    interrupted: bool,
    /// The position, for people.
    #[serde(skip)]
    picture: String,
}

/// A result that can never change again.
#[derive(Serialize)]
struct Decided {
    /// The goals of all roles, in their order.
    goals: Vec<i32>,
    /// The values of the counters that decide it.
    by: Vec<String>,
}

impl Decided {
    /// Returns the result of a position, if it is decided and that is known by now.
    fn of(position: &Position) -> Option<Decided> {
        if position.game.hides_information() {
            return None;
        }
        let game = position.game.ground_game()?;
        let bounds = position.game.goal_bounds()?.found()??;
        let fluents = position.history.fluents();
        let fluents: Vec<&str> = fluents.iter().map(String::as_str).collect();
        let state = game.parse_state(&fluents).ok()?;
        let goals = bounds.decided(&state)?;
        let by = bounds.counts().map(|counts| reached(game, counts, &state));
        Some(Decided {
            goals,
            by: by.unwrap_or_default(),
        })
    }
}

/// Searches and prints the results.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let stop = stop_on_signals();
    let mut position = args.search.load(&stop)?;
    let history = &mut position.history;
    let asked = args.role.as_deref();
    if history.is_over()? {
        let role = find_role(history.roles(), asked)?;
        let picture = position.pictures(&stop).draw(&position.history.fluents());
        return output.result(&over(&mut position.history, role, picture)?);
    }
    let legal = history.legal()?;
    let role = match asked {
        None => chooser(history, &legal)?,
        Some(_) => find_role(history.roles(), asked)?,
    };
    if args.wait {
        position.wait(&stop);
    }
    if position.game.hides_information() {
        let is_counted = args.budget.playouts.is_some();
        let config = args.search.config(is_counted)?;
        let pictures = (!output.is_json()).then(|| position.pictures(&stop));
        let budget = || args.budget.start(DEFAULT_TIME, &stop);
        let shown = show_progress(|| "searching information sets".to_string());
        let analysis =
            HiddenAnalysis::new(&position, role, config, budget, pictures.as_ref(), &stop);
        drop(shown);
        return output.result(&analysis?);
    }
    let time = args.budget.time(DEFAULT_TIME);
    let learning = learning_time(time.unwrap_or(Duration::MAX));
    let is_counted = args.budget.playouts.is_some();
    let (mut search, seed) = args.search.search(&position, is_counted, learning)?;
    if args.wait {
        let _shown = show_progress(|| "learning an evaluation".to_string());
        search.wait_for_evaluation_until(&stop);
    }
    let history = &position.history;
    let budget = args.budget.start(DEFAULT_TIME, &stop);
    let whole = match (time, args.budget.playouts) {
        (Some(time), _) => format!("playouts in at most {} s", time.as_secs_f64()),
        (None, playouts) => format!("of {} playouts", playouts.unwrap_or_default()),
    };
    if time.is_some() {
        let _shown = show_progress(|| "learning an evaluation".to_string());
        search.wait_until(&budget.stop.within(learning));
    }
    let progress = search.progress();
    let shown = show_progress(move || format!("{} {whole}", progress.rollouts()));
    let done = think(&mut search, history, &budget);
    drop(shown);
    done?;
    let report = search.report(role);
    let picture = match output.is_json() {
        true => String::new(),
        // A stop has ended the search; the picture is drawn all the same.
        false => position
            .pictures(&Stop::new())
            .draw(&position.history.fluents()),
    };
    output.result(&Analysis {
        role: history.roles()[role.index()].clone(),
        depth: history.depth(),
        best: advised(&report).map(|best| search.move_text(role, best)),
        value: report.value,
        solved: report.solved,
        nodes: report.nodes,
        playouts: report.playouts,
        minimax: report.minimax,
        choice: search.choice(),
        seconds: report.time.as_secs_f64(),
        seed: Some(seed),
        moves: ranking(&report, &mut search, history.roles()),
        not_compiled: position.game.not_compiled().map(ToString::to_string),
        local: report.local,
        plan: report.plan,
        states: report.states,
        decided: Decided::of(&position),
        proved_by: report.proved_by,
        unproved: report.unproved,
        goals: None,
        interrupted: stop.is_set(),
        picture,
    })
}

/// Returns the result when the match is over.
fn over(history: &mut History, role: RoleId, picture: String) -> Result<Analysis, Failure> {
    let goals = Goals::of(history)?;
    Ok(Analysis {
        role: history.roles()[role.index()].clone(),
        depth: history.depth(),
        best: None,
        value: goals.0[role.index()].goal.map(f64::from),
        solved: goals.0[role.index()].goal.is_some(),
        nodes: 0,
        playouts: 0,
        minimax: None,
        choice: None,
        seconds: 0.0,
        seed: None,
        moves: Vec::new(),
        not_compiled: None,
        local: None,
        plan: None,
        states: None,
        decided: None,
        proved_by: None,
        unproved: Vec::new(),
        goals: Some(goals),
        interrupted: false,
        picture,
    })
}

/// Returns the role that has a choice. If that is ambiguous, a message says which role was taken.
fn chooser(history: &History, legal: &[Vec<String>]) -> Result<RoleId, Failure> {
    let roles = history.roles();
    let has_choice =
        |role: &RoleId| legal[role.index()].len() > 1 && roles[role.index()] != RANDOM_ROLE;
    let choosers: Vec<RoleId> = RoleId::first(roles.len()).filter(has_choice).collect();
    let name = |role: &RoleId| roles[role.index()].as_str();
    match *choosers {
        [role] => Ok(role),
        [role, ..] => {
            let all: Vec<&str> = choosers.iter().map(name).collect();
            message(&format!(
                "note: {} choose at the same time; these are the moves of {}; use --role to select another role",
                all.join(", "),
                name(&role)
            ));
            Ok(role)
        }
        [] => {
            message("note: no player has a choice here");
            find_role(roles, None)
        }
    }
}

impl fmt::Display for Analysis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.picture)?;
        if let Some(goals) = &self.goals {
            let moves = counted(self.depth, "joint move", "joint moves");
            writeln!(f, "the match is over after {moves}")?;
            return goals.fmt(f);
        }
        if let Some(Decided { goals, by }) = &self.decided {
            let goals: Vec<String> = goals.iter().map(i32::to_string).collect();
            let by = match by.len() {
                0 => "latches".to_string(),
                _ => by.join(", "),
            };
            writeln!(f, "decided: {by}; goals {}", goals.join(" "))?;
        }
        let Some(best) = &self.best else {
            return match self.moves.len() {
                0 => writeln!(f, "{} has no legal move here", self.role),
                count if self.decided.is_some() => {
                    writeln!(f, "{}: {count} legal moves, all alike", self.role)
                }
                count => {
                    let why = match self.interrupted {
                        true => "stopped before the search had begun",
                        false => "nothing searched in this time",
                    };
                    let (role, seed) = (&self.role, self.seed.unwrap_or_default());
                    writeln!(f, "{role}: {why}, {count} legal moves, seed {seed}")
                }
            };
        };
        let proved = match self.proved_by {
            Some(method) => format!(", proved by {method}"),
            None => String::new(),
        };
        let value = self.value.map_or("unknown".to_string(), number);
        writeln!(f, "{}: {best}, value {value}{proved}", self.role)?;
        let (nodes, playouts) = (self.nodes, self.playouts);
        let effort = match self.minimax {
            Some(MinimaxPart { depth: 0, .. }) => format!("minimax to the ends, {nodes} nodes"),
            Some(MinimaxPart { depth, evaluated }) => {
                format!("minimax to depth {depth}, {nodes} nodes, {evaluated} positions estimated")
            }
            None => format!("{nodes} nodes, {playouts} playouts"),
        };
        let (seconds, seed) = (self.seconds, self.seed.unwrap_or_default());
        writeln!(f, "{effort} in {seconds:.2} s, seed {seed}")?;
        if let Some(SearchChoice { trials, .. }) =
            self.choice.filter(|of| of.trials.matches() > 0.0)
        {
            writeln!(
                f,
                "minimax won {trials} points in trial matches against tree search"
            )?;
        }
        Table {
            moves: &self.moves,
            most: SHOWN,
        }
        .fmt(f)?;
        for ranked in &self.moves {
            let Some(Forcing {
                role,
                goal,
                depth,
                by,
            }) = &ranked.forced
            else {
                continue;
            };
            let played = &ranked.played;
            match *role == self.role {
                true if by == played => writeln!(f, "forced: {played} brings {goal} in {depth}")?,
                true => writeln!(f, "forced: {played}, then {by}, brings {goal} in {depth}")?,
                false => {
                    let reply = format!("{role} forces {goal} in {depth} by {by}");
                    writeln!(f, "refuted: {played}, {reply}")?;
                }
            }
        }
        self.local.as_ref().map_or(Ok(()), |local| local.fmt(f))?;
        self.plan.as_ref().map_or(Ok(()), |plan| plan.fmt(f))?;
        self.states
            .as_ref()
            .map_or(Ok(()), |states| states.fmt(f))?;
        for why in &self.unproved {
            writeln!(f, "{why}")?;
        }
        match self.interrupted {
            true => writeln!(f, "interrupted"),
            false => Ok(()),
        }
    }
}
