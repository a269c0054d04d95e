//! Anthropic's messages.

mod reply;
mod request;

pub(super) use reply::reply;
pub(super) use request::body;
