//! Conclusions: from the verdict about one state to a cube, the states for which the same proof holds.

use std::sync::Arc;

use super::cube::Cube;
use super::joint_rows::contains;
use super::node::{Known, Node};
use super::steps::{Steps, Want, flag};

/// Something that the proof says about a joint move.
struct Premise {
    joint: usize,
    /// The statement about the state after the joint move, if any.
    after: Known,
    /// Whether the joint move is legal. Of one that is not, it is enough to know either that or
    /// what the state would be after it.
    is_legal: bool,
}

/// The cube of a node with this verdict. If it is won, it is by the move of the target's role in
/// the joint move `played`. If it `supposes`, it need not be part of the proof that joint moves are
/// not legal after which the same is known.
pub(super) fn conclude(
    steps: &mut Steps,
    node: &Node,
    (won, played): (bool, usize),
    supposes: bool,
) -> Cube {
    let mut premises = premises(steps, node, won, played);
    if supposes {
        suppose(node, won, &mut premises);
    }
    let (phase, state) = (node.phase, &node.state[..]);

    let wanted: Vec<(usize, Want<'_>)> = premises
        .iter()
        .filter_map(|premise| {
            let want = match &premise.after {
                Known::Nothing => return None,
                Known::Achieved => Want::Flags(flag::ACHIEVED),
                Known::Failed(flags) => Want::Flags(*flags),
                Known::Cube(cube) => Want::Literals(cube.mask()),
            };
            Some((premise.joint, want))
        })
        .collect();
    steps.enter(phase, state);
    let after = steps.next_reasons(phase, &wanted);
    // The flag that decides whether a joint move matters: whether the replies to the winning move are
    // legal, or whether the role has the move.
    let matters = if won { flag::OTHERS } else { flag::OWN };
    let illegal = premises.iter().filter(|premise| !premise.is_legal);
    let wanted: Vec<(usize, u8)> = illegal.map(|premise| (premise.joint, matters)).collect();
    let illegal = steps.joint_reasons(phase, &wanted);
    let chosen: Vec<(usize, u8)> = match won {
        true => vec![(played, flag::OWN)],
        false if node.replies == 1 => Vec::new(),
        false => {
            let legal = premises.iter().filter(|premise| premise.is_legal);
            legal.map(|premise| (premise.joint, flag::OTHERS)).collect()
        }
    };
    let chosen = steps.joint_reasons(phase, &chosen);
    let of_state = match won {
        true => flag::TERMINAL | flag::ABLE,
        false => flag::ACHIEVED,
    };
    let mut mask = steps.state_reason(phase, of_state);

    let words = mask.len();
    let add = |mask: &mut [u64], reason: &[u64]| {
        mask.iter_mut()
            .zip(reason)
            .for_each(|(mask, word)| *mask |= word);
    };
    chosen
        .chunks_exact(words)
        .for_each(|reason| add(&mut mask, reason));
    // First what there is no choice about.
    let mut is_final = !won;
    let mut reasons = after.chunks_exact(words);
    let mut choices = Vec::new();
    let mut illegal = illegal.chunks_exact(words);
    for premise in &premises {
        let after = match premise.after {
            Known::Nothing => None,
            _ => reasons.next(),
        };
        match (premise.is_legal, after) {
            (true, after) => {
                add(&mut mask, after.expect("it is known"));
                is_final &= premise.after.is_final();
            }
            (false, None) => add(&mut mask, illegal.next().expect("there is one for each")),
            (false, Some(after)) => {
                choices.push((
                    premise,
                    after,
                    illegal.next().expect("there is one for each"),
                ));
            }
        }
    }
    for (premise, after, illegal) in choices {
        let cost = |reason: &[u64]| -> u32 {
            let new = reason
                .iter()
                .zip(&mask)
                .map(|(reason, mask)| reason & !mask);
            new.map(u64::count_ones).sum()
        };
        if cost(after) < cost(illegal) {
            add(&mut mask, after);
            is_final &= premise.after.is_final();
        } else {
            add(&mut mask, illegal);
        }
    }
    let depth = if is_final { Cube::ANY } else { node.depth };
    Cube::new(&mask, state, won, depth, played as u32)
}

/// Returns the premises about joint moves: for a win, about all replies to the winning move; for a failure,
/// about a reply to each move of the role.
fn premises(steps: &Steps, node: &Node, won: bool, played: usize) -> Vec<Premise> {
    let moves = &node.expansion.moves;
    let premise = |joint: usize, is_legal: bool| Premise {
        joint,
        after: node.known[joint].clone(),
        is_legal,
    };
    if won {
        let first = played / node.replies * node.replies;
        let joints = first..first + node.replies;
        return joints
            .map(|joint| premise(joint, moves[joint] & flag::OTHERS != 0))
            .collect();
    }
    let firsts = (0..steps.joints(node.phase).len()).step_by(node.replies);
    firsts
        .map(|first| {
            let is_legal = moves[first] & flag::OWN != 0;
            // Others than the first one are legal or not whatever the role's move is.
            premise(node.refutation(first).unwrap_or(first), is_legal)
        })
        .collect()
}

/// Finds what would be known of the states after joint moves that are not legal, from what is
/// known after those that are: so it need not be part of the proof that they are not legal.
fn suppose(node: &Node, won: bool, premises: &mut [Premise]) {
    // The cubes, with the joint moves after which states are in them.
    let mut cubes: Vec<(Vec<u64>, Arc<Cube>)> = Vec::new();
    let mut by_depth = false;
    let states = &node.expansion.states;
    let mut illegal = vec![0; states.words()];
    for premise in premises.iter().filter(|premise| !premise.is_legal) {
        illegal[premise.joint / 64] |= 1 << (premise.joint % 64);
    }
    for premise in premises.iter() {
        match &premise.after {
            Known::Cube(cube) if !cubes.iter().any(|(_, other)| Arc::ptr_eq(other, cube)) => {
                cubes.push((states.within(cube, &illegal), cube.clone()));
            }
            Known::Achieved | Known::Failed(flag::ACHIEVED) => by_depth = true,
            _ => {}
        }
    }
    for premise in premises.iter_mut().filter(|premise| !premise.is_legal) {
        // If others reply as well, a reply that is legal would have to be found, too.
        if !won && node.replies > 1 {
            continue;
        }
        let achieved = node.expansion.after[premise.joint] & flag::ACHIEVED != 0;
        if by_depth && achieved == won {
            premise.after = match won {
                true => Known::Achieved,
                false => Known::Failed(flag::ACHIEVED),
            };
            continue;
        }
        if let Some((_, cube)) = cubes.iter().find(|(set, _)| contains(set, premise.joint)) {
            premise.after = Known::Cube(cube.clone());
        }
    }
}
