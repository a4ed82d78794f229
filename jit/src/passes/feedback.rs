//! Feedback vertex sets: the feedback nodes that a loop cannot do without.
//!
//! A feedback node takes the value of its source one evaluation later. If the
//! source can be evaluated earlier in the same one, the loop settles sooner: a
//! ring of ten nodes needs one feedback node and two evaluations, not ten and ten. The remaining nodes
//! must cut every circle: they are a feedback vertex set, found greedily by degree.

use std::collections::BinaryHeap;

/// A graph over the feedback nodes of a loop: an edge leads to each node whose value of
/// the evaluation before goes into the source.
#[derive(Default)]
pub(super) struct Dependencies {
    reads: Vec<Vec<u32>>,
    read_by: Vec<Vec<u32>>,
}

impl Dependencies {
    /// Adds the next node, which reads these.
    pub(super) fn add(&mut self, reads: Vec<u32>) {
        self.reads.push(reads);
    }

    /// By node, whether it must remain; the others are on no circle without those.
    pub(super) fn cut(mut self) -> Vec<bool> {
        self.read_by = vec![Vec::new(); self.reads.len()];
        for (node, reads) in self.reads.iter().enumerate() {
            for &read in reads {
                self.read_by[read as usize].push(node as u32);
            }
        }
        // The numbers of neighbours that may still be on a circle with the node.
        let mut ins: Vec<usize> = self.read_by.iter().map(Vec::len).collect();
        let mut outs: Vec<usize> = self.reads.iter().map(Vec::len).collect();
        let nodes = 0..self.reads.len();
        let mut left = vec![true; nodes.len()];
        let mut cut = vec![false; nodes.len()];
        let mut queue: BinaryHeap<(usize, usize)> = nodes.map(|n| (ins[n] * outs[n], n)).collect();
        let mut removed = Vec::new();
        while let Some((bound, node)) = queue.pop() {
            let degree = ins[node] * outs[node];
            if !left[node] || degree < bound {
                if left[node] {
                    queue.push((degree, node));
                }
                continue;
            }
            // Nodes on no circle go without being cut.
            cut[node] = degree > 0;
            left[node] = false;
            removed.push(node);
            while let Some(gone) = removed.pop() {
                let readers = self.read_by[gone].iter().map(|&n| (n as usize, true));
                let read = self.reads[gone].iter().map(|&n| (n as usize, false));
                for (neighbour, reads_gone) in readers.chain(read) {
                    let count = if reads_gone { &mut outs } else { &mut ins };
                    count[neighbour] -= 1;
                    if left[neighbour] && count[neighbour] == 0 {
                        left[neighbour] = false;
                        removed.push(neighbour);
                    }
                }
            }
        }
        cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuts(graph: &[&[u32]]) -> usize {
        let mut dependencies = Dependencies::default();
        graph
            .iter()
            .for_each(|reads| dependencies.add(reads.to_vec()));
        dependencies.cut().into_iter().filter(|&cut| cut).count()
    }

    #[test]
    fn a_ring_is_cut_once() {
        assert_eq!(cuts(&[&[1], &[2], &[3], &[0]]), 1);
    }

    #[test]
    fn a_node_that_reads_itself_is_cut() {
        assert_eq!(cuts(&[&[0, 1], &[]]), 1);
    }

    #[test]
    fn a_path_both_ways_is_cut_at_every_other_node() {
        assert_eq!(cuts(&[&[1], &[0, 2], &[1, 3], &[2, 4], &[3]]), 2);
    }
}
