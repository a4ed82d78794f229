//! Drawings of networks as Graphviz DOT files.

use std::io::{self, Write};

use crate::propnet::{Gate, GateId, Propnet, Wire};
use crate::term::TermId;

impl Propnet {
    /// Writes the network in Graphviz's DOT language: ports as boxes with
    /// their names, gates as circles, inverted wires with a dot at their tail.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_dot(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "digraph propnet {{\n  rankdir=LR;")?;
        for index in 0..self.len() {
            self.write_gate(GateId(index as u32), out)?;
        }
        let label = |term: TermId| escape(&self.terms.text(term));
        for (index, base) in self.bases.iter().enumerate() {
            let name = format!("(next {})", label(base.name));
            write_port(&format!("next{index}"), &name, base.next, out)?;
        }
        for (number, role) in self.roles.iter().enumerate() {
            let player = label(role.name);
            for (index, action) in role.moves.iter().enumerate() {
                let name = format!("(legal {player} {})", label(action.name));
                write_port(&format!("legal{number}_{index}"), &name, action.legal, out)?;
            }
            for (index, percept) in role.percepts.iter().enumerate() {
                let name = format!("(sees {player} {})", label(percept.name));
                write_port(&format!("sees{number}_{index}"), &name, percept.wire, out)?;
            }
            for goal in &role.goals {
                let name = format!("(goal {player} {})", goal.value);
                write_port(
                    &format!("goal{number}_{}", goal.value),
                    &name,
                    goal.wire,
                    out,
                )?;
            }
        }
        write_port("terminal", "terminal", self.terminal, out)?;
        writeln!(out, "}}")
    }

    fn write_gate(&self, id: GateId, out: &mut impl Write) -> io::Result<()> {
        let text = |term: TermId| escape(&self.terms.text(term));
        let port = |label: String| format!("shape=box,label=\"{label}\"");
        let (attributes, wires) = match self.gate(id) {
            Gate::Constant(value) => (format!("shape=plaintext,label=\"{value}\""), &[][..]),
            Gate::Base(index) => {
                let name = text(self.bases[index as usize].name);
                (port(format!("(true {name})")), &[][..])
            }
            Gate::Does { role, index } => {
                let role = &self.roles[role as usize];
                let action = text(role.moves[index as usize].name);
                (
                    port(format!("(does {} {action})", text(role.name))),
                    &[][..],
                )
            }
            Gate::And(wires) => ("shape=circle,label=\"and\"".into(), wires),
            Gate::Or(wires) => ("shape=circle,label=\"or\"".into(), wires),
        };
        writeln!(out, "  g{} [{attributes}];", id.0)?;
        for &wire in wires {
            write_wire(wire, &format!("g{}", id.0), out)?;
        }
        Ok(())
    }
}

fn write_port(id: &str, label: &str, wire: Wire, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "  {id} [shape=box,style=bold,label=\"{label}\"];")?;
    write_wire(wire, id, out)
}

fn write_wire(wire: Wire, to: &str, out: &mut impl Write) -> io::Result<()> {
    let style = if wire.inverted {
        " [dir=both,arrowtail=odot]"
    } else {
        ""
    };
    writeln!(out, "  g{} -> {to}{style};", wire.gate.0)
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
