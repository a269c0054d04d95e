#![doc = include_str!("../README.md")]

pub mod chat;
#[cfg(feature = "embedded")]
pub mod embedded;
pub mod gguf;
mod gpu_layers;
mod identity;
mod model;
pub mod outside;
mod query;
pub mod served;
pub mod simulated;
mod team;
mod wire;
mod work;

pub use gpu_layers::{BACK_ENDS, GpuLayers, HAS_BACK_END, NO_BACK_END};
pub use model::{Model, ModelError};
pub use team::Team;
pub use wire::{Api, EncodedRequest, Target};
pub use work::{Answer, UnderWay, Work};
