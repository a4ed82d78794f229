//! The clock: propositions that change by themselves, whatever is played, such as step counters.
//!
//! If several moves are made in a step of a plan, such propositions are functions of the number of moves
//! that were made since the root.

use crate::game::ground::{GroundGame, autonomous};
use crate::game::machine::State;

/// The most joint moves after which nothing may change by itself any more.
const MAX_TICKS: usize = 500;

/// The propositions that change by themselves from a root on, and how.
#[derive(Debug, Default)]
pub(super) struct Clock {
    /// By proposition, whether it is one of these.
    is_part: Vec<bool>,
    /// By the number of joint moves, whether each proposition holds; what is last remains so.
    /// Only of those that are part of the clock it means something.
    course: Vec<Vec<bool>>,
}

impl Clock {
    /// The clock of a game from a root on. It has no propositions if they go on changing for long,
    /// or depend on each other in loops.
    pub(super) fn new(game: &GroundGame, root: &State) -> Clock {
        let (circuit, layout) = (game.lowered(), game.layout());
        let count = layout.bases.len();
        if !circuit.loops().is_empty() {
            return Clock {
                is_part: vec![false; count],
                course: vec![Vec::new()],
            };
        }
        let is_free = autonomous(game);
        let mut course = vec![(0..count).map(|base| root.contains(base)).collect()];
        let is_over = loop {
            let now: &Vec<bool> = &course[course.len() - 1];
            let mut inputs = vec![false; layout.inputs()];
            inputs[layout.bases.clone()].copy_from_slice(now);
            let after = circuit.evaluate(&inputs)[layout.next.clone()].to_vec();
            let mut bases = is_free.iter().zip(now.iter().zip(&after));
            if bases.all(|(is_free, (now, after))| !is_free || now == after) {
                break true;
            }
            if course.len() > MAX_TICKS {
                break false;
            }
            course.push(after);
        };
        let changes = |base: usize| course.iter().any(|holds| holds[base] != course[0][base]);
        let part = |base| is_over && is_free[base] && changes(base);
        Clock {
            is_part: (0..count).map(part).collect(),
            course,
        }
    }

    /// Whether a proposition is part of it.
    pub(super) fn contains(&self, base: usize) -> bool {
        self.is_part[base]
    }

    /// The number of joint moves after which nothing changes any more.
    pub(super) fn ticks(&self) -> usize {
        match self.is_part.contains(&true) {
            true => self.course.len() - 1,
            false => 0,
        }
    }

    /// The numbers of joint moves, up to those after which nothing changes any more, after which a
    /// proposition holds that is part of the clock.
    pub(super) fn times(&self, base: usize) -> impl Iterator<Item = usize> {
        let course = self.course.iter().enumerate();
        course
            .filter(move |(_, holds)| holds[base])
            .map(|(at, _)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::task;
    use super::*;

    #[test]
    fn counters_are_told_from_what_moves_change() {
        let rules = "(role r) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (init on)
            (legal r go) (legal r wait)
            (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
            (<= (next (gone ?n)) (does r go) (true (step ?n)))
            (<= (next (gone ?n)) (true (gone ?n)))
            (<= (next on) (true on)) (<= (next late) (true (step 2)))
            (<= terminal (true late)) (<= (goal r 100) (true on)) (<= (goal r 0) (true (gone 0)))";
        let task = task(rules);
        let game = task.engines.game();
        let clock = Clock::new(game, &task.root.state);
        let times = |fluent: &str| {
            let state = game.parse_state(&[fluent]).unwrap();
            let base = state.iter().next().unwrap();
            clock.contains(base).then(|| clock.times(base).collect())
        };
        // After three there is no step any more, and nothing is late after that.
        assert_eq!(clock.ticks(), 4);
        for (fluent, expected) in [
            ("(step 0)", Some(vec![0])),
            ("(step 3)", Some(vec![3])),
            ("late", Some(vec![3])),
            ("on", None),
            ("(gone 1)", None),
        ] {
            assert_eq!(times(fluent), expected, "{fluent}");
        }
    }

    #[test]
    fn what_never_rests_is_no_clock() {
        let rules = "(role r) (init day) (legal r go) (<= (next night) (true day))
            (<= (next day) (true night)) (<= (next gone) (does r go))
            (<= terminal (true gone)) (goal r 100)";
        let task = task(rules);
        let clock = Clock::new(task.engines.game(), &task.root.state);
        assert_eq!(clock.ticks(), 0);
        assert!((0..3).all(|base| !clock.contains(base)));
    }
}
