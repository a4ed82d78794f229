//! Greedy extraction of the pairs that occur in most rows.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use propjit_stop::Stop;

/// A member of rows: one given at the start, or a pair of others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Element(pub(super) u32);

/// Two elements, the smaller first.
type Pair = (Element, Element);

fn pair(a: Element, b: Element) -> Pair {
    (a.min(b), a.max(b))
}

/// Rows of elements, from which pairs are extracted.
pub(super) struct Extraction {
    rows: Vec<Vec<Element>>,
    /// The rows that each element is or was in, and in how many of them it is.
    users: Vec<Vec<u32>>,
    uses: Vec<usize>,
    /// The number of elements given at the start.
    given: usize,
    /// The pairs that the later elements stand for.
    pairs: Vec<Pair>,
    /// The number of rows that each pair occurs in.
    counts: HashMap<Pair, u32, FxBuildHasher>,
    /// Pairs of more than one row, by an upper bound of their number; of equals,
    /// the one first whose elements occur least without each other.
    queue: BinaryHeap<(u32, Reverse<usize>, Reverse<Pair>)>,
}

impl Extraction {
    /// No rows yet, of this many elements.
    pub(super) fn new(elements: usize) -> Extraction {
        Extraction {
            rows: Vec::new(),
            users: vec![Vec::new(); elements],
            uses: vec![0; elements],
            given: elements,
            pairs: Vec::new(),
            counts: HashMap::default(),
            queue: BinaryHeap::new(),
        }
    }

    /// Adds a row; its elements must be different.
    pub(super) fn add_row(&mut self, row: Vec<Element>) {
        for element in &row {
            self.users[element.0 as usize].push(self.rows.len() as u32);
            self.uses[element.0 as usize] += 1;
        }
        self.rows.push(row);
    }

    /// The rows as they are now.
    pub(super) fn rows(&self) -> &[Vec<Element>] {
        &self.rows
    }

    /// Returns the present number of elements.
    pub(super) fn elements(&self) -> usize {
        self.users.len()
    }

    /// Returns the pair that an extracted element stands for.
    pub(super) fn pair(&self, element: Element) -> Option<Pair> {
        let extracted = (element.0 as usize).checked_sub(self.given)?;
        Some(self.pairs[extracted])
    }

    /// Extracts pairs until none is in more than one row, or it is too late.
    pub(super) fn run(&mut self, stop: &Stop) {
        let mut ticker = stop.ticker();
        for row in &self.rows {
            for (at, &a) in row.iter().enumerate() {
                for &b in &row[..at] {
                    *self.counts.entry(pair(a, b)).or_default() += 1;
                }
            }
            if ticker.is_set() {
                return;
            }
        }
        self.counts.retain(|_, &mut count| count > 1);
        let uses = &self.uses;
        let entries = self.counts.iter();
        self.queue = entries
            .map(|(&pair, &count)| entry(uses, pair, count))
            .collect();
        while let Some((bound, _, Reverse(best))) = self.queue.pop() {
            let Some(&count) = self.counts.get(&best) else {
                continue;
            };
            if count == bound {
                self.extract(best);
            } else if count > 1 {
                self.queue.push(entry(&self.uses, best, count));
            }
            if ticker.is_set() {
                return;
            }
        }
    }

    /// Replaces a pair by a new element in all rows.
    fn extract(&mut self, (a, b): Pair) {
        let element = Element(self.users.len() as u32);
        self.pairs.push((a, b));
        self.counts.remove(&(a, b));
        let [of_a, of_b] = [a, b].map(|e| &self.users[e.0 as usize]);
        let fewer = self.uses[a.0 as usize] <= self.uses[b.0 as usize];
        let candidates = if fewer { of_a } else { of_b };
        let is_in = |row: &u32| {
            let row = &self.rows[*row as usize];
            row.contains(&a) && row.contains(&b)
        };
        let users: Vec<u32> = candidates.iter().copied().filter(is_in).collect();
        let mut neighbours: HashMap<Element, u32, FxBuildHasher> = HashMap::default();
        for &at in &users {
            let row = &mut self.rows[at as usize];
            row.retain(|&other| other != a && other != b);
            for &other in row.iter() {
                *neighbours.entry(other).or_default() += 1;
                for gone in [a, b] {
                    if let Some(count) = self.counts.get_mut(&pair(gone, other)) {
                        *count -= 1;
                    }
                }
            }
            row.push(element);
        }
        for gone in [a, b] {
            let rows = &self.rows;
            let is_left = |row: &u32| rows[*row as usize].contains(&gone);
            let (list, uses) = (
                &mut self.users[gone.0 as usize],
                &mut self.uses[gone.0 as usize],
            );
            *uses -= users.len();
            if list.len() > 2 * *uses {
                list.retain(is_left);
            }
        }
        self.uses.push(users.len());
        self.users.push(users);
        for (other, count) in neighbours.into_iter().filter(|&(_, count)| count > 1) {
            let pair = (other, element);
            self.counts.insert(pair, count);
            self.queue.push(entry(&self.uses, pair, count));
        }
    }
}

fn entry(uses: &[usize], pair: Pair, count: u32) -> (u32, Reverse<usize>, Reverse<Pair>) {
    let all = uses[pair.0.0 as usize] + uses[pair.1.0 as usize];
    (count, Reverse(all), Reverse(pair))
}
