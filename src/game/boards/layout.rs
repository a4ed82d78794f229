//! Layout of boards in the plane.
//!
//! Lengths are in half cells, so that the rows of hexagonal boards can be shifted. The first
//! coordinate goes to the right and the second one up, unless a move that names only one
//! coordinate, as when a piece is dropped, names the second one.

use rustc_hash::FxHashMap;

use super::cell_names::{NamedRow, of_names};
use super::infer::Board;
use super::order::Domain;

/// The appearance of a grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GridKind {
    /// Rows and columns.
    Rectangle,
    /// Rows that are shifted by half a cell, so that a place has six neighbours.
    Hexagonal,
    /// Several boards of rows and columns, which may be arranged in rows and columns again.
    Boards,
    /// Points between which there may be lines.
    Points,
    /// Places without a known arrangement, in their order.
    Row,
}

impl GridKind {
    /// Its name, for tables and programs.
    pub fn name(self) -> &'static str {
        match self {
            GridKind::Rectangle => "rectangle",
            GridKind::Hexagonal => "hexagonal",
            GridKind::Boards => "boards",
            GridKind::Points => "points",
            GridKind::Row => "row",
        }
    }
}

/// The direction in which the rows of a hexagonal board are shifted: the one in which diagonal
/// neighbours touch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slant {
    /// Both coordinates grow along it.
    Rising,
    /// One coordinate grows, and the other one falls.
    Falling,
}

/// The positions of the places of a board in the plane.
pub(super) struct Layout {
    pub(super) kind: GridKind,
    /// The distances from the left and from the top, by coordinates, in half cells.
    pub(super) places: FxHashMap<String, (u32, u32)>,
    /// The names of columns, and their distances from the left below the lowest row.
    pub(super) columns: Vec<(u32, String)>,
    /// The names of rows, and their distances from the top.
    pub(super) rows: Vec<(u32, String)>,
}

/// Information that the places alone do not show.
#[derive(Clone, Copy, Default)]
pub(super) struct Hints {
    pub(super) is_transposed: bool,
    pub(super) slant: Option<Slant>,
    /// Whether all places of the board are known.
    pub(super) are_all_known: bool,
}

/// The number of places after which a row is broken.
const LONGEST_ROW: usize = 16;

/// The distance between boards, in half cells.
const GAP: usize = 2;

impl Layout {
    pub(super) fn new(board: &Board, hints: Hints) -> Layout {
        let axes: Vec<&Domain> = board.axes.iter().collect();
        let mut layout = Layout::of(board, &axes, hints);
        if hints.are_all_known {
            layout
                .places
                .retain(|place, _| board.places.contains(place));
        }
        layout
    }

    fn of(board: &Board, axes: &[&Domain], hints: Hints) -> Layout {
        match (axes, hints.is_transposed) {
            ([names], _) => match of_names(names) {
                Some(rows) => Layout::irregular(&rows),
                None => Layout::row(names),
            },
            ([x, y], false) => Layout::plane(board, [x, y], hints),
            ([y, x], true) => Layout::plane(board, [x, y], hints),
            ([a, b, c], _) => {
                let at = board_coordinate([a, b, c]);
                let mut rest = axes.to_vec();
                let boards = rest.remove(at);
                let across = (1..).find(|n| n * n >= boards.len()).unwrap_or(1);
                let outer = |value: &String| {
                    let number = boards.place(value).unwrap_or_default();
                    [number % across, number / across]
                };
                Layout::nested(board, [rest[0], rest[1]], |coordinates| {
                    let mut inner = coordinates.to_vec();
                    let boards = outer(&inner.remove(at));
                    Some((boards, [inner[0].clone(), inner[1].clone()]))
                })
            }
            ([x, y, ..], _) => {
                let inner = [axes[2], axes[3]];
                Layout::nested(board, inner, |coordinates| {
                    let [a, b, c, d] = coordinates else {
                        return None;
                    };
                    let outer = [x.place(a)?, y.len() - 1 - y.place(b)?];
                    Some((outer, [c.clone(), d.clone()]))
                })
            }
            ([], _) => unreachable!("a key has a part"),
        }
    }

    /// Lays out rows and columns.
    fn plane(board: &Board, [x, y]: [&Domain; 2], hints: Hints) -> Layout {
        let kind = match hints.slant {
            _ if board.has_only_edges() => GridKind::Points,
            Some(_) => GridKind::Hexagonal,
            None => GridKind::Rectangle,
        };
        let shift = |row: usize| match hints.slant {
            Some(Slant::Falling) => row,
            Some(Slant::Rising) => y.len() - 1 - row,
            None => 0,
        };
        let top = |row: usize| half(2 * (y.len() - 1 - row));
        let mut places = FxHashMap::default();
        let mut put = |first: &str, second: &str| {
            let [right, up] = match hints.is_transposed {
                true => [second, first],
                false => [first, second],
            };
            if let (Some(column), Some(row)) = (x.place(right), y.place(up)) {
                let left = half(2 * column + shift(row));
                places.insert(format!("{first} {second}"), (left, top(row)));
            }
        };
        if hints.are_all_known {
            // There may be far fewer places than pairs of coordinates.
            let pairs = board
                .places
                .iter()
                .filter_map(|place| place.split_once(' '));
            pairs.for_each(|(first, second)| put(first, second));
        } else {
            let [first, second] = [&board.axes[0], &board.axes[1]];
            for one in &first.values {
                second.values.iter().for_each(|other| put(one, other));
            }
        }
        let columns = x.values.iter().enumerate();
        let columns = columns.map(|(column, name)| (half(2 * column + shift(0)), name.clone()));
        let rows = y.values.iter().enumerate();
        Layout {
            kind,
            places,
            columns: columns.collect(),
            rows: rows.map(|(row, name)| (top(row), name.clone())).collect(),
        }
    }

    /// Draws boards in rows and columns. For coordinates, `split` returns the board (from the left,
    /// from the top) and the place on that board.
    fn nested(
        board: &Board,
        [x, y]: [&Domain; 2],
        split: impl Fn(&[String]) -> Option<([usize; 2], [String; 2])>,
    ) -> Layout {
        let mut layout = Layout {
            kind: GridKind::Boards,
            places: FxHashMap::default(),
            columns: Vec::new(),
            rows: Vec::new(),
        };
        for place in &board.places {
            let coordinates: Vec<String> = place.split(' ').map(str::to_string).collect();
            let Some(([across, down], [right, up])) = split(&coordinates) else {
                continue;
            };
            let (Some(column), Some(row)) = (x.place(&right), y.place(&up)) else {
                continue;
            };
            let left = half(across * (2 * x.len() + GAP) + 2 * column);
            let top = half(down * (2 * y.len() + GAP) + 2 * (y.len() - 1 - row));
            layout.places.insert(place.clone(), (left, top));
            layout.columns.push((left, right));
            layout.rows.push((top, up));
        }
        for labels in [&mut layout.columns, &mut layout.rows] {
            labels.sort();
            labels.dedup();
        }
        layout
    }

    /// Lays out rows of places with numbers. If rows have different lengths and all begin with
    /// the same number, they are centred.
    fn irregular(rows: &[NamedRow<'_>]) -> Layout {
        let numbers = || rows.iter().flat_map(|(_, row)| row.iter().map(|&(n, _)| n));
        let least = numbers().min().unwrap_or_default();
        let most = numbers().max().unwrap_or_default();
        let is_full = |(_, row): &NamedRow<'_>| (least..).zip(row).all(|(n, (m, _))| n == *m);
        let is_short = |(_, row): &NamedRow<'_>| row.len() < most + 1 - least;
        let is_centred = rows.iter().all(is_full) && rows.iter().any(is_short);
        let mut layout = Layout {
            kind: match is_centred {
                true => GridKind::Hexagonal,
                false => GridKind::Rectangle,
            },
            places: FxHashMap::default(),
            columns: Vec::new(),
            rows: Vec::new(),
        };
        for (at, (letter, row)) in rows.iter().enumerate() {
            let shift = if is_centred {
                most + 1 - least - row.len()
            } else {
                0
            };
            for (number, name) in row {
                let left = half(2 * (number - least) + shift);
                layout.places.insert((*name).clone(), (left, half(2 * at)));
            }
            layout.rows.push((half(2 * at), letter.to_string()));
        }
        if !is_centred {
            let columns = (least..=most).map(|n| (half(2 * (n - least)), n.to_string()));
            layout.columns = columns.collect();
        }
        layout
    }

    /// Lays out places in their order.
    fn row(names: &Domain) -> Layout {
        let places = names.values.iter().enumerate().map(|(at, name)| {
            let (row, column) = (at / LONGEST_ROW, at % LONGEST_ROW);
            (name.clone(), (half(2 * column), half(2 * row)))
        });
        let is_broken = names.len() > LONGEST_ROW;
        let columns = names.values.iter().enumerate().filter(|_| !is_broken);
        Layout {
            kind: GridKind::Row,
            places: places.collect(),
            columns: columns
                .map(|(at, name)| (half(2 * at), name.clone()))
                .collect(),
            rows: Vec::new(),
        }
    }
}

/// Returns which of three coordinates selects the board: the one with a range that differs from the
/// others'.
fn board_coordinate([a, b, c]: [&Domain; 3]) -> usize {
    let differs = |one: &Domain, other: &Domain| one.values != other.values;
    let order = [a, b, c].map(|domain| !domain.is_ordered);
    match order {
        [false, true, false] => 1,
        [false, false, true] => 2,
        [true, ..] => 0,
        _ if differs(c, a) && !differs(a, b) => 2,
        _ if differs(b, a) && !differs(a, c) => 1,
        _ => 0,
    }
}

/// Converts a length to a number of half cells.
fn half(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
