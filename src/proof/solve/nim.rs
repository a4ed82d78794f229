//! Sums of impartial games: parts in which both roles have the same moves, and a role that cannot move has
//! won, or has lost.
//!
//! If a role that cannot move has lost, a part is worth a pile of Nim: its Grundy value (Sprague 1935,
//! Grundy 1939). If a role that cannot move has won, that still holds if each state of each part behaves
//! like a pile of Nim in both kinds of play ("tame" games: Berlekamp, Conway and Guy, "Winning Ways",
//! chapter 13): its value and its value for the other kind of play are 0 and 1, 1 and 0, or the same.

use crate::game::machine::RoleId;
use crate::proof::factors::table::PartTable;

use super::parts::Parts;

/// The values of a state of a part: if a role that cannot move has lost, and if it has won.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Genus {
    normal: u32,
    misere: u32,
}

impl Genus {
    /// Of a state with moves to these.
    fn of(moves: &[Genus]) -> Genus {
        let least = |value: fn(&Genus) -> u32| {
            let mut values: Vec<u32> = moves.iter().map(value).collect();
            values.sort_unstable();
            values.dedup();
            let gap = (0..)
                .zip(&values)
                .find(|(expected, value)| expected != *value);
            gap.map_or(values.len() as u32, |(expected, _)| expected)
        };
        Genus {
            normal: least(|genus| genus.normal),
            misere: match moves.is_empty() {
                true => 1,
                false => least(|genus| genus.misere),
            },
        }
    }

    /// Whether it is that of a pile of one or none.
    fn is_fickle(self) -> bool {
        matches!((self.normal, self.misere), (0, 1) | (1, 0))
    }

    fn is_tame(self) -> bool {
        self.is_fickle() || self.normal == self.misere
    }
}

/// The goal of each role with best play, if the parts are impartial games and the goals say so. A
/// move is made in one part at a time.
pub(super) fn solve(parts: &mut Parts) -> Option<Vec<i32>> {
    let mut genera = Vec::new();
    let mut is_tame = true;
    for part in 0..parts.tables.len() {
        let (root, all_tame) = genus(&parts.tables[part])?;
        genera.push(root);
        is_tame &= all_tame;
    }
    let ends = ends(parts)?;
    let first = parts.tables[0].movers[0]?;
    let second = RoleId(1 - first.0);
    // By the role to move when no role can, the goal of each role.
    let goal = |mover: RoleId, role: RoleId| {
        let at = parts.tables[0]
            .movers
            .iter()
            .position(|other| *other == Some(mover))?;
        Some(ends[at][role.index()])
    };
    let wins_if_stuck = |role: RoleId| {
        let other = RoleId(1 - role.0);
        Some(goal(role, role)?.cmp(&goal(other, role)?))
    };
    let is_misere = match (wins_if_stuck(first)?, wins_if_stuck(second)?) {
        (a, b) if a != b || a.is_eq() => return None,
        (a, _) => a.is_gt(),
    };
    if is_misere && !is_tame {
        return None;
    }
    let sum = genera.iter().fold(0, |sum, genus| sum ^ genus.normal);
    let first_wins = match is_misere && genera.iter().all(|genus| genus.is_fickle()) {
        true => sum == 0,
        false => sum != 0,
    };
    // In normal play, the loser is to move at the end.
    let stuck = if first_wins == is_misere {
        first
    } else {
        second
    };
    [RoleId(0), RoleId(1)]
        .map(|role| goal(stuck, role))
        .into_iter()
        .collect()
}

/// The genus of the first state of a part, and whether those of all its states are tame; `None` if
/// the roles have different moves there, or moves go round in circles.
fn genus(table: &PartTable) -> Option<(Genus, bool)> {
    let nodes = &table.nodes;
    let moves = |at: usize| {
        let edges = nodes[at].edges.iter().filter(|(class, _)| *class != 0);
        edges.map(|&(_, to)| to as usize)
    };
    let passed = |at: usize| {
        let mut edges = nodes[at].edges.iter();
        let found = edges.find(|(class, _)| *class == 0)?.1 as usize;
        (nodes[found].state == nodes[at].state).then_some(found)
    };
    let states = |at: usize| {
        let mut states: Vec<u32> = moves(at).map(|to| nodes[to].state).collect();
        states.sort_unstable();
        states.dedup();
        states
    };
    let mut genera: Vec<Option<Genus>> = vec![None; nodes.len()];
    let mut is_open = vec![false; nodes.len()];
    let mut open = vec![0];
    while let Some(&at) = open.last() {
        if genera[at].is_some() {
            open.pop();
            continue;
        }
        let missing: Vec<usize> = moves(at).filter(|&to| genera[to].is_none()).collect();
        if missing.is_empty() {
            if states(at) != states(passed(at)?) {
                return None;
            }
            let found: Vec<Genus> = moves(at).filter_map(|to| genera[to]).collect();
            genera[at] = Some(Genus::of(&found));
            open.pop();
        } else if std::mem::replace(&mut is_open[at], true) {
            return None;
        } else {
            open.extend(missing);
        }
    }
    let mut known = genera.iter().flatten();
    Some((genera[0]?, known.all(|genus| genus.is_tame())))
}

/// Returns, by place, the goal of each role where no role can move, if matches are over exactly there.
fn ends(parts: &mut Parts) -> Option<Vec<Vec<i32>>> {
    let mut goals = Vec::new();
    for place in 0..parts.known.len() {
        let open = parts.joint.open();
        let known = parts.known[place].clone();
        let start = parts.joint.with_known(&open, &known);
        let mut all = Vec::new();
        let mut ended = Vec::new();
        for (part, table) in parts.tables.iter().enumerate() {
            let results = |is_end: bool| {
                let here = |at: &usize| {
                    let node = &table.nodes[*at];
                    let is_stuck = node.edges.iter().all(|(class, _)| *class == 0);
                    node.place == place && is_stuck == is_end
                };
                let nodes = (0..table.nodes.len()).filter(here);
                let mut results: Vec<usize> = nodes.map(|at| parts.result(part, at)).collect();
                results.sort_unstable();
                results.dedup();
                results
            };
            let (is, not) = (results(true), results(false));
            all.push([&is[..], &not[..]].concat());
            ended.push((is, not));
        }
        let over: Vec<Vec<usize>> = ended.iter().map(|(is, _)| is.clone()).collect();
        let mut found: Option<Vec<i32>> = None;
        for outcome in parts.outcomes(start.clone(), &over)? {
            let roles = [RoleId(0), RoleId(1)];
            let own = roles.map(|role| parts.joint.goal(&outcome, role));
            let own: Vec<i32> = own.into_iter().collect::<Option<_>>()?;
            if parts.joint.is_over(&outcome) != Some(true)
                || found.as_ref().is_some_and(|f| *f != own)
            {
                return None;
            }
            found = Some(own);
        }
        // While a move can be made in some part, the match is not over.
        for (part, (_, not)) in ended.into_iter().enumerate() {
            let mut sets = all.clone();
            sets[part] = not;
            for outcome in parts.outcomes(start.clone(), &sets)? {
                if parts.joint.is_over(&outcome) != Some(false) {
                    return None;
                }
            }
        }
        goals.push(found?);
    }
    Some(goals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn piles_of_nim_are_tame() {
        let mut piles: Vec<Genus> = Vec::new();
        for size in 0..6 {
            let pile = Genus::of(&piles);
            let expected = match size {
                0 => (0, 1),
                1 => (1, 0),
                _ => (size, size),
            };
            assert_eq!((pile.normal, pile.misere), expected);
            assert!(pile.is_tame());
            piles.push(pile);
        }
        // A move to a pile of two, and no other: it is worth nothing in both kinds of play.
        let only = Genus::of(&piles[2..3]);
        assert_eq!((only.normal, only.misere), (0, 0));
        // With moves to that and to a pile of none, it is like no pile.
        let wild = Genus::of(&[
            only,
            piles[3],
            Genus {
                normal: 0,
                misere: 2,
            },
        ]);
        assert!(!wild.is_fickle());
    }
}
