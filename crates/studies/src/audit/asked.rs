//! The protocols under audit.

/// How a protocol looks at responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One at a time.
    Scores,
    /// Two at a time.
    Pairs,
}

/// A protocol under audit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Asked {
    pub(super) protocol: String,
    pub(super) kind: Kind,
    /// The criterion of the audit under which it is asked, where there are any.
    pub(super) criterion: Option<String>,
}
