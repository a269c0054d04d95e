//! Plain data for calls of llama.cpp: how a context is made, and the attributes of a token.

/// The purpose of a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Attributes {
    /// It steers the model and is no text.
    pub(super) control: bool,
    /// It was added to the vocabulary by hand.
    pub(super) added: bool,
    /// White space before it belongs to it.
    pub(super) strips_left: bool,
    /// White space after it belongs to it.
    pub(super) strips_right: bool,
}

/// How a context is made.
#[derive(Clone, Copy)]
pub(super) struct ContextOptions {
    /// How many tokens it can hold.
    pub(super) length: u32,
    /// The most tokens that are read in one batch.
    pub(super) chunk: u32,
    pub(super) threads: usize,
    pub(super) output: Output,
}

/// The output of a context.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    /// Logits for each token: how likely each other token is to come next.
    Logits,
    /// The state of each token after the last layer.
    States,
    /// One vector for all that was read in one go, by the pooling that the model names.
    Pooled,
}
