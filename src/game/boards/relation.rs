//! Relations: fluents of the same shape, and the constants that give the place of the others.

use rustc_hash::{FxHashMap, FxHashSet};

use super::order::{Domain, Orders};
use super::samples::Samples;
use crate::game::vocabulary::shape::{Shaped, functor};

/// Fluents of one shape.
pub(super) struct Relation {
    pub(super) shape: String,
    /// The range of each of their constants.
    pub(super) domains: Vec<Domain>,
    /// The constants of all fluents, as indices into their domains.
    pub(super) tuples: Vec<Vec<usize>>,
    /// The fluents that held in each sampled state, as indices into `tuples`.
    pub(super) states: Vec<Vec<usize>>,
}

/// The constants that give a place, as argument numbers.
pub(super) type Key = Vec<usize>;

/// The maximum number of constants of fluents with places on boards.
const LONGEST: usize = 6;

/// The maximum number of coordinates of a place: a board of boards.
const COORDINATES: usize = 4;

/// A key may fail for one in this many fluents, as when two pieces meet at the end of a match.
const EXCEPTIONS: usize = 20;

/// The maximum average number of marks at a marked place.
const MARKS: f64 = 3.0;

impl Relation {
    /// Returns the relations of the sampled fluents, in the order in which the rules name them.
    pub(super) fn all(samples: &Samples, orders: &Orders<'_>) -> Vec<Relation> {
        let mut places: FxHashMap<String, usize> = FxHashMap::default();
        let mut texts: Vec<(String, Vec<Vec<&str>>)> = Vec::new();
        let mut numbers: FxHashMap<&str, (usize, usize)> = FxHashMap::default();
        for fluent in &samples.fluents {
            let Shaped { shape, constants } = Shaped::of(fluent);
            if constants.is_empty() || constants.len() > LONGEST {
                continue;
            }
            let place = *places.entry(shape.clone()).or_insert_with(|| {
                texts.push((shape, Vec::new()));
                texts.len() - 1
            });
            numbers.insert(fluent, (place, texts[place].1.len()));
            texts[place].1.push(constants);
        }
        let mut relations: Vec<Relation> = texts
            .into_iter()
            .map(|(shape, tuples)| Relation::new(shape, &tuples, orders))
            .collect();
        for (number, state) in samples.states().enumerate() {
            for relation in &mut relations {
                relation.states.push(Vec::new());
            }
            for fluent in state {
                if let Some(&(relation, tuple)) = numbers.get(fluent.as_str()) {
                    relations[relation].states[number].push(tuple);
                }
            }
        }
        relations
    }

    fn new(shape: String, tuples: &[Vec<&str>], orders: &Orders<'_>) -> Relation {
        let arity = tuples[0].len();
        let domains: Vec<Domain> = (0..arity)
            .map(|at| orders.domain(tuples.iter().map(|tuple| tuple[at]).collect()))
            .collect();
        let numbers: Vec<FxHashMap<&str, usize>> = domains
            .iter()
            .map(|domain| domain.values.iter().map(String::as_str).zip(0..).collect())
            .collect();
        let tuples = tuples.iter().map(|tuple| {
            let constants = tuple.iter().zip(&numbers);
            constants.map(|(constant, number)| number[constant])
        });
        Relation {
            tuples: tuples.map(Iterator::collect).collect(),
            shape,
            states: Vec::new(),
            domains,
        }
    }

    /// Returns the name of the fluents.
    pub(super) fn name(&self) -> &str {
        functor(&self.shape)
    }

    /// Returns the arguments that are not in the key.
    pub(super) fn others(&self, key: &Key) -> Vec<usize> {
        (0..self.domains.len())
            .filter(|at| !key.contains(at))
            .collect()
    }

    /// Returns the constants of a fluent at some of its arguments, separated by blanks.
    pub(super) fn text(&self, tuple: usize, arguments: &[usize]) -> String {
        let constants = arguments.iter().map(|&at| {
            let place = self.tuples[tuple][at];
            self.domains[at].values[place].as_str()
        });
        constants.collect::<Vec<_>>().join(" ")
    }

    /// Returns the number of fluents in all sampled states, and how many of these differ at some of
    /// their arguments.
    fn counts(&self, key: &[usize]) -> (usize, usize) {
        let mut seen = FxHashSet::default();
        self.states.iter().fold((0, 0), |(all, different), state| {
            seen.clear();
            for &tuple in state {
                let constants = key.iter().map(|&at| self.tuples[tuple][at]);
                seen.insert(constants.collect::<Vec<usize>>());
            }
            (all + state.len(), different + seen.len())
        })
    }

    /// Returns whether no two fluents of a sampled state agree on these arguments, with few
    /// exceptions.
    fn is_key(&self, key: &[usize]) -> bool {
        let (all, different) = self.counts(key);
        (all - different) * EXCEPTIONS <= all
    }

    /// Returns whether at most one of the fluents holds at a time, as for a counter.
    pub(super) fn is_single(&self) -> bool {
        self.is_key(&[])
    }

    /// Returns whether one of the fluents was ever sampled.
    fn is_seen(&self) -> bool {
        self.states.iter().any(|state| !state.is_empty())
    }

    /// Returns the arguments that best identify a place: at most one content is there. Properties
    /// of a role, such as its score, have no place.
    pub(super) fn key(&self, roles: &Domain) -> Option<Key> {
        if !self.is_seen() || self.is_single() {
            return None;
        }
        let arity = self.domains.len();
        let is_place = |at: usize| self.domains[at].len() > 1 && !roles.covers(&self.domains[at]);
        let mut keys: Vec<Key> = Vec::new();
        for subset in 1usize..1 << arity {
            let key: Key = (0..arity).filter(|at| subset >> at & 1 == 1).collect();
            if key.len() <= COORDINATES && key.iter().all(|&at| is_place(at)) && self.is_key(&key) {
                keys.push(key);
            }
        }
        let is_minimal = |key: &Key| {
            let parts = keys.iter().filter(|other| other.len() < key.len());
            let mut parts = parts.filter(|other| other.iter().all(|at| key.contains(at)));
            parts.all(|part| part.len() == 1 && self.is_square(key))
        };
        let best = keys.iter().filter(|key| is_minimal(key));
        let best = best.max_by_key(|key| (self.rank(key), std::cmp::Reverse(key.to_vec())));
        match best {
            Some(key) if key.len() == arity && arity > 2 => self.marked_places(),
            best => best.cloned(),
        }
    }

    /// Returns whether a key has two arguments that range over the same ordered constants, and is
    /// not one to one all the time: such as the squares of queens, which get each column and each
    /// row once.
    fn is_square(&self, key: &Key) -> bool {
        let [a, b] = key[..] else { return false };
        let (a, b) = (&self.domains[a], &self.domains[b]);
        let is_sparse = self.states.iter().any(|state| 2 * state.len() < a.len());
        a.is_ordered && a.len() > 2 && a.values == b.values && is_sparse
    }

    /// Ranks how much a key looks like the coordinates of a place.
    fn rank(&self, key: &Key) -> isize {
        let each = key.iter().map(|&at| match self.domains[at].is_ordered {
            true => 3,
            false => -3,
        });
        each.sum::<isize>() + isize::from(self.is_square(key))
    }

    /// Returns the place in fluents of three arguments that mark a place with a kind, such as a
    /// wall to the north or to the east: the kind is the contents, not a part of the place.
    fn marked_places(&self) -> Option<Key> {
        if self.domains.len() != 3 {
            return None;
        }
        let crowd = |key: &Key| {
            let (all, different) = self.counts(key);
            all as f64 / different.max(1) as f64
        };
        let best = [vec![0, 1], vec![1, 2], vec![0, 2]];
        let best = best.into_iter().min_by(|a, b| {
            let order = crowd(a).total_cmp(&crowd(b));
            self.rank(b).cmp(&self.rank(a)).then(order)
        });
        best.filter(|key| crowd(key) <= MARKS)
    }

    /// Returns whether the fluents are between neighbours: constants are two places, which are next
    /// to each other.
    pub(super) fn is_edges(&self) -> bool {
        let [x1, y1, x2, y2] = &self.domains[..] else {
            return false;
        };
        let are_axes = |a: &Domain, b: &Domain| {
            let (longer, shorter) = if a.len() < b.len() { (b, a) } else { (a, b) };
            a.is_ordered && b.is_ordered && longer.covers(shorter)
        };
        if !are_axes(x1, x2) || !are_axes(y1, y2) {
            return false;
        }
        let place = |longer: &Domain, own: &Domain, at: usize| longer.place(&own.values[at]);
        let longer = |a: &'_ Domain, b: &'_ Domain| {
            if a.len() < b.len() {
                b.clone()
            } else {
                a.clone()
            }
        };
        let (columns, rows) = (longer(x1, x2), longer(y1, y2));
        let distance = |domain: &Domain, a: (&Domain, usize), b: (&Domain, usize)| {
            let (a, b) = (place(domain, a.0, a.1), place(domain, b.0, b.1));
            a.zip(b).map_or(2, |(a, b)| a.abs_diff(b))
        };
        self.tuples.iter().all(|tuple| {
            let [a, b, c, d] = tuple[..] else {
                return false;
            };
            distance(&columns, (x1, a), (x2, c)).max(distance(&rows, (y1, b), (y2, d))) == 1
        })
    }
}
