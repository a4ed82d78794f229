//! The store of cubes that were proved.

use std::sync::Arc;

use super::cube::Cube;

/// The cubes of one kind, win or fail, for states of one phase, by depth.
#[derive(Debug)]
pub(super) struct Store {
    /// The words of a state.
    words: usize,
    /// The first shelf is for fail cubes for any depth, and then comes one for each depth.
    shelves: Vec<Shelf>,
    len: usize,
}

/// The cubes of one depth.
#[derive(Default, Debug)]
struct Shelf {
    /// For each word of each cube, the propositions that hold in it, and those that do not.
    literals: Vec<[u64; 2]>,
    cubes: Vec<Arc<Cube>>,
}

/// What several states have in common.
#[derive(Debug)]
pub(super) struct Common {
    /// The propositions that hold in all of them.
    pub(super) all: Vec<u64>,
    /// The propositions that hold in some.
    pub(super) some: Vec<u64>,
}

impl Common {
    /// Of states with this number of words; `None` if there are none.
    pub(super) fn of<'a>(
        words: usize,
        states: impl Iterator<Item = &'a [u64]>,
    ) -> Option<Common> {
        let mut common = Common {
            all: vec![!0; words],
            some: vec![0; words],
        };
        let mut are_any = false;
        for state in states {
            are_any = true;
            let both = common.all.iter_mut().zip(&mut common.some);
            both.zip(state).for_each(|((all, some), word)| {
                *all &= word;
                *some |= word;
            });
        }
        are_any.then_some(common)
    }
}

impl Store {
    /// An empty store for states of this number of words.
    pub(super) fn new(words: usize) -> Store {
        Store {
            words,
            shelves: Vec::new(),
            len: 0,
        }
    }

    /// The number of cubes.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Removes all cubes.
    pub(super) fn clear(&mut self) {
        self.shelves.clear();
        self.len = 0;
    }

    /// Adds a cube.
    pub(super) fn insert(&mut self, cube: Arc<Cube>) {
        let shelf = match cube.depth() {
            Cube::ANY => 0,
            depth => depth as usize + 1,
        };
        if shelf >= self.shelves.len() {
            self.shelves.resize_with(shelf + 1, Shelf::default);
        }
        let shelf = &mut self.shelves[shelf];
        let literals = cube.mask().iter().zip(cube.values());
        let literals = literals.map(|(mask, values)| [mask & values, mask & !values]);
        shelf.literals.extend(literals);
        shelf.cubes.push(cube);
        self.len += 1;
    }

    /// The cubes for this depth or a greater one that may contain one of several states.
    pub(super) fn at_least(&self, depth: u32, states: &Common) -> Vec<Arc<Cube>> {
        let from = (depth as usize + 1).min(self.shelves.len());
        let shelves = self.shelves.iter().take(1).chain(&self.shelves[from..]);
        self.collect(shelves, states)
    }

    /// The cubes for this depth or a smaller one that may contain one of several states.
    pub(super) fn at_most(&self, depth: u32, states: &Common) -> Vec<Arc<Cube>> {
        let shelves = self.shelves.iter().take(depth as usize + 2);
        self.collect(shelves, states)
    }

    fn collect<'a>(
        &self,
        shelves: impl Iterator<Item = &'a Shelf>,
        states: &Common,
    ) -> Vec<Arc<Cube>> {
        let mut found = Vec::new();
        for shelf in shelves {
            let each = shelf.literals.chunks_exact(self.words).zip(&shelf.cubes);
            for (literals, cube) in each {
                let common = states.all.iter().zip(&states.some);
                let conflict = literals.iter().zip(common).fold(
                    0,
                    |conflict, (&[holding, missing], (all, some))| {
                        conflict | (holding & !some) | (missing & all)
                    },
                );
                if conflict == 0 {
                    found.push(cube.clone());
                }
            }
        }
        found
    }
}
