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

/// The output of a context for each token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    /// Logits: how likely each token is to come next.
    Logits,
    /// Its state after the last layer.
    States,
}
