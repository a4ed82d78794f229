//! Composition of the moves of a role from their effects on parts.

use std::cmp::Reverse;

use propjit_jit::circuit::{Circuit, Edge};
use rustc_hash::{FxHashMap, FxHashSet};

use super::cofactors::{Cofactors, PhaseCofactors};
use super::sets::Sets;
use crate::game::vocabulary::moves::Move;

/// The most pairs of parts that are compared, times moves. With more, all parts that a move changes
/// together are one.
const MAX_PAIRS: usize = 20_000_000;

/// How the moves of a role are made of what they do to parts, in a phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Each move changes one part at most; the others go on as they do with most moves.
    One,
    /// All combinations of what can be done to parts are moves: one is made in each.
    Each,
}

/// The moves of a role that do the same to a part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Class {
    /// The condition on the part for them to be legal.
    pub(crate) legal: Edge,
    /// The propositions of the part after them.
    pub(crate) next: Vec<Edge>,
}

/// The moves of a role that may be legal in a phase.
#[derive(Clone, Debug)]
pub(crate) struct RoleMoves {
    pub(crate) form: Form,
    pub(crate) moves: Vec<Move>,
    /// By move, its class in each part.
    pub(crate) classes: Vec<Vec<u32>>,
    /// By part, its classes. The first one is that of moves which do not change it; if there are none,
    /// of those which do what most moves do.
    pub(crate) kinds: Vec<Vec<Class>>,
}

/// A phase: the moves under these values of the clock.
#[derive(Clone, Debug)]
pub(crate) struct Phase {
    /// The game's circuit, with the gates of the classes.
    pub(crate) circuit: Circuit,
    pub(crate) roles: Vec<RoleMoves>,
    /// Whether some moves are legal at some times only, whatever the parts are.
    pub(super) is_guarded: bool,
}

/// The sets of propositions, with what moves do to them.
pub(super) struct Groups<'a> {
    pub(super) groups: &'a [Vec<usize>],
    pub(super) group_of: &'a [usize],
    /// By place, the input of the proposition.
    pub(super) inputs: &'a [Edge],
}

/// The class of each move in each group, and the representatives of classes.
struct Table {
    classes: Vec<Vec<u32>>,
    /// By group and class, a move of that class.
    moves: Vec<Vec<usize>>,
}

type Key = (Vec<Edge>, Vec<Edge>);

impl Groups<'_> {
    fn key(&self, cofactors: &Cofactors, at: usize, group: usize) -> Key {
        let places = self.groups[group].iter();
        let next = places.map(|&place| cofactors.next[at][place]).collect();
        let conditions = cofactors.legal[at].iter();
        let own = |place: Option<usize>| place.map(|place| self.group_of[place]) == Some(group);
        let legal = conditions.filter(|(_, place)| own(*place));
        (next, legal.map(|&(edge, _)| edge).collect())
    }

    /// The classes of all moves. The first one of a group is that which changes nothing; if there is
    /// none, the largest.
    fn table(&self, cofactors: &Cofactors) -> Table {
        let count = cofactors.moves.len();
        let mut classes = vec![vec![0; self.groups.len()]; count];
        let mut moves = Vec::new();
        for group in 0..self.groups.len() {
            let mut numbers: FxHashMap<Key, u32> = FxHashMap::default();
            let mut sizes: Vec<(usize, usize)> = Vec::new();
            for (at, classes) in classes.iter_mut().enumerate() {
                let new = numbers.len() as u32;
                let number = *numbers.entry(self.key(cofactors, at, group)).or_insert(new);
                if number == new {
                    sizes.push((0, at));
                }
                sizes[number as usize].0 += 1;
                classes[group] = number;
            }
            let keeps = |at: usize| {
                let (next, legal) = self.key(cofactors, at, group);
                let unchanged = self.groups[group].iter().map(|&place| self.inputs[place]);
                legal.is_empty() && unchanged.eq(next)
            };
            let best = (0..sizes.len()).max_by_key(|&number| {
                let (size, at) = sizes[number];
                (keeps(at), size, Reverse(number))
            });
            let best = best.unwrap_or(0);
            for classes in &mut classes {
                classes[group] = swapped(classes[group] as usize, best) as u32;
            }
            let of = |number| sizes[swapped(number, best)].1;
            moves.push((0..sizes.len()).map(of).collect());
        }
        Table { classes, moves }
    }
}

/// Returns the number after swapping `best` and 0.
fn swapped(number: usize, best: usize) -> usize {
    match number {
        0 => best,
        _ if number == best => 0,
        _ => number,
    }
}

/// Unites groups with moves that are neither made one by one nor in all combinations. Returns whether there
/// were any.
pub(super) fn unite(phase: &PhaseCofactors, groups: &Groups<'_>, sets: &mut Sets) -> bool {
    let mut has_changed = false;
    for cofactors in &phase.roles {
        let table = groups.table(cofactors);
        let mut pairs = FxHashSet::default();
        let mut unite = |sets: &mut Sets, a: usize, b: usize| {
            has_changed |= sets.unite(groups.groups[a][0], groups.groups[b][0]);
        };
        for classes in &table.classes {
            let changed: Vec<usize> = (0..classes.len()).filter(|&at| classes[at] != 0).collect();
            let count = pairs.len() + changed.len() * changed.len() / 2;
            if count * table.classes.len() > MAX_PAIRS {
                changed
                    .windows(2)
                    .for_each(|pair| unite(sets, pair[0], pair[1]));
                continue;
            }
            for (number, &a) in changed.iter().enumerate() {
                pairs.extend(changed[number + 1..].iter().map(|&b| (a, b)));
            }
        }
        if pairs.is_empty() {
            continue;
        }
        let mut pairs: Vec<(usize, usize)> = pairs.into_iter().collect();
        pairs.sort_unstable();
        let dependent = pairs.iter().filter(|&&(a, b)| !table.are_independent(a, b));
        let dependent: Vec<(usize, usize)> = dependent.copied().collect();
        let joined = match dependent.is_empty() {
            false => dependent,
            true if table.is_product() => continue,
            // Those of which a move changes one only are parts of what it changes together with others.
            true => Some(table.alternatives())
                .filter(|found| !found.is_empty())
                .unwrap_or(pairs),
        };
        joined.iter().for_each(|&(a, b)| unite(sets, a, b));
    }
    has_changed
}

impl Table {
    /// Whether all combinations of the classes of two groups are moves.
    fn are_independent(&self, a: usize, b: usize) -> bool {
        let rows = self.classes.iter();
        let seen: FxHashSet<(u32, u32)> = rows.map(|row| (row[a], row[b])).collect();
        seen.len() == self.moves[a].len() * self.moves[b].len()
    }

    /// Returns the pairs of groups with combinations of classes that are not all moves, if these are not
    /// too many to compare.
    fn alternatives(&self) -> Vec<(usize, usize)> {
        let varied = (0..self.moves.len()).filter(|&group| self.moves[group].len() > 1);
        let varied: Vec<usize> = varied.collect();
        if varied.len() * varied.len() * self.classes.len() > MAX_PAIRS {
            return Vec::new();
        }
        let pairs = varied.iter().enumerate().flat_map(|(number, &a)| {
            let others = varied[number + 1..].iter();
            others.map(move |&b| (a, b))
        });
        pairs
            .filter(|&(a, b)| !self.are_independent(a, b))
            .collect()
    }

    /// Whether all combinations of classes are moves.
    fn is_product(&self) -> bool {
        let all: Option<usize> =
            (self.moves.iter()).try_fold(1usize, |product, moves| product.checked_mul(moves.len()));
        let seen: FxHashSet<&[u32]> = self.classes.iter().map(Vec::as_slice).collect();
        all == Some(seen.len())
    }

    fn form(&self) -> Form {
        let changes_one = |classes: &Vec<u32>| classes.iter().filter(|&&c| c != 0).count() <= 1;
        match self.classes.iter().all(changes_one) {
            true => Form::One,
            false => Form::Each,
        }
    }
}

impl Phase {
    /// The phase with these groups as parts.
    pub(super) fn new(phase: PhaseCofactors, groups: &Groups<'_>) -> Phase {
        let PhaseCofactors { mut builder, roles } = phase;
        let mut conditions = roles.iter().flat_map(|role| role.legal.iter().flatten());
        let is_guarded = conditions.any(|(_, place)| place.is_none());
        let roles = roles.iter().map(|cofactors| {
            let table = groups.table(cofactors);
            let kinds = table.moves.iter().enumerate().map(|(group, moves)| {
                let classes = moves.iter().map(|&at| {
                    let (next, legal) = groups.key(cofactors, at, group);
                    let legal = builder.and_all(&legal);
                    Class { legal, next }
                });
                classes.collect()
            });
            RoleMoves {
                kinds: kinds.collect(),
                form: table.form(),
                moves: cofactors.moves.clone(),
                classes: table.classes,
            }
        });
        let roles = roles.collect();
        Phase {
            circuit: builder.finish(Vec::new()),
            roles,
            is_guarded,
        }
    }
}
