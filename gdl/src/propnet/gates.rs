//! Gates and wires, in flat storage.

use std::ops::Range;

/// The number of a gate, for [`Propnet::gate`](super::Propnet::gate).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GateId(pub u32);

impl GateId {
    /// Index into the gates.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The value of a gate, or its inverse.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Wire {
    /// The gate whose value it is.
    pub gate: GateId,
    /// Whether the value is inverted.
    pub inverted: bool,
}

/// The function of a gate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gate<'a> {
    /// A constant.
    Constant(bool),
    /// The base proposition with this index holds.
    Base(u32),
    /// The role with this index plays its move with this index.
    Does {
        /// Index into [`Propnet::roles`](super::Propnet::roles).
        role: u32,
        /// Index into [`Role::moves`](super::Role::moves).
        index: u32,
    },
    /// All of the wires are true.
    And(&'a [Wire]),
    /// At least one of the wires is true.
    Or(&'a [Wire]),
}

/// The kind of a gate, without its wires.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Constant(bool),
    Base(u32),
    Does { role: u32, index: u32 },
    And,
    Or,
}

/// Gates in evaluation order, except for circles, which are ranges of gates.
#[derive(Clone)]
pub(crate) struct Gates {
    kinds: Vec<Kind>,
    /// The gate's wires, a range of `wires`.
    ranges: Vec<(u32, u32)>,
    wires: Vec<Wire>,
    recursive: Vec<Range<u32>>,
}

impl Gates {
    /// The constant false, and nothing else.
    pub(crate) fn new() -> Gates {
        Gates {
            kinds: vec![Kind::Constant(false)],
            ranges: vec![(0, 0)],
            wires: Vec::new(),
            recursive: Vec::new(),
        }
    }

    /// A constant's wire.
    pub(crate) fn constant(value: bool) -> Wire {
        Wire {
            gate: GateId(0),
            inverted: value,
        }
    }

    pub(crate) fn base(&mut self, index: u32) -> Wire {
        self.push(Kind::Base(index), (0, 0))
    }

    pub(crate) fn does(&mut self, role: u32, index: u32) -> Wire {
        self.push(Kind::Does { role, index }, (0, 0))
    }

    /// The conjunction of wires, simplified where constants or equal wires
    /// allow; `wires` is left sorted.
    pub(crate) fn and(&mut self, wires: &mut Vec<Wire>) -> Wire {
        self.simplified(Kind::And, true, wires)
    }

    /// The disjunction of wires, simplified in the same way.
    pub(crate) fn or(&mut self, wires: &mut Vec<Wire>) -> Wire {
        self.simplified(Kind::Or, false, wires)
    }

    fn simplified(&mut self, kind: Kind, neutral: bool, wires: &mut Vec<Wire>) -> Wire {
        wires.sort_unstable();
        wires.dedup();
        wires.retain(|&wire| wire != Gates::constant(neutral));
        let contradicts = wires.windows(2).any(|pair| pair[0].gate == pair[1].gate);
        if contradicts || wires.contains(&Gates::constant(!neutral)) {
            return Gates::constant(!neutral);
        }
        match wires[..] {
            [] => Gates::constant(neutral),
            [only] => only,
            _ => {
                let range = self.store(wires);
                self.push(kind, range)
            }
        }
    }

    /// A disjunction whose wires follow with [`Gates::close`].
    pub(crate) fn open(&mut self) -> Wire {
        self.push(Kind::Or, (0, 0))
    }

    /// Gives an open disjunction its wires.
    pub(crate) fn close(&mut self, open: Wire, wires: &[Wire]) {
        self.ranges[open.gate.index()] = self.store(wires);
    }

    /// Declares all gates from `start` on as depending on each other.
    pub(crate) fn end_recursive(&mut self, start: usize) {
        self.recursive.push(start as u32..self.len() as u32);
    }

    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    pub(crate) fn recursive(&self) -> &[Range<u32>] {
        &self.recursive
    }

    pub(crate) fn gate(&self, id: GateId) -> Gate<'_> {
        let (start, end) = self.ranges[id.index()];
        let wires = &self.wires[start as usize..end as usize];
        match self.kinds[id.index()] {
            Kind::Constant(value) => Gate::Constant(value),
            Kind::Base(index) => Gate::Base(index),
            Kind::Does { role, index } => Gate::Does { role, index },
            Kind::And => Gate::And(wires),
            Kind::Or => Gate::Or(wires),
        }
    }

    fn store(&mut self, wires: &[Wire]) -> (u32, u32) {
        let start = self.wires.len() as u32;
        self.wires.extend_from_slice(wires);
        (start, self.wires.len() as u32)
    }

    fn push(&mut self, kind: Kind, range: (u32, u32)) -> Wire {
        let gate = GateId(self.kinds.len() as u32);
        self.kinds.push(kind);
        self.ranges.push(range);
        Wire {
            gate,
            inverted: false,
        }
    }
}
