//! A context of one sequence, made when it is asked for first: few judges are asked for any.

use super::halt::Halt;
use super::llama::{Context, Weights};
use super::llama_options::{ContextOptions, Output};
use super::threads::Threads;
use std::sync::Arc;

/// A context beside the one that writes.
pub(super) struct LoneContext {
    weights: Arc<Weights>,
    /// The most tokens that it holds.
    pub(super) window: u32,
    /// The most tokens that are read in one batch.
    pub(super) chunk: u32,
    output: Output,
    threads: Threads,
    context: Option<Context>,
}

impl LoneContext {
    /// Describes a context of so many tokens, of which so many are read in one batch.
    pub(super) fn new(
        weights: Arc<Weights>,
        [window, chunk]: [u32; 2],
        output: Output,
        threads: Threads,
    ) -> LoneContext {
        LoneContext {
            weights,
            window,
            chunk,
            output,
            threads,
            context: None,
        }
    }

    /// Returns the context with nothing in it, for as many threads as are of use now.
    pub(super) fn open_empty(&mut self) -> Result<&mut Context, Halt> {
        let threads = self.threads.current();
        let mut context = match self.context.take() {
            Some(context) => context,
            None => {
                let options = ContextOptions {
                    sequences: 1,
                    length: self.window,
                    chunk: self.chunk,
                    threads: self.threads.most,
                    output: self.output,
                };
                Context::new(self.weights.clone(), &options)?
            }
        };
        context.forget();
        context.use_threads(threads);
        Ok(self.context.insert(context))
    }
}
