//! Interpretation of moves: the places that they mention.
//!
//! The rules do not say which constants of a move are coordinates. So all readings that the ranges
//! of the constants allow are tried, and the best one is chosen: the one for which the places that
//! moves mention changed most often, in the sampled matches.

use rustc_hash::{FxHashMap, FxHashSet};

use super::infer::Board;
use super::order::{Domain, Orders};
use super::samples::Samples;
use crate::game::vocabulary::shape::Shaped;

/// The interpretation of the places in moves of one shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Reading {
    /// The number of the board.
    pub(super) board: usize,
    pub(super) places: Vec<Part>,
}

/// A part of a move that gives places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// One place: for each coordinate, the constant of the move.
    Place(Vec<usize>),
    /// All places with the same coordinate: the constant of the move, and the coordinate.
    Line(usize, usize),
}

/// The changes on each board by a joint move.
struct Change<'a> {
    moves: &'a [String],
    /// For each board, the places with changed contents.
    places: Vec<FxHashSet<String>>,
}

/// The fraction of places in which a reading must be right to be accepted.
const TRUSTED: f64 = 0.3;

/// Returns the readings of moves that mention places, by shape. `place` returns the board and the
/// place of a fluent.
pub(super) fn readings(
    boards: &[Board],
    samples: &Samples,
    orders: &Orders<'_>,
    place: impl Fn(&str) -> Option<(usize, String)>,
) -> FxHashMap<String, Reading> {
    let mut moves: FxHashMap<String, Vec<Vec<&str>>> = FxHashMap::default();
    for played in &samples.moves {
        let Shaped { shape, constants } = Shaped::of(played);
        if !constants.is_empty() {
            moves.entry(shape).or_default().push(constants);
        }
    }
    let changes: Vec<Change> = (samples.matches.iter())
        .flat_map(|sampled| sampled.states.windows(2).zip(&sampled.moves))
        .map(|(states, moves)| Change::new(&states[0], &states[1], moves, boards.len(), &place))
        .collect();
    let read = |(shape, moves): (String, Vec<Vec<&str>>)| {
        let domain = |at| orders.domain(moves.iter().map(|played| played[at]).collect());
        let domains: Vec<Domain> = (0..moves[0].len()).map(domain).collect();
        let mut best: Option<(f64, Reading)> = None;
        for reading in candidates(boards, &domains) {
            let score = score(&reading, &shape, &changes, boards);
            let is_line = matches!(reading.places[..], [Part::Line(..)]);
            let score = score.unwrap_or(if is_line { 0.0 } else { TRUSTED });
            if score >= TRUSTED && best.as_ref().is_none_or(|(least, _)| score > *least) {
                best = Some((score, reading));
            }
        }
        Some((shape, best?.1))
    };
    moves.into_iter().filter_map(read).collect()
}

impl<'a> Change<'a> {
    fn new(
        before: &[String],
        after: &[String],
        moves: &'a [String],
        boards: usize,
        place: impl Fn(&str) -> Option<(usize, String)>,
    ) -> Change<'a> {
        let [before, after] = [before, after].map(|state| state.iter().collect::<FxHashSet<_>>());
        let mut places = vec![FxHashSet::default(); boards];
        for fluent in before.symmetric_difference(&after) {
            if let Some((board, place)) = place(fluent) {
                places[board].insert(place);
            }
        }
        Change { moves, places }
    }
}

/// Returns all ways to read these constants as places on one of the boards, likely ones first.
fn candidates(boards: &[Board], domains: &[Domain]) -> Vec<Reading> {
    let mut all: Vec<Reading> = Vec::new();
    for (number, board) in boards.iter().enumerate() {
        let straight: Vec<usize> = (0..board.axes.len()).collect();
        let mut orders = vec![straight.clone()];
        if straight.len() == 2 {
            orders.push(vec![1, 0]);
        }
        for order in orders {
            for offset in 0..straight.len() {
                let places = tiling(board, domains, &order, offset);
                let reading = Reading {
                    board: number,
                    places,
                };
                if !reading.places.is_empty() && !all.contains(&reading) {
                    all.push(reading);
                }
            }
        }
    }
    if !all.is_empty() {
        return all;
    }
    let lines = boards.iter().enumerate().flat_map(|(number, board)| {
        let pairs = (0..domains.len()).flat_map(|at| (0..board.axes.len()).map(move |c| (at, c)));
        let fits = |&(at, axis): &(usize, usize)| board.axes[axis].covers(&domains[at]);
        let is_plane = board.axes.len() == 2;
        let pairs = pairs.filter(move |pair| is_plane && fits(pair));
        pairs.map(move |(at, axis)| Reading {
            board: number,
            places: vec![Part::Line(at, axis)],
        })
    });
    lines.collect()
}

/// Returns the places that follow each other, from the constant at `offset` on.
fn tiling(board: &Board, domains: &[Domain], order: &[usize], offset: usize) -> Vec<Part> {
    let mut places = Vec::new();
    let mut at = offset;
    while at + order.len() <= domains.len() {
        let window = at..at + order.len();
        let mut fits = window.zip(order);
        match fits.all(|(at, &axis)| board.axes[axis].covers(&domains[at])) {
            true => {
                let constants = (0..order.len()).map(|axis| at + order[axis]);
                places.push(Part::Place(constants.collect()));
                at += order.len();
            }
            false => at += 1,
        }
    }
    places
}

/// Returns the share of the places mentioned according to a reading that change by the move; none
/// if no such move was sampled.
fn score(reading: &Reading, shape: &str, changes: &[Change<'_>], boards: &[Board]) -> Option<f64> {
    let (mut right, mut all) = (0.0, 0.0);
    for change in changes {
        let changed = &change.places[reading.board];
        for played in change.moves {
            let played = Shaped::of(played);
            if played.shape != shape || changed.is_empty() {
                continue;
            }
            for part in &reading.places {
                all += 1.0;
                let is_named = |place: &&String| part.names(&played.constants, place);
                right += match part {
                    Part::Line(..) => {
                        changed.iter().filter(is_named).count() as f64 / changed.len() as f64
                    }
                    Part::Place(_) if boards[reading.board].has_only_edges() => 1.0,
                    Part::Place(_) => f64::from(u8::from(changed.iter().any(|p| is_named(&p)))),
                };
            }
        }
    }
    (all > 0.0).then(|| right / all)
}

impl Part {
    /// Returns the only place that a move with these constants mentions, unless it is a line of
    /// places.
    pub(super) fn place(&self, constants: &[&str]) -> Option<String> {
        match self {
            Part::Place(coordinates) => {
                let named: Vec<&str> = coordinates.iter().map(|&at| constants[at]).collect();
                Some(named.join(" "))
            }
            Part::Line(..) => None,
        }
    }

    /// Returns whether a move with these constants mentions a place.
    pub(super) fn names(&self, constants: &[&str], place: &str) -> bool {
        match self {
            Part::Place(coordinates) => {
                let named = coordinates.iter().map(|&at| constants[at]);
                named.eq(place.split(' '))
            }
            &Part::Line(at, axis) => place.split(' ').nth(axis) == Some(constants[at]),
        }
    }
}
