//! Proofs beside the search: what [provers](crate::proof::forced) find out about the positions that matter enters the
//! transposition table as exact bounds.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use propjit_stop::Stop;

use super::MAX_FORCED;
use super::sides::{CHANCE, Sides, viewpoint};
use super::table::{Bound, Entry, PROVED, Table};
use super::value::{self, Value, is_decided, share_of_range};
use crate::game::engine::{Engines, MatchEngines};
use crate::game::load::Game;
use crate::game::machine::expansion::Expander;
use crate::game::machine::expansion::successor::Turn;
use crate::game::machine::{Move, State};
use crate::proof::forced::{Finding, ProofAnswer, ProofClient, ProofPosition, ProofWorkers};
use crate::search::learned::LaneScorer;
use crate::support::program::ProgramCommand;

/// How long to wait for the last reports of workers, after they were sent to rest.
const LAST_WORDS: Duration = Duration::from_millis(5);

/// The positions that matter to a search, the most important one first: the root, and states of the best lines.
#[derive(Default, Debug)]
pub(super) struct Focus(Mutex<Vec<State>>);

impl Focus {
    /// These matter from now on.
    pub(super) fn set(&self, states: Vec<State>) {
        *self.0.lock() = states;
    }

    fn get(&self) -> Vec<State> {
        self.0.lock().clone()
    }
}

/// Provers beside a search.
#[derive(Debug)]
pub(super) struct Proofs {
    workers: ProofWorkers,
    expander: Expander,
    scorer: Arc<LaneScorer>,
    table: Arc<Table>,
    sides: Sides,
    /// The lowest and the highest goal of each side.
    ranges: [(i32, i32); 2],
    /// The positions of the last request.
    positions: Vec<State>,
}

/// Proofs about the positions in a focus.
struct AboutFocus<'a> {
    proofs: &'a mut Proofs,
    focus: &'a Focus,
}

impl ProofClient for AboutFocus<'_> {
    fn workers(&mut self) -> &mut ProofWorkers {
        &mut self.proofs.workers
    }

    fn query(&mut self) {
        self.proofs.query(self.focus.get());
    }

    fn hear(&mut self, found: Finding) -> bool {
        self.proofs.hear(found);
        false
    }
}

impl Proofs {
    /// Starts workers: a thread with a share of the time, and processes.
    pub(super) fn start(
        game: &Game,
        engines: &Arc<Engines>,
        scorer: &Arc<LaneScorer>,
        table: &Arc<Table>,
        share: Option<f64>,
        commands: &[ProgramCommand],
    ) -> Proofs {
        let rules = game.rules();
        let rulesheet = (rules.source.name(), rules.prefix_text());
        let (sides, ranges) = (Sides::of(engines.game()), engines.game().goal_ranges());
        Proofs {
            workers: ProofWorkers::start(engines, rulesheet, commands, share),
            expander: Expander::subscribed(&MatchEngines::new(engines.clone())),
            scorer: scorer.clone(),
            table: table.clone(),
            sides,
            ranges: sides.players().map(|role| ranges[role.index()]),
            positions: Vec::new(),
        }
    }

    /// Requests proofs about the positions that matter, and takes over what is proved, until a stop comes.
    pub(super) fn run(&mut self, focus: &Focus, stop: &Stop) {
        AboutFocus {
            proofs: self,
            focus,
        }
        .run_until(stop, LAST_WORDS);
    }

    /// Requests proofs about these positions, if they are not the requested ones already.
    fn query(&mut self, positions: Vec<State>) {
        if positions == self.positions && !self.workers.rests() {
            return;
        }
        let requests = positions.iter().map(|state| ProofPosition {
            state: state.clone(),
            role: None,
        });
        self.workers.query(requests.collect());
        self.positions = positions;
    }

    fn hear(&mut self, found: Finding) {
        let Finding::Answer(answer) = found else {
            return;
        };
        let Some(state) = self.positions.get(answer.position).cloned() else {
            return;
        };
        let role = answer.target.role;
        let value = self.value(&answer);
        let packed = state.packed(self.expander.words());
        let legal = self.expander.poll().legal_moves(&state);
        let Ok(decider @ 0..CHANCE) = self.sides.mover(&legal) else {
            return;
        };
        let side = self.sides.side(role);
        let best = match side == decider {
            true => {
                let chosen = answer.joint[role.index()];
                let mut legal = legal[role.index()].iter();
                legal.position(|&played| played == chosen)
            }
            false => None,
        };
        self.store(&packed, decider, side, value, best);
        // The move that wins leads to a state that is won, too, whatever chance plays: the search looks there first.
        if best.is_some() {
            let mut joint: Vec<Move> = legal.iter().map(|legal| legal[0]).collect();
            joint[role.index()] = answer.joint[role.index()];
            let batch = self.expander.poll();
            batch.enter_children(&state, &joint);
            let next = batch.state(0);
            let found = self.expander.skip_forced_moves(&next, 0, MAX_FORCED);
            let next = found.all();
            if let Turn::One(decider) = next.infos[0].turn {
                let decider = self.sides.side(decider);
                self.store(next.state(0), decider, side, value, None);
            }
        }
    }

    /// The least that the role of an answer gets, as a value for it.
    fn value(&self, answer: &ProofAnswer) -> Value {
        let role = answer.target.role;
        let (own, other) = (self.sides.side(role), 1 - self.sides.side(role));
        let range = |side: u8| self.ranges[usize::from(side)];
        let opponent = self.sides.role(other);
        let ceiling = answer.ceilings.iter().find(|(of, _)| *of == opponent);
        let ceiling = ceiling.map_or(range(other).1, |&(_, most)| most);
        let gained = share_of_range(range(own), answer.target.value);
        let value = value::of_end(gained, share_of_range(range(other), ceiling));
        match is_decided(value) {
            true => value - answer.depth.min(1000) as Value * value.signum(),
            false => value,
        }
    }

    /// Stores that a side gets at least a value in a state in which some side decides, or only chance plays.
    fn store(&self, packed: &[u64], decider: u8, side: u8, value: Value, best: Option<usize>) {
        let mut sums = self.scorer.accumulator();
        self.scorer.go_to(&mut sums, packed);
        let is_own = side == viewpoint(decider);
        self.table.store(
            sums.key(),
            Entry {
                value: if is_own { value } else { -value },
                bound: if is_own { Bound::Lower } else { Bound::Upper },
                depth: PROVED,
                best: best.and_then(|best| u16::try_from(best).ok()),
            },
        );
    }
}
