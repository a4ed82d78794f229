//! Joint moves, split into the choices of the roles that choose first and those of the roles that answer.

use crate::game::machine::RoleId;

/// The roles that choose first, and for what. The others answer, knowing the choice; so the result is sure.
/// Where one role decides at a time, both sides come to the same value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    /// The role chooses first, for the greatest value that it can force.
    Role,
    /// All others but chance choose first, for the least value that they can hold the role to.
    Others,
}

impl Side {
    /// Returns the roles that choose first, out of `roles` roles.
    pub(super) fn group(self, role: RoleId, chance: Option<RoleId>, roles: usize) -> Vec<RoleId> {
        let is_in = |other: &RoleId| match self {
            Side::Role => *other == role,
            Side::Others => *other != role && Some(*other) != chance,
        };
        RoleId::first(roles).filter(is_in).collect()
    }
}

/// The joint moves of a state with given numbers of legal moves, by the choices of the roles that choose
/// first.
pub(super) struct Split {
    side: Side,
    /// The number of choices of the roles that choose first.
    choices: usize,
    /// By joint move, their choice.
    outer: Vec<u32>,
}

impl Split {
    /// The joint moves of states with these numbers of legal moves; none if there are more than `most`, as of a state that
    /// there was no room to look into.
    pub(super) fn new(side: Side, group: &[RoleId], counts: &[usize], most: usize) -> Split {
        let total = counts
            .iter()
            .try_fold(1usize, |total, &count| total.checked_mul(count));
        let Some(total) = total.filter(|&total| total <= most) else {
            return Split {
                side,
                choices: 0,
                outer: Vec::new(),
            };
        };
        let mut strides = vec![0; counts.len()];
        let mut choices = 1;
        for role in group.iter().rev() {
            strides[role.index()] = choices;
            choices *= counts[role.index()];
        }
        let outer = (0..total).map(|joint| {
            let parts = places(joint, counts).zip(strides.iter().rev());
            parts.map(|(place, stride)| place * stride).sum::<usize>() as u32
        });
        Split {
            side,
            choices,
            outer: outer.collect(),
        }
    }

    /// Returns the number of choices of the roles that choose first.
    pub(super) fn choices(&self) -> usize {
        self.choices
    }

    /// Returns their choice in a joint move.
    pub(super) fn choice(&self, joint: usize) -> usize {
        self.outer[joint] as usize
    }

    /// The value of a state of which the joint moves lead to these values. `outer` is space.
    pub(super) fn reduce(
        &self,
        mut values: impl ExactSizeIterator<Item = u16>,
        outer: &mut Vec<u16>,
    ) -> u16 {
        type Better = fn(u16, u16) -> u16;
        let (first, second, worst): (Better, Better, u16) = match self.side {
            Side::Role => (u16::max, u16::min, u16::MAX),
            Side::Others => (u16::min, u16::max, 0),
        };
        let start = values.next().expect("there is a joint move");
        if self.choices == self.outer.len() {
            return values.fold(start, first);
        }
        if self.choices == 1 {
            return values.fold(start, second);
        }
        outer.clear();
        outer.resize(self.choices, worst);
        let all = std::iter::once(start).chain(values);
        for (value, &choice) in all.zip(&self.outer) {
            let best = &mut outer[choice as usize];
            *best = second(*best, value);
        }
        outer.iter().copied().reduce(first).unwrap_or(worst)
    }
}

/// The places of the moves of a joint move, the last role's first.
pub(super) fn places(joint: usize, counts: &[usize]) -> impl Iterator<Item = usize> {
    let mut left = joint;
    counts.iter().rev().map(move |count| {
        let place = left % count;
        left /= count;
        place
    })
}
