//! Large groups of propositions of which at most one is true, such as the possible values of a
//! number, proved by induction.
//!
//! Candidates are propositions with names that differ in one argument only. Usually, a member of a
//! group cannot become true while another one is, because the move that adds it is not legal then: so
//! it is also proved that with every member some *companion* holds, which excludes all moves that add
//! a member.
//!
//! A step is examined case by case, many at a time, by ternary simulation: which member holds, which
//! of another group on which the step depends, which companion, which move is made. Wires that several
//! groups depend on may have any value: this allows more than the game does, and so each group's step
//! is small.

use std::collections::BTreeMap;
use std::time::Instant;

use propjit_jit::circuit::{Circuit, Edge, Node, NodeId, conjuncts};
use propjit_jit::parallel;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::game::ground::lowered_game::LoweredGame;
use crate::game::vocabulary::state::State;

/// The minimum size of a group.
const LEAST: usize = 16;

/// The maximum number of nodes of a circuit times groups: finding the nodes that they share takes
/// some time.
const MAX_NODES: usize = 1 << 28;

/// The maximum number of gates in all cases of a group's step.
const MAX_GATES: usize = 1 << 28;

/// The maximum number of wires of unknown value beside a member in a gate: each case is split by
/// their values.
const MAX_PARTNERS: usize = 2;

/// Propositions of which at most one is true in every reachable state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LargeGroup {
    /// The propositions, in the order of the argument in which they differ.
    pub(crate) members: Vec<usize>,
    /// Whenever one of the members is true, one of these is, too, if there are any.
    companions: Vec<usize>,
    /// Whether the next value of a member may depend on its current value.
    pub(crate) may_stay: bool,
}

impl LargeGroup {
    /// Returns whether the invariant of the group holds in a state.
    pub(crate) fn holds(&self, state: &State) -> bool {
        let held = self.members.iter().filter(|&&base| state.contains(base));
        match held.count() {
            0 => true,
            1 => self.is_accompanied(state),
            _ => false,
        }
    }

    /// Returns whether a companion holds, if there are any.
    pub(crate) fn is_accompanied(&self, state: &State) -> bool {
        let mut companions = self.companions.iter();
        self.companions.is_empty() || companions.any(|&base| state.contains(base))
    }

    /// Returns the groups of a game, which do not overlap; none if the groups with members that may
    /// stay have fewer than `least` members together.
    pub(crate) fn find(game: &LoweredGame, least: usize) -> Vec<LargeGroup> {
        let start = Instant::now();
        let circuit = game.lowered();
        let mut groups = candidates(game);
        let enough = |groups: &[LargeGroup]| {
            let staying = groups.iter().filter(|group| group.may_stay);
            let members: FxHashSet<usize> =
                staying.flat_map(|group| &group.members).copied().collect();
            members.len() >= least
        };
        if !enough(&groups) || groups.len() * circuit.nodes().len() > MAX_NODES {
            return Vec::new();
        }
        let shared = shared_nodes(circuit, game, &groups);
        for group in &mut groups {
            group.companions = companions(game, &shared, group);
            let mut members = group.members.iter();
            group.may_stay = members.any(|&base| inputs(game, &shared, &[base]).contains(&base));
        }
        groups.retain(|group| group.holds(game.initial()));
        let mut open = vec![true; groups.len()];
        while enough(&groups) {
            let numbers: Vec<usize> = (0..groups.len()).collect();
            let kept = parallel::map(&numbers, |&number| {
                !open[number] || is_kept(game, &shared, &groups, number)
            });
            let (mut left, mut failed) = (Vec::new(), Vec::new());
            for (group, is_kept) in groups.into_iter().zip(kept) {
                if is_kept { &mut left } else { &mut failed }.push(group);
            }
            tracing::debug!(
                kept = left.len(),
                failed = failed.len(),
                time = ?start.elapsed(),
                "large groups of which one at most is true"
            );
            if failed.is_empty() {
                (left, failed) = without_overlaps(left, game.layout().bases.len());
            }
            groups = left;
            if failed.is_empty() {
                return groups;
            }
            // Groups that failed may have helped to prove others.
            let lost: FxHashSet<usize> =
                failed.into_iter().flat_map(|group| group.members).collect();
            let of_use = groups.iter().map(|group| {
                let step = [&group.members[..], &group.companions].concat();
                let near = inputs(game, &shared, &step);
                near.iter().any(|base| lost.contains(base))
            });
            open = of_use.collect();
        }
        Vec::new()
    }
}

/// Returns the groups that have no members in common with groups before them, and the rest.
fn without_overlaps(groups: Vec<LargeGroup>, bases: usize) -> (Vec<LargeGroup>, Vec<LargeGroup>) {
    let mut taken = vec![false; bases];
    groups.into_iter().partition(|group| {
        let is_free = group.members.iter().all(|&base| !taken[base]);
        if is_free {
            group.members.iter().for_each(|&base| taken[base] = true);
        }
        is_free
    })
}

/// Returns groups of propositions with names that differ in one argument only.
fn candidates(game: &LoweredGame) -> Vec<LargeGroup> {
    let net = game.propnet();
    let mut named: BTreeMap<(u32, usize, Vec<u32>), Vec<usize>> = BTreeMap::new();
    for base in game.layout().bases.clone() {
        let name = net.bases[base].name;
        let args: Vec<u32> = net.terms.args(name).iter().map(|arg| arg.raw()).collect();
        let functor = net.terms.functor(name).index() as u32;
        for open in 0..args.len() {
            let mut fixed = args.clone();
            fixed.remove(open);
            named.entry((functor, open, fixed)).or_default().push(base);
        }
    }
    let named = named.into_values().filter(|group| group.len() >= LEAST);
    let groups = named.map(|members| LargeGroup {
        members,
        companions: Vec::new(),
        may_stay: true,
    });
    groups.collect()
}

/// Returns the gates in the cones of several groups' next members that depend on members.
fn shared_nodes(circuit: &Circuit, game: &LoweredGame, groups: &[LargeGroup]) -> Vec<bool> {
    let next = game.layout().next.start;
    let mut readers = vec![0u32; circuit.nodes().len()];
    for group in groups {
        let members = group.members.iter();
        let cone = circuit.cone(members.map(|&base| circuit.outputs()[next + base]));
        cone.iter().for_each(|node| readers[node.index()] += 1);
    }
    let members = groups.iter().flat_map(|group| &group.members);
    let influence = circuit.influence(members.map(|&base| circuit.inputs()[base]));
    let nodes = circuit.nodes().iter().zip((0..).map(NodeId));
    let is_shared = |(node, id): (&Node, NodeId)| {
        let is_gate = matches!(node, Node::And(..) | Node::Feedback);
        is_gate && readers[id.index()] > 1 && influence.contains(id)
    };
    nodes.map(is_shared).collect()
}

/// Returns the inputs on which these propositions' next values depend, except through shared gates.
fn inputs(game: &LoweredGame, shared: &[bool], bases: &[usize]) -> FxHashSet<usize> {
    let (circuit, next) = (game.lowered(), game.layout().next.start);
    let roots = bases
        .iter()
        .map(|&base| circuit.outputs()[next + base].node());
    let mut open: Vec<NodeId> = roots.collect();
    let mut seen = FxHashSet::default();
    let mut found = FxHashSet::default();
    while let Some(node) = open.pop() {
        if shared[node.index()] || !seen.insert(node) {
            continue;
        }
        match circuit.node(node) {
            Node::And(a, b) => open.extend([a.node(), b.node()]),
            Node::Input(input) => {
                found.insert(input.index());
            }
            Node::False | Node::Feedback => {}
        }
    }
    found
}

/// Returns the moves on which the next members of a group depend, except through shared gates.
fn moves(game: &LoweredGame, shared: &[bool], group: &LargeGroup) -> Vec<usize> {
    let is_base = |input: &usize| game.layout().bases.contains(input);
    let inputs = inputs(game, shared, &group.members).into_iter();
    inputs.filter(|input| !is_base(input)).collect()
}

/// Returns the propositions that exclude every move on which the group depends.
fn companions(game: &LoweredGame, shared: &[bool], group: &LargeGroup) -> Vec<usize> {
    let (circuit, layout) = (game.lowered(), game.layout());
    let mut common: Option<FxHashSet<usize>> = None;
    for input in moves(game, shared, group) {
        let mut roles = layout.does.iter().zip(&layout.legal);
        let of_role = roles.find(|(does, _)| does.contains(&input));
        let (does, legal) = of_role.expect("it is a move");
        let legal = circuit.outputs()[legal.start + input - does.start];
        let conditions = conjuncts(|node| circuit.node(node), [legal]).into_iter();
        let excluding = conditions.filter_map(|edge| match circuit.node(edge.node()) {
            Node::Input(base) if edge.inverted() => Some(base.index()),
            _ => None,
        });
        let excluding: FxHashSet<usize> = excluding.collect();
        match &mut common {
            Some(common) => common.retain(|base| excluding.contains(base)),
            None => common = Some(excluding),
        }
    }
    let mut common: Vec<usize> = common.into_iter().flatten().collect();
    common.sort_unstable();
    common
}

/// Returns whether a group still holds after a step from a state in which all of them do.
fn is_kept(game: &LoweredGame, shared: &[bool], groups: &[LargeGroup], number: usize) -> bool {
    let group = &groups[number];
    let mut local = LocalStep::new(game, shared, group);
    let depends = |other: &&LargeGroup| other.members.iter().any(|&base| local.reads(game, base));
    let others = groups.iter().enumerate().filter(|&(at, _)| at != number);
    let near: Vec<&LargeGroup> = others.map(|(_, other)| other).filter(depends).collect();
    let others: &[usize] = match near[..] {
        [] => &[],
        [other] => &other.members,
        _ => return false,
    };
    if (group.members.len() + 1) * (others.len() + 1) * local.gates.len() > MAX_GATES {
        return false;
    }
    let inputs = game.lowered().inputs();
    let moves: Vec<NodeId> = (moves(game, shared, group).iter())
        .map(|&input| inputs[input])
        .collect();
    let node = |&base: &usize| inputs[base];
    let members = group.members.iter().chain(others);
    members.for_each(|base| local.falsify(node(base)));
    let one_of = |bases: &[usize]| -> Vec<Option<NodeId>> {
        let some = bases.iter().map(|base| Some(node(base)));
        std::iter::once(None).chain(some).collect()
    };
    for member in one_of(&group.members) {
        let partners = member.map_or(Vec::new(), |member| local.partners(member));
        if partners.len() > MAX_PARTNERS {
            return false;
        }
        // The input that is known: the companion that holds, or the move that is made.
        let known: Vec<Option<NodeId>> = match (member, &group.companions[..]) {
            (_, []) => vec![None],
            (Some(_), companions) => companions.iter().map(|base| Some(node(base))).collect(),
            (None, _) => (moves.iter().map(|&played| Some(played)))
                .chain([None])
                .collect(),
        };
        for other in one_of(others) {
            for &known in &known {
                for values in 0..1 << partners.len() {
                    let is_made = member.is_none() && known.is_some();
                    if !group.companions.is_empty() && !is_made {
                        moves.iter().for_each(|&played| local.assume(played, false));
                    }
                    for node in [member, other, known].into_iter().flatten() {
                        local.assume(node, true);
                    }
                    for (at, &partner) in partners.iter().enumerate() {
                        local.assume(partner, values >> at & 1 == 1);
                    }
                    if !local.goes_on() {
                        return false;
                    }
                }
            }
        }
    }
    local.all_hold()
}

/// The number of words of cases that are simulated together, a bit each.
const WORDS: usize = 4;

/// The values that a wire may have in some cases: whether it may be true, and whether it must.
#[derive(Clone, Copy)]
struct Bounds {
    may: [u64; WORDS],
    must: [u64; WORDS],
}

/// A wire of a [`LocalStep`], or its inverse.
#[derive(Clone, Copy)]
struct Wire {
    at: usize,
    inverted: bool,
}

/// The part of a circuit that a group's step consists of, in ternary simulation of some cases.
struct LocalStep {
    /// For each wire, the operands of its gate; `None` for others.
    gates: Vec<Option<[Wire; 2]>>,
    places: FxHashMap<NodeId, usize>,
    /// The values without assumptions.
    defaults: Vec<Bounds>,
    values: Vec<Bounds>,
    /// The next values of the members, and of the companions.
    members: Vec<Wire>,
    companions: Vec<Wire>,
    /// The number of collected cases.
    cases: usize,
    /// Whether the group is kept in all cases so far.
    holds: bool,
}

impl LocalStep {
    fn new(game: &LoweredGame, shared: &[bool], group: &LargeGroup) -> LocalStep {
        let (circuit, next) = (game.lowered(), game.layout().next.start);
        let next = |&base: &usize| circuit.outputs()[next + base];
        let members: Vec<Edge> = group.members.iter().map(next).collect();
        let companions: Vec<Edge> = group.companions.iter().map(next).collect();
        let mut open: Vec<NodeId> = (members.iter().chain(&companions))
            .map(|edge| edge.node())
            .collect();
        let mut seen = FxHashSet::default();
        while let Some(node) = open.pop() {
            if seen.insert(node)
                && !shared[node.index()]
                && let Node::And(a, b) = circuit.node(node)
            {
                open.extend([a.node(), b.node()]);
            }
        }
        let mut nodes: Vec<NodeId> = seen.into_iter().collect();
        nodes.sort_unstable();
        let places: FxHashMap<NodeId, usize> = (nodes.iter().copied()).zip(0..).collect();
        let wire = |edge: Edge| Wire {
            at: places[&edge.node()],
            inverted: edge.inverted(),
        };
        let gates = nodes.iter().map(|&node| match circuit.node(node) {
            Node::And(a, b) if !shared[node.index()] => Some([wire(a), wire(b)]),
            _ => None,
        });
        let defaults = nodes.iter().map(|&node| Bounds {
            may: [if node == Edge::FALSE.node() { 0 } else { !0 }; WORDS],
            must: [0; WORDS],
        });
        let defaults: Vec<Bounds> = defaults.collect();
        LocalStep {
            gates: gates.collect(),
            members: members.into_iter().map(wire).collect(),
            companions: companions.into_iter().map(wire).collect(),
            values: defaults.clone(),
            defaults,
            places,
            cases: 0,
            holds: true,
        }
    }

    /// Returns whether the step depends on a base proposition.
    fn reads(&self, game: &LoweredGame, base: usize) -> bool {
        self.places.contains_key(&game.lowered().inputs()[base])
    }

    /// Returns the wires of unknown value that share a gate with this one.
    fn partners(&self, node: NodeId) -> Vec<NodeId> {
        let Some(&at) = self.places.get(&node) else {
            return Vec::new();
        };
        let with = |gate: &Option<[Wire; 2]>| match *gate {
            Some([a, b]) if a.at == at => Some(b.at),
            Some([a, b]) if b.at == at => Some(a.at),
            _ => None,
        };
        let with: FxHashSet<usize> = self.gates.iter().filter_map(with).collect();
        let places = self.places.iter().filter(|(_, place)| with.contains(place));
        let mut partners: Vec<NodeId> = places
            .filter(|(_, place)| {
                let is_open = self.defaults[**place].may[0] != 0;
                self.gates[**place].is_none() && is_open
            })
            .map(|(&node, _)| node)
            .collect();
        partners.sort_unstable();
        partners
    }

    /// Sets a wire to false where nothing is assumed about it.
    fn falsify(&mut self, node: NodeId) {
        if let Some(&at) = self.places.get(&node) {
            self.defaults[at].may = [0; WORDS];
            self.values[at].may = [0; WORDS];
        }
    }

    /// Assumes that a wire has a value in the present case.
    fn assume(&mut self, node: NodeId, value: bool) {
        if let Some(&at) = self.places.get(&node) {
            let Bounds { may, must } = &mut self.values[at];
            let (word, bit) = (self.cases / 64, 1 << (self.cases % 64));
            for bound in [may, must] {
                match value {
                    true => bound[word] |= bit,
                    false => bound[word] &= !bit,
                }
            }
        }
    }

    /// Continues with the next case. Returns whether the group is kept in all evaluated cases.
    fn goes_on(&mut self) -> bool {
        self.cases += 1;
        if self.cases == 64 * WORDS {
            self.evaluate();
        }
        self.holds
    }

    /// Returns whether the group is kept in all cases.
    fn all_hold(mut self) -> bool {
        self.evaluate();
        self.holds
    }

    fn evaluate(&mut self) {
        for at in 0..self.gates.len() {
            if let Some([a, b]) = self.gates[at] {
                let (a, b) = (self.bounds(a), self.bounds(b));
                self.values[at] = Bounds {
                    may: std::array::from_fn(|word| a.may[word] & b.may[word]),
                    must: std::array::from_fn(|word| a.must[word] & b.must[word]),
                };
            }
        }
        let (mut one, mut two, mut accompanied) = ([0; WORDS], [0; WORDS], [0; WORDS]);
        for &member in &self.members {
            let may = self.bounds(member).may;
            for word in 0..WORDS {
                two[word] |= one[word] & may[word];
                one[word] |= may[word];
            }
        }
        for &companion in &self.companions {
            let must = self.bounds(companion).must;
            accompanied
                .iter_mut()
                .zip(must)
                .for_each(|(all, must)| *all |= must);
        }
        if self.companions.is_empty() {
            accompanied = [!0; WORDS];
        }
        self.holds &= (0..self.cases).all(|case| {
            let (word, bit) = (case / 64, case % 64);
            (two[word] | one[word] & !accompanied[word]) >> bit & 1 == 0
        });
        self.values.copy_from_slice(&self.defaults);
        self.cases = 0;
    }

    fn bounds(&self, wire: Wire) -> Bounds {
        let Bounds { may, must } = self.values[wire.at];
        match wire.inverted {
            false => Bounds { may, must },
            true => Bounds {
                may: must.map(|word| !word),
                must: may.map(|word| !word),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::load::{Game, Setup};

    /// Returns the sizes of the groups that are found, where two roles take turns to give one of
    /// four places the number of the step. `legal` are further conditions for these moves.
    fn sizes(legal: &str, more: &str) -> Vec<usize> {
        let succ = (1..20).map(|n| format!("(succ {n} {})", n + 1));
        let text = format!(
            "(role x) (role o) (init (control x)) (init (step 1)) (other x o) (other o x) {}
             (place a) (place b) (place c) (place d)
             (<= (legal ?p (put ?i)) (true (control ?p)) (place ?i) {legal})
             (<= (legal ?p wait) (role ?p))
             (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
             (<= (next (step ?b)) (true (step ?a)) (succ ?a ?b))
             (<= (next (cell ?i ?p)) (does ?p (put ?i)))
             (<= (next (cell ?i ?p)) (true (cell ?i ?p)))
             (<= (next (number ?i ?a)) (does ?p (put ?i)) (true (step ?a)))
             (<= (next (number ?i ?a)) (true (number ?i ?a)) (not (dropped ?a)))
             (<= (next (number ?i ?b)) (true (number ?i ?a)) (dropped ?a) (true (step ?b)))
             (<= (dropped ?a) (true (number ?i ?a)) (does ?p (put ?j)) (follows ?j ?i))
             (follows a b) (follows b c) (follows c d) (follows d a)
             (<= terminal (true (step 20))) (<= (goal ?p 50) (role ?p)) {more}",
            succ.collect::<String>()
        );
        let game = Game::from_text("test", &text, &Setup::default()).unwrap();
        let groups = LargeGroup::find(game.ground_game().unwrap(), 1);
        groups.iter().map(|group| group.members.len()).collect()
    }

    #[test]
    fn one_number_each_where_none_is_put_twice() {
        let empty = "(not (true (cell ?i x))) (not (true (cell ?i o)))";
        assert_eq!(sizes(empty, ""), [20; 5]);
    }

    #[test]
    fn two_numbers_where_one_may_be_put_again() {
        assert_eq!(sizes("", ""), [0; 0]);
        let empty = "(not (true (cell ?i x))) (not (true (cell ?i o)))";
        let removed = "(<= (legal x (remove ?i)) (true (control x)) (place ?i))";
        assert_eq!(sizes(empty, removed), [20; 5]);
        // These numbers are also given where there is already one.
        let twice = "(<= (next (number ?i ?a)) (does x wait) (place ?i) (true (step ?a)))";
        assert_eq!(sizes(empty, twice), [0; 0]);
    }
}
