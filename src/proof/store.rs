//! The store of cubes that were proved.
//!
//! Cubes are found for many states at a time: a tree branches by what a proposition is in a cube,
//! and sets of states, as bits of rows, go down it until they are empty.

use std::sync::Arc;

use super::cube::Cube;
use super::joint_rows::{EMPTY, JointRows, Lanes, PART, joints};
use crate::state::ones;

/// The number of cubes in a leaf of the tree before it is split.
const LEAF: usize = 16;

/// The cubes of one kind, win or fail, for states of one phase.
#[derive(Debug)]
pub(super) struct Store {
    root: Tree,
    len: usize,
}

/// A part of the tree.
#[derive(Debug)]
struct Tree {
    /// The least and the greatest depth of its cubes.
    depths: [u32; 2],
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Leaf {
        cubes: Vec<Arc<Cube>>,
        /// Their depths, beside each other.
        depths: Vec<u32>,
        /// For each word of each cube, the propositions that hold in it, and those that do not.
        literals: Vec<[u64; 2]>,
        /// The number of cubes at which to try to split it.
        most: usize,
    },
    Branch {
        proposition: usize,
        /// The cubes in which it does not hold, in which it holds, and in which it is not given.
        parts: Box<[Tree; 3]>,
    },
}

/// Which cubes are looked for: by their depths.
#[derive(Clone, Copy, Debug)]
pub(super) enum Depths {
    AtLeast(u32),
    AtMost(u32),
}

impl Depths {
    /// Whether there may be some among cubes whose depths are in a range.
    fn overlap(self, [least, most]: [u32; 2]) -> bool {
        match self {
            Depths::AtLeast(depth) => most >= depth,
            Depths::AtMost(depth) => least <= depth,
        }
    }
}

impl Store {
    /// An empty store.
    pub(super) fn new() -> Store {
        Store {
            root: Tree::leaf(Vec::new()),
            len: 0,
        }
    }

    /// The number of cubes.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds a cube.
    pub(super) fn insert(&mut self, cube: Arc<Cube>) {
        self.root.insert(cube);
        self.len += 1;
    }

    /// Takes states from the set `open` as they are found to be in cubes with these depths, and
    /// calls `found` with the cube and each of the states.
    pub(super) fn find(
        &self,
        depths: Depths,
        rows: &JointRows,
        open: &mut [u64],
        mut found: impl FnMut(&Arc<Cube>, usize),
    ) {
        for (part, open) in open.as_chunks_mut().0.iter_mut().enumerate() {
            if *open == EMPTY {
                continue;
            }
            let query = Query {
                depths,
                rows,
                part,
                common: rows.common(part, open),
            };
            let take = &mut |cube: &Arc<Cube>, set: &Lanes| {
                joints(set).for_each(|joint| found(cube, part * PART + joint));
            };
            self.root.find(&query, *open, open, take);
        }
    }
}

struct Query<'a> {
    depths: Depths,
    rows: &'a JointRows,
    /// The part of the joint moves that is asked about.
    part: usize,
    /// For each word of a state, the propositions that hold in all states, and in some.
    common: Vec<[u64; 2]>,
}

impl Tree {
    fn leaf(cubes: Vec<Arc<Cube>>) -> Tree {
        let depths = cubes.iter().map(|cube| cube.depth());
        let [least, most] = depths.fold([u32::MAX, 0], |[least, most], depth| {
            [least.min(depth), most.max(depth)]
        });
        Tree {
            depths: [least, most],
            kind: Kind::Leaf {
                most: LEAF.max(cubes.len()),
                depths: cubes.iter().map(|cube| cube.depth()).collect(),
                literals: cubes.iter().flat_map(|cube| literals(cube)).collect(),
                cubes,
            },
        }
    }

    fn insert(&mut self, cube: Arc<Cube>) {
        let [least, most] = self.depths;
        self.depths = [least.min(cube.depth()), most.max(cube.depth())];
        match &mut self.kind {
            Kind::Branch { proposition, parts } => {
                let part = part(&cube, *proposition);
                parts[part].insert(cube);
            }
            Kind::Leaf {
                cubes,
                depths,
                literals: all,
                most,
            } => {
                depths.push(cube.depth());
                all.extend(literals(&cube));
                cubes.push(cube);
                if cubes.len() > *most {
                    match best_split(cubes) {
                        Some(proposition) => {
                            let mut split = [const { Vec::new() }; 3];
                            for cube in cubes.drain(..) {
                                split[part(&cube, proposition)].push(cube);
                            }
                            let parts = Box::new(split.map(Tree::leaf));
                            self.kind = Kind::Branch { proposition, parts };
                        }
                        None => *most *= 2,
                    }
                }
            }
        }
    }

    /// Searches for a set of states, as far as they are still open.
    fn find(
        &self,
        query: &Query<'_>,
        set: Lanes,
        open: &mut Lanes,
        found: &mut impl FnMut(&Arc<Cube>, &Lanes),
    ) {
        if !query.depths.overlap(self.depths) {
            return;
        }
        match &self.kind {
            Kind::Leaf {
                cubes,
                depths,
                literals,
                ..
            } => {
                let each = literals.chunks_exact(query.common.len()).zip(depths);
                for (cube, (literals, &depth)) in cubes.iter().zip(each) {
                    let both = literals.iter().zip(&query.common);
                    let conflict = both.fold(0, |conflict, ([holding, missing], [all, some])| {
                        conflict | (holding & !some) | (missing & all)
                    });
                    if conflict != 0 || !query.depths.overlap([depth; 2]) {
                        continue;
                    }
                    let set = and(set, *open);
                    let set = query.rows.restrict(query.part, cube, &query.common, set);
                    if set != EMPTY {
                        *open = and(*open, set.map(|word| !word));
                        found(cube, &set);
                    }
                }
            }
            Kind::Branch { proposition, parts } => {
                let [all, some] =
                    query.common[proposition / 64].map(|word| word >> (proposition % 64) & 1 == 1);
                let row = query.rows.row(query.part, *proposition);
                let set = and(set, *open);
                let sets = match (all, some) {
                    (true, _) => [EMPTY, set, set],
                    (false, false) => [set, EMPTY, set],
                    (false, true) => [and(set, row.map(|word| !word)), and(set, *row), set],
                };
                for (part, set) in parts.iter().zip(sets) {
                    if set != EMPTY {
                        part.find(query, set, open, found);
                    }
                }
            }
        }
    }
}

/// The states in both sets.
fn and(a: Lanes, b: Lanes) -> Lanes {
    std::array::from_fn(|word| a[word] & b[word])
}

/// The propositions that hold in a cube, and those that do not, by the word.
fn literals(cube: &Cube) -> impl Iterator<Item = [u64; 2]> {
    let words = cube.mask().iter().zip(cube.values());
    words.map(|(mask, values)| [mask & values, mask & !values])
}

/// The part of a branch that a cube belongs to.
fn part(cube: &Cube, proposition: usize) -> usize {
    let bit = |words: &[u64]| words[proposition / 64] >> (proposition % 64) & 1;
    match bit(cube.mask()) {
        1 => bit(cube.values()) as usize,
        _ => 2,
    }
}

/// The proposition by which a state is compared with the fewest of the cubes; `None` if none
/// helps.
fn best_split(cubes: &[Arc<Cube>]) -> Option<usize> {
    let words = cubes[0].mask().len();
    let mut counts = vec![[0usize; 2]; 64 * words];
    for cube in cubes {
        for proposition in ones(cube.mask().iter().copied()) {
            counts[proposition][part(cube, proposition)] += 1;
        }
    }
    let compared =
        |&[missing, holding]: &[usize; 2]| cubes.len() - missing - holding + missing.max(holding);
    let (best, counts) = counts
        .iter()
        .enumerate()
        .min_by_key(|(_, counts)| compared(counts))?;
    (compared(counts) < cubes.len()).then_some(best)
}
