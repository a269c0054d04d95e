#![doc = include_str!("../README.md")]

mod address;
mod error;
mod postgres_table;
mod seal;
mod segments;
mod shared;

pub use address::StoreAddress;
pub use error::SharedStoreError;
pub use seal::{SharedReply, Signer};
pub use segments::{Compacted, compact_segments};
pub use shared::{SharedCounts, SharedStore};
