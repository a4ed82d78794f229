//! Candidates for automorphisms, read off the names of propositions.
//!
//! The relation with the most propositions, such as all `(cell ? ? ?)`, is taken for the board, and its two
//! arguments with the most values for coordinates. Other relations are moved along where arguments range
//! over the same values. If roles change places, so do pieces: those that are at each other's places at the
//! start, or those that are not there at the start, if there is one for each player.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Renaming;
use crate::game::ground::GroundGame;
use crate::game::vocabulary::moves::RoleId;
use crate::game::vocabulary::natural_order::compare_names;
use crate::game::vocabulary::shape::Shaped;

/// The greatest number of players of whom all exchanges are tried.
const MAX_PLAYERS: usize = 4;

/// A way to map a rectangle to itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Reflection {
    /// Which coordinates count from the other end.
    reversed: [bool; 2],
    /// Whether then the coordinates change places.
    is_transposed: bool,
}

/// The propositions of a relation.
struct Relation<'a> {
    /// The numbers and constants of its propositions.
    members: Vec<(usize, Vec<&'a str>)>,
    /// The values of each argument, in order.
    domains: Vec<Vec<&'a str>>,
    /// Its pairs of arguments that are coordinates.
    coordinates: Vec<[usize; 2]>,
}

/// The names of a game's propositions, and what is taken for its board.
struct Names<'a> {
    relations: BTreeMap<&'a str, Relation<'a>>,
    /// The values of both coordinates, in order.
    axes: [Vec<&'a str>; 2],
    /// The relation that is the board.
    board: &'a str,
}

/// Players that change places: for each, in the order of the roles, the number of the player that it becomes.
type Exchange = Vec<usize>;

/// Returns all candidates, without the identity.
pub(crate) fn candidates(game: &GroundGame) -> Vec<Renaming> {
    let net = game.propnet();
    let texts: Vec<String> = (net.bases.iter())
        .map(|base| net.terms.text(base.name))
        .collect();
    let shaped: Vec<Shaped<'_>> = texts.iter().map(|text| Shaped::of(text)).collect();
    let Some(names) = Names::new(&shaped) else {
        return Vec::new();
    };
    let numbers: FxHashMap<(&str, &[&str]), u32> = (shaped.iter().zip(0..))
        .map(|(one, number)| ((&*one.shape, &*one.constants), number))
        .collect();
    let initial: Vec<usize> = game.initial().iter().collect();
    let players: Vec<RoleId> = game.players().collect();
    let player_names: Vec<&str> = (players.iter())
        .map(|player| &*game.roles()[player.index()])
        .collect();
    let exchanges = exchanges(players.len());
    let mut found: Vec<Renaming> = Vec::new();
    for reflection in names.reflections() {
        for exchange in &exchanges {
            let renamed = match exchange.is_sorted() {
                true => FxHashMap::default(),
                false => names.exchanged(&player_names, exchange, reflection, &initial),
            };
            let image = |one: &Shaped<'_>| {
                let constants = names.image(&one.shape, &one.constants, reflection, &renamed);
                numbers.get(&(&*one.shape, &*constants)).copied()
            };
            let Some(bases) = shaped.iter().map(image).collect() else {
                continue;
            };
            let mut roles: Box<[RoleId]> = game.layout().roles().collect();
            for (player, &image) in players.iter().zip(exchange) {
                roles[player.index()] = players[image];
            }
            let renaming = Renaming::new(bases, roles);
            let is_new = |renaming: &Renaming| renaming.changes() && !found.contains(renaming);
            let renaming = renaming.filter(is_new);
            found.extend(renaming);
        }
    }
    found
}

/// The ways in which players can change places, first that in which none does.
fn exchanges(players: usize) -> Vec<Exchange> {
    if players > MAX_PLAYERS {
        return vec![(0..players).collect()];
    }
    (0..players).fold(vec![Vec::new()], |all, next| {
        let longer = all.iter().flat_map(|exchange: &Exchange| {
            (0..=next).rev().map(move |at| {
                let mut longer = exchange.clone();
                longer.insert(at, next);
                longer
            })
        });
        longer.collect()
    })
}

impl<'a> Names<'a> {
    /// The names, if there is something like a board among them.
    fn new(shaped: &'a [Shaped<'a>]) -> Option<Names<'a>> {
        let mut relations: BTreeMap<&str, Relation<'_>> = BTreeMap::new();
        for (number, one) in shaped.iter().enumerate() {
            let relation = relations.entry(&one.shape).or_insert_with(|| Relation {
                members: Vec::new(),
                domains: vec![Vec::new(); one.constants.len()],
                coordinates: Vec::new(),
            });
            relation.members.push((number, one.constants.clone()));
            for (domain, &constant) in relation.domains.iter_mut().zip(&one.constants) {
                domain.push(constant);
            }
        }
        for relation in relations.values_mut() {
            relation.domains.iter_mut().for_each(put_in_order);
        }
        let boards = relations.iter().filter(|(_, one)| one.domains.len() >= 2);
        let (&board, largest) = boards.max_by_key(|(_, one)| one.members.len())?;
        let mut arguments: Vec<usize> = (0..largest.domains.len()).collect();
        arguments.sort_by_key(|&at| std::cmp::Reverse(largest.domains[at].len()));
        arguments.truncate(2);
        arguments.sort_unstable();
        let axes = [0, 1].map(|axis| largest.domains[arguments[axis]].clone());
        for relation in relations.values_mut() {
            relation.coordinates = coordinates(&relation.domains, &axes);
        }
        Some(Names {
            relations,
            axes,
            board,
        })
    }

    /// The ways to map the board to itself.
    fn reflections(&self) -> impl Iterator<Item = Reflection> + use<> {
        let is_square = self.axes[0] == self.axes[1];
        (0..8).filter_map(move |bits| {
            let bit = |at: u32| bits >> at & 1 != 0;
            let reflection = Reflection {
                reversed: [bit(0), bit(1)],
                is_transposed: bit(2),
            };
            (is_square || !reflection.is_transposed).then_some(reflection)
        })
    }

    /// The constants of a proposition after the board was reflected and others were renamed.
    fn image(
        &self,
        shape: &str,
        constants: &[&'a str],
        reflection: Reflection,
        renamed: &FxHashMap<&'a str, &'a str>,
    ) -> Vec<&'a str> {
        let rename = |constant: &&'a str| *renamed.get(constant).unwrap_or(constant);
        let mut image: Vec<&str> = constants.iter().map(rename).collect();
        for pair in &self.relations[shape].coordinates {
            let mut places = [0, 1].map(|axis| {
                let values = &self.axes[axis];
                let place = values
                    .iter()
                    .position(|&value| value == constants[pair[axis]]);
                let place = place.unwrap_or(0);
                match reflection.reversed[axis] {
                    true => values.len() - 1 - place,
                    false => place,
                }
            });
            if reflection.is_transposed {
                places.swap(0, 1);
            }
            for axis in [0, 1] {
                image[pair[axis]] = self.axes[axis][places[axis]];
            }
        }
        image
    }

    /// Returns what names become if these players change places and the board is reflected.
    fn exchanged(
        &self,
        players: &[&'a str],
        exchange: &[usize],
        reflection: Reflection,
        initial: &[usize],
    ) -> FxHashMap<&'a str, &'a str> {
        let mut renamed = Renamed::default();
        for (player, &image) in players.iter().zip(exchange) {
            renamed.add(player, players[image]);
        }
        let board = &self.relations[self.board];
        let is_place = |at: &usize| board.coordinates.iter().flatten().any(|place| place == at);
        let contents = (0..board.domains.len()).filter(|at| !is_place(at));
        let contents: Vec<usize> = contents.collect();
        let at_start = board.members.iter();
        let at_start = at_start.filter(|(number, _)| initial.contains(number));
        let at_start: Vec<&Vec<&str>> = at_start.map(|(_, constants)| constants).collect();
        let none = FxHashMap::default();
        for constants in &at_start {
            let image = self.image(self.board, constants, reflection, &none);
            let is_there = |other: &&&Vec<&str>| {
                (board.coordinates.iter().flatten()).all(|&at| other[at] == image[at])
            };
            let Some(other) = at_start.iter().find(is_there) else {
                continue;
            };
            for &at in &contents {
                renamed.add(constants[at], other[at]);
            }
        }
        for &at in &contents {
            let is_new = |value: &&&str| {
                let is_known = at_start.iter().any(|constants| constants[at] == **value);
                !is_known && !renamed.images.contains_key(**value)
            };
            let new: Vec<&str> = board.domains[at].iter().filter(is_new).copied().collect();
            if new.len() == exchange.len() {
                for (one, &image) in new.iter().zip(exchange) {
                    renamed.add(one, new[image]);
                }
            }
        }
        renamed.images
    }
}

/// What names become: no two of them the same.
#[derive(Default)]
struct Renamed<'a> {
    images: FxHashMap<&'a str, &'a str>,
    taken: FxHashSet<&'a str>,
}

impl<'a> Renamed<'a> {
    /// Adds a name with its image, unless it has one, or another name has that image.
    fn add(&mut self, name: &'a str, image: &'a str) {
        if !self.images.contains_key(name) && self.taken.insert(image) {
            self.images.insert(name, image);
        }
    }
}

/// The pairs of arguments that range over values of the axes, from the first argument on.
fn coordinates(domains: &[Vec<&str>], axes: &[Vec<&str>; 2]) -> Vec<[usize; 2]> {
    let mut found = Vec::new();
    let mut first = None;
    for (at, domain) in domains.iter().enumerate() {
        let axis = &axes[usize::from(first.is_some())];
        if domain.iter().all(|value| axis.contains(value)) {
            match first.take() {
                None => first = Some(at),
                Some(first) => found.push([first, at]),
            }
        }
    }
    found
}

/// Numbers by value, and other constants in natural order.
fn put_in_order(domain: &mut Vec<&str>) {
    domain.sort_unstable_by(|a, b| compare_names(a, b));
    domain.dedup();
}
