//! Anthropic's messages.

mod reply;
mod request;

pub(super) use reply::decode_chat;
pub(super) use request::encode_chat;
