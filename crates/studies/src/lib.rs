//! Meta-evaluation and audits: how well judges and benchers agree with people, what a judge
//! falls for, and what moves with another judge.

pub mod audit;
pub mod bencher;
pub mod check;
pub mod conformal;
pub mod consistency;
mod figure;
mod folds;
pub mod head;
pub mod judge;
pub mod migrate;
pub mod panel;
pub mod people;
mod recordings;
pub mod selective;
pub mod self_preference;
pub mod study;
pub mod translations;
pub mod tryout;
pub mod wordings;

pub use figure::Figure;
