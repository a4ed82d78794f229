//! Joint moves of several roles that decide at once.

use rand::RngExt;

use super::evaluation::logistic;
use super::policy::greatest;
use super::weights::{Roles, Shares};
use crate::game::machine::expansion::legal::Legal;
use crate::game::machine::{Move, RoleId};
use crate::support::rng::GameRng;

/// The number of joint moves that a state may have so that all are evaluated.
const MOST: usize = 64;

/// If it has more, each move of each role is evaluated with this many random moves of the others.
const REPLIES: usize = 4;

/// Joint moves in a state, from which one is chosen.
pub(super) struct JointMoves {
    /// How many moves each role has.
    counts: Vec<usize>,
    /// For each joint move, one after the other, the places of the roles' moves.
    places: Vec<usize>,
}

impl JointMoves {
    /// All of them, or some by chance.
    pub(super) fn new(legal: Legal<'_>, rng: &mut GameRng) -> JointMoves {
        let counts: Vec<usize> = legal.each().map(<[Move]>::len).collect();
        let all = counts.iter().try_fold(1usize, |all, &count| {
            all.checked_mul(count).filter(|&all| all <= MOST)
        });
        let mut places = Vec::new();
        match all {
            Some(all) => {
                for number in 0..all {
                    let mut left = number;
                    places.extend(counts.iter().map(|count| {
                        let place = left % count;
                        left /= count;
                        place
                    }));
                }
            }
            None => {
                for (role, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 1) {
                    for at in (0..count).flat_map(|at| std::iter::repeat_n(at, REPLIES)) {
                        let others = counts.iter().map(|&count| rng.random_range(0..count));
                        places.extend(others);
                        let start = places.len() - counts.len();
                        places[start + role] = at;
                    }
                }
            }
        }
        JointMoves { counts, places }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.places.len() / self.counts.len()
    }

    /// In how many of them a move is made, in the mean over the moves of the role that has the most.
    pub(super) fn replies(&self) -> usize {
        let most = self.counts.iter().copied().fold(1, usize::max);
        (self.len() / most).max(1)
    }

    /// The moves of all roles in each of them, one after the other.
    pub(super) fn moves<'a>(&'a self, legal: Legal<'a>) -> impl Iterator<Item = Move> {
        let joints = self.places.chunks_exact(self.counts.len());
        joints.flat_map(move |places| {
            let moves = legal.each().zip(places);
            moves.map(|(moves, &place)| moves[place])
        })
    }

    /// Returns the place of one in which each role makes the move that is best for it in the mean over the
    /// possible moves of the others, if there is one; by chance one of several. Each role has its own
    /// opinion of the logarithms of the odds of all roles after each of them.
    pub(super) fn best<'a>(
        &self,
        roles: Roles,
        log_odds: impl Fn(RoleId) -> &'a [Shares],
        rng: &mut GameRng,
    ) -> usize {
        let joints = || self.places.chunks_exact(self.counts.len());
        let means = roles.each().map(|role| {
            let mut sums = vec![(0.0, 0.0); self.counts[role.index()]];
            for (places, log_odds) in joints().zip(log_odds(role)) {
                let (sum, count) = &mut sums[places[role.index()]];
                *sum += logistic(log_odds[role.index()]);
                *count += 1.0;
            }
            let means = sums
                .into_iter()
                .map(|(sum, count)| sum / f32::max(count, 1.0));
            means.collect::<Vec<f32>>()
        });
        let means: Vec<Vec<f32>> = means.collect();
        let values = joints().map(|places| {
            let own = roles.each().zip(&means);
            own.map(|(role, means)| means[places[role.index()]]).sum()
        });
        greatest(values, rng)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::game::machine::expansion::legal::LegalMoves;
    use crate::support::rng::streams;

    /// Returns legal moves of one state, with these numbers of moves of each role.
    fn legal(counts: &[u32]) -> LegalMoves {
        let mut legal = LegalMoves::new(counts.len());
        for (role, &count) in (0..).zip(counts) {
            let moves: Vec<Move> = (0..count).map(|at| Move(100 * role + at)).collect();
            legal.push(&moves);
        }
        legal
    }

    fn joints(counts: &[u32]) -> Vec<Vec<Move>> {
        let legal = legal(counts);
        let mut rng = streams(1).next().unwrap();
        let found = JointMoves::new(legal.get(0), &mut rng);
        let moves: Vec<Move> = found.moves(legal.get(0)).collect();
        assert_eq!(moves.len(), found.len() * counts.len());
        moves.chunks(counts.len()).map(<[Move]>::to_vec).collect()
    }

    #[test]
    fn replies_are_joint_moves_of_a_move() {
        for (counts, expected) in [([3, 1, 4], 3), ([8, 8, 1], 8), ([30, 1, 20], 6)] {
            let mut rng = streams(1).next().unwrap();
            let found = JointMoves::new(legal(&counts).get(0), &mut rng);
            assert_eq!(found.replies(), expected);
        }
    }

    #[test]
    fn few_joint_moves_are_all_looked_at() {
        let found = joints(&[3, 1, 4]);
        assert_eq!(found.len(), 12);
        assert_eq!(BTreeSet::from_iter(found).len(), 12);
    }

    /// Of many, each move is, and nothing else.
    #[test]
    fn of_many_joint_moves_each_move_is_looked_at() {
        let counts = [30, 1, 20];
        let found = joints(&counts);
        assert_eq!(found.len(), 50 * REPLIES);
        for (role, &count) in (0..).zip(&counts) {
            let seen: BTreeSet<Move> = found.iter().map(|joint| joint[role as usize]).collect();
            let all: BTreeSet<Move> = (0..count).map(|at| Move(100 * role + at)).collect();
            assert_eq!(seen, all);
        }
    }

    /// Each role makes the move that is better whatever the others do, by its own opinion.
    #[test]
    fn the_best_move_of_each_role_is_chosen() {
        let counts = [3, 2];
        let legal = legal(&counts);
        let mut rng = streams(1).next().unwrap();
        let found = JointMoves::new(legal.get(0), &mut rng);
        let values = |favourites: [usize; 2]| {
            let joints = found.places.chunks(2);
            let values = joints.map(|places| {
                let mut shares = [0.5; Roles::MOST];
                for role in 0..2 {
                    shares[role] += f32::from(u8::from(places[role] == favourites[role])) / 4.0;
                    // The move of the other one matters more.
                    shares[role] -= f32::from(u8::from(places[1 - role] == 0)) / 2.0;
                }
                shares
            });
            values.collect::<Vec<Shares>>()
        };
        let (first, second) = (values([2, 0]), values([1, 1]));
        let best = found.best(
            Roles::TWO,
            |role| [&first[..], &second][role.index()],
            &mut rng,
        );
        assert_eq!(found.places[2 * best..][..2], [2, 1]);
    }
}
