//! Symmetry detection: whether a function depends only on how many of its variables have which
//! values.
//!
//! Candidates for variables that are counted alike come from how often the function is true if one
//! has a value: where two variables can be exchanged, these densities are equal. The proof is
//! the table: variables are decided one after the other, and wherever two ways to decide them
//! lead to the same counts, the same function must be left. Functions in canonical form are the
//! same if their edges are, so no solver is needed.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::circuit::{Edge, NodeId};

use super::diagram::Diagrams;

/// The fewest variables that are counted together. Any function is symmetric in few.
const FEWEST_COUNTED: usize = 6;

/// The fewest values of a variable that stands for itself, such as a counter in the state.
pub(super) const FEWEST_VALUES: usize = 4;

/// The most combinations of counts and values in a table.
pub(super) const MAX_COMBINATIONS: usize = 1 << 16;

/// A function of counts, as a table. Each value of each variable has an offset; the entry for
/// an assignment is at the sum of the offsets.
pub(super) struct CountFunction {
    /// The levels of the variables, ascending, with the offset of each value.
    pub(super) offsets: Vec<(usize, Vec<usize>)>,
    /// The levels of those that are counted with others.
    pub(super) counted: Vec<usize>,
    /// The entries, packed; false where no assignment leads.
    pub(super) table: Vec<u64>,
}

impl CountFunction {
    /// The entry at this place; false if there is none.
    pub(super) fn entry(&self, at: usize) -> bool {
        let word = self.table.get(at / 64);
        word.is_some_and(|word| word >> (at % 64) & 1 == 1)
    }
}

/// Searches for functions of counts.
pub(super) struct Symmetry<'a> {
    diagrams: &'a Diagrams,
    /// The place of each node among those of the present function, if it was seen in it.
    places: Vec<(u32, u32)>,
    /// Entries of the table for the variables decided so far, each valid in one round.
    entries: Vec<(u32, Edge)>,
    round: u32,
    /// The work that is left.
    steps: usize,
}

/// The nodes of a function's diagram, level by level, with what distinguishes values.
struct Anatomy {
    /// Node numbers, operands first.
    nodes: Vec<u32>,
    levels: BTreeMap<usize, Level>,
}

/// A variable that a function depends on.
struct Level {
    /// For each value, the first one that is as good as it.
    same_as: Vec<usize>,
    /// The density for each value that is not as good as one before it.
    signatures: Vec<(usize, Signature)>,
}

/// A density, and the number of those before it that are equal, for the same variable.
type Signature = (u64, usize);

impl<'a> Symmetry<'a> {
    /// Creates a search that may examine this many parts of functions.
    pub(super) fn new(diagrams: &'a Diagrams, steps: usize) -> Symmetry<'a> {
        Symmetry {
            diagrams,
            places: vec![(0, 0); diagrams.len()],
            entries: Vec::new(),
            round: 0,
            steps,
        }
    }

    /// The function as a table of counts, if it is one and there is enough work left.
    pub(super) fn count_function(&mut self, function: Edge) -> Option<CountFunction> {
        let anatomy = self.anatomy(function)?;
        let mut alike: BTreeMap<Vec<Signature>, Vec<usize>> = BTreeMap::new();
        for (&level, variable) in &anatomy.levels {
            let mut signatures: Vec<Signature> =
                variable.signatures.iter().map(|&(_, s)| s).collect();
            signatures.sort_unstable();
            alike.entry(signatures).or_default().push(level);
        }
        let more = |combinations: usize, values: usize| {
            Some(combinations * values).filter(|&product| product <= MAX_COMBINATIONS)
        };
        let (mut size, mut combinations) = (1, 1);
        let mut offsets: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut all_counted = Vec::new();
        for (signatures, levels) in alike {
            if levels.len() < FEWEST_COUNTED {
                for level in levels {
                    if self.diagrams.values(level) < FEWEST_VALUES {
                        return None;
                    }
                    let variable = &anatomy.levels[&level];
                    let first = |&value: &usize| {
                        let mut kinds = variable.signatures.iter();
                        kinds.position(|&(first, _)| first == value)
                    };
                    let kinds = variable.same_as.iter().map(|v| first(v).unwrap_or(0));
                    offsets.insert(level, kinds.map(|kind| kind * size).collect());
                    size *= variable.signatures.len();
                    combinations = more(combinations, self.diagrams.values(level))?;
                }
                continue;
            }
            all_counted.extend(&levels);
            // The number of one kind follows from those of the others: that of the first value,
            // which is that nothing is there.
            let rest = anatomy.levels[&levels[0]].signature(0);
            let mut strides = BTreeMap::new();
            for signature in signatures.iter().filter(|&&signature| signature != rest) {
                strides.insert(*signature, size);
                size *= levels.len() + 1;
                combinations = more(combinations, levels.len() + 1)?;
            }
            for level in levels {
                let variable = &anatomy.levels[&level];
                let offset = |value| strides.get(&variable.signature(value)).copied();
                let values = 0..variable.same_as.len();
                offsets.insert(
                    level,
                    values.map(|value| offset(value).unwrap_or(0)).collect(),
                );
            }
        }
        let table = self.table(function, &anatomy, &offsets, size)?;
        all_counted.sort_unstable();
        Some(CountFunction {
            offsets: offsets.into_iter().collect(),
            counted: all_counted,
            table,
        })
    }

    /// The table, if whatever leads to the same entry leaves the same function.
    fn table(
        &mut self,
        function: Edge,
        anatomy: &Anatomy,
        offsets: &BTreeMap<usize, Vec<usize>>,
        size: usize,
    ) -> Option<Vec<u64>> {
        if self.entries.len() < size {
            self.entries.resize(size, (0, Edge::FALSE));
        }
        let mut current = vec![(0, function)];
        for (&level, offsets) in offsets {
            self.round += 1;
            let kinds = &anatomy.levels[&level].signatures;
            self.charge(current.len() * kinds.len())?;
            let mut next = Vec::new();
            for (at, function) in current {
                for &(value, _) in kinds {
                    let at = at + offsets[value];
                    let left = self.diagrams.cofactor(function, level, value);
                    let entry = &mut self.entries[at];
                    if entry.0 != self.round {
                        *entry = (self.round, left);
                        next.push((at, left));
                    } else if entry.1 != left {
                        return None;
                    }
                }
            }
            current = next;
        }
        let mut table = vec![0; size.div_ceil(64)];
        for (at, value) in current {
            table[at / 64] |= u64::from(value == Edge::TRUE) << (at % 64);
        }
        Some(table)
    }

    /// Charges work to the budget. If that is too small, nothing is left.
    fn charge(&mut self, work: usize) -> Option<()> {
        let left = self.steps.checked_sub(work);
        self.steps = left.unwrap_or(0);
        left.map(|_| ())
    }

    fn anatomy(&mut self, function: Edge) -> Option<Anatomy> {
        self.round += 1;
        let mut nodes = Vec::new();
        let mut open = vec![function];
        while let Some(edge) = open.pop() {
            let place = &mut self.places[edge.node().index()];
            if self.diagrams.level(edge).is_some() && place.0 != self.round {
                place.0 = self.round;
                nodes.push(edge.node().0);
                let children = self.diagrams.children(edge.node());
                self.charge(children.len())?;
                open.extend_from_slice(children);
            }
        }
        // Children are made before their parents.
        nodes.sort_unstable();
        for (place, &node) in (0..).zip(&nodes) {
            self.places[node as usize].1 = place;
        }
        let mut levels: BTreeMap<usize, Level> = BTreeMap::new();
        for &node in &nodes {
            let edge = Edge::from(NodeId(node));
            let level = self.diagrams.level(edge).expect("it is no constant");
            let children = self.diagrams.children(edge.node());
            let variable = levels.entry(level).or_insert_with(|| Level {
                same_as: vec![0; children.len()],
                signatures: Vec::new(),
            });
            variable.separate(children);
        }
        for variable in levels.values_mut() {
            let values = 0..variable.same_as.len();
            let kinds = values.filter(|&value| variable.same_as[value] == value);
            variable.signatures = kinds.map(|value| (value, (0, 0))).collect();
        }
        let mut anatomy = Anatomy { nodes, levels };
        self.sign(function, &mut anatomy);
        Some(anatomy)
    }

    /// Finds the densities, with all kinds of values of a variable equally frequent: modulo a prime,
    /// so that equal ones are equal.
    fn sign(&self, function: Edge, anatomy: &mut Anatomy) {
        let shares: BTreeMap<usize, u64> = anatomy
            .levels
            .iter()
            .map(|(&level, variable)| (level, inverse(variable.signatures.len() as u64)))
            .collect();
        let mut density = vec![0; anatomy.nodes.len()];
        let of = |density: &[u64], edge: Edge| {
            let value = match self.diagrams.level(edge) {
                None => 0,
                Some(_) => density[self.places[edge.node().index()].1 as usize],
            };
            if edge.inverted() {
                sub(1, value)
            } else {
                value
            }
        };
        let level_of = |node: u32| {
            let level = self.diagrams.level(Edge::from(NodeId(node)));
            level.expect("it is no constant")
        };
        for (place, &node) in anatomy.nodes.iter().enumerate() {
            let children = self.diagrams.children(NodeId(node));
            let level = level_of(node);
            let kinds = anatomy.levels[&level].signatures.iter();
            let sum = kinds.fold(0, |sum, &(value, _)| {
                add(sum, of(&density, children[value]))
            });
            density[place] = mul(sum, shares[&level]);
        }
        // The frequency with which each node is reached, by the parity of the inversions on the way.
        let mut reached = vec![[0; 2]; anatomy.nodes.len()];
        if let Some(top) = reached.last_mut() {
            top[usize::from(function.inverted())] = 1;
        }
        let total = of(&density, function);
        for (place, &node) in anatomy.nodes.iter().enumerate().rev() {
            let children = self.diagrams.children(NodeId(node));
            let level = level_of(node);
            let [even, odd] = reached[place];
            let variable = anatomy.levels.get_mut(&level).expect("the level is there");
            for (value, signature) in &mut variable.signatures {
                let child = children[*value];
                let child_density = of(&density, child);
                let part = add(mul(even, child_density), mul(odd, sub(1, child_density)));
                signature.0 = add(signature.0, part);
                if self.diagrams.level(child).is_some() {
                    let reached = &mut reached[self.places[child.node().index()].1 as usize];
                    let [mut even, mut odd] = [even, odd].map(|part| mul(part, shares[&level]));
                    if child.inverted() {
                        std::mem::swap(&mut even, &mut odd);
                    }
                    *reached = [add(reached[0], even), add(reached[1], odd)];
                }
            }
        }
        for (level, variable) in &mut anatomy.levels {
            let parts = variable.signatures.iter().map(|(_, signature)| signature.0);
            let sum = mul(parts.fold(0, add), shares[level]);
            // If the variable is not examined, its value makes no difference.
            let elsewhere = sub(total, sum);
            let mut before: FxHashMap<u64, usize> = FxHashMap::default();
            for (_, (density, rank)) in &mut variable.signatures {
                *density = add(*density, elsewhere);
                let equal = before.entry(*density).or_default();
                *rank = *equal;
                *equal += 1;
            }
        }
    }
}

impl Level {
    /// Keeps together only those values that have the same child.
    fn separate(&mut self, children: &[Edge]) {
        let mut firsts = FxHashMap::default();
        for (value, (first, &child)) in self.same_as.iter_mut().zip(children).enumerate() {
            *first = *firsts.entry((*first, child)).or_insert(value);
        }
    }

    fn signature(&self, value: usize) -> Signature {
        let mut signatures = self.signatures.iter();
        let found = signatures.find(|&&(first, _)| first == self.same_as[value]);
        found.expect("each kind of values has one").1
    }
}

/// A Mersenne prime.
const PRIME: u64 = (1 << 61) - 1;

fn add(a: u64, b: u64) -> u64 {
    (a + b) % PRIME
}

fn sub(a: u64, b: u64) -> u64 {
    (a + PRIME - b) % PRIME
}

fn mul(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

/// Returns the multiplicative inverse of `a`.
fn inverse(a: u64) -> u64 {
    let (mut power, mut result, mut rest) = (a, 1, PRIME - 2);
    while rest > 0 {
        if rest & 1 == 1 {
            result = mul(result, power);
        }
        power = mul(power, power);
        rest >>= 1;
    }
    result
}
