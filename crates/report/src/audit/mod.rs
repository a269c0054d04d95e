//! The judge card: what an audit found, for people and programs.

mod card;
mod json;

pub use card::audits_table;
pub use json::{audit_csv, audit_json};
