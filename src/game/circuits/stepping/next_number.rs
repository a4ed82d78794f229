//! Next values of [coded](super::code) groups, in binary.
//!
//! A member of a group often stays unless some condition removes it, and is added under a condition
//! that is the same for all members: the group's number stays if no member is removed, and otherwise
//! becomes that of the added member. So its bits need not be computed from the next value of each
//! member.

use propjit_jit::circuit::{Builder, Edge, Node};
use rustc_hash::FxHashMap;

/// The maximum number of terms of a disjunction that are examined one by one.
const MAX_TERMS: usize = 256;

/// The conditions under which a member of a group becomes true.
struct Member {
    /// The proposition now.
    now: Edge,
    /// The condition under which it stays.
    stays: Edge,
    /// The factors of the condition that adds it, if there is one.
    added: Option<Vec<Edge>>,
}

/// Returns the bits of a group's next number, where `bits` is its current number. For each member,
/// `members` has its current value, unless that is always false, and its next value.
pub(super) fn next_number(
    builder: &mut Builder,
    members: impl Iterator<Item = (Edge, Edge)>,
    bits: &[Edge],
) -> Vec<Edge> {
    let members: Vec<Member> = members
        .map(|(now, next)| Member::new(builder, now, next))
        .collect();
    // The condition for the current number is looked up in a table: no member is decoded for that.
    let lost = members.iter().map(|member| match member.now {
        Edge::FALSE => Edge::FALSE,
        _ => !member.stays,
    });
    let table: Vec<Edge> = std::iter::once(Edge::FALSE).chain(lost).collect();
    let is_taken = entry(builder, &table, bits);
    let mut taken = FxHashMap::default();
    for (member, number) in members.iter().zip(1..) {
        let edge = builder.and(member.now, table[number]);
        taken.insert(factors(builder, edge), number);
    }
    // The factors common to all members that are ever added.
    let mut added = members.iter().filter_map(|member| member.added.as_ref());
    let mut common = added.next().cloned().unwrap_or_default();
    added.for_each(|added| common.retain(|edge| added.contains(edge)));
    let shared: Vec<Edge> = common
        .iter()
        .map(|&edge| looked_up(builder, edge, &taken, &table, bits))
        .collect();
    let shared = builder.and_all(&shared);
    let own = members.iter().map(|member| match &member.added {
        None => Edge::FALSE,
        Some(added) => {
            let own = added.iter().filter(|edge| !common.contains(edge));
            builder.and_all(&own.copied().collect::<Vec<_>>())
        }
    });
    let own: Vec<Edge> = own.collect();
    let bits = bits.iter().enumerate().map(|(digit, &bit)| {
        let with_digit = own.iter().zip(1usize..);
        let with_digit = with_digit.filter(|(_, number)| number >> digit & 1 == 1);
        let new: Vec<Edge> = with_digit.map(|(&own, _)| own).collect();
        let new = builder.or_all(&new);
        let (stays, new) = (builder.and(bit, !is_taken), builder.and(shared, new));
        builder.or(stays, new)
    });
    bits.collect()
}

impl Member {
    fn new(builder: &mut Builder, now: Edge, next: Edge) -> Member {
        let (mut stays, mut added) = (Vec::new(), Vec::new());
        for term in terms(builder, next) {
            let mut factors = factors(builder, term);
            if factors.contains(&now) {
                factors.retain(|&factor| factor != now);
                stays.push(builder.and_all(&factors));
            } else {
                added.push(factors);
            }
        }
        let added = match added.len() {
            0 | 1 => added.pop(),
            _ => {
                let terms = added.iter().map(|factors| builder.and_all(factors));
                let terms: Vec<Edge> = terms.collect();
                Some(vec![builder.or_all(&terms)])
            }
        };
        Member {
            now,
            stays: builder.or_all(&stays),
            added,
        }
    }
}

/// Returns edges of which the given one is the disjunction; none for false.
fn terms(builder: &Builder, edge: Edge) -> Vec<Edge> {
    let (mut open, mut terms) = (vec![edge], Vec::new());
    while let Some(edge) = open.pop() {
        match builder.node(edge.node()) {
            Node::And(a, b) if edge.inverted() && open.len() + terms.len() < MAX_TERMS => {
                open.extend([!a, !b]);
            }
            _ if edge == Edge::FALSE => {}
            _ => terms.push(edge),
        }
    }
    terms
}

/// Returns the entry of a table at this number; false beyond its end.
fn entry(builder: &mut Builder, table: &[Edge], number: &[Edge]) -> Edge {
    let Some((&digit, rest)) = number.split_first() else {
        return table.first().copied().unwrap_or(Edge::FALSE);
    };
    let half = |odd: usize| {
        table
            .iter()
            .skip(odd)
            .step_by(2)
            .copied()
            .collect::<Vec<_>>()
    };
    let [even, odd] = [half(0), half(1)].map(|half| entry(builder, &half, rest));
    let (even, odd) = (builder.and(!digit, even), builder.and(digit, odd));
    builder.or(even, odd)
}

/// Returns edges of which the given one is the conjunction, ascending.
fn factors(builder: &Builder, edge: Edge) -> Vec<Edge> {
    let mut factors: Vec<Edge> = terms(builder, !edge).iter().map(|&edge| !edge).collect();
    factors.sort_unstable();
    factors
}

/// Returns an equal edge: terms of its disjunction that say that members are removed are replaced by
/// a lookup in the table. `taken` has the numbers of members by the factors of these terms.
fn looked_up(
    builder: &mut Builder,
    edge: Edge,
    taken: &FxHashMap<Vec<Edge>, usize>,
    table: &[Edge],
    bits: &[Edge],
) -> Edge {
    let mut some = vec![Edge::FALSE; table.len()];
    let mut left = terms(builder, edge);
    left.retain(|&term| match taken.get(&factors(builder, term)) {
        Some(&number) => {
            some[number] = table[number];
            false
        }
        None => true,
    });
    if some.iter().all(|&lost| lost == Edge::FALSE) {
        return edge;
    }
    left.push(entry(builder, &some, bits));
    builder.or_all(&left)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Members 1 to 7, of which those named in `held` are held by an input each, and all are added
    /// by an input each where one of two further inputs holds, or where a held one is removed.
    fn check(held: &[usize]) {
        const MEMBERS: usize = 7;
        let mut builder = Builder::new(3 * MEMBERS + 5);
        let inputs: Vec<Edge> = (0..3 * MEMBERS + 5).map(|at| builder.input(at)).collect();
        let (now, rest) = inputs.split_at(MEMBERS);
        let (holds, rest) = rest.split_at(MEMBERS);
        let (added, rest) = rest.split_at(MEMBERS);
        let (also, bits) = rest.split_at(2);
        let taken = (0..MEMBERS).map(|at| builder.and(now[at], !holds[at]));
        let taken: Vec<Edge> = taken.collect();
        let all: Vec<Edge> = also.iter().chain(&taken).copied().collect();
        let common = builder.or_all(&all);
        let next: Vec<Edge> = (0..MEMBERS)
            .map(|at| {
                let kept = match held.contains(&at) {
                    true => builder.and(now[at], holds[at]),
                    false => Edge::FALSE,
                };
                let new = builder.and(common, added[at]);
                builder.or(kept, new)
            })
            .collect();
        let members = now.iter().copied().zip(next.clone());
        let number = next_number(&mut builder, members, bits);
        let outputs = [next, number].concat();
        let circuit = builder.finish(outputs);
        for is_now in 0..=MEMBERS {
            for is_added in 0..=MEMBERS {
                for others in 0..1 << (MEMBERS.min(3) + 2) {
                    let values = |at: usize| match at {
                        at if at < MEMBERS => at + 1 == is_now,
                        at if at < 2 * MEMBERS => others >> (at % 3) & 1 == 1,
                        at if at < 3 * MEMBERS => at - 2 * MEMBERS + 1 == is_added,
                        at if at < 3 * MEMBERS + 2 => others >> (3 + at - 3 * MEMBERS) & 1 == 1,
                        at => is_now >> (at - 3 * MEMBERS - 2) & 1 == 1,
                    };
                    let values: Vec<bool> = (0..3 * MEMBERS + 5).map(values).collect();
                    let outputs = circuit.evaluate(&values);
                    let (next, number) = outputs.split_at(MEMBERS);
                    let held = (0..MEMBERS).filter(|&at| next[at]).collect::<Vec<_>>();
                    let expected = match held[..] {
                        [] => 0,
                        [at] => at + 1,
                        // Not a group any more.
                        _ => continue,
                    };
                    let digits = number.iter().rev();
                    let found = digits.fold(0, |found, &digit| 2 * found + usize::from(digit));
                    assert_eq!(found, expected, "{held:?} after {is_now}");
                }
            }
        }
    }

    #[test]
    fn numbers_stay_or_are_replaced() {
        check(&[0, 1, 2, 3, 4, 5, 6]);
        check(&[0, 2, 4]);
        check(&[]);
    }
}
