//! What random matches tell of a game: mistakes in its rules, and what kind of game it is.
//!
//! - [`inspect`] looks for what the language forbids and no reader of the rules sees at once: a role
//!   without a move, a match without an end, an end without a goal; and for what nobody ever
//!   reaches. Each [`Finding`] has an example, with the history that leads there.
//! - [`measure`] tells how long matches last, how many moves there are to choose from, and who wins:
//!   the [`Figures`] of a game.
//!
//! Both play [`RandomMatches`](crate::game::playout::RandomMatches), one after the other, so that each state can be looked at.

mod example;
mod figures;
mod findings;
mod inspect;
mod measure;
mod probes;
mod state_share;

pub use example::{Example, find_stuck};
pub use figures::{Depth, Figures, FirstPlayer, Lengths, RoleFigures, Share};
pub use findings::{Finding, FindingKind, Proof};
pub use inspect::{Inspection, InspectionConfig, inspect};
pub use measure::{MeasureConfig, MeasureError, measure};
pub use probes::{DeadRule, Probes, ProbesError};
