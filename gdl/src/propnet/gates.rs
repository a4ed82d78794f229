//! Gates in flat storage.

use std::ops::Range;

use crate::propnet::{Gate, GateId, Wire};

/// What a gate is, without its wires.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Constant(bool),
    Base(u32),
    Does { role: u32, index: u32 },
    And,
    Or,
}

/// Gates in evaluation order, but for circles, which are runs of gates.
#[derive(Clone)]
pub(super) struct Gates {
    kinds: Vec<Kind>,
    /// The gate's wires, a range of `wires`.
    ranges: Vec<(u32, u32)>,
    wires: Vec<Wire>,
    recursive: Vec<Range<u32>>,
}

impl Gates {
    /// The constant false, and nothing else.
    pub fn new() -> Gates {
        Gates {
            kinds: vec![Kind::Constant(false)],
            ranges: vec![(0, 0)],
            wires: Vec::new(),
            recursive: Vec::new(),
        }
    }

    /// A constant's wire.
    pub fn constant(value: bool) -> Wire {
        Wire {
            gate: GateId(0),
            inverted: value,
        }
    }

    pub fn base(&mut self, index: u32) -> Wire {
        self.push(Kind::Base(index), (0, 0))
    }

    pub fn does(&mut self, role: u32, index: u32) -> Wire {
        self.push(Kind::Does { role, index }, (0, 0))
    }

    /// The conjunction of wires, simplified where constants or equal wires
    /// allow; `wires` is left sorted.
    pub fn and(&mut self, wires: &mut Vec<Wire>) -> Wire {
        self.simplified(Kind::And, true, wires)
    }

    /// The disjunction of wires, simplified in the same way.
    pub fn or(&mut self, wires: &mut Vec<Wire>) -> Wire {
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
    pub fn open(&mut self) -> Wire {
        self.push(Kind::Or, (0, 0))
    }

    /// Gives an open disjunction its wires.
    pub fn close(&mut self, open: Wire, wires: &[Wire]) {
        self.ranges[open.gate.index()] = self.store(wires);
    }

    /// Declares all gates from `start` on as depending on each other.
    pub fn end_recursive(&mut self, start: usize) {
        self.recursive.push(start as u32..self.len() as u32);
    }

    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    pub fn recursive(&self) -> &[Range<u32>] {
        &self.recursive
    }

    pub fn gate(&self, id: GateId) -> Gate<'_> {
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
