//! Models tried as judges on a small labelled set of ours: how right they are by each way of asking
//! them, by length and by order, what fools them, and what it takes.
//!
//! The set is small and ours: it tells a judge from a coin, and a good judge from a bad one, and
//! says little of how a judge does on other data. [`crate::judge`] measures that.

mod ask;
mod best;
mod measure;
mod set;

pub use ask::{TriedModel, TryOptions, TryReport, read_set_name, try_models};
pub use best::{Ahead, Best, TriedWay, best_way};
pub use measure::{AttackRow, Credits, Orders, WayRow};
pub use set::{Attack, SetName};
