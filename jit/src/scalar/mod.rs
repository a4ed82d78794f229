//! An event-driven interpreter for one assignment: only what changes is computed.
//!
//! Every gate is a wide AND with a count of its false operands. When a signal
//! changes, the counts of its readers go up or down; a reader whose count becomes
//! zero or ceases to be so is marked as pending. Marks are toggled rather than
//! set, so a gate whose operands change back before its turn is left alone, and
//! gates take their turns in topological order, so none is evaluated twice.
//!
//! Three things make this fast. Counts are bytes, and gates that read the same
//! signal lie side by side as far as possible, so that one vector operation
//! updates sixteen of them: a signal that gates every move of a player costs
//! little more than one that is read once. Gates of one level share words of the
//! pending set and cannot disturb each other, so words are taken whole. Outputs
//! are updated a word at a time.
//!
//! A loop starts again from false feedback only if something that it reads has
//! changed in the direction that can make its values fall; otherwise its
//! old values are a lower bound of the new ones and it continues from there.
//!
//! ```
//! use propjit_jit::circuit::Builder;
//! use propjit_jit::scalar::ScalarInterpreter;
//!
//! let mut builder = Builder::new(2);
//! let (a, b) = (builder.input(0), builder.input(1));
//! let both = builder.and(a, b);
//! let circuit = builder.finish(vec![both, !both]);
//!
//! let mut scalar = ScalarInterpreter::new(&circuit);
//! scalar.set_input(0, true);
//! scalar.set_input(1, true);
//! scalar.settle();
//! assert_eq!(scalar.outputs(), [0b01]);
//! ```

mod counts;
mod layout;
mod program;
mod state;

use std::fmt;
use std::sync::Arc;

use crate::circuit::{Circuit, OutputId};
use program::{Program, Step};
use state::State;

/// An evaluator of a circuit for one assignment, which changes little by little.
///
/// A clone shares the program and has its own assignment.
#[derive(Clone)]
pub struct ScalarInterpreter {
    program: Arc<Program>,
    state: State,
}

impl fmt::Debug for ScalarInterpreter {
    /// Without the program and the values, which would be long.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScalarInterpreter")
            .field("inputs", &self.program.inputs)
            .finish_non_exhaustive()
    }
}

impl ScalarInterpreter {
    /// Compiles `circuit`; all inputs are false, and the outputs are up to date.
    pub fn new(circuit: &Circuit) -> ScalarInterpreter {
        let (program, state) = layout::compile(circuit);
        let mut interpreter = ScalarInterpreter {
            program: Arc::new(program),
            state,
        };
        interpreter.settle();
        interpreter
    }

    /// Sets an input; the outputs follow with [`ScalarInterpreter::settle`].
    ///
    /// # Panics
    /// If the circuit has no such input.
    #[inline]
    pub fn set_input(&mut self, index: usize, value: bool) {
        assert!(index < self.program.inputs, "no input {index}");
        let (word, bit) = (index / 64, index % 64);
        let toggle = (self.state.values[word] >> bit & 1) ^ u64::from(value);
        let pending = &mut self.state.pending[word];
        *pending = *pending & !(1 << bit) | toggle << bit;
    }

    /// Sets the first `count` inputs to the bits of `values`: input `i` to bit
    /// `i % 64` of word `i / 64`.
    ///
    /// # Panics
    /// If there are fewer inputs or fewer bits.
    pub fn set_inputs(&mut self, count: usize, values: &[u64]) {
        assert!(count <= self.program.inputs, "no {count} inputs");
        for (word, &new) in values[..count.div_ceil(64)].iter().enumerate() {
            let mask = match count - 64 * word {
                0..64 => !(!0 << (count % 64)),
                _ => !0,
            };
            let toggle = self.state.values[word] ^ new;
            let pending = &mut self.state.pending[word];
            *pending = *pending & !mask | toggle & mask;
        }
    }

    /// Propagates the changes of inputs, so that the outputs are up to date with them.
    pub fn settle(&mut self) {
        for step in &self.program.steps {
            match step {
                Step::Gates(words) => self.state.drain(&self.program, words.clone()),
                Step::Loop(lp) => self.state.settle_loop(&self.program, lp),
            }
        }
        let words = self.program.output_words();
        let pending = &mut self.state.pending[words.clone()];
        for (value, pending) in self.state.values[words].iter_mut().zip(pending) {
            *value ^= std::mem::take(pending);
        }
    }

    /// All outputs, as of the last [`ScalarInterpreter::settle`]: output `i` is bit
    /// `i % 64` of word `i / 64`. Bits past the last output are zero.
    #[inline]
    pub fn outputs(&self) -> &[u64] {
        &self.state.values[self.program.output_words()]
    }

    /// One output, as of the last [`ScalarInterpreter::settle`].
    ///
    /// # Panics
    /// If the circuit has no such output.
    #[inline]
    pub fn output(&self, output: OutputId) -> bool {
        let index = output.index();
        self.outputs()[index / 64] >> (index % 64) & 1 == 1
    }
}
