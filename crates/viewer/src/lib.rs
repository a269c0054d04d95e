#![doc = include_str!("../README.md")]

mod address;
mod answer;
mod door;
mod error;
mod labels;
mod options;
mod patient;
mod review;
mod routes;
mod serve;
mod served;
mod shelf;
mod token;

pub use error::ViewError;
pub use labels::read_labels;
pub use options::{ReviewOptions, Sample, ViewOptions};
pub use serve::{Ready, ReviewUrls, serve};
