//! Regret minimisation: mixed strategies for small games in which roles do not see the whole state, or move at the same time.
//!
//! There, what a role can be sure of is less than what it can expect if it mixes its moves. In games of two roles with opposed
//! goals, where the goals of each end have the same sum, both expectations meet: that is the value of the game (von Neumann,
//! "Zur Theorie der Gesellschaftsspiele", 1928). Chance, the role `random`, counts with its probabilities. With one role, it is
//! the best expectation.
//!
//! The histories of the game are enumerated in lanes, with what each role knows after each: its own moves and its percepts; in
//! games without `sees` rules, all joint moves. So perfect recall is given. What is kept is the sequence form (Koller, Megiddo and
//! von Stengel, "Efficient computation of equilibria for extensive two-person games", 1996): the choices of each role, and the expected goal for
//! each pair of sequences of choices. On it works CFR+ (Tammelin, "Solving large imperfect information games using CFR+", 2014), with alternating
//! updates and linear averaging, a form of counterfactual regret minimisation (Zinkevich et al., "Regret minimization in games with
//! incomplete information", 2007).
//!
//! How far the strategies are from optimal ones is computed by best responses: the best that each role can get against the
//! other's strategy. These are *bounds of the value*, whatever the number of iterations: a role can expect the goal that the best
//! response to its strategy leaves it, and cannot be sure to expect more than its own best response gets. They are computed
//! with floating-point numbers, and exact up to rounding.
//!
//! - `knowledge`: what a role knows; `enumeration`: the histories; `sequence_form`: what is kept of them.
//! - `minimiser`: the iterations; `response`: best responses; `equilibrium`: the result.
//! - `progress`: the same for observers; `error`: why there is no result.
//!
//! ```
//! use propjit::Stop;
//! use propjit::game::load::{Game, Setup};
//! use propjit::proof::regret::{RegretConfig, RegretProgress, minimise};
//! let rules = propjit::gdl::games::text("kuhnPoker").unwrap();
//! let game = Game::from_text("kuhnPoker.kif", rules, &Setup::default())?;
//! let config = RegretConfig::default().with_exploitability(0.01);
//! let found = minimise(&game, &config, &Stop::new(), &RegretProgress::default())?;
//! // The first player loses an eighteenth of a chip; a chip is 25 goals.
//! let (value, first) = (50.0 - 25.0 / 18.0, &found.values[0]);
//! assert!(first.low <= value && value <= first.high && first.high - first.low < 0.021);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod enumeration;
mod equilibrium;
mod error;
mod knowledge;
mod minimiser;
mod progress;
mod response;
mod sequence_form;

use std::sync::Arc;

use propjit_stop::Stop;

use crate::game::engine::Engines;
use crate::game::load::Game;
use crate::game::machine::{Backend, MachineError, Move, RoleId};
use crate::support::setters::setters;

use enumeration::enumerate;
pub use equilibrium::{Equilibrium, MixedMove, RoleValue};
pub use error::RegretError;
use knowledge::Knowledge;
use minimiser::{Minimiser, Outcome};
pub use progress::RegretProgress;
use sequence_form::SequenceForm;

/// The limits of regret minimisation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RegretConfig {
    /// The most iterations.
    pub iterations: u64,
    /// The exploitability that is good enough, in goals.
    pub exploitability: f64,
    /// About how much memory it may take, in bytes.
    pub memory: usize,
}

impl RegretConfig {
    setters! {
        with_iterations(iterations: u64);
        with_exploitability(exploitability: f64);
        with_memory(memory: usize);
    }

    /// The number of histories of which what the roles know would fill the memory, in a game in which they see all moves.
    pub(crate) fn max_histories(&self, game: &Game) -> f64 {
        let roles = game.rules().roles.len();
        self.memory as f64 / (2 * Knowledge::bytes_each(roles)) as f64
    }
}

impl Default for RegretConfig {
    /// 10,000 iterations, until the exploitability is 0.01, in 2 GiB.
    fn default() -> RegretConfig {
        RegretConfig {
            iterations: 10_000,
            exploitability: 0.01,
            memory: 2 << 30,
        }
    }
}

/// Finds mixed strategies for the roles of a game, with bounds of its value. If a stop comes during the iterations, the result is
/// that so far.
///
/// # Errors
/// If the game is not of one or two roles beside `random`, their goals are not opposed, its histories do not all come to an end
/// with exactly one goal, there are too many of them, or a stop comes before they are enumerated.
pub fn minimise(
    game: &Game,
    config: &RegretConfig,
    stop: &Stop,
    progress: &RegretProgress,
) -> Result<Equilibrium, RegretError> {
    let (engines, form) = enumerated(game, config, stop, progress)?;
    let mut minimiser = Minimiser::new(&form);
    let mut outcome = minimiser.outcome();
    // The later, the more seldom: best responses take as long as an iteration.
    let mut next = 1;
    while outcome.exploitability() > config.exploitability
        && minimiser.iterations() < config.iterations
        && !stop.is_set()
    {
        minimiser.iterate();
        let done = minimiser.iterations();
        if done == next || done == config.iterations || stop.is_set() {
            outcome = minimiser.outcome();
            next = done + done / 10 + 1;
        }
        progress.note_iterations(done, outcome.exploitability());
    }
    let iterations = minimiser.iterations();
    Ok(Equilibrium::new(engines.game(), form, outcome, iterations))
}

/// Where a role has to choose, by all that it knows.
#[derive(Clone, Debug)]
pub struct Decision<'a> {
    /// The role.
    pub role: RoleId,
    /// For each joint move so far its own move, and what it observed: a bit for each percept, 64 in a word; in games without
    /// `sees` rules, a word for the move of each role.
    pub known: Vec<(Move, &'a [u64])>,
    /// The legal moves.
    pub legal: &'a [Move],
}

/// Evaluates strategies: what they are worth to each role, and to what best responses can hold it. `strategy` returns the
/// probabilities of the legal moves where a role has to choose, in their order.
///
/// # Errors
/// As for [`minimise`].
///
/// # Panics
/// If `strategy` returns another number of probabilities than there are moves.
pub fn evaluate(
    game: &Game,
    config: &RegretConfig,
    strategy: &mut dyn FnMut(&Decision<'_>) -> Vec<f64>,
    stop: &Stop,
    progress: &RegretProgress,
) -> Result<Equilibrium, RegretError> {
    let (engines, form) = enumerated(game, config, stop, progress)?;
    let plans = form.players.iter().map(|player| {
        let mut probabilities = vec![1.0; player.sequences()];
        for set in &player.sets {
            let sequences = set.sequences();
            let decision = Decision {
                role: player.role,
                known: player.knowledge.steps(set.steps as usize, set.known),
                legal: &player.moves[sequences.start - 1..sequences.end - 1],
            };
            probabilities[sequences].copy_from_slice(&strategy(&decision));
        }
        player.plan(&probabilities)
    });
    let outcome = Outcome::of(&form, plans.collect());
    Ok(Equilibrium::new(engines.game(), form, outcome, 0))
}

/// Returns the sequence form of a game, and the engines that evaluate the game.
fn enumerated<'a>(
    game: &'a Game,
    config: &RegretConfig,
    stop: &Stop,
    progress: &RegretProgress,
) -> Result<(&'a Arc<Engines>, SequenceForm), RegretError> {
    let backend = Backend::Compiled;
    let engines = game.engines().ok_or(MachineError::NotGround { backend })?;
    let has_percepts = game.rules().has_percepts();
    let form = enumerate(engines, has_percepts, config.memory, stop, progress)?;
    Ok((engines, form))
}
