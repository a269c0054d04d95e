//! Before a judge is asked: data, judges and settings become a job, and a job its trials.

pub(crate) mod bench;
pub(crate) mod conditions;
pub(crate) mod data;
pub(crate) mod design;
pub(crate) mod groups;
pub(crate) mod head_file;
pub(crate) mod head_report;
pub(crate) mod input_file;
pub(crate) mod item_weights;
pub(crate) mod job;
pub(crate) mod judge;
pub(crate) mod kept_data;
mod label_items;
mod manifest;
pub(crate) mod marks;
pub(crate) mod memory;
pub(crate) mod own;
pub(crate) mod pack;
pub(crate) mod panel_file;
mod planner;
mod registry;
pub(crate) mod repeats;
pub(crate) mod shard;
mod sources;
pub(crate) mod spill;
pub(crate) mod trials;
pub(crate) mod trust;
