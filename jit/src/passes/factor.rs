//! Distributive factoring: `a & b | a & c` is `a & (b | c)`, and the same with
//! AND and OR exchanged.
//!
//! Among the private gates inside a wide gate, the operand that most of them
//! share is factored out, together with their other common operands; the rest
//! is factored in the same way, until nothing is shared (literal factoring, as
//! in Brayton, "Factoring logic functions", 1987).

use std::collections::BinaryHeap;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::rebuild::rebuild;
use super::wide::{Place, Wide, conjunction};
use crate::circuit::{Builder, Circuit, Edge};
use propjit_stop::Stop;

/// The circuit with common operands taken out of private gates.
pub(super) fn factor(circuit: &Circuit, stop: &Stop) -> Circuit {
    let wide = Wide::new(circuit);
    // The operands of private gates, which the gate around them will make.
    let mut private: HashMap<u32, Vec<Edge>, FxBuildHasher> = HashMap::default();
    let mut ticker = stop.ticker();
    let mut leaves = Vec::new();
    rebuild(circuit, |builder, moved, node| {
        if !wide.is_gate(node) {
            return None;
        }
        wide.leaves(node, &mut leaves);
        let mut operands = Vec::with_capacity(leaves.len());
        let mut cubes = Vec::new();
        for leaf in leaves.drain(..) {
            match private.remove(&leaf.node().0) {
                Some(cube) => cubes.push(cube),
                None => operands.push(moved.edge(leaf)),
            }
        }
        match ticker.is_set() {
            true => operands.extend(cubes.iter_mut().map(|cube| !conjunction(builder, cube))),
            false if cubes.is_empty() => {}
            false => operands.push(none_of(builder, cubes)),
        }
        if wide.place(node) == Place::Private {
            operands.sort_unstable();
            operands.dedup();
            private.insert(node.0, operands);
            return None;
        }
        Some(conjunction(builder, &mut operands))
    })
}

/// Cubes, that is conjunctions of edges, of which none is to hold.
#[derive(Default)]
struct Problem {
    /// Each sorted and without repetition; those taken out are empty.
    cubes: Vec<Vec<Edge>>,
    /// The cubes that each edge is in; those taken out may still be listed.
    holders: HashMap<Edge, Vec<u32>, FxBuildHasher>,
    /// Edges of more than one cube, by an upper bound of their number.
    queue: BinaryHeap<(usize, Edge)>,
    /// The divisor of the problem on top of this one.
    divisor: Vec<Edge>,
}

/// The edge that is true where none of the cubes holds.
fn none_of(builder: &mut Builder, cubes: Vec<Vec<Edge>>) -> Edge {
    let mut stack = vec![Problem::new(cubes)];
    loop {
        let problem = stack.last_mut().expect("a problem");
        if let Some(rests) = problem.divide() {
            // A cube that is nothing but the divisor absorbs the others.
            match rests.iter().any(Vec::is_empty) {
                true => problem.multiply(None),
                false => stack.push(Problem::new(rests)),
            }
            continue;
        }
        let cubes = problem.cubes.iter_mut().filter(|cube| !cube.is_empty());
        let mut none: Vec<Edge> = cubes.map(|cube| !conjunction(builder, cube)).collect();
        let none = conjunction(builder, &mut none);
        stack.pop();
        match stack.last_mut() {
            Some(problem) => problem.multiply(Some(!none)),
            None => return none,
        }
    }
}

impl Problem {
    fn new(cubes: Vec<Vec<Edge>>) -> Problem {
        let mut problem = Problem::default();
        for cube in cubes {
            problem.insert(cube);
        }
        let holders = problem.holders.iter();
        let shared = holders.filter(|(_, cubes)| cubes.len() > 1);
        problem.queue = shared.map(|(&edge, cubes)| (cubes.len(), edge)).collect();
        problem
    }

    fn insert(&mut self, cube: Vec<Edge>) {
        for &edge in &cube {
            let holders = self.holders.entry(edge).or_default();
            holders.push(self.cubes.len() as u32);
        }
        self.cubes.push(cube);
    }

    /// Takes out the cubes that share the most common edge, and gives what
    /// remains of them without all that they have in common.
    fn divide(&mut self) -> Option<Vec<Vec<Edge>>> {
        let holders = loop {
            let (bound, edge) = self.queue.pop()?;
            let holders = self.holders.get_mut(&edge)?;
            let cubes = &self.cubes;
            holders.retain(|&at| cubes[at as usize].binary_search(&edge).is_ok());
            if holders.len() == bound {
                break std::mem::take(holders);
            }
            if holders.len() > 1 {
                self.queue.push((holders.len(), edge));
            }
        };
        let mut taken: Vec<_> = (holders.iter())
            .map(|&at| std::mem::take(&mut self.cubes[at as usize]))
            .collect();
        let in_all = |edge: &Edge| taken.iter().all(|cube| cube.binary_search(edge).is_ok());
        self.divisor = taken[0].iter().copied().filter(in_all).collect();
        for cube in &mut taken {
            cube.retain(|edge| self.divisor.binary_search(edge).is_err());
        }
        Some(taken)
    }

    /// Puts back the divisor, multiplied by the factored quotient.
    fn multiply(&mut self, rest: Option<Edge>) {
        let mut cube = std::mem::take(&mut self.divisor);
        cube.extend(rest);
        cube.sort_unstable();
        cube.dedup();
        for &edge in &cube {
            let known = self.holders.get(&edge).map_or(0, Vec::len);
            if known > 0 {
                self.queue.push((known + 1, edge));
            }
        }
        self.insert(cube);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::sweep::sweep;

    fn factored(circuit: &Circuit) -> usize {
        sweep(&factor(circuit, &Stop::new())).gates()
    }

    #[test]
    fn takes_out_the_common_operand() {
        let mut g = Builder::new(5);
        let x: Vec<_> = (0..5).map(|i| g.input(i)).collect();
        let cubes: Vec<_> = (1..5).map(|i| g.and(x[0], x[i])).collect();
        let any = g.or_all(&cubes);
        let circuit = g.finish(vec![any]);
        assert_eq!(circuit.gates(), 7);
        assert_eq!(factored(&circuit), 4);
    }
}
