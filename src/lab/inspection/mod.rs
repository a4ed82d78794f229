//! Game diagnostics from random playouts: errors in the rules, and figures of the game.
//!
//! - [`inspect`] looks for violations of the language that a reader of the rules easily misses: a
//!   role without a move, a match without an end, an end without a goal; and for parts that no match
//!   ever reaches. Each [`Finding`] has an example, with the history that leads there.
//! - [`measure`] measures how long matches last, how many moves there are to choose from, and which
//!   roles win: the [`Figures`] of a game.
//!
//! Both play [`RandomMatches`](crate::game::playout::RandomMatches), one after the other, so that each state can be
//! examined.

mod declarations;
mod example;
mod figures;
mod findings;
mod inspect;
mod measure;
mod own_moves;
mod probes;
mod state_share;

pub use example::{Example, find_stuck};
pub use figures::{Depth, Figures, FirstPlayer, Lengths, RoleFigures, Share};
pub use findings::{Finding, FindingKind, Proof};
pub use inspect::{Inspection, InspectionConfig, inspect};
pub use measure::{MeasureConfig, MeasureError, measure};
pub use probes::{DeadRule, Probes, ProbesError};
