//! Meta-evaluation: how well judges and benchers agree with people.

mod figure;

pub use figure::Figure;
