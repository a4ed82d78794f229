//! All states that follow from others, found in lanes.

use std::sync::Arc;

use super::batch::Batch;
use super::{Move, RoleId};
use crate::engine::{EngineSubscription, Engines, MatchEngines, PlayoutPolicy};

/// Finds what follows from states, by every joint move.
pub(crate) struct Expander {
    batch: Batch,
    subscription: EngineSubscription,
    /// The legal moves of each role in each lane: those of the first lane's roles come first.
    legal: Vec<Vec<Move>>,
    pending: Pending,
}

/// Joint moves that are to be made, as many as there are lanes at most.
#[derive(Default)]
struct Pending {
    /// The states in which they are made, by their lanes, and packed, one after the other.
    parents: Vec<usize>,
    states: Vec<u64>,
    /// A move for each role, one joint move after the other.
    joints: Vec<Move>,
}

/// What follows from a joint move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child<'a> {
    /// The place of the state in which it was made.
    pub(crate) parent: usize,
    /// The legal moves of each role there.
    pub(crate) legal: &'a [Vec<Move>],
    /// The joint move.
    pub(crate) joint: &'a [Move],
    /// The words of the state that follows.
    pub(crate) state: &'a [u64],
    /// The goal of each role there if the match is over.
    pub(crate) goals: Option<&'a [i32]>,
}

impl Expander {
    /// On the best engines of a game.
    pub(crate) fn new(engines: &Arc<Engines>) -> Expander {
        let mut subscription = MatchEngines::new(engines.clone()).subscribe(PlayoutPolicy::Uniform);
        Expander {
            batch: Batch::new(engines.game().clone(), subscription.current()),
            subscription,
            legal: Vec::new(),
            pending: Pending::default(),
        }
    }

    /// The number of words of a state.
    pub(crate) fn words(&self) -> usize {
        self.batch.state_words()
    }

    /// About how many states should be expanded in one call.
    pub(crate) fn lanes(&self) -> usize {
        self.batch.lanes()
    }

    /// The goals in a state if the match is over there. A role without exactly one goal has 0.
    pub(crate) fn goals_at_end(&mut self, state: &[u64]) -> Option<Vec<i32>> {
        self.batch.enter_packed(state);
        let is_over = self.batch.terminal().contains(0);
        is_over.then(|| goals(&mut self.batch, 0).collect())
    }

    /// The legal moves of each role in packed states, at most as many as there are lanes: those of
    /// the first state's roles come first.
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

    /// Calls `found` with all that follows from these packed states: the joint moves of a state
    /// follow each other, those that differ in the last role's move only first.
    pub(crate) fn expand(&mut self, states: &[u64], mut found: impl FnMut(Child<'_>)) {
        self.expand_while(states, |child| {
            found(child);
            true
        });
    }

    /// As [`expand`](Expander::expand), until `found` says not to go on. Whether it never did.
    pub(crate) fn expand_while(
        &mut self,
        states: &[u64],
        mut found: impl FnMut(Child<'_>) -> bool,
    ) -> bool {
        if let Some(engine) = self.subscription.poll() {
            self.batch.switch(engine);
        }
        let (words, lanes) = (self.words(), self.lanes());
        let roles = self.batch.game().roles().len();
        for (first, states) in (0..).step_by(lanes).zip(states.chunks(lanes * words)) {
            self.legal(states);
            for (lane, state) in states.chunks_exact(words).enumerate() {
                let mut choice = vec![0; roles];
                let mut is_left = self.legal[lane * roles..][..roles]
                    .iter()
                    .all(|legal| !legal.is_empty());
                while is_left {
                    let legal = &self.legal[lane * roles..][..roles];
                    let joint = legal.iter().zip(&choice).map(|(legal, &at)| legal[at]);
                    self.pending.joints.extend(joint);
                    self.pending.parents.push(lane);
                    self.pending.states.extend_from_slice(state);
                    is_left = advance(&mut choice, legal);
                    if self.pending.parents.len() == lanes && !self.make(first, &mut found) {
                        return false;
                    }
                }
            }
            if !self.make(first, &mut found) {
                return false;
            }
        }
        true
    }

    /// Makes the joint moves that are pending, in states of which the first has this place. Whether
    /// `found` wants to go on.
    fn make(&mut self, first: usize, found: &mut impl FnMut(Child<'_>) -> bool) -> bool {
        let words = self.words();
        let roles = self.batch.game().roles().len();
        let pending = std::mem::take(&mut self.pending);
        self.batch.enter_packed(&pending.states);
        self.batch.play(&pending.joints);
        self.batch.advance(self.batch.filled());
        let terminal = self.batch.terminal();
        let ends: Vec<Option<Vec<i32>>> = (0..pending.parents.len())
            .map(|lane| {
                let goals = || goals(&mut self.batch, lane).collect();
                terminal.contains(lane).then(goals)
            })
            .collect();
        let after = self.batch.states().chunks_exact(words);
        let joints = pending.joints.chunks_exact(roles.max(1));
        let children = pending.parents.iter().zip(joints).zip(after.zip(&ends));
        let is_wanted = children
            .into_iter()
            .all(|((&lane, joint), (state, goals))| {
                found(Child {
                    parent: first + lane,
                    legal: &self.legal[lane * roles..][..roles],
                    joint,
                    state,
                    goals: goals.as_deref(),
                })
            });
        self.pending = pending;
        self.pending.clear();
        is_wanted
    }
}

impl Pending {
    fn clear(&mut self) {
        self.parents.clear();
        self.states.clear();
        self.joints.clear();
    }
}

/// The goal of each role in a lane; 0 for one without exactly one.
fn goals(batch: &mut Batch, lane: usize) -> impl Iterator<Item = i32> + '_ {
    let roles = RoleId::first(batch.game().roles().len());
    roles.map(move |role| batch.goal(role, lane).unwrap_or(0))
}

/// Goes on to the next choice of a move for each role; whether there is one.
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
