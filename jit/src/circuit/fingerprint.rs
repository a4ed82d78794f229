//! A hash that names a circuit across processes and versions.

use super::{Circuit, Edge, Node};

/// Separates these hashes from all other uses of the hash function.
const CONTEXT: &str = "propjit 2026 fingerprint of a circuit";

impl Circuit {
    /// A cryptographic hash (BLAKE3) of nodes, loops, outputs and how many of these are in place.
    /// Equal circuits have equal fingerprints, on every machine and with every compiler.
    pub fn fingerprint(&self) -> [u8; 32] {
        let mut fields = Fields(blake3::Hasher::new_derive_key(CONTEXT));
        // A gate is two codes, the second of which is never below two.
        let nodes = self.nodes().iter().flat_map(|&node| match node {
            Node::False => [0, 0],
            Node::Input(input) => [input.0, 1],
            Node::Feedback => [1, 0],
            Node::And(a, b) => [a.code(), b.code() + 2],
        });
        fields.add(nodes);
        for lp in self.loops() {
            fields.add([lp.nodes.start, lp.nodes.end]);
            let feedback = lp.feedback.iter();
            fields.add(feedback.flat_map(|(node, source)| [node.0, source.code()]));
        }
        fields.add(self.outputs().iter().copied().map(Edge::code));
        fields.add([self.in_place() as u32]);
        fields.0.finalize().into()
    }
}

/// Lists of numbers, each hashed with its length.
struct Fields(blake3::Hasher);

impl Fields {
    fn add(&mut self, field: impl IntoIterator<Item = u32>) {
        // Hashing a field at once is many times faster than number by number.
        let mut bytes = Vec::new();
        for number in field {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(&bytes);
    }
}

#[cfg(test)]
mod tests {
    use crate::circuit::{Builder, Circuit, Edge};

    /// A circuit of two inputs: their conjunction, or with the first one inverted.
    fn circuit(inverted: bool) -> Circuit {
        let mut builder = Builder::new(2);
        let [a, b] = [0, 1].map(|input| builder.input(input));
        let and = builder.and(a.invert_if(inverted), b);
        builder.finish(vec![and, Edge::TRUE])
    }

    #[test]
    fn a_fingerprint_names_a_circuit() {
        let print = circuit(false).fingerprint();
        assert_eq!(print, circuit(false).fingerprint());
        assert_ne!(print, circuit(true).fingerprint());
        assert_ne!(print, circuit(false).with_in_place(1).fingerprint());
        // Stored files are named by it.
        let hex: String = print[..4]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(hex, "5e8ff2b3");
    }
}
