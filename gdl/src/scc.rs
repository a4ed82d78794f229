//! Strongly connected components, in linear time and without recursion
//! (Tarjan 1972, with an explicit stack).

/// The components of a graph in flat storage, in an order in which each comes after those that
/// its nodes have edges to.
#[derive(Clone, Default, Debug)]
pub(crate) struct Components {
    members: Vec<u32>,
    ends: Vec<u32>,
}

impl Components {
    /// The components in their order, each as the slice of its nodes.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &[u32]> + ExactSizeIterator {
        (0..self.ends.len()).map(|i| self.get(i))
    }

    /// One component.
    pub(crate) fn get(&self, index: usize) -> &[u32] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.members[start as usize..self.ends[index] as usize]
    }

    /// The number of the component of every node, 0 for those that were not reached;
    /// `nodes` is the number of nodes.
    pub(crate) fn component_of(&self, nodes: usize) -> Vec<usize> {
        let mut component_of = vec![0; nodes];
        for (component, members) in self.iter().enumerate() {
            for &member in members {
                component_of[member as usize] = component;
            }
        }
        component_of
    }

    /// The number of components.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }
}

/// The components of the part of a graph that can be reached from `roots`.
/// `nodes` is the number of nodes; `successor(node, i)` is the `i`th node that
/// `node` has an edge to, `None` beyond the last.
pub(crate) fn components(
    nodes: usize,
    roots: impl IntoIterator<Item = u32>,
    successor: impl Fn(u32, usize) -> Option<u32>,
) -> Components {
    const UNSEEN: u32 = u32::MAX;
    const DONE: u32 = u32::MAX - 1;
    // Discovery time of a node on the stack, lowered to the earliest it reaches.
    let mut low = vec![UNSEEN; nodes];
    let mut stack: Vec<u32> = Vec::new();
    let mut found = Components::default();
    let mut calls: Vec<(u32, usize, u32)> = Vec::new();
    let mut time = 0;
    for root in roots {
        if low[root as usize] != UNSEEN {
            continue;
        }
        low[root as usize] = time;
        calls.push((root, 0, time));
        stack.push(root);
        time += 1;
        while let Some((node, edge, discovered)) = calls.last_mut() {
            if let Some(next) = successor(*node, *edge) {
                *edge += 1;
                match low[next as usize] {
                    UNSEEN => {
                        low[next as usize] = time;
                        stack.push(next);
                        calls.push((next, 0, time));
                        time += 1;
                    }
                    DONE => {}
                    earlier => {
                        let mine = &mut low[*node as usize];
                        *mine = earlier.min(*mine);
                    }
                }
                continue;
            }
            let (node, discovered) = (*node, *discovered);
            calls.pop();
            let reached = low[node as usize];
            if reached == discovered {
                loop {
                    let member = stack.pop().expect("the component's root is on the stack");
                    low[member as usize] = DONE;
                    found.members.push(member);
                    if member == node {
                        break;
                    }
                }
                found.ends.push(found.members.len() as u32);
            }
            if let Some(&(parent, ..)) = calls.last()
                && low[node as usize] != DONE
            {
                let parent = &mut low[parent as usize];
                *parent = reached.min(*parent);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Reachability by squaring, to compare with.
    fn reachable(edges: &[Vec<u32>]) -> Vec<Vec<bool>> {
        let n = edges.len();
        let mut reach = vec![vec![false; n]; n];
        for (node, targets) in edges.iter().enumerate() {
            reach[node][node] = true;
            targets.iter().for_each(|&t| reach[node][t as usize] = true);
        }
        for middle in 0..n {
            let through = reach[middle].clone();
            for row in &mut reach {
                if row[middle] {
                    row.iter_mut().zip(&through).for_each(|(r, t)| *r |= t);
                }
            }
        }
        reach
    }

    proptest! {
        #[test]
        fn components_are_mutual_reachability(
            edges in proptest::collection::vec(proptest::collection::vec(0u32..12, 0..4), 12)
        ) {
            let found = components(12, 0..12, |node, i| edges[node as usize].get(i).copied());
            let reach = reachable(&edges);
            let component_of = found.component_of(12);
            for a in 0..12 {
                for b in 0..12 {
                    let mutual = reach[a][b] && reach[b][a];
                    prop_assert_eq!(mutual, component_of[a] == component_of[b]);
                    prop_assert!(!reach[a][b] || component_of[b] <= component_of[a]);
                }
            }
        }
    }

    #[test]
    fn components_come_after_those_they_have_edges_to() {
        let edges = [vec![1], vec![2], vec![1, 3], vec![]];
        let found = components(4, 0..4, |node, i| edges[node as usize].get(i).copied());
        let found: Vec<&[u32]> = found.iter().collect();
        assert_eq!(found, [&[3][..], &[2, 1], &[0]]);
    }

    #[test]
    fn long_chains_do_not_overflow_the_stack() {
        let n = 1_000_000;
        let found = components(n, [0], |node, i| {
            (i == 0 && node + 1 < n as u32).then_some(node + 1)
        });
        assert_eq!(found.len(), n);
    }
}
