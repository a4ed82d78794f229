//! The courses that a search for a proof about one position takes in turns: all moves of the role, or
//! threats of some order only, each by iterative deepening; or all moves without a horizon.

use std::time::Instant;

use super::config::{MAX_DEPTH, ProofError, ProofMode, ProofWay};
use super::cube::Cube;
use super::verdict::{Proof, Verdict};

/// The greatest order of threats that are searched.
pub(super) const MAX_ORDER: u32 = 3;

/// The weights at the start, of all moves, the orders of threats, and proof numbers: higher orders
/// cost most where there are few threats, and proof numbers seldom are the first to find a win.
const FIRST_WEIGHTS: [u64; 2 + MAX_ORDER as usize] = [1, 2, 8, 32, 4];

/// The greatest weight of a course.
const MAX_WEIGHT: u64 = 256;

/// The least number of nodes of a turn, and the number of turns in which as many nodes are searched
/// as before them: an interruption costs some nodes.
const MIN_SLICE: u64 = 200;
const SLICES: u64 = 8;

impl ProofWay {
    /// The place of its weight.
    fn place(self) -> usize {
        match self {
            ProofWay::Full => 0,
            ProofWay::Threats(order) => order as usize,
            ProofWay::Numbers => 1 + MAX_ORDER as usize,
        }
    }
}

/// The aim of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Aim {
    pub(super) way: ProofWay,
    /// The number of joint moves; of no meaning where there is no horizon.
    pub(super) depth: u32,
}

/// The outcome of an aim.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) proof: Proof,
    /// Whether more joint moves might bring more.
    pub(super) is_cut: bool,
}

/// The costs of courses for a target, given what they have brought so far: how much a node counts. Courses
/// with nodes that count the same have the same share of them.
///
/// Threats pay off if they are searched with more joint moves than all moves are. If all moves were
/// searched as far before, that was in vain, and they count for twice as much from then on; if not, for
/// half as much, but never for less than at the start. Proof numbers pay off if they decide about a
/// position, and are in vain if another course does.
#[derive(Clone, Debug)]
pub(super) struct Weights([u64; 2 + MAX_ORDER as usize]);

impl Default for Weights {
    fn default() -> Weights {
        Weights(FIRST_WEIGHTS)
    }
}

impl Weights {
    fn of(&self, way: ProofWay) -> u64 {
        self.0[way.place()]
    }

    /// Takes note of whether a course has paid.
    fn note(&mut self, way: ProofWay, has_paid: bool) {
        let weight = &mut self.0[way.place()];
        *weight = match has_paid {
            true => (*weight / 2).max(FIRST_WEIGHTS[way.place()]),
            false => (*weight * 2).min(MAX_WEIGHT),
        };
    }
}

/// The joint moves after a state in which the role of a target has a choice.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    /// For each joint move from the state on, whether it has one. It begins again after the last.
    pub(super) each: Vec<bool>,
}

impl Choices {
    /// Returns the next number of joint moves to search after this one. In the last of them the role should
    /// have a choice: a win that the others allow later is found with one more.
    fn deeper(&self, depth: u32) -> u32 {
        let last = |more: &usize| self.each[(depth as usize + more) % self.each.len()];
        let more = (0..self.each.len()).find(last).unwrap_or(0);
        depth + 1 + more as u32
    }
}

/// A course.
#[derive(Debug)]
struct Course {
    way: ProofWay,
    /// The number of joint moves that were searched.
    depth: u32,
    /// The number that is being searched, if any is.
    trying: Option<u32>,
    nodes: u64,
    is_open: bool,
}

/// The courses of the search about a position.
#[derive(Debug)]
pub(super) struct Courses {
    each: Vec<Course>,
    choices: Choices,
    /// The greatest number of joint moves.
    most: u32,
}

impl Courses {
    /// Nothing was searched yet. No more than `most` joint moves are to be.
    pub(super) fn new(mode: ProofMode, choices: Choices, most: u32) -> Courses {
        let (full, threats, numbers) = match mode {
            ProofMode::Full => (true, false, false),
            ProofMode::Threats => (false, true, false),
            ProofMode::Both => (true, true, false),
            ProofMode::Numbers => (false, false, true),
            ProofMode::All => (true, true, true),
        };
        let ways = (1..=MAX_ORDER).map(ProofWay::Threats);
        let ways = ways.filter(|_| threats);
        let ways = full.then_some(ProofWay::Full).into_iter().chain(ways);
        let numbers = (numbers && most >= MAX_DEPTH).then_some(ProofWay::Numbers);
        let course = |way| Course {
            way,
            depth: 0,
            trying: None,
            nodes: 0,
            is_open: true,
        };
        Courses {
            each: ways.chain(numbers).map(course).collect(),
            choices,
            most: most.min(MAX_DEPTH),
        }
    }

    /// The number of nodes that were taken for the position.
    pub(super) fn nodes(&self) -> u64 {
        self.each.iter().map(|course| course.nodes).sum()
    }

    /// The number of joint moves with which all moves were searched.
    fn depth(&self) -> u32 {
        let full = self.each.iter().find(|course| course.way == ProofWay::Full);
        full.map_or(0, |course| course.depth)
    }

    /// Returns the aim to search next: by the course that has had the least of what is due to it, and
    /// whether it need not be interrupted, as it is the only one. `None` if all have ended.
    pub(super) fn next(&mut self, weights: &mut Weights) -> Option<(Aim, bool)> {
        let full = self.depth();
        for course in &mut self.each {
            course.is_open &= course.depth.max(full) < self.most;
            if let ProofWay::Threats(_) = course.way
                && course.trying.is_some_and(|depth| depth <= full)
            {
                weights.note(course.way, false);
                course.trying = None;
            }
        }
        let open = self.each.iter_mut().filter(|course| course.is_open);
        let mut open: Vec<&mut Course> = open.collect();
        open.sort_by_key(|course| (course.nodes * weights.of(course.way), course.way.place()));
        let is_only = open.len() == 1;
        let course = open.into_iter().next()?;
        let deeper = || match course.way {
            ProofWay::Numbers => Cube::ANY,
            _ => self.choices.deeper(course.depth.max(full)).min(self.most),
        };
        let depth = *course.trying.get_or_insert_with(deeper);
        let way = course.way;
        Some((Aim { way, depth }, is_only))
    }

    /// Takes note of the nodes that the search for an aim took, and what came of it, if it came to
    /// its end. Returns what is proved about the position now, if it was not before.
    pub(super) fn note(
        &mut self,
        weights: &mut Weights,
        aim: Aim,
        nodes: u64,
        attempt: Option<Attempt>,
    ) -> Option<Proof> {
        let course = self.each.iter_mut().find(|course| course.way == aim.way);
        let course = course.expect("it is one of them");
        // Something is counted in any case, so that it is the turn of others at some time.
        course.nodes += nodes.max(1);
        let attempt = attempt?;
        course.depth = aim.depth;
        course.trying = None;
        course.is_open = attempt.is_cut;
        if let ProofWay::Threats(_) = aim.way {
            weights.note(aim.way, true);
        }
        let is_decided = !matches!(attempt.proof.verdict, Verdict::NotWithin(_));
        let mut tried = self.each.iter().filter(|course| course.nodes > 0);
        if is_decided && tried.any(|course| course.way == ProofWay::Numbers) {
            weights.note(ProofWay::Numbers, aim.way == ProofWay::Numbers);
        }
        (aim.way == ProofWay::Full || is_decided).then_some(attempt.proof)
    }
}

/// Searches for a proof about a position by courses, for as long as there are any and `search`, which is
/// given how many nodes it may take, is not stopped. `searched` is called with each number of joint moves
/// with which all moves were searched in vain.
pub(super) fn deepen(
    mut courses: Courses,
    mut searched: impl FnMut(u32),
    mut search: impl FnMut(Aim, u64) -> Result<Option<(u64, Option<Attempt>)>, ProofError>,
) -> Result<Proof, ProofError> {
    let start = Instant::now();
    let mut weights = Weights::default();
    let mut times = Vec::new();
    let mut last = Proof::nothing();
    while let Some((aim, is_only)) = courses.next(&mut weights) {
        let slice = match is_only {
            true => u64::MAX,
            false => MIN_SLICE.max(courses.nodes() / SLICES),
        };
        let Some((nodes, attempt)) = search(aim, slice)? else {
            break;
        };
        let Some(proof) = courses.note(&mut weights, aim, nodes, attempt) else {
            continue;
        };
        let depth = match aim.way {
            ProofWay::Numbers => times.len() + 1,
            _ => aim.depth as usize,
        };
        times.resize(depth, start.elapsed());
        last = proof;
        match last.verdict {
            Verdict::NotWithin(depth) => searched(depth),
            Verdict::Won(_) | Verdict::Lost => break,
        }
    }
    Ok(Proof { times, ..last })
}
