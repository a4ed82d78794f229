//! Goals that are functions of counts, such as who has more pieces.
//!
//! Rules count in some order, row by row for example, so that the networks of a goal and of its image differ. What is
//! counted, and which counts give the goal, is [tabulated](GoalTables) and compared instead.

use propjit_jit::counts::Quantity;
use propjit_stop::Stop;
use rustc_hash::FxHashSet;

use super::renaming::Renaming;
use crate::game::ground::invariants::net::Net;
use crate::game::ground::{GoalTable, GoalTables, GroundGame, Invariant, exclusive_groups};
use crate::game::vocabulary::moves::RoleId;

/// The maximum number of variables of a solver.
const VARIABLES: u32 = 1_000_000;

/// The tables of a game, and the groups of propositions of which at most one is true where they hold.
pub(super) struct CountedGoals {
    tables: GoalTables,
    groups: FxHashSet<Vec<usize>>,
}

/// A goal by its role and its number among the goals of the role.
pub(super) type GoalPort = (RoleId, usize);

impl CountedGoals {
    /// Finds the tables of a game; none if there are none, or if stopped.
    pub(super) fn find(game: &GroundGame, stop: &Stop) -> Option<CountedGoals> {
        let invariants = exclusive_groups(&Net::new(game, VARIABLES));
        let tables = GoalTables::find(game, &invariants, stop)?;
        let groups = invariants.into_iter().map(|invariant| match invariant {
            Invariant::AtMostOne(group) => Some(group),
            _ => None,
        });
        Some(CountedGoals {
            tables,
            groups: groups.collect::<Option<_>>()?,
        })
    }

    /// Returns whether the image of each state in which groups have one true member at most is such a state.
    pub(super) fn are_kept(&self, renaming: &Renaming) -> bool {
        self.groups.iter().all(|group| {
            let mut image: Vec<usize> = group.iter().map(|&base| renaming.base(base)).collect();
            image.sort_unstable();
            self.groups.contains(&image)
        })
    }

    /// Returns whether a goal is had in a state if another one is in its image, where groups [are
    /// kept](CountedGoals::are_kept).
    pub(super) fn is_image(&self, renaming: &Renaming, goal: GoalPort, image: GoalPort) -> bool {
        let table = |port: GoalPort| {
            let mut tables = self.tables.goals.iter();
            tables.find(|table| (table.role, table.goal) == port)
        };
        let (Some(here), Some(there)) = (table(goal), table(image)) else {
            return false;
        };
        let Some(strides) = self.strides(renaming, here, there) else {
            return false;
        };
        let sizes = here
            .quantities
            .iter()
            .map(|&quantity| self.tables.quantities[quantity].values());
        let sizes: Vec<usize> = sizes.collect();
        here.values.iter().enumerate().all(|(combination, &value)| {
            let (mut rest, mut of_image) = (combination, 0);
            for (size, stride) in sizes.iter().zip(&strides) {
                of_image += rest % size * stride;
                rest /= size;
            }
            // A combination without a value occurs in no state, here or there.
            let image = there.values[of_image];
            value.is_none() || image.is_none() || value == image
        })
    }

    /// Returns for each quantity of a table the stride of its image in another one; none if that lacks some.
    fn strides(
        &self,
        renaming: &Renaming,
        here: &GoalTable,
        there: &GoalTable,
    ) -> Option<Vec<usize>> {
        if here.quantities.len() != there.quantities.len() {
            return None;
        }
        let mut stride = 1;
        let mut of_image = Vec::new();
        for &quantity in &there.quantities {
            let quantity = &self.tables.quantities[quantity];
            of_image.push((counted(quantity, |base| base)?, stride));
            stride *= quantity.values();
        }
        let images = here.quantities.iter().map(|&quantity| {
            let image = counted(&self.tables.quantities[quantity], |base| {
                renaming.base(base)
            })?;
            let found = of_image.iter().find(|(other, _)| *other == image);
            found.map(|&(_, stride)| stride)
        });
        images.collect()
    }
}

/// Returns the terms that a quantity counts, in an order of their own, after propositions are renamed; none if it is no
/// count.
fn counted(
    quantity: &Quantity,
    renamed: impl Fn(usize) -> usize,
) -> Option<Vec<(Vec<usize>, bool)>> {
    let Quantity::Count(terms) = quantity else {
        return None;
    };
    let mut images: Vec<(Vec<usize>, bool)> = (terms.iter())
        .map(|term| {
            let mut inputs: Vec<usize> = term
                .inputs
                .iter()
                .map(|input| renamed(input.index()))
                .collect();
            inputs.sort_unstable();
            (inputs, term.is_inverted)
        })
        .collect();
    images.sort_unstable();
    Some(images)
}
