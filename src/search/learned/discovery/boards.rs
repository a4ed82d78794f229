//! Discovery of tuples: straight lines of places on inferred boards.

use std::collections::{BTreeMap, BTreeSet};

use propjit_stop::Stop;

use crate::game::boards::{Grid, GridKind, Grids, Place};
use crate::game::ground::GroundGame;
use crate::game::load::Game;
use crate::search::learned::inputs::{Tuple, Tuples};

/// The number of places in a line at most, and how many contents a line has at most. Lines of four were better than those of
/// two or three, than squares, and than rectangles of six places.
const LINE: usize = 4;
const MAX_CONTENTS: usize = 1 << 11;

/// A step between neighbouring places, in half cells.
type Step = (i64, i64);

/// Returns straight lines of places on the boards of a game: those of up to four places, or of fewer where many things can
/// be in a place. None if boards are not found before a stop.
pub(super) fn tuples(game: &Game, ground: &GroundGame, stop: &Stop) -> Vec<Tuple> {
    let Ok(grids) = Grids::find(game, stop) else {
        return Vec::new();
    };
    // That a place is empty goes without saying.
    let net = ground.propnet();
    let mut contents: BTreeMap<Place, Vec<usize>> = BTreeMap::new();
    for (base, of) in net.bases.iter().enumerate() {
        let fluent = net.terms.text(of.name);
        if let Some(place) = grids.place(&fluent)
            && !grids.is_empty(&fluent)
        {
            contents.entry(place).or_default().push(base);
        }
    }
    let mut tuples = Vec::new();
    for (number, grid) in grids.grids().iter().enumerate() {
        let place = |site| contents.get(&Place { grid: number, site });
        let most = (0..grid.sites.len()).filter_map(place).map(Vec::len).max();
        let Some(length) = length_of_lines(most.unwrap_or(0) + 1) else {
            continue;
        };
        for line in lines(grid, length) {
            let places = line.into_iter().map(|site| place(site).cloned());
            tuples.extend(places.collect::<Option<Vec<_>>>().map(Tuple));
        }
    }
    // Not if there are too many contents.
    match Tuples::are_valid(net.bases.len(), &tuples) {
        true => tuples,
        false => Vec::new(),
    }
}

/// The length of lines of places that have this number of contents each: none if two of them have too many together.
fn length_of_lines(contents: usize) -> Option<usize> {
    let fits = |length: &usize| {
        let all = contents.checked_pow(*length as u32);
        all.is_some_and(|all| all <= MAX_CONTENTS)
    };
    (2..=LINE).rev().find(fits)
}

/// The straight lines of `length` neighbouring places of a board, by the numbers of the places.
fn lines(grid: &Grid, length: usize) -> Vec<Vec<usize>> {
    let sites = grid.sites.iter().enumerate();
    let sites: BTreeMap<Step, usize> = sites
        .map(|(number, site)| ((site.left.into(), site.top.into()), number))
        .collect();
    let steps = steps(grid);
    let line = |(&(left, top), _): (&Step, &usize)| {
        let sites = &sites;
        let along = move |&(right, down): &Step| {
            let at = |number: i64| sites.get(&(left + number * right, top + number * down));
            let places = (0..length as i64).map(at);
            places.map(Option::<&usize>::copied).collect()
        };
        steps.iter().filter_map(along).collect::<Vec<Vec<usize>>>()
    };
    sites.iter().flat_map(line).collect()
}

/// The steps from a place to its neighbours, without their opposites.
fn steps(grid: &Grid) -> Vec<Step> {
    let rows: BTreeSet<u32> = grid.sites.iter().map(|site| site.top).collect();
    let row = |top: u32| grid.sites.iter().filter(move |site| site.top == top);
    let across = rows
        .iter()
        .filter_map(|&top| least_gap(row(top).map(|site| site.left)));
    let (across, down) = (across.min(), least_gap(rows.iter().copied()));
    match (grid.kind, across, down) {
        (GridKind::Hexagonal, Some(across), Some(down)) => {
            vec![(across, 0), (across / 2, down), (across / 2, -down)]
        }
        (GridKind::Rectangle | GridKind::Boards, Some(across), Some(down)) => {
            vec![(across, 0), (0, down), (across, down), (across, -down)]
        }
        (_, Some(across), None) => vec![(across, 0)],
        (_, None, Some(down)) => vec![(0, down)],
        _ => Vec::new(),
    }
}

/// The least difference of two of these numbers.
fn least_gap(numbers: impl Iterator<Item = u32>) -> Option<i64> {
    let numbers: BTreeSet<i64> = numbers.map(i64::from).collect();
    let next = numbers.iter().skip(1);
    next.zip(&numbers).map(|(next, before)| next - before).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::load::Setup;

    fn found(name: &str) -> Vec<Tuple> {
        let rules = propjit_gdl::games::text(name).unwrap();
        let game = Game::from_text(name, rules, &Setup::default()).unwrap();
        tuples(&game, game.ground_game().unwrap(), &Stop::new())
    }

    fn sizes(tuples: &[Tuple]) -> BTreeSet<(usize, usize)> {
        let size = |tuple: &Tuple| (tuple.0.len(), tuple.0[0].len());
        tuples.iter().map(size).collect()
    }

    /// On 8 by 8 squares there are 8 * 5 lines of four in a row or column, and 5 * 5 in each diagonal direction; squares
    /// have pieces of two colours.
    #[test]
    fn lines_of_a_board_are_tuples() {
        let tuples = found("breakthrough");
        assert_eq!(tuples.len(), 2 * 40 + 2 * 25);
        assert_eq!(sizes(&tuples), BTreeSet::from([(4, 2)]));
        let distinct: BTreeSet<Vec<usize>> = (tuples.iter())
            .map(|tuple| tuple.0.concat())
            .map(|mut bases| {
                bases.sort_unstable();
                bases
            })
            .collect();
        assert_eq!(distinct.len(), tuples.len());
        // Three in a row are too few for lines of four.
        assert_eq!(found("ticTacToe"), []);
    }

    #[test]
    fn lines_are_shorter_where_there_are_many_pieces() {
        assert_eq!(length_of_lines(3), Some(4));
        assert_eq!(length_of_lines(8), Some(3));
        assert_eq!(length_of_lines(13), Some(2));
        assert_eq!(length_of_lines(50), None);
    }
}
