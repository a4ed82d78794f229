//! List scheduling of operations, with equal kinds side by side.
//!
//! Branching on the kind of every operation would cost more than the operation,
//! so operations of one kind are executed in runs. A list scheduler makes the
//! runs long: it continues with the current kind as long as any operation of that
//! kind has its operands, then takes the kind with the most operations ready.

use std::collections::VecDeque;

/// `AND of the positive operands AND NOT (OR of the negative operands)`; without
/// positive operands just the OR, uninverted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Kind {
    pub positive: u8,
    pub negative: u8,
}

impl Kind {
    /// The most operands an operation has; the least is two.
    pub(super) const MAX_OPERANDS: usize = 4;
    const COUNT: usize = (Kind::MAX_OPERANDS + 1) * (Kind::MAX_OPERANDS + 1);

    fn index(self) -> usize {
        usize::from(self.positive) * (Kind::MAX_OPERANDS + 1) + usize::from(self.negative)
    }

    fn operands(self) -> usize {
        usize::from(self.positive + self.negative)
    }
}

/// One operation on rows.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub kind: Kind,
    /// The row written.
    pub target: u32,
    /// The rows read, positive ones first; the kind says how many of them count.
    pub operands: [u32; Kind::MAX_OPERANDS],
}

impl Operation {
    fn operands(&self) -> &[u32] {
        &self.operands[..self.kind.operands()]
    }
}

/// Operations in execution order, packed.
#[derive(Clone, Default, Debug)]
pub(super) struct PackedOperations {
    /// The runs: a kind, and the number of its operations in a row.
    pub runs: Vec<(Kind, u32)>,
    /// For each operation the row written, then the rows read. Row `r` is given as
    /// `8 * r`: its offset in bytes if a row has one word.
    pub offsets: Vec<u32>,
}

impl PackedOperations {
    /// Packs operations, given in an order in which they could be executed. The
    /// order is changed only within windows of this many operations, so that rows
    /// written are read soon.
    pub(super) fn new(operations: &[Operation], window: usize) -> PackedOperations {
        let mut packed = PackedOperations::default();
        for window in operations.chunks(window) {
            packed.schedule(window);
        }
        packed
    }

    /// The number of operations.
    pub(super) fn count(&self) -> u32 {
        self.runs.iter().map(|&(_, count)| count).sum()
    }

    /// Returns whether the number of offsets is the one that the kinds of the operations require.
    pub(super) fn is_complete(&self) -> bool {
        let offsets = |&(kind, count): &(Kind, u32)| count as usize * (1 + kind.operands());
        self.runs.iter().map(offsets).sum::<usize>() == self.offsets.len()
    }

    /// Calls `f` with the offsets of the row written and of the rows read.
    pub(super) fn for_each_operation(&mut self, mut f: impl FnMut(&mut u32, &mut [u32])) {
        let mut rest = &mut self.offsets[..];
        for &(kind, count) in &self.runs {
            let (run, others) = rest.split_at_mut(count as usize * (1 + kind.operands()));
            for operation in run.chunks_exact_mut(1 + kind.operands()) {
                let (target, operands) = operation.split_at_mut(1);
                f(&mut target[0], operands);
            }
            rest = others;
        }
    }

    fn schedule(&mut self, operations: &[Operation]) {
        let graph = Graph::new(operations);
        let mut missing = graph.missing.clone();
        let mut ready: [VecDeque<u32>; Kind::COUNT] = Default::default();
        for (at, operation) in operations.iter().enumerate() {
            if missing[at] == 0 {
                ready[operation.kind.index()].push_back(at as u32);
            }
        }
        let mut queue = self.runs.last().map_or(0, |&(kind, _)| kind.index());
        loop {
            if ready[queue].is_empty() {
                queue = (0..Kind::COUNT)
                    .max_by_key(|&i| ready[i].len())
                    .unwrap_or(0);
            }
            let Some(at) = ready[queue].pop_front() else {
                return;
            };
            self.push(&operations[at as usize]);
            for &reader in graph.readers(at) {
                missing[reader as usize] -= 1;
                if missing[reader as usize] == 0 {
                    ready[operations[reader as usize].kind.index()].push_back(reader);
                }
            }
        }
    }

    fn push(&mut self, operation: &Operation) {
        match self.runs.last_mut() {
            Some((kind, count)) if *kind == operation.kind => *count += 1,
            _ => self.runs.push((operation.kind, 1)),
        }
        self.offsets.push(8 * operation.target);
        self.offsets
            .extend(operation.operands().iter().map(|row| 8 * row));
    }
}

/// The dependencies between the operations of a window.
struct Graph {
    /// Per operation, how many of its operands are written in the window.
    missing: Vec<u32>,
    /// The readers of operation `i` are `readers[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    readers: Vec<u32>,
}

impl Graph {
    fn new(operations: &[Operation]) -> Graph {
        let writers = operations.iter().zip(0u32..);
        let writers: rustc_hash::FxHashMap<u32, u32> = writers
            .map(|(operation, at)| (operation.target, at))
            .collect();
        let mut missing = vec![0; operations.len()];
        let mut pairs = Vec::new();
        for (at, operation) in operations.iter().enumerate() {
            for row in operation.operands() {
                if let Some(&writer) = writers.get(row) {
                    missing[at] += 1;
                    pairs.push((writer, at as u32));
                }
            }
        }
        pairs.sort_unstable();
        let first = |at| pairs.partition_point(|&(writer, _)| writer < at) as u32;
        let starts = (0..=operations.len() as u32).map(first).collect();
        let readers = pairs.iter().map(|&(_, reader)| reader).collect();
        Graph {
            missing,
            starts,
            readers,
        }
    }

    fn readers(&self, at: u32) -> &[u32] {
        let (first, end) = (self.starts[at as usize], self.starts[at as usize + 1]);
        &self.readers[first as usize..end as usize]
    }
}
