//! Symmetries: renamings of propositions, roles, moves and percepts that leave the rules unchanged, proved.
//!
//! In the image of a state, the images of the legal moves are legal, they lead to the images of the next states, and
//! roles get the goals of those that they are images of. A board may be reflected or turned, for example, and players
//! may change places. So what is learned of a state can be learned of its images, too.
//!
//! - `candidates`: renamings of propositions and roles, read off their names. The search may miss symmetries.
//! - `colours`: hashes of what gates compute, by which `matching` finds what becomes of moves and percepts.
//! - `bisimulation`: the proof that a gate and its image compute the same. It compares the networks, not their
//!   functions: renamings that the rules treat alike, but in different words, are not found to be symmetries.
//! - `counted_goals`: the proof for goals that the rules compute by counting.
//!
//! Rules are unchanged for all states, reachable or not, in which propositions that exclude each other in matches do
//! so. The initial state may become another one: see [`Symmetry::keeps_initial`]. The idea to look at the structure of
//! rules for symmetries is that of S. Schiffel, "Symmetry detection in general game playing", 2010.

mod bisimulation;
mod candidates;
mod colours;
mod counted_goals;
mod matching;
mod renaming;

use propjit_stop::Stop;

use super::ground::{Actions, GroundGame};
use super::vocabulary::moves::{Move, RoleId};
pub(crate) use candidates::candidates;
use matching::Prover;
pub use renaming::Renaming;

/// A renaming that leaves the rules of a game unchanged.
///
/// ```
/// # use propjit::game::load::{Game, Setup};
/// use propjit::game::machine::RoleId;
/// use propjit::game::symmetry;
/// use propjit::Stop;
///
/// # let rules = propjit::gdl::games::text("connectFour").unwrap();
/// # let game = Game::from_text("connectFour.kif", rules, &Setup::default())?;
/// let game = game.ground_game().unwrap();
/// let found = symmetry::find(game, &Stop::new());
/// // Left and right, red and yellow, and both.
/// assert_eq!(found.len(), 3);
/// let reflection = found.iter().find(|one| one.keeps_initial()).unwrap();
/// let [drop, image] = ["(drop 1)", "(drop 7)"].map(|text| game.parse_move(RoleId(0), text).unwrap());
/// assert_eq!(reflection.played(RoleId(0), drop), image);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symmetry {
    renaming: Renaming,
    /// For each role, what becomes of its moves: moves of the role that it becomes.
    moves: Vec<Vec<Move>>,
    /// Likewise for percepts.
    percepts: Vec<Vec<u32>>,
    keeps_initial: bool,
}

impl Symmetry {
    /// Returns what propositions and roles become.
    pub fn renaming(&self) -> &Renaming {
        &self.renaming
    }

    /// Returns what a move of a role becomes: a move of the role that it becomes.
    ///
    /// # Panics
    /// If the role has no such move.
    pub fn played(&self, role: RoleId, played: Move) -> Move {
        self.moves[role.index()][played.index()]
    }

    /// Returns what each percept of a role becomes: the number of a percept of the role that it becomes.
    pub fn percepts(&self, role: RoleId) -> &[u32] {
        &self.percepts[role.index()]
    }

    /// Returns what a joint move becomes.
    ///
    /// # Panics
    /// If it lacks a move of a role.
    pub fn joint(&self, joint: &[Move]) -> Vec<Move> {
        let mut images = joint.to_vec();
        for (role, &played) in RoleId::first(joint.len()).zip(joint) {
            images[self.renaming.role(role).index()] = self.played(role, played);
        }
        images
    }

    /// Returns what each [action](Actions) becomes if a role plays it. Actions that the role never plays become some of
    /// those that its image never plays: choices become choices as far as there are enough of them.
    pub fn actions(&self, actions: &Actions, role: RoleId) -> Vec<u32> {
        let mut images: Vec<Option<u32>> = vec![None; actions.len()];
        let mut is_taken = vec![false; actions.len()];
        let image = self.renaming.role(role);
        for played in actions.moves(role) {
            let to = actions.of(image, self.played(role, played));
            images[actions.of(role, played)] = Some(to as u32);
            is_taken[to] = true;
        }
        let (choices, of_players) = (actions.choices(), actions.of_players());
        for part in [0..choices, 0..of_players, 0..actions.len()] {
            let mut open = part
                .clone()
                .filter(|&to| !is_taken[to])
                .collect::<Vec<_>>()
                .into_iter();
            for from in part {
                if images[from].is_none()
                    && let Some(to) = open.next()
                {
                    images[from] = Some(to as u32);
                    is_taken[to] = true;
                }
            }
        }
        images.into_iter().flatten().collect()
    }

    /// Returns whether matches begin in the same state after the renaming.
    pub fn keeps_initial(&self) -> bool {
        self.keeps_initial
    }
}

/// Returns symmetries of a game, without the one that changes nothing; fewer if stopped.
pub fn find(game: &GroundGame, stop: &Stop) -> Vec<Symmetry> {
    let candidates = candidates(game);
    if candidates.is_empty() {
        return Vec::new();
    }
    let Some(prover) = Prover::new(game, stop) else {
        return Vec::new();
    };
    let going_on = candidates.into_iter().take_while(|_| !stop.is_set());
    let proved = going_on.filter_map(|renaming| {
        let (moves, percepts) = prover.prove(&renaming)?;
        Some(Symmetry {
            keeps_initial: renaming.state(game.initial()) == *game.initial(),
            renaming,
            moves,
            percepts,
        })
    });
    proved.collect()
}
