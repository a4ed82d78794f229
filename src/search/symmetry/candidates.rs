//! Candidates for automorphisms, read off the names of propositions.
//!
//! The relation with the most propositions, such as all `(cell ? ? ?)`, is taken for the board, and its two
//! arguments with the most values for coordinates. Other relations are moved along where arguments range
//! over the same values. If roles change places, so do pieces: those that are at each other's places at the
//! start, or the only two that are not there at the start.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::Symmetry;
use crate::game::ground::GroundGame;
use crate::game::vocabulary::shape::Shaped;

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

/// Returns all candidates for a game of two roles, without the identity.
pub(super) fn candidates(game: &GroundGame) -> Vec<Symmetry> {
    let [first, second] = game.roles() else {
        return Vec::new();
    };
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
    let mut found = Vec::new();
    for reflection in names.reflections() {
        for swaps_roles in [false, true] {
            let renamed = match swaps_roles {
                true => names.exchanged([first, second], reflection, &initial),
                false => FxHashMap::default(),
            };
            let image = |one: &Shaped<'_>| {
                let constants = names.image(&one.shape, &one.constants, reflection, &renamed);
                numbers.get(&(&*one.shape, &*constants)).copied()
            };
            let images: Option<Box<[u32]>> = shaped.iter().map(image).collect();
            let Some(images) = images.filter(|images| is_permutation(images)) else {
                continue;
            };
            let changes = images.iter().zip(0..).any(|(&image, base)| image != base);
            let symmetry = Symmetry {
                images,
                swaps_roles,
            };
            if changes && !found.contains(&symmetry) {
                found.push(symmetry);
            }
        }
    }
    found
}

fn is_permutation(images: &[u32]) -> bool {
    let mut seen = vec![false; images.len()];
    let is_first = |&image: &u32| !std::mem::replace(&mut seen[image as usize], true);
    images.iter().all(is_first)
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

    /// Returns the names that change if these roles change places and the board is reflected.
    fn exchanged(
        &self,
        [first, second]: [&'a str; 2],
        reflection: Reflection,
        initial: &[usize],
    ) -> FxHashMap<&'a str, &'a str> {
        let mut renamed = FxHashMap::from_iter([(first, second), (second, first)]);
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
                let (one, other) = (constants[at], other[at]);
                if !renamed.contains_key(one) && !renamed.contains_key(other) {
                    renamed.extend([(one, other), (other, one)]);
                }
            }
        }
        for &at in &contents {
            let is_new = |value: &&&str| {
                let is_known = at_start.iter().any(|constants| constants[at] == **value);
                !is_known && !renamed.contains_key(**value)
            };
            let new: Vec<&str> = board.domains[at].iter().filter(is_new).copied().collect();
            if let [one, other] = new[..] {
                renamed.extend([(one, other), (other, one)]);
            }
        }
        renamed
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

/// Numbers by value, and other constants by their text.
fn put_in_order(domain: &mut Vec<&str>) {
    domain.sort_unstable();
    domain.dedup();
    let numbers = domain.iter().map(|value| value.parse::<i64>().ok());
    let numbers: Option<Vec<i64>> = numbers.collect();
    if numbers.is_some() {
        domain.sort_by_key(|value| value.parse::<i64>().ok());
    }
}
