//! A judge of the test's own.

use std::fmt;
use std::sync::Arc;

/// The reply to a prompt, the texts of whose messages are joined by blank lines.
type Reply = dyn Fn(&str) -> String + Send + Sync;

/// Who makes the verdicts in place of the draws from the seed.
#[derive(Clone)]
pub struct Judge(Arc<Reply>);

impl Judge {
    /// Makes a judge that replies so. The reply must be a function of the prompt alone, and may be
    /// asked from several threads.
    pub fn new(reply: impl Fn(&str) -> String + Send + Sync + 'static) -> Judge {
        Judge(Arc::new(reply))
    }

    pub(crate) fn reply(&self, prompt: &str) -> String {
        (self.0)(prompt)
    }
}

impl fmt::Debug for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Judge")
    }
}
