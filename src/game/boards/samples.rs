//! Samples of random matches, which show how fluents and moves are used.

use std::time::Duration;

use propjit_stop::Stop;
use rustc_hash::FxHashSet;

use crate::game::load::Game;
use crate::game::machine::{MachineError, RoleId};
use crate::game::playout::RandomMatches;
use crate::support::rng;

/// The sampled matches, with the fluents and moves.
pub(super) struct Samples {
    /// All fluents that may hold: those of the ground game, or else the sampled ones.
    pub(super) fluents: Vec<String>,
    /// All moves that may be legal, likewise.
    pub(super) moves: Vec<String>,
    /// Matches, each with the fluents of its states and the joint moves between them.
    pub(super) matches: Vec<SampledMatch>,
}

/// A match from its first state on.
#[derive(Default)]
pub(super) struct SampledMatch {
    /// The fluents of each state.
    pub(super) states: Vec<Vec<String>>,
    /// The moves of all roles in each state but the last one.
    pub(super) moves: Vec<Vec<String>>,
}

/// The maximum number of steps of a match.
const STEPS: usize = 100;

/// The number of states that suffice.
const STATES: usize = 400;

/// The number of matches that suffice.
const MATCHES: usize = 40;

/// The time limit, since the prover may be slow.
const TIME: Duration = Duration::from_secs(2);

impl Samples {
    /// Plays some matches, the same ones each time.
    pub(super) fn play(game: &Game, stop: &Stop) -> Result<Samples, MachineError> {
        let stop = stop.within(TIME);
        let rng = rng::streams(0).next().expect("streams do not end");
        let mut random = RandomMatches::new(game.follower()?, STEPS, rng);
        let mut matches: Vec<SampledMatch> = Vec::new();
        let mut states = 0;
        while states < STATES && matches.len() < MATCHES && !stop.is_set() {
            let mut sampled = SampledMatch::default();
            let played = random.play(&stop, &mut |machine, _, seen| {
                sampled.states.push(machine.fluents(seen.state()));
                let moves = RoleId::first(seen.joint().len()).zip(seen.joint());
                let moves = moves.map(|(role, &played)| machine.move_text(role, played));
                sampled.moves.push(moves.collect());
                Ok(())
            })?;
            if played.is_some() {
                let (last, machine) = random.last();
                sampled.states.push(machine.fluents(last.state()));
            }
            states += sampled.states.len();
            matches.push(sampled);
        }
        let (fluents, moves) = match game.ground_game() {
            Some(ground) => {
                let net = ground.propnet();
                let moves = net.roles.iter().flat_map(|role| &role.moves);
                (
                    net.bases.iter().map(|b| net.terms.text(b.name)).collect(),
                    distinct(moves.map(|played| net.terms.text(played.name))),
                )
            }
            None => {
                let (states, moves) = (
                    matches.iter().flat_map(|m| &m.states),
                    matches.iter().flat_map(|m| &m.moves),
                );
                (
                    distinct(states.flatten().cloned()),
                    distinct(moves.flatten().cloned()),
                )
            }
        };
        Ok(Samples {
            fluents,
            moves,
            matches,
        })
    }

    /// Returns all sampled states.
    pub(super) fn states(&self) -> impl Iterator<Item = &Vec<String>> {
        self.matches.iter().flat_map(|sampled| &sampled.states)
    }
}

/// Returns each of them once.
fn distinct(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = FxHashSet::default();
    all.filter(|text| seen.insert(text.clone())).collect()
}
