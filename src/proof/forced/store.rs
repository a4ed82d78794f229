//! The store of proved cubes.
//!
//! Cubes are found for many states at a time: a tree branches by the value of a proposition in a cube, and
//! sets of states, as bits of rows, go down it until they are empty. In a leaf the cubes are bits of rows
//! in turn, so that those that differ from all of the states are seen at once.

use std::sync::Arc;

use super::cube::Cube;
use super::joint_rows::{EMPTY, JointRows, Lanes, PART, joints};
use crate::game::vocabulary::state::ones;

/// The number of cubes in a leaf of the tree before it is split.
const LEAF: usize = u64::BITS as usize;

/// The words that a store may take before its cubes are forgotten: 64 MiB.
const MAX_WORDS: usize = 1 << 23;

/// The words that a cube takes for each word of a state: as a mask and values, here and there.
const CUBE_WORDS: usize = 6;

/// The cubes of one kind, win or fail, for states of one phase.
#[derive(Debug)]
pub(super) struct Store {
    /// The tree; the first node is its root. The parts of a branch are side by side.
    nodes: Vec<Tree>,
    leaves: Vec<Leaf>,
    len: usize,
    /// The number of propositions of the cubes that were added, in whole words.
    propositions: usize,
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
    /// A leaf, by its number.
    Leaf(u32),
    Branch {
        proposition: u32,
        /// The nodes with the cubes in which it does not hold, in which it holds, and in which it
        /// is not given, one after the other: the first of them.
        parts: u32,
    },
}

/// Cubes that are compared with states together.
#[derive(Default, Debug)]
struct Leaf {
    cubes: Vec<Arc<Cube>>,
    /// Sets of the cubes. For each proposition: those in which it does not hold, and those in
    /// which it holds.
    given: Vec<u64>,
}

/// Which cubes are looked for: by their depths.
#[derive(Clone, Copy, Debug)]
pub(super) enum Depths {
    AtLeast(u32),
    AtMost(u32),
}

impl Depths {
    /// Returns whether there may be some among cubes with depths in a range.
    fn overlap(self, [least, most]: [u32; 2]) -> bool {
        match self {
            Depths::AtLeast(depth) => most >= depth,
            Depths::AtMost(depth) => least <= depth,
        }
    }
}

impl Store {
    /// Returns the number of cubes, of states of `words` words, that a store may have before they are
    /// forgotten.
    pub(super) fn most_cubes(words: usize) -> usize {
        MAX_WORDS / (CUBE_WORDS * words.max(1))
    }

    /// An empty store.
    pub(super) fn new() -> Store {
        Store {
            nodes: vec![Tree::leaf(0)],
            leaves: vec![Leaf::default()],
            len: 0,
            propositions: 0,
        }
    }

    /// The number of cubes.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The cubes.
    pub(super) fn cubes(&self) -> impl Iterator<Item = &Arc<Cube>> {
        self.leaves.iter().flat_map(|leaf| &leaf.cubes)
    }

    /// Adds a cube.
    pub(super) fn insert(&mut self, cube: Arc<Cube>) {
        self.propositions = 64 * cube.mask().len();
        let mut at = 0;
        loop {
            let tree = &mut self.nodes[at];
            tree.include(cube.depth());
            match tree.kind {
                Kind::Branch { proposition, parts } => {
                    at = parts as usize + part(&cube, proposition as usize);
                }
                Kind::Leaf(leaf) => {
                    let cubes = self.leaves[leaf as usize].cubes.len();
                    if cubes == LEAF {
                        self.split(at, leaf as usize);
                        continue;
                    }
                    let leaf = &mut self.leaves[leaf as usize];
                    leaf.insert(cube);
                    self.len += leaf.cubes.len() - cubes;
                    return;
                }
            }
        }
    }

    /// Makes a branch of a leaf.
    fn split(&mut self, at: usize, leaf: usize) {
        let cubes = std::mem::take(&mut self.leaves[leaf].cubes);
        self.leaves[leaf].given.fill(0);
        let proposition = best_split(&cubes);
        let parts = self.nodes.len();
        self.nodes[at].kind = Kind::Branch {
            proposition: proposition as u32,
            parts: parts as u32,
        };
        let leaves = [leaf, self.leaves.len(), self.leaves.len() + 1];
        self.leaves
            .resize_with(self.leaves.len() + 2, Leaf::default);
        self.nodes
            .extend(leaves.map(|leaf| Tree::leaf(leaf as u32)));
        for cube in cubes {
            let part = part(&cube, proposition);
            self.nodes[parts + part].include(cube.depth());
            self.leaves[leaves[part]].insert(cube);
        }
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
            if *open == EMPTY || self.len == 0 {
                continue;
            }
            let query = Query::new(depths, rows, part, open);
            let take = &mut |cube: &Arc<Cube>, set: &Lanes| {
                joints(set).for_each(|joint| found(cube, part * PART + joint));
            };
            self.find_in(&self.nodes[0], &query, *open, open, take);
        }
    }

    /// A cube with these depths that contains a packed state, which may be cut off after its last
    /// proposition.
    pub(super) fn cube_of(&self, depths: Depths, state: &[u64]) -> Option<&Arc<Cube>> {
        let holds = |at: usize| {
            let word = state.get(at / 64);
            word.is_some_and(|word| word >> (at % 64) & 1 == 1)
        };
        let excluded: Vec<u32> = (0..self.propositions)
            .map(|at| excluded(at, holds(at)))
            .collect();
        let mut left = vec![0];
        while let Some(at) = left.pop() {
            let tree = &self.nodes[at];
            if !depths.overlap(tree.depths) {
                continue;
            }
            match tree.kind {
                Kind::Leaf(leaf) => {
                    let found = self.leaves[leaf as usize].without(&excluded, depths).next();
                    if found.is_some() {
                        return found;
                    }
                }
                Kind::Branch { proposition, parts } => {
                    let part = usize::from(holds(proposition as usize));
                    left.extend([parts as usize + 2, parts as usize + part]);
                }
            }
        }
        None
    }

    /// Searches a part of the tree for those of a set of states that are still open.
    fn find_in(
        &self,
        tree: &Tree,
        query: &Query<'_>,
        set: Lanes,
        open: &mut Lanes,
        found: &mut impl FnMut(&Arc<Cube>, &Lanes),
    ) {
        if !query.depths.overlap(tree.depths) {
            return;
        }
        match tree.kind {
            Kind::Leaf(leaf) => self.leaves[leaf as usize].find(query, set, open, found),
            Kind::Branch { proposition, parts } => {
                let proposition = proposition as usize;
                let [all, some] =
                    query.common[proposition / 64].map(|word| word >> (proposition % 64) & 1 == 1);
                let set = and(set, *open);
                let sets = match (all, some) {
                    (true, _) => [EMPTY, set, set],
                    (false, false) => [set, EMPTY, set],
                    (false, true) => {
                        let row = query.rows.row(query.part, proposition);
                        [and(set, row.map(|word| !word)), and(set, *row), set]
                    }
                };
                for (part, set) in self.nodes[parts as usize..][..3].iter().zip(sets) {
                    if set != EMPTY {
                        self.find_in(part, query, set, open, found);
                    }
                }
            }
        }
    }
}

/// A query for cubes.
struct Query<'a> {
    depths: Depths,
    rows: &'a JointRows,
    /// The part of the joint moves that is queried.
    part: usize,
    /// For each word of a state, the propositions that hold in all states, and in some.
    common: Vec<[u64; 2]>,
    /// The sets in a leaf of the cubes with a value of a proposition that differs from that in all states.
    excluded: Vec<u32>,
}

impl Query<'_> {
    fn new<'a>(depths: Depths, rows: &'a JointRows, part: usize, open: &Lanes) -> Query<'a> {
        let common = rows.common(part, open);
        let same = ones(common.iter().map(|[all, some]| all | !some));
        let excluded = same.map(|at| excluded(at, common[at / 64][0] >> (at % 64) & 1 == 1));
        let excluded = excluded.collect();
        Query {
            depths,
            rows,
            part,
            common,
            excluded,
        }
    }
}

impl Tree {
    /// A leaf without cubes.
    fn leaf(leaf: u32) -> Tree {
        Tree {
            depths: [u32::MAX, 0],
            kind: Kind::Leaf(leaf),
        }
    }

    /// Takes note of the depth of a further cube.
    fn include(&mut self, depth: u32) {
        let [least, most] = self.depths;
        self.depths = [least.min(depth), most.max(depth)];
    }
}

impl Leaf {
    /// Adds a cube, for which there is room, in place of one that says less, or not at all if
    /// there is one with the same literals that says more: all cubes have different literals.
    fn insert(&mut self, cube: Arc<Cube>) {
        self.given.resize(2 * 64 * cube.mask().len(), 0);
        let mut within = (1 << self.cubes.len()) - 1;
        for proposition in ones(cube.mask().iter().copied()) {
            within &= self.given[2 * proposition + part(&cube, proposition)];
        }
        for at in ones([within].into_iter()) {
            if cube.is_at_least(&self.cubes[at]) {
                self.given.iter_mut().for_each(|set| *set &= !(1 << at));
                self.place(at, &cube);
                self.cubes[at] = cube;
                return;
            }
            if self.cubes[at].mask() == cube.mask() {
                return;
            }
        }
        self.place(self.cubes.len(), &cube);
        self.cubes.push(cube);
    }

    /// Puts a cube into the sets.
    fn place(&mut self, at: usize, cube: &Cube) {
        for proposition in ones(cube.mask().iter().copied()) {
            self.given[2 * proposition + part(cube, proposition)] |= 1 << at;
        }
    }

    /// The cubes with these depths that are in none of these sets.
    fn without(&self, excluded: &[u32], depths: Depths) -> impl Iterator<Item = &Arc<Cube>> {
        let mut left: u64 = match self.cubes.len() {
            0 => 0,
            count => !0 >> (LEAF - count),
        };
        for excluded in excluded.chunks(8) {
            if left == 0 {
                break;
            }
            let excluded = excluded.iter().map(|&at| self.given[at as usize]);
            left &= !excluded.fold(0, |all, set| all | set);
        }
        let cubes = ones([left].into_iter()).map(|at| &self.cubes[at]);
        cubes.filter(move |cube| depths.overlap([cube.depth(); 2]))
    }

    /// Looks for cubes that contain those states of a set that are still open.
    fn find(
        &self,
        query: &Query<'_>,
        set: Lanes,
        open: &mut Lanes,
        found: &mut impl FnMut(&Arc<Cube>, &Lanes),
    ) {
        for cube in self.without(&query.excluded, query.depths) {
            let set = and(set, *open);
            let set = query.rows.restrict(query.part, cube, &query.common, set);
            if set != EMPTY {
                *open = and(*open, set.map(|word| !word));
                found(cube, &set);
            }
        }
    }
}

/// The set in a leaf of the cubes that contain no state in which a proposition is this.
fn excluded(proposition: usize, holds: bool) -> u32 {
    2 * proposition as u32 + u32::from(!holds)
}

/// The states in both sets.
fn and(a: Lanes, b: Lanes) -> Lanes {
    std::array::from_fn(|word| a[word] & b[word])
}

/// The part of a branch that a cube belongs to.
fn part(cube: &Cube, proposition: usize) -> usize {
    let bit = |words: &[u64]| words[proposition / 64] >> (proposition % 64) & 1;
    match bit(cube.mask()) {
        1 => bit(cube.values()) as usize,
        _ => 2,
    }
}

/// The proposition by which a state is compared with the fewest of the cubes, of which no two
/// have the same literals.
fn best_split(cubes: &[Arc<Cube>]) -> usize {
    let words = cubes[0].mask().len();
    let mut counts = vec![[0, 0, cubes.len()]; 64 * words];
    for cube in cubes {
        for proposition in ones(cube.mask().iter().copied()) {
            counts[proposition][part(cube, proposition)] += 1;
            counts[proposition][2] -= 1;
        }
    }
    let parts = counts.iter().enumerate();
    let parts = parts.filter(|(_, parts)| parts.iter().all(|&part| part < cubes.len()));
    let best =
        parts.min_by_key(|(_, [missing, holding, rest])| (rest + missing.max(holding), rest));
    best.expect("two cubes differ in some proposition").0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The number of propositions: so few that states are often in cubes.
    const PROPOSITIONS: usize = 8;

    fn word() -> impl Strategy<Value = u64> {
        0..1u64 << PROPOSITIONS
    }

    proptest! {
        #[test]
        fn a_state_is_found_if_and_only_if_it_is_in_a_cube(
            cubes in prop::collection::vec((word(), word(), word(), 1u32..6), 0..400),
            won: bool,
            states in prop::collection::vec(word(), 1..100),
            depth in 0u32..7,
        ) {
            let mut store = Store::new();
            // The masks are such that two of three together have few literals, so that there is something
            // to find.
            let cubes: Vec<Arc<Cube>> = (cubes.iter())
                .map(|&(mask, other, state, depth)| {
                    Arc::new(Cube::new(&[mask & other], &[state], won, depth, 0))
                })
                .collect();
            cubes.iter().for_each(|cube| store.insert(cube.clone()));
            prop_assert!(store.len() <= cubes.len());
            let depths = match won {
                true => Depths::AtMost(depth),
                false => Depths::AtLeast(depth),
            };
            let suits = |cube: &Arc<Cube>| depths.overlap([cube.depth(); 2]);
            let mut rows = JointRows::default();
            rows.resize(PROPOSITIONS, states.len());
            let words = rows.words();
            let mut bits = vec![0; PROPOSITIONS * words];
            let mut open = vec![0; words];
            for (joint, state) in states.iter().enumerate() {
                open[joint / 64] |= 1 << (joint % 64);
                for proposition in ones([*state].into_iter()) {
                    bits[proposition * words + joint / 64] |= 1 << (joint % 64);
                }
            }
            rows.fill(0, words, &bits);
            let mut found = vec![false; states.len()];
            store.find(depths, &rows, &mut open, |cube, joint| {
                assert!(cube.contains(&states[joint..=joint]) && suits(cube) && !found[joint]);
                found[joint] = true;
            });
            for (joint, state) in states.iter().enumerate() {
                let is_in = |cube: &&Arc<Cube>| cube.contains(&[*state]);
                let expected = cubes.iter().filter(is_in).any(suits);
                prop_assert_eq!(found[joint], expected);
                prop_assert_eq!(open[joint / 64] >> (joint % 64) & 1 == 1, !expected);
                let alone = store.cube_of(depths, &[*state]);
                prop_assert!(alone.is_none_or(|cube| is_in(&cube) && suits(cube)));
                prop_assert_eq!(alone.is_some(), expected);
                let any = store.cube_of(Depths::AtMost(u32::MAX), &[*state]);
                prop_assert_eq!(any.is_some(), cubes.iter().any(|cube| is_in(&cube)));
            }
        }
    }
}
