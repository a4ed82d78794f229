//! Boards of a game, for display: inferred from the way its fluents are used.
//!
//! Nothing in the rules says that `(cell 1 2 x)` is a piece on a board. But its first two constants
//! range over numbers, or over constants that a successor relation puts in order, and no state
//! reached by random matches has a second thing at `1 2`. The inference looks for exactly that, so
//! names do not matter. [`Grids::find`] finds the boards, [`Grids::picture`] shows what is on them in
//! a state, and [`Grids::places`] returns the places that a move mentions.
//!
//! - `order`: the order of constants.
//! - `samples`, `relation`, `infer`: sampled matches, and the boards inferred from them.
//! - `fluent`: the interpretation of fluents. `moves`, `owners`: the places in moves, and the
//!   owners of pieces.
//! - `layout`, `slant`, `symbols`: drawing. `planes`: the same for networks.

mod cell_names;
mod fluent;
mod infer;
mod layout;
mod moves;
mod order;
mod owners;
mod planes;
mod relation;
mod samples;
mod slant;
mod symbols;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use propjit_stop::Stop;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::game::load::Game;
use crate::game::machine::{MachineError, RoleId};
use crate::game::vocabulary::shape::Shaped;
use fluent::Fluent;
use infer::boards;
pub use layout::GridKind;
use layout::{Hints, Layout};
use moves::{Part, Reading, readings};
use order::{Domain, Orders};
use owners::Owners;
pub use planes::{Cell, Planes};
use relation::Relation;
use samples::Samples;
use slant::slant;

/// The boards of a game: none by default.
#[derive(Default, Debug)]
pub struct Grids {
    grids: Vec<Grid>,
    /// The interpretation of fluents of each shape.
    fluents: FxHashMap<String, Fluent>,
    /// The interpretation of moves of each shape.
    moves: FxHashMap<String, Reading>,
}

/// A board: its places, and their possible contents.
#[derive(Clone, Debug)]
pub struct Grid {
    /// The names of its fluents, the most important one first.
    pub names: Vec<String>,
    /// Its appearance.
    pub kind: GridKind,
    /// Its places, row by row from the top, each row from the left.
    pub sites: Vec<Site>,
    /// The names of columns with their distances from the left below the lowest row, in half cells.
    pub columns: Vec<(u32, String)>,
    /// The names of rows with their distances from the top, in half cells.
    pub rows: Vec<(u32, String)>,
    /// The possible contents, by text.
    pub contents: BTreeMap<String, Content>,
    /// The places by their names.
    numbers: FxHashMap<String, usize>,
}

impl Grid {
    /// Returns the smallest part of the board that has these places, of which there is at least one, as a board, and the number of
    /// each of its places on the whole.
    pub fn part(&self, sites: &[usize]) -> (Grid, Vec<usize>) {
        let span = |of: fn(&Site) -> u32| {
            let each = || sites.iter().map(|&site| of(&self.sites[site]));
            each().min().unwrap_or(0)..=each().max().unwrap_or(0)
        };
        let (lefts, tops) = (span(|site| site.left), span(|site| site.top));
        let numbered = self.sites.iter().enumerate();
        let inside = numbered.filter(|(_, of)| lefts.contains(&of.left) && tops.contains(&of.top));
        let (numbers, inside): (Vec<usize>, Vec<&Site>) = inside.unzip();
        let moved = inside.iter().map(|site| Site {
            left: site.left - lefts.start(),
            top: site.top - tops.start(),
            name: site.name.clone(),
        });
        let names = inside.iter().map(|site| site.name.clone());
        let part = Grid {
            numbers: names.zip(0..).collect(),
            sites: moved.collect(),
            columns: named(&self.columns, &lefts),
            rows: named(&self.rows, &tops),
            ..self.clone()
        };
        (part, numbers)
    }
}

/// The names of lines within some distances, with their distances from the least of these.
fn named(lines: &[(u32, String)], distances: &RangeInclusive<u32>) -> Vec<(u32, String)> {
    let inside = lines.iter().filter(|(at, _)| distances.contains(at));
    inside
        .map(|(at, name)| (at - distances.start(), name.clone()))
        .collect()
}

/// A place of a board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// Its coordinates, separated by blanks.
    pub name: String,
    /// The distance from the left, in half cells.
    pub left: u32,
    /// The distance from the top, in half cells.
    pub top: u32,
}

/// Something that can be on a board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Content {
    /// A short name, different from all others on the board.
    pub symbol: String,
    /// The role to which it belongs, if moves of a role were seen to place it.
    pub owner: Option<RoleId>,
    /// Whether it means that the place is empty.
    pub is_empty: bool,
}

/// A place of one of the boards.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The number of the board.
    pub grid: usize,
    /// The number of the place on it.
    pub site: usize,
}

/// The contents of the boards in a state.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Picture {
    /// For each board and each of its places, the contents; empty places have none.
    pub contents: Vec<Vec<Vec<String>>>,
    /// For each board the places between which there are lines.
    pub lines: Vec<Vec<(usize, usize)>>,
    /// The fluents that are on no board.
    pub rest: Vec<String>,
}

/// Names of contents that mean "empty", and others that may mean it on boards where every place has
/// contents.
const EMPTY: [&str; 3] = ["blank", "empty", "none"];
const EMPTY_IF_FULL: [&str; 2] = ["b", "e"];

/// On a board where every place has contents, the content that covers at least this fraction of the
/// places initially means "empty".
const MOSTLY: f64 = 0.4;

impl Grids {
    /// Finds the boards of a game, within some seconds.
    ///
    /// # Errors
    /// When the game cannot be evaluated.
    pub fn find(game: &Game, stop: &Stop) -> Result<Grids, MachineError> {
        let rules = game.rules();
        let orders = Orders::new(rules);
        let samples = Samples::play(game, stop)?;
        let relations = Relation::all(&samples, &orders);
        let names = rules.roles.iter().map(|&role| rules.terms.text(role));
        let roles = Domain::new(names.collect(), false);
        let boards = boards(&relations, &roles);
        let mut fluents = FxHashMap::default();
        for (number, board) in boards.iter().enumerate() {
            for (at, layer) in board.layers.iter().enumerate() {
                let relation = &relations[layer.relation];
                let fluent = Fluent::new(number, at, layer, relation);
                fluents.insert(relation.shape.clone(), fluent);
            }
        }
        let mut grids = Grids {
            grids: Vec::new(),
            fluents,
            moves: FxHashMap::default(),
        };
        let place = |fluent: &str| {
            grids
                .read(fluent)
                .map(|(fluent, place, _)| (fluent.board, place))
        };
        grids.moves = readings(&boards, &samples, &orders, place);
        let slant = slant(rules, &orders);
        grids.grids = (boards.iter().enumerate())
            .map(|(number, board)| {
                let is_transposed = grids.lines_of(number).is_some_and(|axis| axis == 1);
                let layout = Layout::new(
                    board,
                    Hints {
                        is_transposed,
                        slant,
                        are_all_known: game.ground_game().is_some(),
                    },
                );
                let names = board.layers.iter();
                let names = names.map(|layer| relations[layer.relation].name().to_string());
                Grid::new(names.collect(), layout)
            })
            .collect();
        grids.name_contents(&samples, &roles);
        Ok(grids)
    }

    /// Returns the boards.
    pub fn grids(&self) -> &[Grid] {
        &self.grids
    }

    /// Returns the contents of the boards in the state in which these fluents hold, given as
    /// canonical texts.
    pub fn picture(&self, fluents: &[String]) -> Picture {
        let mut picture = Picture {
            contents: self
                .grids
                .iter()
                .map(|grid| vec![Vec::new(); grid.sites.len()])
                .collect(),
            lines: vec![Vec::new(); self.grids.len()],
            rest: Vec::new(),
        };
        for text in fluents {
            let Some((fluent, place, content)) = self.read(text) else {
                picture.rest.push(text.clone());
                continue;
            };
            let grid = &self.grids[fluent.board];
            let end = fluent.is_edges.then(|| grid.numbers.get(&content));
            match (grid.numbers.get(&place), end) {
                (Some(&from), Some(Some(&to))) => picture.lines[fluent.board].push((from, to)),
                (Some(&site), None) => {
                    if !grid.is_empty(&content) {
                        picture.contents[fluent.board][site].push(content);
                    }
                }
                _ => picture.rest.push(text.clone()),
            }
        }
        picture
    }

    /// Returns the places that a move mentions, in the order in which it does: a column, for
    /// example, if it names only one coordinate.
    pub fn places(&self, played: &str) -> Vec<Vec<Place>> {
        let shaped = Shaped::of(played);
        let Some(reading) = self.moves.get(&shaped.shape) else {
            return Vec::new();
        };
        let Grid { sites, numbers, .. } = &self.grids[reading.board];
        let named = |part: &Part| -> Vec<usize> {
            match part.place(&shaped.constants) {
                Some(place) => numbers.get(&place).copied().into_iter().collect(),
                None => (sites.iter().enumerate())
                    .filter(|(_, site)| part.names(&shaped.constants, &site.name))
                    .map(|(site, _)| site)
                    .collect(),
            }
        };
        let grid = reading.board;
        let place = |site| Place { grid, site };
        let parts = (reading.places.iter())
            .map(|part| named(part).into_iter().map(place).collect::<Vec<_>>());
        parts.filter(|places| !places.is_empty()).collect()
    }

    /// Returns the place of a fluent, if it is on a board and not between places.
    pub fn place(&self, fluent: &str) -> Option<Place> {
        let (fluent, place, _) = self.read(fluent).filter(|(fluent, ..)| !fluent.is_edges)?;
        let grid = fluent.board;
        let site = *self.grids[grid].numbers.get(&place)?;
        Some(Place { grid, site })
    }

    /// Returns whether a fluent means that a place of a board is empty.
    pub fn is_empty(&self, fluent: &str) -> bool {
        let read = self.read(fluent);
        read.is_some_and(|(fluent, _, content)| self.grids[fluent.board].is_empty(&content))
    }

    /// Returns, for a fluent on a board, its interpretation, place and contents.
    fn read(&self, text: &str) -> Option<(&Fluent, String, String)> {
        let Shaped { shape, constants } = Shaped::of(text);
        let fluent = self.fluents.get(&shape)?;
        Some((fluent, fluent.place(&constants), fluent.content(&constants)))
    }

    /// Returns the coordinate that moves name alone, if some do.
    fn lines_of(&self, board: usize) -> Option<usize> {
        let readings = self.moves.values().filter(|reading| reading.board == board);
        let mut parts = readings.flat_map(|reading| &reading.places);
        parts.find_map(|part| match part {
            Part::Line(_, axis) => Some(*axis),
            Part::Place(_) => None,
        })
    }

    /// Determines the contents that the boards can have, and the role that each belongs to.
    fn name_contents(&mut self, samples: &Samples, roles: &Domain) {
        let mut contents: Vec<BTreeSet<String>> = vec![BTreeSet::new(); self.grids.len()];
        for text in &samples.fluents {
            if let Some((fluent, _, content)) = self.read(text)
                && !fluent.is_edges
            {
                contents[fluent.board].insert(content);
            }
        }
        let owners = self.owners(samples, roles.len());
        for (number, contents) in contents.into_iter().enumerate() {
            let empty = match self.grids[number].kind {
                GridKind::Row => None,
                _ => {
                    let says_nothing = |content: &str| {
                        let is_owned = roles.len() > 1 && owners.owner(content).is_some();
                        !is_owned && content.split(' ').all(|word| roles.place(word).is_none())
                    };
                    let nobodys = contents.iter().filter(|content| says_nothing(content));
                    let is_only = contents.len() == 1;
                    self.empty(number, &nobodys.collect(), samples)
                        .filter(|_| !is_only)
                }
            };
            let symbols = symbols::symbols(&contents);
            let content = |(text, symbol): (String, String)| {
                let content = Content {
                    symbol,
                    owner: owners.owner(&text),
                    is_empty: empty.as_ref() == Some(&text),
                };
                (text, content)
            };
            self.grids[number].contents = symbols.into_iter().map(content).collect();
        }
    }

    /// Returns the content that means "empty", if the board has one. Only contents without an owner are
    /// candidates.
    fn empty(&self, board: usize, all: &BTreeSet<&String>, samples: &Samples) -> Option<String> {
        let first = samples.states().next()?;
        let mut counts: FxHashMap<String, usize> = FxHashMap::default();
        for text in first {
            if let Some((fluent, _, content)) = self.read(text)
                && fluent.board == board
                && !fluent.contents.is_empty()
            {
                *counts.entry(content).or_default() += 1;
            }
        }
        let places = self.grids[board].sites.len();
        let is_full = counts.values().sum::<usize>() >= places;
        let most = counts
            .into_iter()
            .filter(|(content, _)| all.contains(content));
        let most = most.max_by_key(|(_, count)| *count);
        let most = most.filter(|&(_, count)| count as f64 >= MOSTLY * places as f64);
        let called = |names: &[&str]| {
            let name = names.iter().map(|name| name.to_string());
            name.into_iter().find(|name| all.contains(name))
        };
        match most {
            Some((content, _)) if is_full => called(&EMPTY).or(Some(content)),
            _ if is_full => called(&EMPTY).or_else(|| called(&EMPTY_IF_FULL)),
            _ => called(&EMPTY),
        }
    }

    /// Returns the owners of the contents of the boards.
    fn owners(&self, samples: &Samples, roles: usize) -> Owners {
        let mut owners = Owners::new(roles);
        let steps = samples.matches.iter();
        let steps = steps.flat_map(|sampled| sampled.states.windows(2).zip(&sampled.moves));
        for (states, moves) in steps {
            let before: FxHashSet<&String> = states[0].iter().collect();
            let new = states[1].iter().filter(|text| !before.contains(text));
            let new: Vec<_> = new.filter_map(|text| self.read(text)).collect();
            for (role, played) in RoleId::first(roles).zip(moves) {
                let Shaped { shape, constants } = Shaped::of(played);
                let Some(reading) = self.moves.get(&shape) else {
                    continue;
                };
                for (fluent, place, content) in &new {
                    let is_named = |part: &Part| part.names(&constants, place);
                    if fluent.board == reading.board && reading.places.iter().any(is_named) {
                        owners.appeared(content, role);
                    }
                }
            }
        }
        owners
    }
}

impl Grid {
    fn new(names: Vec<String>, layout: Layout) -> Grid {
        let places = layout.places.into_iter();
        let mut sites: Vec<Site> = places
            .map(|(name, (left, top))| Site { name, left, top })
            .collect();
        sites.sort_unstable_by_key(|site| (site.top, site.left));
        let numbers = sites.iter().map(|site| site.name.clone()).zip(0..);
        Grid {
            names,
            kind: layout.kind,
            columns: layout.columns,
            rows: layout.rows,
            contents: BTreeMap::new(),
            numbers: numbers.collect(),
            sites,
        }
    }

    /// Returns whether a content means that a place is empty.
    fn is_empty(&self, content: &str) -> bool {
        let content = self.contents.get(content);
        content.is_some_and(|content| content.is_empty)
    }

    /// Returns the number of columns and rows of places.
    pub fn size(&self) -> (usize, usize) {
        let lefts: BTreeSet<u32> = self.sites.iter().map(|site| site.left).collect();
        let tops: BTreeSet<u32> = self.sites.iter().map(|site| site.top).collect();
        let widest = tops.iter().map(|&top| {
            let row = self.sites.iter().filter(|site| site.top == top);
            row.count()
        });
        let columns = match self.kind {
            GridKind::Hexagonal => widest.max().unwrap_or(0),
            _ => lefts.len(),
        };
        (columns, tops.len())
    }
}
