//! Meta-evaluation and audits: how well judges and benchers agree with people, and what a judge
//! falls for.

pub mod audit;
pub mod bencher;
pub mod check;
pub mod consistency;
mod figure;
pub mod judge;
pub mod panel;
pub mod people;
pub mod selective;
pub mod study;

pub use figure::Figure;
