//! The expander, which finds the legal moves and successors of states in lanes.

use std::fmt;
use std::sync::Arc;

use propjit_stop::Stop;

use super::MAX_MOVES;
use super::forced::{self, Ends};
use super::legal::{Legal, LegalMoves};
use super::successor::{NodeInfo, Successors, Turn};
use crate::game::engine::{EngineSubscription, Engines, MatchEngines, PlayoutPolicy};
use crate::game::ground::GroundGame;
use crate::game::machine::batch::Batch;
use crate::game::machine::{Move, RoleId, State};
use crate::game::vocabulary::lane_mask::LaneMask;

/// Finds the legal moves and successors of states, on the best engine available or on a given one.
pub struct Expander {
    batch: Batch,
    /// The source of better engines, if there is one.
    subscription: Option<EngineSubscription>,
    /// Whether the engine interprets the circuit.
    is_interpreted: bool,
    legal: LegalMoves,
    /// Lanes, roles and moves, in the order in which they are read.
    found: Vec<(usize, RoleId, Move)>,
    /// The collected joint moves, at most as many as there are lanes.
    children: Children,
    /// The states in which they are made, packed, one after the other.
    parents: Vec<u64>,
}

/// Joint moves, and their results.
#[derive(Default)]
pub(super) struct Children {
    roles: usize,
    words: usize,
    /// The indices of the states in which they are made.
    parents: Vec<usize>,
    /// How many legal moves each role has there, one state after the other.
    counts: Vec<usize>,
    /// A move for each role, one joint move after the other.
    joints: Vec<Move>,
    /// The states that follow, packed, one after the other.
    states: Vec<u64>,
    /// The indices of those that are terminal, with the goal of each role there.
    ends: Vec<(usize, Box<[Option<i32>]>)>,
}

/// The result of a joint move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child<'a> {
    /// The index of the state in which it was made.
    pub(crate) parent: usize,
    /// The number of legal moves that each role has there.
    pub(crate) counts: &'a [usize],
    /// The joint move.
    pub(crate) joint: &'a [Move],
    /// The words of the next state.
    pub(crate) state: &'a [u64],
    /// The goal of each role there if the match is over; `None` for a role that does not have
    /// exactly one.
    pub(crate) goals: Option<&'a [Option<i32>]>,
}

impl Expander {
    /// Creates an expander on the best engines of a game.
    pub fn new(engines: &Arc<Engines>) -> Expander {
        Expander::subscribed(&MatchEngines::new(engines.clone()))
    }

    /// Creates an expander on the best engines of a match.
    pub fn subscribed(engines: &MatchEngines) -> Expander {
        let mut subscription = engines.subscribe(PlayoutPolicy::Uniform);
        let engine = subscription.current();
        let is_interpreted = engine.is_interpreted();
        let batch = Batch::new(engines.engines().game().clone(), engine);
        Expander {
            subscription: Some(subscription),
            ..Expander::on(batch, is_interpreted)
        }
    }

    /// Creates an expander that interprets the circuit.
    pub fn interpreted(engines: &Engines) -> Expander {
        let interpreter = engines.programs().interpreter();
        Expander::on(Batch::new(engines.game().clone(), interpreter), true)
    }

    fn on(batch: Batch, is_interpreted: bool) -> Expander {
        Expander {
            legal: LegalMoves::new(batch.game().roles().len()),
            batch,
            subscription: None,
            is_interpreted,
            found: Vec::new(),
            children: Children::default(),
            parents: Vec::new(),
        }
    }

    /// Returns the game.
    pub fn game(&self) -> &Arc<GroundGame> {
        self.batch.game()
    }

    /// Returns the number of words of a packed state.
    pub fn words(&self) -> usize {
        self.batch.state_words()
    }

    /// Returns approximately how many states should be expanded in one call.
    pub fn lanes(&self) -> usize {
        self.batch.lanes()
    }

    /// Returns whether the engine interprets the circuit.
    pub(crate) fn is_interpreted(&self) -> bool {
        self.is_interpreted
    }

    /// Changes to a better engine if there is one, and returns the batch, which then has no states.
    pub(crate) fn poll(&mut self) -> &mut Batch {
        let polled = self.subscription.as_mut();
        if let Some(engine) = polled.and_then(EngineSubscription::poll) {
            self.is_interpreted = engine.is_interpreted();
            self.batch.switch(engine);
        }
        &mut self.batch
    }

    /// Returns the batch, on the engine of the last [`poll`](Expander::poll).
    pub(crate) fn batch_mut(&mut self) -> &mut Batch {
        &mut self.batch
    }

    /// Returns the goals in a packed state if the match is over there; `None` for a role that does not
    /// have exactly one.
    pub fn goals_at_end(&mut self, state: &[u64]) -> Option<Vec<Option<i32>>> {
        self.batch.enter_packed(state);
        let is_over = self.batch.terminal().contains(0);
        is_over.then(|| self.batch.goals(0).collect())
    }

    /// Returns the legal moves of each role in packed states, at most as many as there are lanes.
    pub fn legal(&mut self, states: &[u64]) -> &LegalMoves {
        self.batch.enter_packed(states);
        self.legal.clear();
        read_legal(&mut self.batch, &mut self.found, &mut self.legal);
        &self.legal
    }

    /// Returns the legal moves of each role in any number of states, none of which is terminal, or in the first few if
    /// those have very many.
    pub(crate) fn legal_of<'a>(
        &mut self,
        states: impl ExactSizeIterator<Item = &'a State> + Clone,
    ) -> LegalMoves {
        let batch = self.poll();
        let lanes = batch.lanes();
        let mut legal = LegalMoves::new(batch.game().roles().len());
        let mut before = 0;
        while before < states.len() {
            let rest = states.clone().skip(before);
            let count = rest.len().min(lanes);
            self.batch.enter(rest.clone().take(count));
            let moves = self.batch.count_legal() as usize;
            let fitting = (count * MAX_MOVES / moves.max(1)).clamp(1, count);
            if fitting < count {
                self.batch.enter(rest.take(fitting));
            }
            read_legal(&mut self.batch, &mut self.found, &mut legal);
            if fitting < count || legal.moves() >= MAX_MOVES / 2 {
                break;
            }
            before += count;
        }
        legal
    }

    /// Fills lanes with the successors of states, at most as many as there are lanes, by a joint move each. They come
    /// after `depths` joint moves. Forced moves are skipped, and the successors added, unless a stop comes before. The
    /// engine is that of the last [`poll`](Expander::poll).
    pub(crate) fn follow<'a>(
        &mut self,
        parents: impl IntoIterator<Item = &'a State>,
        joints: &[Move],
        depths: Vec<u32>,
        max_steps: u32,
        stop: &Stop,
        found: &mut Successors,
    ) {
        let batch = &mut self.batch;
        batch.enter(parents);
        batch.play(joints);
        batch.advance(batch.filled());
        skip_forced_moves(batch, depths, max_steps, Some(stop), found);
    }

    /// Returns the first state from this one on, which comes after `depth` joint moves, in which some role decides or
    /// the match does not continue, alone.
    pub(crate) fn skip_forced_moves(
        &mut self,
        state: &State,
        depth: u32,
        max_steps: u32,
    ) -> Successors {
        let batch = self.poll();
        batch.fill(state.words(), 1);
        let mut found = Successors::default();
        skip_forced_moves(batch, vec![depth], max_steps, None, &mut found);
        found
    }

    /// Calls `found` with all successors of these packed states: the joint moves of a state are
    /// consecutive, with the last role's move varying fastest.
    pub(crate) fn expand(&mut self, states: &[u64], mut found: impl FnMut(Child<'_>)) {
        self.expand_while(states, |child| {
            found(child);
            true
        });
    }

    /// Does the same as [`expand`](Expander::expand), until `found` returns false. Returns whether
    /// it never did.
    pub(crate) fn expand_while(
        &mut self,
        states: &[u64],
        mut found: impl FnMut(Child<'_>) -> bool,
    ) -> bool {
        self.expand_by_lanes(states, |children| children.iter().all(&mut found))
    }

    /// Does the same as [`expand_while`](Expander::expand_while), with at most as many joint moves
    /// in a call as there are lanes. `found` may take them.
    pub(super) fn expand_by_lanes(
        &mut self,
        states: &[u64],
        mut found: impl FnMut(&mut Children) -> bool,
    ) -> bool {
        self.poll();
        let (words, lanes) = (self.words(), self.lanes());
        let mut choice = vec![0; self.game().roles().len()];
        self.clear();
        for (first, states) in (0..).step_by(lanes).zip(states.chunks(lanes * words)) {
            self.legal(states);
            for (lane, state) in states.chunks_exact(words).enumerate() {
                choice.fill(0);
                let mut is_left = self.legal.get(lane).each().all(|legal| !legal.is_empty());
                while is_left {
                    let legal = self.legal.get(lane);
                    let joint = legal.each().zip(&choice).map(|(legal, &at)| legal[at]);
                    self.children.joints.extend(joint);
                    self.children.counts.extend(legal.each().map(<[Move]>::len));
                    self.children.parents.push(first + lane);
                    self.parents.extend_from_slice(state);
                    is_left = advance(&mut choice, legal);
                    if self.children.parents.len() == lanes && !self.make(&mut found) {
                        return false;
                    }
                }
            }
        }
        self.make(&mut found)
    }

    /// Makes the collected joint moves. Returns whether `found` wants to continue.
    fn make(&mut self, found: &mut impl FnMut(&mut Children) -> bool) -> bool {
        if self.parents.is_empty() {
            return true;
        }
        self.batch.enter_packed(&self.parents);
        self.batch.play(&self.children.joints);
        self.batch.advance(self.batch.filled());
        let terminal = self.batch.terminal();
        let ends = terminal.lanes().map(|lane| {
            let goals = self.batch.goals(lane).collect();
            (lane, goals)
        });
        self.children.ends.extend(ends);
        self.batch.add_states(&mut self.children.states);
        let is_wanted = found(&mut self.children);
        self.clear();
        is_wanted
    }

    /// Removes the joint moves.
    fn clear(&mut self) {
        let (words, roles) = (self.words(), self.game().roles().len());
        self.children.clear(words, roles);
        self.parents.clear();
    }
}

impl fmt::Debug for Expander {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expander")
            .field("batch", &self.batch)
            .field("is_interpreted", &self.is_interpreted)
            .finish_non_exhaustive()
    }
}

impl Children {
    fn clear(&mut self, words: usize, roles: usize) {
        (self.words, self.roles) = (words, roles);
        self.parents.clear();
        self.counts.clear();
        self.joints.clear();
        self.states.clear();
        self.ends.clear();
    }

    /// Iterates over them.
    pub(super) fn iter(&self) -> impl Iterator<Item = Child<'_>> {
        let mut ends = self.ends.iter().peekable();
        (0..self.parents.len()).map(move |at| {
            let of_roles = at * self.roles..(at + 1) * self.roles;
            let end = ends.next_if(|(lane, _)| *lane == at);
            Child {
                parent: self.parents[at],
                counts: &self.counts[of_roles.clone()],
                joint: &self.joints[of_roles],
                state: &self.states[at * self.words..][..self.words],
                goals: end.map(|(_, goals)| &**goals),
            }
        })
    }
}

/// Advances to the next choice of a move for each role. Returns whether there is one.
fn advance(choice: &mut [usize], legal: Legal<'_>) -> bool {
    for (role, at) in choice.iter_mut().enumerate().rev() {
        *at += 1;
        if *at < legal.role(RoleId(role as u32)).len() {
            return true;
        }
        *at = 0;
    }
    false
}

/// Adds the legal moves of each role in each lane.
fn read_legal(batch: &mut Batch, found: &mut Vec<(usize, RoleId, Move)>, legal: &mut LegalMoves) {
    found.clear();
    for role in RoleId::first(batch.game().roles().len()) {
        batch.for_each_legal(role, |lane, played| found.push((lane, role, played)));
    }
    legal.sort(batch.filled().count() as usize, found);
}

/// Plays forced moves in all lanes where there are no others, and adds the resulting states, unless a stop
/// comes before. The states come after `depths` joint moves.
fn skip_forced_moves(
    batch: &mut Batch,
    mut depths: Vec<u32>,
    max_steps: u32,
    stop: Option<&Stop>,
    found: &mut Successors,
) {
    let roles = RoleId::first(batch.game().roles().len());
    let mut choosing = vec![LaneMask::default(); roles.clone().count()];
    let ends = forced::skip_forced_moves(batch, &mut choosing, |mut forced| {
        for lane in forced.lanes() {
            match depths[lane] < max_steps {
                true => depths[lane] += 1,
                false => forced.remove(lane),
            }
        }
        let is_stopped = !forced.is_empty() && stop.is_some_and(Stop::is_set);
        (!is_stopped).then_some(forced)
    });
    let Some(Ends { terminal, stuck }) = ends else {
        return;
    };
    let mut infos = Vec::with_capacity(depths.len());
    for (lane, depth) in depths.into_iter().enumerate() {
        let mut deciders = (roles.clone()).filter(|role| choosing[role.index()].contains(lane));
        let turn = if terminal.contains(lane) {
            Turn::Over(batch.goals(lane).collect())
        } else if stuck.contains(lane) {
            Turn::Stuck
        } else {
            match (deciders.next(), deciders.next()) {
                (None, _) => Turn::Cut,
                (Some(role), None) => Turn::One(role),
                _ => Turn::Several,
            }
        };
        infos.push(NodeInfo { depth, turn });
    }
    found.extend_with(|states| batch.add_states(states), infos);
}
