//! Expanders, which find the successors of states in lanes.

use std::sync::Arc;

use super::batch::Batch;
use super::{Move, RoleId};
use crate::game::engine::{EngineSubscription, Engines, MatchEngines, PlayoutPolicy};

/// Finds the successors of states by every joint move.
pub(crate) struct Expander {
    batch: Batch,
    subscription: EngineSubscription,
    /// The legal moves of each role in each lane: those of the first lane's roles come first.
    legal: Vec<Vec<Move>>,
    /// The collected joint moves, at most as many as there are lanes.
    children: Children,
    /// The states in which they are made, packed, one after the other.
    parents: Vec<u64>,
}

/// Joint moves, and their results.
#[derive(Default)]
pub(crate) struct Children {
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
    pub(crate) fn new(engines: &Arc<Engines>) -> Expander {
        let mut subscription = MatchEngines::new(engines.clone()).subscribe(PlayoutPolicy::Uniform);
        Expander {
            batch: Batch::new(engines.game().clone(), subscription.current()),
            subscription,
            legal: Vec::new(),
            children: Children::default(),
            parents: Vec::new(),
        }
    }

    /// Returns the number of words of a state.
    pub(crate) fn words(&self) -> usize {
        self.batch.state_words()
    }

    /// Returns approximately how many states should be expanded in one call.
    pub(crate) fn lanes(&self) -> usize {
        self.batch.lanes()
    }

    /// Returns the goals in a state if the match is over there; `None` for a role that does not
    /// have exactly one.
    pub(crate) fn goals_at_end(&mut self, state: &[u64]) -> Option<Vec<Option<i32>>> {
        self.batch.enter_packed(state);
        let is_over = self.batch.terminal().contains(0);
        is_over.then(|| goals(&mut self.batch, 0).collect())
    }

    /// Returns the legal moves of each role in packed states, at most as many as there are lanes:
    /// those of the first state's roles come first.
    pub(crate) fn legal(&mut self, states: &[u64]) -> &[Vec<Move>] {
        let roles = self.batch.game().roles().len();
        let filled = states.len() / self.words();
        self.batch.enter_packed(states);
        self.legal.resize_with(filled * roles, Vec::new);
        self.legal.iter_mut().for_each(Vec::clear);
        let legal = &mut self.legal;
        for role in RoleId::first(roles) {
            self.batch.for_each_legal(role, |lane, played| {
                legal[lane * roles + role.index()].push(played);
            });
        }
        &self.legal
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
    pub(crate) fn expand_by_lanes(
        &mut self,
        states: &[u64],
        mut found: impl FnMut(&mut Children) -> bool,
    ) -> bool {
        if let Some(engine) = self.subscription.poll() {
            self.batch.switch(engine);
        }
        let (words, lanes) = (self.words(), self.lanes());
        let roles = self.batch.game().roles().len();
        let mut choice = vec![0; roles];
        self.clear();
        for (first, states) in (0..).step_by(lanes).zip(states.chunks(lanes * words)) {
            self.legal(states);
            for (lane, state) in states.chunks_exact(words).enumerate() {
                choice.fill(0);
                let mut is_left = self.legal[lane * roles..][..roles]
                    .iter()
                    .all(|legal| !legal.is_empty());
                while is_left {
                    let legal = &self.legal[lane * roles..][..roles];
                    let joint = legal.iter().zip(&choice).map(|(legal, &at)| legal[at]);
                    self.children.joints.extend(joint);
                    self.children.counts.extend(legal.iter().map(Vec::len));
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
            let goals = goals(&mut self.batch, lane).collect();
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
        let (words, roles) = (self.words(), self.batch.game().roles().len());
        self.children.clear(words, roles);
        self.parents.clear();
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
    pub(crate) fn iter(&self) -> impl Iterator<Item = Child<'_>> {
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

/// Returns the goal of each role in a lane; `None` for a role that does not have exactly one.
fn goals(batch: &mut Batch, lane: usize) -> impl Iterator<Item = Option<i32>> + '_ {
    let roles = RoleId::first(batch.game().roles().len());
    roles.map(move |role| batch.goal(role, lane))
}

/// Advances to the next choice of a move for each role. Returns whether there is one.
fn advance(choice: &mut [usize], legal: &[Vec<Move>]) -> bool {
    for (at, legal) in choice.iter_mut().zip(legal).rev() {
        *at += 1;
        if *at < legal.len() {
            return true;
        }
        *at = 0;
    }
    false
}
