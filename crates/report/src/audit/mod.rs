//! The judge card: what an audit found, for people and programs.

mod card;
mod climb;
mod estimate;
mod flips;
mod heading;
mod json;
mod parts;
mod protocol_names;
mod several;
mod slices;

pub use card::{audits_markdown, audits_table};
pub(crate) use estimate::AuditEstimateJson;
pub use estimate::{audit_estimate_csv, audit_estimate_json, audit_estimate_table};
pub(crate) use json::AuditJson;
pub use json::{audit_csv, audit_json};
pub(crate) use protocol_names::ProtocolNames;
