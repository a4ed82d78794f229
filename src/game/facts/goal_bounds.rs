//! Goal bounds: the goals that a role can still get, for callers that query many states.
//!
//! This is what a search needs of the [facts](super::find()) about a game: a few mask tests give
//! the range of the goals that are left in a state.

use std::sync::Arc;

use super::config::AnalysisConfig;
use super::find::find_goal_bounds;
use crate::game::engine::Engines;
use crate::game::ground::GoalBounds;
use crate::support::background::Background;
use propjit_stop::Stop;

/// A background task that finds a game's [`GoalBounds`]. Clones share it.
#[derive(Clone, Debug)]
pub struct GoalBoundsTask(Background<Option<GoalBounds>>);

impl GoalBoundsTask {
    /// Starts the search for them when the [pause](Engines::analysis_pause) of the engines is over. It ends early when
    /// `stop` is set.
    pub(crate) fn start(
        engines: &Arc<Engines>,
        config: AnalysisConfig,
        stop: &Stop,
    ) -> GoalBoundsTask {
        let (engines, stop) = (engines.clone(), stop.clone());
        GoalBoundsTask(Background::start(
            "goal-bounds",
            || None,
            move || {
                engines.analysis_pause().wait();
                find_goal_bounds(&engines, &config, &stop)
            },
        ))
    }

    /// Returns the value that the task makes.
    pub(crate) fn promised(&self) -> &Background<Option<GoalBounds>> {
        &self.0
    }

    /// Returns the result, if the thread is done: `Some(None)` if nothing excludes goals.
    pub fn found(&self) -> Option<Option<&GoalBounds>> {
        self.0.get().map(Option::as_ref)
    }

    /// Waits until the thread is done, or until stopped. Returns whether it is done.
    pub fn wait_or_stop(&self, stop: &Stop) -> bool {
        self.0.wait_or_stop(stop).is_some()
    }

    /// Waits until the thread is done.
    pub fn wait(&self) -> Option<&GoalBounds> {
        self.0.wait().as_ref()
    }
}

#[cfg(test)]
mod tests {
    use propjit_stop::Stop;

    use super::*;
    use crate::game::facts::find;
    use crate::game::facts::{Facts, GoalLatch, GoalLatches, Literal, ProofMethod};
    use crate::game::load::{Game, Setup};
    use crate::game::machine::RoleId;

    #[test]
    fn goals_left_by_latches() {
        let rules = "(role a) (role b) (init (s 1)) (init (s 2)) (init (s 3)) (legal a go)
             (legal b go) (<= (next (s ?n)) (true (s ?n)) (does a go) (does b go))
             (<= terminal (not (true (s 1))))
             (<= (goal a 0) (true (s 1))) (<= (goal a 50) (true (s 2)))
             (<= (goal a 100) (true (s 3))) (<= (goal b 0) (true (s 1)))";
        let game = Game::from_text("latches.kif", rules, &Setup::default()).unwrap();
        let ground = game.ground_game().unwrap();
        let latch = |proposition, excluded| GoalLatch {
            literal: Literal::new(proposition, true),
            role: RoleId(0),
            excluded,
            method: ProofMethod::Structural,
        };
        let mut facts = find(
            game.engines().unwrap(),
            &AnalysisConfig::default(),
            &Stop::new(),
        );
        facts.goal_latches = GoalLatches::new(vec![latch(0, vec![0]), latch(1, vec![0, 2])]);
        let masks = |facts: &Facts| facts.goal_latches.masks().to_vec();
        let ranges = GoalBounds::new(ground, masks(&facts), None, false).unwrap();
        let of = |state: &[usize], role| ranges.of(&state.iter().copied().collect(), RoleId(role));
        let goals: Vec<i32> = ground.propnet().roles[0]
            .goals
            .iter()
            .map(|goal| goal.value)
            .collect();
        assert_eq!(goals, [0, 50, 100]);
        assert_eq!(of(&[], 0), None);
        assert_eq!(of(&[0], 0), Some((50, 100)));
        assert_eq!(of(&[0, 1], 0), Some((50, 50)));
        assert_eq!(of(&[0, 1], 1), None);
        let mask = ranges.excluding(RoleId(0), 2).unwrap();
        assert!(mask.literals().eq([Literal::new(1, true)]));
        assert_eq!(ranges.excluding(RoleId(0), 1), None);
        facts.goal_latches = GoalLatches::default();
        assert!(GoalBounds::new(ground, masks(&facts), None, false).is_none());
    }
}
