//! Verifiable constraints of responses: the 25 instruction types of IFEval (Zhou et al. 2023,
//! "Instruction-Following Evaluation for Large Language Models", arXiv 2311.07911), checked
//! strictly and loosely as the field's checker does (lm-eval 0.4.13, with nltk 3.10.4 and
//! langdetect 1.0.9), and described in plain English.
//!
//! Everything is a pure function of its arguments. How often verdicts equal those of the checker is
//! recorded in `tests/cases/ifeval_differences.txt`.
//!
//! ```
//! use evenhand_constraints::Constraints;
//!
//! let list = serde_json::json!([{"id": "punctuation:no_comma"}, {"id": "detectable_format:number_bullet_lists", "num_bullets": 2}]);
//! let constraints = Constraints::parse(&list, "Name two rivers.")?;
//! let checked = constraints.check("Here are two, as asked:\n* The Nile\n* The Rhine");
//! assert_eq!(checked.strict, [false, true]);
//! assert_eq!(checked.loose, [true, true]);
//! assert_eq!(constraints.list()[0].describe(), "Do not use any commas.");
//! # Ok::<(), evenhand_constraints::ConstraintError>(())
//! ```

mod capital_words;
mod checked;
mod constraint;
mod describe;
mod error;
#[cfg(test)]
mod examples;
mod followed;
mod format_marks;
mod language;
mod parse;
mod pattern;
mod python;
mod python_json;
mod sentences;
pub mod tweak;

pub use checked::{Checked, Constraints, FollowedCounts};
pub use constraint::{Bound, Constraint, Id, Relation};
pub use error::ConstraintError;
pub use pattern::Pattern;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
