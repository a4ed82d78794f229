//! What a role knows in a game that hides information, for people and programs.

use std::fmt;

use propjit::Stop;
use propjit::game::ground::GroundGame;
use propjit::game::machine::RoleId;
use propjit::play::matches::{HiddenRoles, PlayerError};
use propjit::proof::unproved::Unproved;
use propjit::search::SearchBudget;
use propjit::search::beliefs::Belief;
use propjit::search::chooser::SearchConfig;
use propjit::search::hidden::HiddenMethod;
use propjit::search::ismcts::InformationSetReport;
use serde::Serialize;

use super::output::Failure;
use super::picture::Pictures;
use super::ranking::number;
use super::search_args::Position;

/// What a role believes.
#[derive(Serialize)]
pub(super) struct Believed {
    /// The number of different states that are held possible.
    states: usize,
    /// Whether these are all.
    exact: bool,
    /// The number of histories with the same moves and percepts of the role; an estimate if the states are not all.
    histories: f64,
    /// The standard error of the estimate; none if it is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr: Option<f64>,
    /// The propositions that may hold, most probable first.
    propositions: Vec<Proposition>,
}

/// A proposition.
#[derive(Serialize)]
struct Proposition {
    proposition: String,
    probability: f64,
}

/// How many beliefs, with other random numbers each, give an estimate of the number of histories.
const SAMPLES: u64 = 5;

/// The greatest number of uncertain propositions that people are shown.
const SHOWN: usize = 24;

impl Believed {
    /// Describes a belief.
    pub(super) fn new(game: &GroundGame, belief: &Belief) -> Believed {
        let population = belief.population();
        let propositions = population.propositions(game).into_iter();
        let propositions = propositions.map(|(proposition, probability)| Proposition {
            proposition,
            probability,
        });
        Believed {
            states: population.states(),
            exact: belief.is_exact(),
            histories: population.histories(),
            stderr: None,
            propositions: propositions.collect(),
        }
    }

    /// Estimates the number of histories by several beliefs, unless it is known.
    fn estimate(
        &mut self,
        position: &Position,
        role: RoleId,
        stop: &Stop,
    ) -> Result<(), PlayerError> {
        if self.exact {
            return Ok(());
        }
        let mut found = Vec::new();
        for seed in 0..SAMPLES {
            let mut roles = HiddenRoles::new(
                position.game.clone(),
                SearchConfig::default().with_seed(!seed),
            );
            let belief = roles.follow(role, &position.history, stop)?;
            found.push(belief.population().histories());
        }
        let mean = found.iter().sum::<f64>() / SAMPLES as f64;
        let squares: f64 = found.iter().map(|of| (of - mean) * (of - mean)).sum();
        self.histories = mean;
        self.stderr = Some((squares / ((SAMPLES - 1) * SAMPLES) as f64).sqrt());
        Ok(())
    }

    /// Draws what is certain, and lists the rest.
    pub(super) fn draw(&self, pictures: &Pictures) -> String {
        let certain = self.propositions.iter();
        let certain = certain.take_while(|of| of.probability == 1.0);
        let certain: Vec<String> = certain.map(|of| of.proposition.clone()).collect();
        format!("{}{self}", pictures.draw(&certain))
    }
}

impl fmt::Display for Believed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let states = match (self.states, self.exact) {
            (1, true) => "the state is known".to_string(),
            (states, true) => format!("one of {states} states"),
            (states, false) => format!("more than the {states} states that are followed"),
        };
        match (self.histories as u64, self.stderr) {
            (1, None) => writeln!(f, "{states}")?,
            (count, None) => writeln!(f, "{states}, after one of {count} histories")?,
            (_, Some(error)) => {
                let [mean, error] = [self.histories, error].map(|of| format!("{of:.2e}"));
                writeln!(f, "{states}, after about {mean} \u{b1} {error} histories")?;
            }
        }
        let uncertain = || (self.propositions.iter()).filter(|of| of.probability < 1.0);
        for of in uncertain().take(SHOWN) {
            writeln!(f, "  {:.2}  {}", of.probability, of.proposition)?;
        }
        match uncertain().count().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => writeln!(f, "  ... and {more} more that may hold"),
        }
    }
}

/// The result for a move.
#[derive(Serialize)]
pub(super) struct MixedMove {
    #[serde(rename = "move")]
    played: String,
    /// The probability with which the mixed strategy plays it.
    probability: f64,
    /// None if it was not tried.
    value: Option<f64>,
    visits: u64,
}

/// Returns the moves of a strategy, the most probable one first.
pub(super) fn mixed(
    game: &GroundGame,
    role: RoleId,
    strategy: &InformationSetReport,
) -> Vec<MixedMove> {
    let moves = strategy.moves.iter();
    moves
        .map(|of| MixedMove {
            played: game.move_text(role, of.played),
            probability: of.probability,
            value: of.value,
            visits: of.visits,
        })
        .collect()
}

/// The first moves of a mixed strategy as a table.
pub(super) struct MixedTable<'a> {
    pub moves: &'a [MixedMove],
    /// The number of moves that are shown.
    pub most: usize,
}

impl fmt::Display for MixedTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "probability     value     visits  move")?;
        for of in self.moves.iter().take(self.most) {
            let value = of
                .value
                .map_or("-".to_string(), |value| format!("{value:.2}"));
            writeln!(
                f,
                "{:>11.3}  {value:>8} {:>10}  {}",
                of.probability, of.visits, of.played
            )?;
        }
        match self.moves.len().saturating_sub(self.most) {
            0 => Ok(()),
            more => writeln!(f, "... and {more} more"),
        }
    }
}

/// What an analysis of a position finds for a role.
#[derive(Serialize)]
pub(super) struct HiddenAnalysis {
    role: String,
    /// The number of joint moves before.
    depth: usize,
    /// None if there is no legal move, or no search.
    best: Option<String>,
    /// By what the strategy was found.
    method: HiddenMethod,
    value: Option<f64>,
    /// Never: nothing is proved by a belief.
    solved: bool,
    unproved: [Unproved; 1],
    iterations: u64,
    seconds: f64,
    seed: u64,
    belief: Believed,
    moves: Vec<MixedMove>,
    /// Whether a stop came before the budget was used.
    interrupted: bool,
    /// What the role knows, for people.
    #[serde(skip)]
    picture: String,
}

/// The number of moves that are shown to people.
const MOVES: usize = 20;

impl HiddenAnalysis {
    /// Analyses what a role knows, and searches for its moves until `budget` is spent, which begins when all that is
    /// known. `pictures` are for people.
    pub(super) fn new(
        position: &Position,
        role: RoleId,
        config: SearchConfig,
        budget: impl FnOnce() -> SearchBudget,
        pictures: Option<&Pictures>,
        stop: &Stop,
    ) -> Result<HiddenAnalysis, Failure> {
        let seed = config.mcts.seed;
        let mut roles = HiddenRoles::new(position.game.clone(), config);
        let text = |error: PlayerError| Failure::Work(error.to_string());
        let belief = roles.follow(role, &position.history, stop).map_err(text)?;
        let ground = position.game.ground_game();
        let ground = ground.ok_or_else(|| text(PlayerError::NotGround))?;
        let mut belief = Believed::new(ground, belief);
        belief.estimate(position, role, stop).map_err(text)?;
        let legal = roles.legal(role).map_err(text)?;
        let report = roles.search(role, &budget()).map_err(text)?;
        let strategy = &report.strategy;
        let best = match &legal[..] {
            [only] => Some(only.clone()),
            _ => strategy.best().map(|best| ground.move_text(role, best)),
        };
        Ok(HiddenAnalysis {
            role: position.history.roles()[role.index()].clone(),
            depth: position.history.depth(),
            best,
            method: report.method,
            value: strategy.value,
            solved: false,
            unproved: [Unproved::HiddenInformation],
            iterations: strategy.iterations,
            seconds: strategy.time.as_secs_f64(),
            seed,
            picture: pictures.map_or(String::new(), |pictures| belief.draw(pictures)),
            moves: mixed(ground, role, strategy),
            belief,
            interrupted: stop.is_set(),
        })
    }
}

impl fmt::Display for HiddenAnalysis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.picture)?;
        match &self.best {
            Some(only) if self.moves.is_empty() => {
                writeln!(f, "{}: {only} is the only move", self.role)?;
            }
            None => writeln!(f, "{}: nothing searched yet, seed {}", self.role, self.seed)?,
            Some(best) => {
                let value = self.value.map_or("unknown".to_string(), number);
                writeln!(f, "{}: {best}, value {value}", self.role)?;
                writeln!(
                    f,
                    "by {}; {} iterations in {:.2} s, seed {}",
                    self.method, self.iterations, self.seconds, self.seed
                )?;
                let table = MixedTable {
                    moves: &self.moves,
                    most: MOVES,
                };
                table.fmt(f)?;
            }
        }
        writeln!(f, "{}", self.unproved[0])?;
        match self.interrupted {
            true => writeln!(f, "interrupted"),
            false => Ok(()),
        }
    }
}
