//! Trial matches of minimax against tree search, at equal time.
//!
//! Both have the same evaluation, one thread, and nothing beside them. What is shown by short searches must hold for
//! longer ones: see the record of experiments.

use std::sync::Arc;
use std::time::Duration;

use propjit_stop::Stop;
use rand::RngExt;

use crate::game::engine::MatchEngines;
use crate::game::load::Game;
use crate::game::machine::{MachineError, Move, RoleId};
use crate::game::position::Position;
use crate::search::SearchBudget;
use crate::search::learned::{Evaluation, Roles, TrustedEvaluation};
use crate::search::mcts::{EvaluationUse, Mcts, MctsConfig};
use crate::search::minimax::{Minimax, MinimaxConfig, MinimaxError, share_of_range};
use crate::support::rng;

/// How many joint moves are made at random at the start.
const OPENING: u32 = 2;

/// The memory of each search, in bytes.
const MEMORY: usize = 64 << 20;

/// The greatest number of joint moves of a match.
const MAX_STEPS: u32 = 1000;

/// Matches between the two searches.
#[derive(Debug)]
pub(super) struct Trial<'a> {
    pub game: &'a Arc<Game>,
    /// What minimax searches on.
    pub evaluation: &'a Arc<Evaluation>,
    /// What tree search has, if it helps there.
    pub trusted: Option<TrustedEvaluation>,
    /// The time for each move.
    pub time: Duration,
    /// The [seed](crate::support::rng) of the openings.
    pub seed: u64,
}

impl Trial<'_> {
    /// Plays the match with a number: two in a row have the same opening, and roles change. Returns the share of
    /// minimax, unless a stop comes, or the match takes too long.
    ///
    /// # Errors
    /// When a machine cannot go on, or the game is not for minimax.
    pub(super) fn play(&self, number: u64, stop: &Stop) -> Result<Option<f64>, MinimaxError> {
        let engines = MatchEngines::new(self.game.engines().ok_or(not_ground())?.clone());
        let config = MinimaxConfig::default().with_memory(MEMORY);
        let mut minimax = Minimax::new(self.game, &engines, self.evaluation, &config)?;
        let config = MctsConfig::default()
            .with_memory(MEMORY)
            .with_seed(self.seed.wrapping_add(number));
        let mut tree = Mcts::new(self.game, self.game.bulk_backend(), config)?;
        if let Some(trusted) = &self.trusted {
            tree.set_evaluation(trusted.clone(), EvaluationUse::default())?;
        }
        let opening = rng::streams(self.seed.wrapping_add(number / 2)).next();
        let mut opening = opening.expect("there are streams");
        let ground = self.game.ground_game().ok_or(not_ground())?;
        let players: Vec<RoleId> = ground.players().collect();
        let own = players[(number % 2) as usize];
        let mut position = self.game.start()?;
        let mut depth = 0;
        while !position.is_over()? {
            if stop.is_set() || depth >= MAX_STEPS {
                return Ok(None);
            }
            let roles = RoleId::first(ground.roles().len());
            let legal = roles.map(|role| position.legal_moves(role));
            let legal: Vec<Vec<Move>> = legal.collect::<Result<_, _>>()?;
            if legal.iter().any(Vec::is_empty) {
                // The match cannot go on, and shows nothing.
                return Ok(None);
            }
            let mut players = players.iter().copied();
            let deciding = players.find(|role| legal[role.index()].len() > 1);
            // Chance plays as in the other match with the same opening, as far as these are alike.
            let random = |legal: &Vec<Move>| legal[opening.random_range(0..legal.len())];
            let drawn: Vec<Move> = legal.iter().map(random).collect();
            let mut joint: Vec<Move> = legal.iter().map(|legal| legal[0]).collect();
            if let Some(random) = ground.random_role() {
                joint[random.index()] = drawn[random.index()];
            }
            match deciding {
                _ if depth < OPENING => joint = drawn,
                Some(role) if role == own => {
                    let state = position.ground_state().ok_or(not_ground())?;
                    minimax.set_root(state)?;
                    minimax.run(&self.budget(stop))?;
                    let best = minimax.report(role).best;
                    joint[role.index()] = best.unwrap_or(joint[role.index()]);
                }
                Some(role) => {
                    tree.set_position(&position, depth)?;
                    tree.run(&self.budget(stop))?;
                    let best = tree.report(role).best;
                    joint[role.index()] = best.unwrap_or(joint[role.index()]);
                }
                None => {}
            }
            position.play(&joint)?;
            depth += 1;
        }
        points(&position, self.game, own).map(Some)
    }

    fn budget(&self, stop: &Stop) -> SearchBudget {
        SearchBudget::default().with_stop(stop.within(self.time))
    }
}

/// The part of the points of a role at the end of a match: a half if both got the same share of what they can get.
fn points(position: &Position, game: &Game, own: RoleId) -> Result<f64, MinimaxError> {
    let ground = game.ground_game().ok_or(not_ground())?;
    let ranges = ground.goal_ranges();
    let goals = position.goals()?;
    let roles = Roles::of(ground).expect("two roles may have an evaluation");
    let shares = roles.shares(|role| {
        let goal = goals[role.index()].unwrap_or(0);
        share_of_range(ranges[role.index()], goal)
    });
    Ok(roles.pairs_won(&shares, |role| role == own).into())
}

fn not_ground() -> MachineError {
    MachineError::NotGround {
        backend: crate::game::machine::Backend::Compiled,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::load::Setup;
    use crate::search::learned::{HeuristicConfig, HeuristicTask};

    #[test]
    fn matches_are_played_to_their_ends() {
        let rules = propjit_gdl::games::text("breakthroughSmall").unwrap();
        let game = Game::from_text("breakthroughSmall.kif", rules, &Setup::default()).unwrap();
        let game = Arc::new(game);
        let engines = MatchEngines::new(game.engines().unwrap().clone());
        let learning = HeuristicConfig::default()
            .with_time(Duration::from_millis(300))
            .with_keeps(false);
        let task = HeuristicTask::start(&game, &engines, &learning);
        task.wait();
        let trial = Trial {
            game: &game,
            evaluation: &task.evaluation().unwrap(),
            trusted: None,
            time: Duration::from_millis(2),
            seed: 1,
        };
        for number in 0..4 {
            let points = trial.play(number, &Stop::new()).unwrap();
            // There are no draws.
            assert!(points == Some(0.0) || points == Some(1.0), "{points:?}");
        }
        let stop = Stop::new();
        stop.set();
        assert_eq!(trial.play(0, &stop).unwrap(), None);
    }
}
