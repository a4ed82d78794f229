//! Latches: literals that never change again once they hold.
//!
//! A literal is latched if it holds in the next state whenever it holds in a state,
//! whatever is played. Matches end in terminal states, so their successors do not count; a literal
//! that holds in terminal states only is *final*, not a latch. "Goal Latches" (Sancho's blog, 2014)
//! gives `not X and c` as the form of a negative latch; that is not one, for `c` may become true
//! later. `X and c` is meant.

use batsat::Lit;
use propjit_jit::circuit::Edge;
use propjit_jit::parallel;

use super::fact::ProofMethod;
use super::inquiry::Inquiry;
use super::samples::Samples;
use super::structural::{Decided, LANES};
use crate::game::ground::invariants::Invariant;
use crate::game::ground::invariants::encoding;
use crate::game::ground::invariants::net::Net;
use crate::game::ground::invariants::step::{Step, Verdict, When};
use crate::game::ground::{Literal, LoweredGame};
use propjit_stop::Stop;

/// The permanence of a property of states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// It is latched.
    Latched(ProofMethod),
    /// It holds in terminal states only.
    Final,
    /// It can come and go, in some state in which the invariants hold.
    Free,
    /// There was no time to find out.
    Undecided,
}

/// Returns the latches that the circuit alone proves: those with a proof that is
/// [structural](ProofMethod::Structural), in the order of propositions. They are found at once.
pub fn structural_latches(game: &LoweredGame) -> Vec<Literal> {
    let (circuit, layout) = (game.lowered(), game.layout());
    let literals: Vec<Literal> = Literal::all(layout.bases.len()).collect();
    let of_chunk = |chunk: &[Literal]| {
        let decided = Decided::by(circuit, chunk);
        let latched = chunk.iter().enumerate().filter(|&(lane, literal)| {
            let next = circuit.outputs()[layout.next.start + literal.proposition];
            decided.edge(next.invert_if(!literal.value)).0 >> lane & 1 == 1
        });
        latched.map(|(_, &literal)| literal).collect::<Vec<_>>()
    };
    literals.chunks(LANES).flat_map(of_chunk).collect()
}

/// Returns the kind of each literal.
pub(super) fn literals(
    net: &Net,
    invariants: &[Invariant],
    samples: &Samples,
    literals: &[Literal],
    end: &Stop,
) -> Vec<Kind> {
    let of_chunk = |chunk: &[Literal]| {
        let decided = Decided::by(net.circuit, chunk);
        let mut inquiry = Inquiry::new(net, invariants, end);
        let kind = |(lane, &literal): (usize, &Literal)| {
            if samples.was_lost(literal) {
                return Kind::Free;
            }
            let next = net.next(literal.proposition).invert_if(!literal.value);
            if decided.edge(next).0 >> lane & 1 == 1 {
                return Kind::Latched(ProofMethod::Structural);
            }
            kind(&mut inquiry, |step, when| {
                encoding::encoded(step, when, literal)
            })
        };
        chunk.iter().enumerate().map(kind).collect::<Vec<_>>()
    };
    parallel::flat_map_chunks(literals, LANES, of_chunk)
}

/// Returns the kind of each of these edges, which depend on the state alone.
pub(super) fn edges(net: &Net, invariants: &[Invariant], edges: &[Edge], end: &Stop) -> Vec<Kind> {
    let of_chunk = |chunk: &[Edge]| {
        let mut inquiry = Inquiry::new(net, invariants, end);
        let kind = |&edge: &Edge| kind(&mut inquiry, |step, when| step.edge(when, edge));
        chunk.iter().map(kind).collect::<Vec<_>>()
    };
    parallel::flat_map_chunks(edges, 8, of_chunk)
}

/// Returns the kind of a property of states.
pub(super) fn kind(inquiry: &mut Inquiry, property: impl Fn(&mut Step, When) -> Lit) -> Kind {
    let lost = |step: &mut Step| vec![property(step, When::Now), !property(step, When::Next)];
    if inquiry.query_near(lost) == Verdict::Impossible {
        return Kind::Latched(ProofMethod::Sat);
    }
    match inquiry.query_whole(lost) {
        Verdict::Possible => return Kind::Free,
        Verdict::Unknown => return Kind::Undecided,
        Verdict::Impossible => {}
    }
    match inquiry.query_whole(|step| vec![property(step, When::Now)]) {
        Verdict::Possible => Kind::Latched(ProofMethod::Sat),
        Verdict::Unknown => Kind::Undecided,
        Verdict::Impossible => Kind::Final,
    }
}
