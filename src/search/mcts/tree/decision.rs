//! Decisions: the moves of one role in a node, and what is known of them, in a block of words, as
//! [`node`](super::node)s are.
//!
//! An edge has all that a choice among edges needs, so that a choice need not read the nodes that they lead
//! to.

use std::sync::atomic::Ordering;

use super::arena::{Block, get, set};
use super::node::{Expected, Meta, NodeId};
use super::slots::{SlotPlan, Slots};
use super::words::AtomicU64;
use crate::game::machine::expansion::successor::Siblings;
use crate::game::machine::{Move, State};
use crate::search::mcts::tree::EdgeKnowledge;

/// The only word of the head: how many edges there are; and from bit 32 on the form of their slots.
const HEAD: usize = 1;

const FORM_SHIFT: u32 = 32;

/// In the head: nothing that is known without a search excludes goals behind any of the edges.
const OPEN_GOALS: u64 = 1 << 55;

// The words of an edge.
/// Visits; from bit 40 on evaluations under way; from bit 56 on flags; from bit 58 on how often the bounds
/// behind had changed when they were last read.
const COUNTS: usize = 0;
/// Two floating point numbers: the mean of the values, or before the first visit the most that the role can
/// expect; and from bit 32 on the uncertainty of the mean.
const WORTH: usize = 1;
/// The node that it leads to, or 0; from bit 32 on the move.
const TO: usize = 2;
/// In a search with an evaluation, what the roles can expect behind it: see [`Expected`]. In one with
/// [prior probabilities](Edge::probability), that of the move, a floating point number. In others, RAVE
/// statistics: in how many playouts below the node the move was made by the role that decides there; and
/// from bit 32 on the mean of their values, a floating point number.
const TOLD: usize = 3;
const EDGE: usize = 4;

const VISIT: u64 = 1;
const PENDING: u64 = 1 << 40;
const CLOSED: u64 = 1 << 56;
const OVER: u64 = 1 << 57;
const CHANGES_SHIFT: u32 = 58;

/// How many evaluations may be under way through an edge.
pub(in crate::search::mcts) const MAX_PENDING: u64 = CLOSED / PENDING - 1;

/// Returns the number of words of a decision among `moves` moves, with what these lead to.
pub(in crate::search::mcts) fn words(moves: usize, slots: &SlotPlan) -> usize {
    HEAD + moves * EDGE + slots.words(moves)
}

/// A choice of one role.
#[derive(Clone, Copy, Debug)]
pub(in crate::search::mcts) struct Decision<'a> {
    head: &'a AtomicU64,
    pub edges: &'a [[AtomicU64; EDGE]],
    /// The words after the edges.
    rest: &'a [AtomicU64],
}

/// A move, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub(in crate::search::mcts) struct Edge<'a>(&'a [AtomicU64; EDGE]);

impl<'a> Decision<'a> {
    /// The decision at the start of these words.
    pub(in crate::search::mcts) fn new(words: &'a [AtomicU64]) -> Decision<'a> {
        let edges = get(&words[0]) as u32 as usize;
        let (edge_words, rest) = words[HEAD..].split_at(edges * EDGE);
        Decision {
            head: &words[0],
            edges: edge_words.as_chunks().0,
            rest,
        }
    }

    /// Writes a decision: the moves and what they lead to, as it was planned. The most that a role can
    /// expect behind each of the edges is a share of the range of goals.
    pub(in crate::search::mcts) fn init(
        words: &[AtomicU64],
        moves: &[Move],
        found: Siblings<'_>,
        slots: &SlotPlan,
        most: impl Fn(usize) -> f32,
        knowledge: EdgeKnowledge,
    ) {
        let untold = match knowledge {
            EdgeKnowledge::AllAsFirst => 0,
            EdgeKnowledge::Expected => Expected::UNKNOWN.to_word(),
            EdgeKnowledge::Probability => u64::from((1.0 / moves.len() as f32).to_bits()),
        };
        let form = u64::from(slots.number());
        set(&words[0], moves.len() as u64 | form << FORM_SHIFT);
        let decision = Decision::new(words);
        let all = found.infos.iter().zip(moves).enumerate();
        for (place, (info, played)) in all {
            let [counts, worth, to, told] = &decision.edges[place];
            let over = info.turn.is_end();
            set(counts, if over { OVER | CLOSED } else { 0 });
            set(worth, worth_word(most(place), 1.0));
            set(to, u64::from(played.0) << 32);
            set(told, untold);
        }
        slots.write(decision.rest, found);
    }

    /// Returns the slots of the edges.
    fn slots(self) -> Slots<'a> {
        let form = (get(self.head) % OPEN_GOALS) >> FORM_SHIFT;
        Slots::new(form as u32, self.edges.len(), self.rest)
    }

    /// Whether nothing that is known without a search excludes goals behind any of the edges.
    pub(in crate::search::mcts) fn has_open_goals(self) -> bool {
        get(self.head) & OPEN_GOALS != 0
    }

    /// Sets [that](Decision::has_open_goals). The knowledge may grow, but only when no thread is at work.
    pub(in crate::search::mcts) fn set_open_goals(self, are_open: bool) {
        let head = get(self.head) & !OPEN_GOALS;
        set(self.head, if are_open { head | OPEN_GOALS } else { head });
    }

    /// How many words it has.
    pub(in crate::search::mcts) fn words(self) -> usize {
        HEAD + self.edges.len() * EDGE + self.slots().words()
    }

    /// How many moves there are.
    pub(in crate::search::mcts) fn len(self) -> usize {
        self.edges.len()
    }

    pub(in crate::search::mcts) fn edge(self, place: usize) -> Edge<'a> {
        Edge(&self.edges[place])
    }

    pub(in crate::search::mcts) fn each(self) -> impl ExactSizeIterator<Item = Edge<'a>> + Clone {
        self.edges.iter().map(Edge)
    }

    /// The state that an edge leads to, if the match is not over there.
    pub(in crate::search::mcts) fn state(self, place: usize, state: &mut State) -> Meta {
        self.slots().state(place, state)
    }

    /// Returns the depth of what an edge leads to, and the roles that decide there.
    pub(in crate::search::mcts) fn meta(self, place: usize) -> Meta {
        self.slots().meta(place)
    }

    /// The goal that a role has behind an edge where the match is over, if it has exactly one.
    pub(in crate::search::mcts) fn goal(self, place: usize, role: usize) -> f32 {
        self.slots().goal(place, role)
    }
}

fn worth_word(mean: f32, uncertainty: f32) -> u64 {
    u64::from(uncertainty.to_bits()) << 32 | u64::from(mean.to_bits())
}

impl<'a> Edge<'a> {
    pub(in crate::search::mcts) fn played(self) -> Move {
        Move((get(&self.0[TO]) >> 32) as u32)
    }

    pub(in crate::search::mcts) fn visits(self) -> u64 {
        get(&self.0[COUNTS]) % PENDING
    }

    /// Visits and evaluations under way.
    pub(in crate::search::mcts) fn tried(self) -> u64 {
        tried(get(&self.0[COUNTS]))
    }

    /// Returns whether the match does not continue behind it.
    pub(in crate::search::mcts) fn is_over(self) -> bool {
        get(&self.0[COUNTS]) & OVER != 0
    }

    /// Returns whether it is useless for the deciding role to visit it again: all that is behind it is
    /// known, or there is something better in any case.
    pub(in crate::search::mcts) fn is_closed(self) -> bool {
        get(&self.0[COUNTS]) & CLOSED != 0
    }

    pub(in crate::search::mcts) fn close(self) {
        self.0[COUNTS].fetch_or(CLOSED, Ordering::Relaxed);
    }

    /// The node that it leads to, if there is one.
    pub(in crate::search::mcts) fn node(self) -> Option<NodeId> {
        match self.0[TO].load(Ordering::Acquire) as u32 {
            0 => None,
            id => Some(Block(id)),
        }
    }

    /// Returns what the roles can expect behind it.
    pub(in crate::search::mcts) fn expected(self) -> Expected {
        Expected::from_word(get(&self.0[TOLD]))
    }

    /// Sets what the roles can expect behind it.
    pub(in crate::search::mcts) fn expect(self, expected: Expected) {
        set(&self.0[TOLD], expected.to_word());
    }

    /// Before the first visit: the deciding role can expect this, or less if that is all there
    /// is.
    pub(in crate::search::mcts) fn set_prior(self, expected: f32) {
        let most = f32::from_bits(get(&self.0[WORTH]) as u32);
        set(&self.0[WORTH], worth_word(most.min(expected), 1.0));
    }

    /// The probability of the move before anything is known of what follows.
    pub(in crate::search::mcts) fn probability(self) -> f32 {
        f32::from_bits(get(&self.0[TOLD]) as u32)
    }

    /// Sets the probability of the move.
    pub(in crate::search::mcts) fn set_probability(self, probability: f32) {
        set(&self.0[TOLD], probability.to_bits().into());
    }

    /// In how many playouts below the node the move was made, and the mean of their values.
    pub(in crate::search::mcts) fn all_as_first(self) -> (u32, f32) {
        let word = get(&self.0[TOLD]);
        (word as u32, f32::from_bits((word >> 32) as u32))
    }

    /// The move was made in a playout with this value. Of two threads that say so at the same time,
    /// only one may be heard.
    pub(in crate::search::mcts) fn add_as_first(self, value: f32) {
        let (count, mean) = self.all_as_first();
        let count = count.saturating_add(1);
        let mean = mean + (value - mean) / count as f32;
        set(
            &self.0[TOLD],
            u64::from(mean.to_bits()) << 32 | u64::from(count),
        );
    }

    /// Sets the node that it leads to, which is the same in all threads.
    pub(in crate::search::mcts) fn lead_to(self, id: NodeId) {
        self.0[TO].fetch_or(u64::from(id.0), Ordering::Release);
    }

    /// Returns an upper bound of the value as a share of the goals' range, with `weight` as the UCB
    /// exploration constant; the value of an edge without visits is `untried`, or less if there is nothing
    /// else. For a closed edge it is minus infinity. `chosen` paths have chosen the edge without its
    /// knowing of them.
    pub(in crate::search::mcts) fn upper_bound(
        self,
        untried: f32,
        weight: f32,
        chosen: u64,
    ) -> f32 {
        let counts = get(&self.0[COUNTS]);
        let (mean, uncertainty) = self.worth(counts, untried, chosen);
        mean + weight * uncertainty
    }

    /// As [`upper_bound`](Edge::upper_bound), with RAVE: playouts in which the move was made later count as
    /// much as `rave` visits, at most.
    pub(in crate::search::mcts) fn rave_bound(
        self,
        untried: f32,
        weight: f32,
        rave: f32,
        chosen: u64,
    ) -> f32 {
        let counts = get(&self.0[COUNTS]);
        let (mean, uncertainty) = self.worth(counts, untried, chosen);
        match counts & CLOSED {
            0 => self.with_first_moves(mean, counts % PENDING, rave) + weight * uncertainty,
            _ => mean,
        }
    }

    /// As [`upper_bound`](Edge::upper_bound), in a search with prior probabilities: the uncertainty falls
    /// with the number of trials, and counts in proportion to the probability of the move (Silver et al.,
    /// "Mastering the game of Go without human knowledge", 2017, after Rosin, "Multi-armed bandits with
    /// episode context", 2011).
    pub(in crate::search::mcts) fn prior_bound(
        self,
        untried: f32,
        weight: f32,
        chosen: u64,
    ) -> f32 {
        let counts = get(&self.0[COUNTS]);
        let (mean, _) = self.worth(counts, untried, chosen);
        mean + weight * self.probability() / ((tried(counts) + chosen) as f32 + 1.0)
    }

    /// Returns, with these counts, the mean, which is minus infinity if the edge is closed, and its
    /// uncertainty.
    fn worth(self, counts: u64, untried: f32, chosen: u64) -> (f32, f32) {
        let worth = get(&self.0[WORTH]);
        let mean = f32::from_bits(worth as u32);
        let mean = match counts % PENDING {
            0 => mean.min(untried),
            _ => mean,
        };
        let mean = match counts & CLOSED {
            0 => mean,
            _ => f32::NEG_INFINITY,
        };
        let uncertainty = match chosen {
            0 => f32::from_bits((worth >> 32) as u32),
            _ => uncertainty(counts + chosen * PENDING),
        };
        (mean, uncertainty)
    }

    /// Combines the mean over visits with the RAVE mean: this counts most while there are few visits.
    fn with_first_moves(self, mean: f32, visits: u64, rave: f32) -> f32 {
        let (count, value) = self.all_as_first();
        let (count, visits) = (count as f32, visits as f32);
        // It is at least 1 if there is something to weigh.
        let scale = (count + visits + count * visits / rave).max(1.0);
        mean + count / scale * (value - mean)
    }

    /// Counts this many evaluations as under way.
    pub(in crate::search::mcts) fn begin(self, evaluations: u64) {
        let begun = evaluations * PENDING;
        let counts = self.0[COUNTS].fetch_add(begun, Ordering::Relaxed);
        self.set_uncertainty(counts + begun);
    }

    /// An evaluation that was under way is given up.
    pub(in crate::search::mcts) fn cancel(self) {
        let counts = self.0[COUNTS].fetch_sub(PENDING, Ordering::Relaxed);
        self.set_uncertainty(counts - PENDING);
    }

    /// Evaluations that were under way have ended. Now the mean is this, as a share of the
    /// range of the goals of the deciding role.
    pub(in crate::search::mcts) fn end(self, evaluations: u64, mean: f32) {
        let ended = evaluations * (PENDING - VISIT);
        let counts = self.0[COUNTS].fetch_sub(ended, Ordering::Relaxed);
        let counts = counts - ended;
        set(&self.0[WORTH], worth_word(mean, uncertainty(counts)));
    }

    /// Notes how often the bounds behind it have changed. Returns whether they have since.
    pub(in crate::search::mcts) fn note_changes(self, changes: u8) -> bool {
        let changes = u64::from(changes) << CHANGES_SHIFT;
        let counts = &self.0[COUNTS];
        if get(counts) >> CHANGES_SHIFT == changes >> CHANGES_SHIFT {
            return false;
        }
        let rest = (1 << CHANGES_SHIFT) - 1;
        let noted = |counts| Some(counts & rest | changes);
        let _ = counts.fetch_update(Ordering::Relaxed, Ordering::Relaxed, noted);
        true
    }

    fn set_uncertainty(self, counts: u64) {
        let mean = f32::from_bits(get(&self.0[WORTH]) as u32);
        set(&self.0[WORTH], worth_word(mean, uncertainty(counts)));
    }
}

fn tried(counts: u64) -> u64 {
    counts % PENDING + (counts % CLOSED) / PENDING
}

/// The factor by which an upper confidence bound falls with the number of trials.
fn uncertainty(counts: u64) -> f32 {
    1.0 / (tried(counts) as f32 + 1.0).sqrt()
}
