//! The embedded model: any GGUF file, evaluated in this process, on the CPU or in part on a
//! graphics device.
//!
//! Its replies are a function of the request and of [`Model::identity`](crate::Model::identity), to
//! the last bit on one machine: not of what was asked before, nor of threads or prefix sharing.
//! docs/design/embedded-engine.md says how and what it costs.

mod answers;
mod baseline;
mod beside;
mod embed;
mod engine;
mod footprint;
mod generate;
mod halt;
#[cfg(feature = "kernel-variants")]
mod kernel_folder;
mod kernels;
mod llama;
mod llama_log;
mod llama_options;
mod lone_context;
mod memory;
mod open;
mod placement;
mod prompt;
mod requantize;
mod sample;
mod score;
mod serve;
mod softmax;
mod stack;
mod states;
mod tap;
mod threads;
mod vocabulary;

#[cfg(test)]
mod null_instruction;
#[cfg(test)]
mod tests;

pub use baseline::Logits;
#[cfg(feature = "kernel-variants")]
pub use kernel_folder::set_kernel_folder;
pub use requantize::{Quantisation, requantize};

use crate::identity::failed;
use crate::{GpuLayers, Model, ModelError, Work};
use engine::Engine;
use evenhand_core::{CallResult, Request, Task};
use std::fmt;
use std::path::Path;
use std::time::Duration;

/// How a model is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many threads evaluate; if not given, one for each physical core that no other program
    /// needs. Replies do not depend on it.
    pub threads: Option<usize>,
    /// How many tokens a prompt and its reply may have together; if not given, what the model was
    /// trained for, up to 8,192 and to 4 GiB of memory.
    pub context: Option<u32>,
    /// Prompts are read in chunks of so many tokens, and prefixes are shared in whole chunks. Part
    /// of the identity.
    pub chunk: u32,
    /// Whether prompts that begin alike share what they begin with. Replies do not depend on it.
    pub share_prefixes: bool,
    /// How many layers a graphics device evaluates; if not given, all that its memory can hold in
    /// a program with a back end for one, and else none. Part of the identity, as is the device.
    pub gpu_layers: Option<GpuLayers>,
}

/// A graphics device that a back end of this program sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The back end, one of [`BACK_ENDS`](crate::BACK_ENDS).
    pub back_end: &'static str,
    /// What its driver calls it.
    pub description: String,
    /// Bytes of its memory that are free, and all of them; None where it does not say.
    pub memory: Option<(u64, u64)>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            threads: None,
            context: None,
            chunk: 64,
            share_prefixes: true,
            gpu_layers: None,
        }
    }
}

/// A GGUF model in this process.
pub struct Embedded {
    /// One for each worker; never empty.
    engines: Vec<Engine>,
    identity: String,
}

impl Embedded {
    /// Opens a GGUF file.
    ///
    /// # Errors
    ///
    /// [`ModelError::Open`] with what is wrong with the file and what to do about it.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Embedded, ModelError> {
        let (engines, identity) = open::open_model(path.as_ref(), options)?;
        Ok(Embedded { engines, identity })
    }

    /// Answers one request.
    ///
    /// # Errors
    ///
    /// [`TooLong`](evenhand_core::CallErrorKind::TooLong) if the request does not fit the context,
    /// [`Invalid`](evenhand_core::CallErrorKind::Invalid) if it makes no sense to this model, and
    /// [`Model`](evenhand_core::CallErrorKind::Model) if the evaluation fails.
    pub fn answer_one(&mut self, request: &Request) -> CallResult {
        match self.engines.first_mut() {
            Some(engine) => engine::answer_request(engine, request),
            None => Err(failed("the model has no engine")),
        }
    }

    /// Returns how many tokens a prompt and its reply may have together.
    pub fn context_length(&self) -> usize {
        self.engines.first().map_or(0, |engine| engine.stack.room())
    }

    /// Whether the model has a chat template. A base model has none, and is given the contents of
    /// the messages, blank lines between.
    pub fn has_chat_template(&self) -> bool {
        self.engines
            .first()
            .is_some_and(|engine| engine.prompter.template.is_some())
    }

    /// Returns how many tokens were evaluated so far, those of a shared prefix once.
    pub fn evaluated_tokens(&self) -> u64 {
        self.engines
            .iter()
            .map(|engine| {
                engine.stack.evaluated + engine.embedder.evaluated + engine.states.evaluated
            })
            .sum()
    }

    /// Measures, for the benchmarks, how long llama.cpp alone takes to read the tokens of these
    /// requests, as they are served.
    ///
    /// # Errors
    ///
    /// [`ModelError::Serve`] if the evaluation fails.
    #[doc(hidden)]
    pub fn time_bare_reads(
        &mut self,
        requests: &[Request],
        logits: Logits,
    ) -> Result<Duration, ModelError> {
        baseline::time_reads(&mut self.engines, requests, logits).map_err(ModelError::Serve)
    }

    /// Returns the graphics devices that this program's back ends see: none in a program without
    /// one. A model uses the one with the most memory.
    pub fn list_devices() -> Vec<DeviceInfo> {
        let devices = llama::list_devices().into_iter();
        let describe = |device: llama::Device| DeviceInfo {
            back_end: device.back_end,
            memory: device.free_if_known().map(|free| (free, device.total)),
            description: device.description,
        };
        devices.map(describe).collect()
    }

    /// Says which of llama.cpp's kernels this program was compiled with: another machine's may give
    /// other bits.
    pub fn describe_kernels() -> String {
        llama::describe_kernels()
    }

    /// Names what the kernels were compiled for, as the end of an identity says it: `-x86-64-v3`,
    /// or a digest of this processor's.
    pub fn name_kernels() -> String {
        kernels::name_kernels()
    }
}

impl Model for Embedded {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn render_prompt(&self, request: &Request) -> Option<String> {
        let prompter = &self.engines.first()?.prompter;
        match &request.task {
            Task::Embed { .. } | Task::Decide { .. } => None,
            // As the question sees them, with one way of naming.
            Task::SideBySide {
                texts: [first, second],
                names: [name, other],
                question,
                ..
            } => {
                let mut messages = request.messages.clone();
                if let Some(last) = messages.last_mut() {
                    for text in [first, name, second, other, question] {
                        last.content += text;
                    }
                }
                prompter.render_text(&messages)
            }
            _ => prompter.render_text(&request.messages),
        }
    }

    fn count_prompt_tokens(&self, request: &Request) -> Option<u64> {
        self.engines
            .first()?
            .count_tokens(request)
            .ok()
            .map(|tokens| tokens as u64)
    }

    fn serve(&mut self, work: &mut dyn Work) -> Result<(), ModelError> {
        serve::serve_queue(&mut self.engines, work);
        Ok(())
    }
}

impl fmt::Debug for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedded")
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}
