//! Goal bounds: what goals a role can still get, for callers that ask about many states.
//!
//! This is what a search needs of the [facts](super::find()) about a game: a few mask
//! tests tell the range of the goals that are left in a state.

use std::sync::Arc;

use super::config::AnalysisConfig;
use super::facts::Facts;
use super::find::find;
use super::goal_latches::GoalMask;
use crate::background::Background;
use crate::machine::{GroundGame, RoleId, State};

/// The goals that the [latches](super::GoalLatches) of a game leave to its roles.
///
/// A match that ends without a goal for a role counts as 0 in a search. The rules of GDL
/// exclude such ends (Love et al. 2008, section 9), and that is relied on here: once
/// latches have excluded a value, the rest is taken for all there is.
#[derive(Clone, Debug)]
pub struct GoalBounds {
    masks: Vec<GoalMask>,
    /// For each role, its goals, and which mask excludes each of them.
    roles: Vec<Vec<(i32, Option<usize>)>>,
    fixed_sum: bool,
}

impl GoalBounds {
    /// From the facts about a game; nothing if there are no goal latches.
    pub fn new(game: &GroundGame, facts: &Facts) -> Option<GoalBounds> {
        let masks = facts.goal_latches.masks().to_vec();
        let roles = game
            .propnet()
            .roles
            .iter()
            .zip(RoleId::first(game.roles().len()));
        let roles = roles.map(|(role, id)| {
            let goals = role.goals.iter().enumerate().map(|(at, goal)| {
                let excludes = |mask: &GoalMask| mask.role == id && mask.goals.contains(&at);
                (goal.value, masks.iter().position(excludes))
            });
            goals.collect()
        });
        let roles = roles.collect();
        let fixed_sum = facts.sum.is_some();
        (!masks.is_empty()).then_some(GoalBounds {
            masks,
            roles,
            fixed_sum,
        })
    }

    /// What excludes a goal of a role, by its index.
    pub fn excluding(&self, role: RoleId, goal: usize) -> Option<&GoalMask> {
        let (_, mask) = self.roles[role.index()][goal];
        mask.map(|mask| &self.masks[mask])
    }

    /// Whether all roles together had the same sum of goals in all matches that were seen, which
    /// is no proof.
    pub fn has_fixed_sum(&self) -> bool {
        self.fixed_sum
    }

    /// The least and the greatest goal that a role can still get; nothing if no latch holds
    /// that excludes any, or if all are excluded, which the rules of GDL forbid.
    pub fn of(&self, state: &State, role: RoleId) -> Option<(i32, i32)> {
        let is_hit = |mask: &GoalMask| mask.role == role && mask.excludes(state);
        let hit: Vec<usize> = (0..self.masks.len())
            .filter(|&mask| is_hit(&self.masks[mask]))
            .collect();
        if hit.is_empty() {
            return None;
        }
        let goals = self.roles[role.index()].iter();
        let left = goals.filter(|(_, mask)| mask.is_none_or(|mask| !hit.contains(&mask)));
        left.fold(None, |range, &(value, _)| {
            let (least, greatest) = range.unwrap_or((value, value));
            Some((value.min(least), value.max(greatest)))
        })
    }
}

/// A background task that finds a game's [`GoalBounds`]. Clones share it.
#[derive(Clone, Debug)]
pub struct GoalBoundsTask(Background<Option<GoalBounds>>);

impl GoalBoundsTask {
    /// Starts to look for them. The flag that stops the game's compiler ends it, too.
    pub fn start(game: &Arc<GroundGame>, config: AnalysisConfig) -> GoalBoundsTask {
        let game = game.clone();
        GoalBoundsTask(Background::start(
            "goal-bounds",
            || None,
            move || {
                let stop = game.code_options().config.stop.clone();
                let facts = find(&game, &config, &stop);
                let latches = facts.goal_latches.entries().len();
                tracing::debug!(latches, "goal latches");
                GoalBounds::new(&game, &facts)
            },
        ))
    }

    /// What was found, if the thread is done: nothing if there is no goal latch.
    pub fn found(&self) -> Option<Option<&GoalBounds>> {
        self.0.get().map(Option::as_ref)
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
    use crate::analysis::{GoalLatch, GoalLatches, Literal, ProofMethod};
    use crate::game::{Game, Setup};

    #[test]
    fn what_is_left() {
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
        let mut facts = find(ground, &AnalysisConfig::default(), &Stop::new());
        facts.goal_latches = GoalLatches::new(vec![latch(0, vec![0]), latch(1, vec![0, 2])]);
        let ranges = GoalBounds::new(ground, &facts).unwrap();
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
        assert!(GoalBounds::new(ground, &facts).is_none());
    }
}
