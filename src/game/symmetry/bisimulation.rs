//! Proof that gates of equal colours compute the same function of labelled inputs.
//!
//! Colours are a bisimulation if gates of equal colours are of the same kind and read the same colours. Then they have
//! the same values, whatever the inputs are: by induction over the network, and over the rounds in which gates on
//! circles come to their least fixpoint. (D. Park, "Concurrency and automata on infinite sequences", 1981.)

use propjit_gdl::propnet::GateId;
use rustc_hash::FxHashMap;

use super::colours::{Colour, Colours, Kind, Labels, WireColour};

/// What gates of a colour are known to be.
type Function = (Kind, Vec<WireColour>);

/// The functions that colours stand for.
#[derive(Default)]
pub(super) struct Functions(FxHashMap<Colour, Function>);

impl Functions {
    /// Adds the gates of a network. Returns whether each of them is what its colour stood for so far, if it did.
    pub(super) fn add<L: Labels>(&mut self, colours: &Colours<'_, L>) -> bool {
        gates(colours).all(|gate| {
            let function = (colours.kind(gate), colours.operands(gate));
            let known = self.0.entry(colours.gate(gate));
            *known.or_insert_with(|| function.clone()) == function
        })
    }

    /// Returns whether each gate of a network is what its colour stands for, as far as that is known; colours that are
    /// not known are none of those of the networks added.
    pub(super) fn agree<L: Labels>(&self, colours: &Colours<'_, L>) -> bool {
        gates(colours).all(|gate| {
            let known = self.0.get(&colours.gate(gate));
            known.is_none_or(|known| {
                known.0 == colours.kind(gate) && known.1 == colours.operands(gate)
            })
        })
    }
}

/// All gates of a network.
fn gates<L: Labels>(colours: &Colours<'_, L>) -> impl Iterator<Item = GateId> {
    (0..colours.net().len() as u32).map(GateId)
}
