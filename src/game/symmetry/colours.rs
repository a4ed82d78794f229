//! Colours of gates: hashes by which gates of two networks are alike.
//!
//! The network is taken twice: as it is, and as it is *after a renaming*, in which each input has the label of its
//! image. Colours are hashes of what a gate computes from labelled inputs, and contexts are hashes of what it is for.
//! Gates of equal colours are taken for the same function until that is [checked](super::bisimulation).

use std::hash::{BuildHasher, Hash};

use propjit_gdl::propnet::{Component, Gate, GateId, Propnet, Wire};
use rustc_hash::{FxBuildHasher, FxHashSet};

/// A hash of a gate's function.
pub(super) type Colour = u64;

/// A wire by the colour of its gate: equal ones are taken for the same function.
pub(super) type WireColour = (Colour, bool);

/// The labels of a network's inputs.
pub(super) trait Labels {
    /// The label of a base proposition.
    fn base(&self, base: usize) -> usize;
    /// The labels of a role and of its move.
    fn does(&self, role: usize, number: usize) -> (usize, u64);
}

/// What kind of gate a colour is of, besides what it reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    Constant(bool),
    Base(usize),
    Does(usize, u64),
    And,
    Or,
}

/// A hash of a value.
pub(super) fn hash(value: impl Hash) -> u64 {
    FxBuildHasher.hash_one(value)
}

/// The colours of a network's gates.
pub(super) struct Colours<'a, L> {
    net: &'a Propnet,
    labels: L,
    of: Vec<Colour>,
}

impl<'a, L: Labels> Colours<'a, L> {
    /// Colours all gates, from inputs to outputs.
    pub(super) fn new(net: &'a Propnet, labels: L) -> Colours<'a, L> {
        let of = vec![0; net.len()];
        let mut colours = Colours { net, labels, of };
        for component in net.components() {
            match component {
                Component::Single(gate) => colours.of[gate.index()] = colours.computed(gate),
                Component::Recursive(gates) => colours.refine(gates),
            }
        }
        colours
    }

    /// The network.
    pub(super) fn net(&self) -> &'a Propnet {
        self.net
    }

    /// The colour of a gate.
    pub(super) fn gate(&self, gate: GateId) -> Colour {
        self.of[gate.index()]
    }

    /// The colour of a wire.
    pub(super) fn wire(&self, wire: Wire) -> WireColour {
        (self.gate(wire.gate), wire.inverted)
    }

    /// The kind of a gate.
    pub(super) fn kind(&self, gate: GateId) -> Kind {
        match self.net.gate(gate) {
            Gate::Constant(value) => Kind::Constant(value),
            Gate::Base(base) => Kind::Base(self.labels.base(base as usize)),
            Gate::Does { role, index } => {
                let (role, number) = self.labels.does(role as usize, index as usize);
                Kind::Does(role, number)
            }
            Gate::And(_) => Kind::And,
            Gate::Or(_) => Kind::Or,
        }
    }

    /// The colours that a gate reads, without repetitions, in order.
    pub(super) fn operands(&self, gate: GateId) -> Vec<WireColour> {
        let mut operands: Vec<WireColour> = match self.net.gate(gate) {
            Gate::And(wires) | Gate::Or(wires) => {
                wires.iter().map(|&wire| self.wire(wire)).collect()
            }
            _ => Vec::new(),
        };
        operands.sort_unstable();
        operands.dedup();
        operands
    }

    /// The colour by the gates that one reads.
    fn computed(&self, gate: GateId) -> Colour {
        hash((self.kind(gate), self.operands(gate)))
    }

    /// Colours gates that depend on each other in a circle: alike at first, and then by what they read, until no
    /// further ones differ.
    fn refine(&mut self, gates: std::ops::Range<u32>) {
        let gates: Vec<GateId> = gates.map(GateId).collect();
        for &gate in &gates {
            self.of[gate.index()] = hash(self.kind(gate));
        }
        let mut differing = 0;
        loop {
            let next: Vec<Colour> = gates.iter().map(|&gate| self.computed(gate)).collect();
            for (gate, &colour) in gates.iter().zip(&next) {
                self.of[gate.index()] = colour;
            }
            let distinct = next.into_iter().collect::<FxHashSet<_>>().len();
            if distinct <= differing {
                return;
            }
            differing = distinct;
        }
    }

    /// Returns a hash of what each gate is for: of the gates that read it, with their colours, and the `ports` that it
    /// serves. In circles it is the same for all gates.
    pub(super) fn contexts(&self, ports: impl Iterator<Item = (Wire, u64)>) -> Vec<u64> {
        let mut contexts = vec![0u64; self.net.len()];
        for (wire, port) in ports {
            let context = &mut contexts[wire.gate.index()];
            *context = context.wrapping_add(hash((port, wire.inverted)));
        }
        let components: Vec<Component> = self.net.components().collect();
        for component in components.into_iter().rev() {
            let gates = match component {
                Component::Single(gate) => gate.0..gate.0 + 1,
                Component::Recursive(gates) => gates,
            };
            let ids = || gates.clone().map(GateId);
            if gates.len() > 1 {
                let all = ids().fold(0u64, |sum, gate| sum.wrapping_add(contexts[gate.index()]));
                ids().for_each(|gate| contexts[gate.index()] = all);
            }
            for gate in ids() {
                let (Gate::And(wires) | Gate::Or(wires)) = self.net.gate(gate) else {
                    continue;
                };
                let reader = (self.kind(gate), contexts[gate.index()], self.gate(gate));
                for wire in wires.iter().filter(|wire| !gates.contains(&wire.gate.0)) {
                    let context = &mut contexts[wire.gate.index()];
                    *context = context.wrapping_add(hash((reader, wire.inverted)));
                }
            }
        }
        contexts
    }
}
