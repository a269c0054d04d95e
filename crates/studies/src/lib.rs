//! Meta-evaluation: how well judges and benchers agree with people.

mod figure;
pub mod judge;

pub use figure::Figure;
