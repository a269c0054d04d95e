//! Meta-evaluation and audits: how well judges and benchers agree with people, and what a judge
//! falls for.

pub mod audit;
pub mod bencher;
pub mod check;
pub mod conformal;
pub mod consistency;
mod figure;
pub mod judge;
pub mod panel;
pub mod people;
mod recordings;
pub mod selective;
pub mod self_preference;
pub mod study;
pub mod translations;
pub mod wordings;

pub use figure::Figure;
