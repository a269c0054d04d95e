//! Meta-evaluation: how well judges and benchers agree with people.

pub mod bencher;
mod figure;
pub mod judge;

pub use figure::Figure;
