//! Forced moves, which are played at once in all lanes where no role has a choice.

use crate::game::machine::RoleId;
use crate::game::machine::batch::Batch;
use crate::game::vocabulary::lane_mask::LaneMask;

/// The lanes in which the match does not continue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    /// Those with a terminal state.
    pub(crate) terminal: LaneMask,
    /// Those in which a role has no legal move; in terminal states, that is meaningless.
    pub(crate) stuck: LaneMask,
}

/// Plays forced moves in all lanes where there are no others: in those that `allowed` returns of the lanes with forced
/// moves, until it returns none. `choosing` becomes the lanes in which each role has a choice. Returns the lanes in
/// which the match does not continue; nothing if `allowed` does.
pub(crate) fn skip_forced_moves(
    batch: &mut Batch,
    choosing: &mut [LaneMask],
    mut allowed: impl FnMut(LaneMask) -> Option<LaneMask>,
) -> Option<Ends> {
    let filled = batch.filled();
    loop {
        let terminal = batch.terminal();
        let (mut choice, mut able) = (LaneMask::default(), filled);
        for (role, choosing) in RoleId::first(choosing.len()).zip(&mut *choosing) {
            let (some, several) = batch.choices(role);
            *choosing = several;
            choice = choice.or(several);
            able = able.and(some);
        }
        let stuck = filled.and_not(able);
        let forced = filled.and_not(terminal.or(choice).or(stuck));
        let advancing = allowed(forced)?;
        if advancing.is_empty() {
            return Some(Ends { terminal, stuck });
        }
        batch.advance_forced(advancing);
    }
}
