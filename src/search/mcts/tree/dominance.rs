//! Dominance: which moves of a decision that several roles make at once are worse for a role than another
//! one whatever the others do, and what that proves.
//!
//! This is iterated elimination of strictly dominated moves (Fudenberg and Tirole, "Game Theory", 1991,
//! section 2.1) with bounds instead of values, as in Saffidine, Finnsson and Buro, "Alpha-Beta Pruning for
//! Games with Simultaneous Moves" (2012). As where one role decides, a role that has moves which are sure
//! to bring the most that it can get is assumed to play the one of them that is worst for the others.

use rustc_hash::FxHashMap;

use super::node::Bounds;
use crate::game::machine::RoleId;

/// The proved facts about a decision that several roles make at once.
#[derive(Debug)]
pub(in crate::search::mcts) struct Dominance {
    /// What each role gets, if all roles play as well as can be.
    pub(in crate::search::mcts) roles: Box<[Bounds]>,
    /// For each role and each of its moves, what it gets by it if the others play as well as can be; none if the
    /// role does not play it.
    pub(in crate::search::mcts) arms: Box<[Box<[Option<Bounds>]>]>,
}

impl Dominance {
    /// Analyses all joint moves, given the number of moves of each role: `bounds` returns what a role gets
    /// after the joint move with a number, which has the places of the roles' moves as digits, the last
    /// role's last. The role `random` has no preferences.
    pub(in crate::search::mcts) fn new(
        counts: &[usize],
        random: Option<RoleId>,
        bounds: impl Fn(usize, RoleId) -> Bounds,
    ) -> Dominance {
        let joint_moves: usize = counts.iter().product();
        let numbers = 0..joint_moves * counts.len();
        let bounds = numbers.map(|at| {
            let (joint, role) = (at / counts.len(), at % counts.len());
            bounds(joint, RoleId(role as u32))
        });
        let all = |&count: &usize| vec![Chance::Possible; count];
        let mut table = Table {
            bounds: bounds.collect(),
            chances: counts.iter().map(all).collect(),
            strides: strides(counts),
            counts,
        };
        loop {
            let arms = table.arms();
            let roles = RoleId::first(counts.len()).zip(&arms);
            let roles = roles.map(|(role, arms)| {
                let (lows, high) = (lows(arms), table.most(role.index()));
                let low = match random == Some(role) {
                    true => lows.fold(f32::INFINITY, f32::min),
                    false => lows.fold(f32::NEG_INFINITY, f32::max),
                };
                Bounds { low, high }
            });
            let roles: Box<[Bounds]> = roles.collect();
            let before = table.chances.clone();
            for role in RoleId::first(counts.len()).filter(|&role| random != Some(role)) {
                let own = role.index();
                table.judge(own, roles[own], &arms[own]);
            }
            if table.chances == before {
                return Dominance { roles, arms };
            }
        }
    }

    /// Returns, for each of a role's moves, whether it is useless to visit it: the role does not play it,
    /// or another one is sure to bring at least as much as this can.
    pub(in crate::search::mcts) fn useless(&self, role: RoleId) -> impl Iterator<Item = bool> {
        let sure = self.roles[role.index()].low;
        let is_useless =
            move |arm: &Option<Bounds>| arm.is_none_or(|arm| arm.high <= sure && arm.low < sure);
        self.arms[role.index()].iter().map(is_useless)
    }
}

/// Whether a role plays a move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Chance {
    /// It does not, as there are better ones.
    No,
    /// By what is known, it may.
    Possible,
    /// It is sure to bring the most: the role plays a move of this kind.
    Best,
}

/// The bounds of each role after each joint move.
struct Table<'a> {
    /// For each joint move, for each role.
    bounds: Vec<Bounds>,
    /// For each role, for each of its moves.
    chances: Vec<Vec<Chance>>,
    /// How many joint moves lie between two moves of a role that are next to each other.
    strides: Vec<usize>,
    counts: &'a [usize],
}

impl Table<'_> {
    /// The place of a role's move in a joint move.
    fn place(&self, joint: usize, role: usize) -> usize {
        joint / self.strides[role] % self.counts[role]
    }

    fn get(&self, joint: usize, role: usize) -> Bounds {
        self.bounds[joint * self.counts.len() + role]
    }

    /// Whether a role plays its part of a joint move.
    fn chance(&self, joint: usize, role: usize) -> Chance {
        self.chances[role][self.place(joint, role)]
    }

    /// Whether it is known of a role that it plays one of some moves.
    fn is_decided(&self, role: usize) -> bool {
        self.chances[role].contains(&Chance::Best)
    }

    /// Returns the joint moves with parts that may all be played.
    fn possible(&self) -> impl Iterator<Item = usize> {
        let roles = 0..self.counts.len();
        let is_possible = move |&joint: &usize| {
            let mut roles = roles.clone();
            roles.all(|role| self.chance(joint, role) > Chance::No)
        };
        (0..self.counts.iter().product()).filter(is_possible)
    }

    /// Whether the others play their parts of a joint move that is possible, for all that is known.
    fn others_play(&self, joint: usize, role: usize) -> bool {
        let mut others = (0..self.counts.len()).filter(|&other| other != role);
        others.all(|other| !self.is_decided(other) || self.chance(joint, other) == Chance::Best)
    }

    /// For each role and move what the role gets by it. More may turn out to be best for others, so that
    /// the least is that after all joint moves that are possible.
    fn arms(&self) -> Box<[Box<[Option<Bounds>]>]> {
        let arms = self.counts.iter().map(|&count| vec![None; count].into());
        let mut arms: Box<[Box<[Option<Bounds>]>]> = arms.collect();
        for joint in self.possible() {
            for (role, arms) in arms.iter_mut().enumerate() {
                let Bounds { low, high } = self.get(joint, role);
                let high = match self.others_play(joint, role) {
                    true => high,
                    false => f32::NEG_INFINITY,
                };
                let arm = arms[self.place(joint, role)].get_or_insert(Bounds { low, high });
                *arm = Bounds {
                    low: arm.low.min(low),
                    high: arm.high.max(high),
                };
            }
        }
        arms
    }

    /// Returns the most that a role can get if all others with known best moves play those of them that are
    /// worst for the role.
    fn most(&self, role: usize) -> f32 {
        let decided = (0..self.counts.len()).filter(|&other| other != role);
        let decided: Vec<usize> = decided.filter(|&other| self.is_decided(other)).collect();
        let mut most: FxHashMap<usize, f32> = FxHashMap::default();
        for joint in self
            .possible()
            .filter(|&joint| self.others_play(joint, role))
        {
            let parts = decided
                .iter()
                .map(|&other| self.place(joint, other) * self.strides[other]);
            let most = most.entry(parts.sum()).or_insert(f32::NEG_INFINITY);
            *most = most.max(self.get(joint, role).high);
        }
        most.into_values().fold(f32::INFINITY, f32::min)
    }

    /// Finds out which moves a role with these bounds plays, in all and by each of its moves.
    fn judge(&mut self, role: usize, whole: Bounds, arms: &[Option<Bounds>]) {
        let places: Vec<usize> = (0..arms.len())
            .filter(|&place| arms[place].is_some())
            .collect();
        if whole.low >= whole.high {
            for (chance, arm) in self.chances[role].iter_mut().zip(arms) {
                *chance = match arm {
                    Some(arm) if arm.low >= whole.high => Chance::Best,
                    Some(arm) if arm.high >= whole.high => Chance::Possible,
                    _ => Chance::No,
                };
            }
            return;
        }
        let first = places[0] * self.strides[role];
        let others = self
            .possible()
            .filter(|&joint| self.place(joint, role) == places[0]);
        let others: Vec<usize> = others.map(|joint| joint - first).collect();
        let after = |other: usize, place: usize| self.get(other + place * self.strides[role], role);
        // Dominance is transitive: a move that is dominated by a dominated move is also dominated by the
        // move that dominates that one.
        let is_dominated = |place: usize| {
            let dominates = |&better: &usize| {
                let is_worse = |&other: &usize| after(other, better).low > after(other, place).high;
                others.iter().all(is_worse)
            };
            places.iter().any(dominates)
        };
        let dominated: Vec<usize> = places
            .iter()
            .copied()
            .filter(|&place| is_dominated(place))
            .collect();
        for place in dominated {
            self.chances[role][place] = Chance::No;
        }
    }
}

/// Returns the least that a role gets by each of its moves that it may play.
fn lows(arms: &[Option<Bounds>]) -> impl Iterator<Item = f32> {
    arms.iter().flatten().map(|arm| arm.low)
}

/// By how much the number of a joint move grows with the place of each role's move.
fn strides(counts: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; counts.len()];
    for role in (1..counts.len()).rev() {
        strides[role - 1] = strides[role] * counts[role];
    }
    strides
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what two roles with these numbers of moves get: the bounds of the first, the other one
    /// getting the rest of 100.
    fn shared(counts: [usize; 2], first: &[(f32, f32)]) -> Dominance {
        Dominance::new(&counts, None, |joint, role| {
            let (low, high) = first[joint];
            match role.index() {
                0 => Bounds { low, high },
                _ => Bounds {
                    low: 100.0 - high,
                    high: 100.0 - low,
                },
            }
        })
    }

    fn bounds(low: f32, high: f32) -> Bounds {
        Bounds { low, high }
    }

    const WIN: (f32, f32) = (100.0, 100.0);
    const LOSS: (f32, f32) = (0.0, 0.0);
    const OPEN: (f32, f32) = (0.0, 100.0);

    #[test]
    fn a_sure_win_is_proved_whatever_else_is_open() {
        let found = shared([2, 2], &[OPEN, OPEN, WIN, WIN]);
        assert_eq!(found.roles[0], Bounds::exact(100.0));
        assert_eq!(found.roles[1], Bounds::exact(0.0));
        assert_eq!(found.useless(RoleId(0)).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn nothing_is_proved_where_it_matters_what_the_other_one_guesses() {
        let found = shared([2, 2], &[WIN, LOSS, LOSS, WIN]);
        assert_eq!(*found.roles, [bounds(0.0, 100.0); 2]);
        assert!(found.useless(RoleId(0)).all(|useless| !useless));
    }

    /// The second role's first move is worse for it than the second one; without it, the first role's second
    /// move is sure to be better.
    #[test]
    fn dominated_moves_are_struck_out_in_turn() {
        let found = shared([2, 2], &[WIN, (20.0, 20.0), (90.0, 90.0), (30.0, 30.0)]);
        assert_eq!(found.roles[0], Bounds::exact(30.0));
        assert_eq!(found.roles[1], Bounds::exact(70.0));
        assert_eq!(found.useless(RoleId(0)).collect::<Vec<_>>(), [true, false]);
        assert_eq!(found.useless(RoleId(1)).collect::<Vec<_>>(), [true, false]);
    }

    /// Both get less than if both did otherwise.
    #[test]
    fn sums_of_goals_may_vary() {
        let goals = [[50, 50], [0, 100], [100, 0], [20, 20]];
        let found = Dominance::new(&[2, 2], None, |joint, role| {
            Bounds::exact(goals[joint][role.index()] as f32)
        });
        assert_eq!(*found.roles, [Bounds::exact(20.0); 2]);
    }

    #[test]
    fn moves_that_can_bring_no_more_than_is_sure_are_of_no_use() {
        let found = shared([3, 1], &[(50.0, 100.0), (0.0, 50.0), (40.0, 60.0)]);
        assert_eq!(found.roles[0], bounds(50.0, 100.0));
        let useless: Vec<bool> = found.useless(RoleId(0)).collect();
        assert_eq!(useless, [false, true, false]);
    }

    /// Chance does not choose what is best for it, and anything that it may do counts.
    #[test]
    fn chance_strikes_nothing_out() {
        let goals = [[0, 100], [100, 0], [50, 100], [60, 0]];
        let found = Dominance::new(&[2, 2], Some(RoleId(1)), |joint, role| {
            Bounds::exact(goals[joint][role.index()] as f32)
        });
        assert_eq!(found.roles[0], bounds(50.0, 100.0));
        assert_eq!(found.roles[1], bounds(0.0, 100.0));
        assert!(found.useless(RoleId(1)).all(|useless| !useless));
    }

    /// Whatever is proved by bounds holds for all values within them: for three roles, by random tables.
    #[test]
    fn what_is_proved_by_bounds_holds_for_values() {
        use crate::support::rng::streams;
        use rand::RngExt;
        let mut rng = streams(5).next().unwrap();
        let counts = [2, 3, 2];
        let mut proved = 0;
        for _ in 0..20_000 {
            let value = |_| [(); 3].map(|()| rng.random_range(0..5) as f32 * 25.0);
            let values: Vec<[f32; 3]> = (0..12).map(value).collect();
            let hidden: Vec<bool> = (0..12).map(|_| rng.random_bool(0.3)).collect();
            let exact = |joint: usize, role: RoleId| Bounds::exact(values[joint][role.index()]);
            let known = |joint, role| match hidden[joint] {
                true => bounds(0.0, 100.0),
                false => exact(joint, role),
            };
            let (known, all) = (
                Dominance::new(&counts, None, known),
                Dominance::new(&counts, None, exact),
            );
            for (known, all) in known.roles.iter().zip(&all.roles) {
                assert!(known.low <= all.high && all.low <= known.high, "{values:?}");
                proved += usize::from(*known != bounds(0.0, 100.0));
            }
        }
        assert!(proved > 1000, "{proved}");
    }
}
