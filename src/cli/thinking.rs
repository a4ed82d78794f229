//! The parts that commands share which search from a position: options, the position that these
//! lead to, and tables of results.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use propjit::Stop;
use propjit::game::Game;
use propjit::machine::{Backend, MachineError, Move, RANDOM_ROLE, RoleId};
use propjit::matches::History;
use propjit::proof::own_worker;
use propjit::rng::random_seed;
use propjit::search::SearchBudget;
use propjit::search::mcts::{
    EvaluationUse, Mcts, MctsConfig, MoveReport, SearchReport, wait_for_engines,
};
use serde::Serialize;

use super::options::{SetupArgs, in_range, seconds, threads};
use super::output::Failure;
use super::picture::Pictures;
use super::position::PositionArgs;

/// A position of a game, and how to search it.
#[derive(clap::Args)]
pub(super) struct ThinkingArgs {
    /// The file with the rules; `-` is standard input
    rulesheet: PathBuf,

    #[command(flatten)]
    position: PositionArgs,

    /// Threads to think on [default: 1, or as many as `propjit tune` has found best]. The
    /// prover has one
    #[arg(long, value_name = "T", value_parser = threads)]
    threads: Option<usize>,

    /// Look for forced wins beside the search, for a part of the time
    #[arg(long)]
    local: bool,

    /// Value positions by a learned evaluation, too, as players do: the one that is kept, or else
    /// what is learned in three seconds beside the search
    #[arg(long)]
    evaluation: bool,

    /// Do not plan: in games of one role, a planner works beside the search, on two more threads,
    /// unless playouts are counted
    #[arg(long)]
    no_plan: bool,

    /// Do not enumerate states: in games of several roles that have few, a thread beside the search
    /// finds all in at most a tenth of the first time to think, unless playouts are counted
    #[arg(long)]
    no_solve: bool,

    /// Processes that look for forced wins: `propjit prove --serve`
    #[arg(long, default_value = "0", value_name = "N", value_parser = |text: &str| in_range(text, 0usize, 64))]
    workers: usize,

    /// Memory for the search tree
    #[arg(long, default_value = "1024", value_name = "MIB", value_parser = |text: &str| in_range(text, 1usize, 1 << 30))]
    memory: usize,

    /// The seed of the random numbers [default: another one each time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    #[command(flatten)]
    setup: SetupArgs,
}

/// How long to think.
#[derive(clap::Args)]
pub(super) struct BudgetArgs {
    /// How long to think [default: 5, in `propjit play` 1, with --playouts as long as it takes]. It
    /// takes less where all is proved
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<Duration>,

    /// The number of playouts to think for
    #[arg(long, value_name = "N", value_parser = |text: &str| in_range(text, 1, u64::MAX))]
    pub(super) playouts: Option<u64>,
}

impl BudgetArgs {
    /// The most time, if that is limited: `default` if nothing is said.
    pub(super) fn time(&self, default: Duration) -> Option<Duration> {
        self.seconds.or(self.playouts.is_none().then_some(default))
    }

    /// The budget of a search that begins now.
    pub(super) fn start(&self, default: Duration, stop: &Stop) -> SearchBudget {
        let time = self.time(default);
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        SearchBudget::default()
            .with_playouts(self.playouts)
            .with_stop(stop.by(deadline))
    }
}

/// A position of a loaded game.
pub(super) struct Position {
    pub game: Game,
    /// The backend to search with.
    pub backend: Backend,
    /// The match so far.
    pub history: History,
}

impl Position {
    /// The boards of the game. Looking for them ends when `stop` is set.
    pub(super) fn pictures(&self, stop: &Stop) -> Pictures {
        Pictures::new(&self.game, &io::stdout(), stop)
    }

    /// Waits for all that searches otherwise take up as it comes: machine code, goal latches
    /// and decisive moves.
    pub(super) fn wait(&self) {
        wait_for_engines(&self.game, self.backend, &MctsConfig::default());
    }
}

impl ThinkingArgs {
    /// Whether the rules or the moves so far come from standard input.
    pub(super) fn reads_standard_input(&self) -> bool {
        self.rulesheet == Path::new("-") || self.position.is_standard_input()
    }

    /// Loads the game and plays the moves so far. Fails soon after `stop` is set.
    pub(super) fn load(&self, stop: &Stop) -> Result<Position, Failure> {
        self.load_checked(stop, |_| Ok(()))
    }

    /// The same, if the game is the right one.
    pub(super) fn load_checked(
        &self,
        stop: &Stop,
        check: impl FnOnce(&Game) -> Result<(), Failure>,
    ) -> Result<Position, Failure> {
        let prepare = Game::prepare_search;
        let (game, backend) =
            self.setup
                .load(&self.rulesheet, stop, Game::bulk_backend, prepare)?;
        check(&game)?;
        Ok(Position {
            history: self.position.position(&game)?,
            game,
            backend,
        })
    }

    /// The file with the rules.
    pub(super) fn rulesheet(&self) -> &Path {
        &self.rulesheet
    }

    /// The number of the match in a file of records, if one was asked for.
    pub(super) fn number(&self) -> Option<u64> {
        self.position.number()
    }

    /// Takes what is called the rulesheet for a file of records of a game with these rules.
    pub(super) fn take_records(&mut self, rulesheet: PathBuf) -> Result<(), Failure> {
        let records = std::mem::replace(&mut self.rulesheet, rulesheet);
        self.position.follow(records)
    }

    /// How to search, with a new seed if none was given.
    pub(super) fn config(&self) -> MctsConfig {
        let seed = self.seed.unwrap_or_else(random_seed);
        MctsConfig::default()
            .with_threads(self.threads.unwrap_or(self.setup.settings().threads))
            .with_memory(self.memory << 20)
            .with_local(self.local)
            .with_plan(!self.no_plan)
            .with_solve(!self.no_solve)
            .with_evaluation(self.evaluation.then(EvaluationUse::default))
            .with_provers(vec![own_worker(); self.workers])
            .with_seed(seed)
    }

    /// A search in the game of this position, and the seed of its random numbers. Where playouts are
    /// counted, nothing should depend on time.
    pub(super) fn search(
        &self,
        position: &Position,
        is_counted: bool,
    ) -> Result<(Mcts, u64), Failure> {
        let mut config = self.config();
        if is_counted {
            config = config.with_plan(false).with_solve(false);
        }
        let seed = config.seed;
        Ok((Mcts::new(&position.game, position.backend, config)?, seed))
    }
}

/// The role of this name, or else the first that is not played by chance.
pub(super) fn find_role(roles: &[String], name: Option<&str>) -> Result<RoleId, Failure> {
    let at = match name {
        Some(name) => roles.iter().position(|role| role == name).ok_or_else(|| {
            let roles = roles.join(", ");
            Failure::Usage(format!("there is no role `{name}`; the roles are {roles}"))
        })?,
        // A game may have nobody else.
        None => (roles.iter().position(|role| role != RANDOM_ROLE)).unwrap_or(0),
    };
    Ok(RoleId(at as u32))
}

/// Searches from where the match is.
pub(super) fn think(
    search: &mut Mcts,
    history: &History,
    budget: &SearchBudget,
) -> Result<(), MachineError> {
    search.set_stop(&budget.stop);
    // Nobody plays 2^32 joint moves.
    search.set_root_fluents(&history.fluents(), history.depth() as u32)?;
    tracing::info!(depth = history.depth(), "thinking");
    search.run(budget)
}

/// The result for a move, for programs and people.
#[derive(Serialize)]
pub(super) struct Ranked {
    #[serde(rename = "move")]
    pub played: String,
    pub visits: u64,
    pub value: Option<f64>,
    pub stderr: Option<f64>,
    pub proof: Option<String>,
    pub line: Vec<Decision>,
    /// What local search has proved, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forced: Option<Forcing>,
}

/// A role forces a goal.
#[derive(Serialize)]
pub(super) struct Forcing {
    pub role: String,
    pub goal: i32,
    /// The number of joint moves, that of the ranking included.
    pub depth: u32,
    /// The move of the role by which it does.
    pub by: String,
}

/// A move in a line of play.
#[derive(Serialize)]
pub(super) struct Decision {
    pub role: String,
    #[serde(rename = "move")]
    pub played: String,
}

/// The best move of a report, if there is a reason to play it: the search has looked at it, or it
/// is proved, or the only one, or all states are known, so that the first move is the best by them.
pub(super) fn advised(report: &SearchReport) -> Option<Move> {
    let best = report.moves.first()?;
    let is_known = best.is_solved() || report.states.is_some();
    let has_reason = best.visits > 0 || is_known || report.moves.len() == 1;
    report.best.filter(|_| has_reason)
}

/// The moves of a report, best first.
pub(super) fn ranking(report: &SearchReport, search: &mut Mcts, roles: &[String]) -> Vec<Ranked> {
    let mut decision = |(role, played): (RoleId, _)| Decision {
        role: roles[role.index()].clone(),
        played: search.move_text(role, played),
    };
    let ranked = |played: &MoveReport| Ranked {
        played: decision((report.role, played.played)).played,
        visits: played.visits,
        value: played.value,
        stderr: played.error,
        proof: proof(played.bounds, report.range),
        line: played.line.iter().copied().map(&mut decision).collect(),
        forced: played.forced.map(|forced| {
            let Decision { role, played } = decision((forced.target.role, forced.by));
            Forcing {
                role,
                goal: forced.target.value,
                depth: forced.depth,
                by: played,
            }
        }),
    };
    report.moves.iter().map(ranked).collect()
}

/// The proof in these bounds of a goal, if they are narrower than the range of the game.
fn proof((low, high): (f64, f64), (least, most): (f64, f64)) -> Option<String> {
    let [from, to] = [low, high].map(number);
    match (low > least, high < most) {
        _ if high - low < 1e-9 => Some(format!("= {from}")),
        (true, true) => Some(format!("{from} to {to}")),
        (true, false) => Some(format!(">= {from}")),
        (false, true) => Some(format!("<= {to}")),
        (false, false) => None,
    }
}

/// The goals of all roles at the end.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Goals(pub Vec<Goal>);

/// The goal of a role.
#[derive(Serialize)]
pub(super) struct Goal {
    pub role: String,
    /// None where it does not have exactly one value.
    pub goal: Option<i32>,
}

impl Goals {
    /// The goals in the current state.
    pub(super) fn of(history: &mut History) -> Result<Goals, MachineError> {
        let goals = history.goals()?.into_iter().zip(history.roles());
        let goals = goals.map(|(goal, role)| Goal {
            role: role.clone(),
            goal,
        });
        Ok(Goals(goals.collect()))
    }
}

impl fmt::Display for Goals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|Goal { role, goal }| match goal {
                Some(goal) => writeln!(f, "goal {goal:>4}   {role}"),
                None => writeln!(f, "goal none   {role}"),
            })
    }
}

/// A goal with as many decimals as it needs, but at most two.
pub(super) fn number(goal: f64) -> String {
    let text = format!("{goal:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// The first moves of a ranking as a table.
pub(super) struct Table<'a> {
    pub moves: &'a [Ranked],
    /// How many are shown.
    pub most: usize,
}

/// How many decisions of a line are shown.
const LINE: usize = 4;

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = &self.moves[..self.moves.len().min(self.most)];
        let widest = shown.iter().map(|ranked| ranked.played.chars().count());
        let width = widest.max().unwrap_or(0).max(4);
        writeln!(
            f,
            "    visits     value           proved  {:width$}  line",
            "move"
        )?;
        for ranked in shown {
            let value = ranked.value.map_or_else(String::new, |v| format!("{v:.2}"));
            let error = ranked
                .stderr
                .map_or_else(String::new, |e| format!("\u{b1} {e:.2}"));
            let proof = ranked.proof.as_deref().unwrap_or_default();
            let mut line: Vec<String> = (ranked.line.iter().take(LINE))
                .map(|decision| format!("{} {}", decision.role, decision.played))
                .collect();
            if ranked.line.len() > LINE {
                line.push("...".to_string());
            }
            let line = line.join(", ");
            let row = format!(
                "{:>10}  {value:>8} {error:<8} {proof:>6}  {:width$}  {line}",
                ranked.visits, ranked.played
            );
            writeln!(f, "{}", row.trim_end())?;
        }
        match self.moves.len() - shown.len() {
            0 => Ok(()),
            more => writeln!(f, "... and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_say_what_is_known() {
        let all = (0.0, 100.0);
        for (bounds, range, text) in [
            ((100.0, 100.0), all, Some("= 100")),
            ((0.0, 0.0), all, Some("= 0")),
            ((33.0, 33.0 + 1e-12), all, Some("= 33")),
            ((100.0 / 3.0, 100.0 / 3.0), all, Some("= 33.33")),
            ((50.0, 100.0), all, Some(">= 50")),
            ((0.0, 50.0), all, Some("<= 50")),
            ((25.0, 75.5), all, Some("25 to 75.5")),
            (all, all, None),
            ((-1.0, 1.0), (-1.0, 1.0), None),
        ] {
            assert_eq!(proof(bounds, range).as_deref(), text, "{bounds:?}");
        }
    }
}
