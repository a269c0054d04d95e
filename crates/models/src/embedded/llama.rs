//! The one place that calls llama.cpp: its functions behind safe ones, and nothing more.
//!
//! Why not the safe binding `llama-cpp-2`: see docs/design/embedded-engine.md.
#![allow(unsafe_code)]

use super::llama_log::{record_error, take_complaint};
use super::llama_options::{
    Attributes, ContextOptions, Output, back_end_name, bad_batch, c_path, has_amx, not_copied,
    not_evaluated, of_processor, thread_count,
};
use super::placement::Placement;
use super::tap::Tap;
use crate::BACK_ENDS;
use llama_cpp_sys_2 as sys;
use std::ffi::{CStr, c_char, c_void};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, Once, PoisonError};

/// A token of a vocabulary.
pub(super) type Token = sys::llama_token;

/// The sequence of a context that prompts are read in.
const STACK: i32 = 0;

/// A token, and where it is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) token: Token,
    pub(super) position: usize,
    pub(super) sequence: i32,
    /// Whether the logits after it are wanted.
    pub(super) wants_output: bool,
}

/// The weights and the vocabulary of a model.
#[derive(Debug)]
pub(super) struct Weights {
    model: NonNull<sys::llama_model>,
    vocabulary: NonNull<sys::llama_vocab>,
}

// SAFETY: llama.cpp binds a model to no thread, and everything that is called on a shared `Weights`
// only reads it. The one call that may write to it, the making of a context, takes it by an `Arc`
// that no other context holds (see `Context::new`).
unsafe impl Send for Weights {}
// SAFETY: as above.
unsafe impl Sync for Weights {}

impl Weights {
    /// Loads a model. An error is llama.cpp's own words.
    pub(super) fn load(path: &Path, placement: &Placement) -> Result<Weights, String> {
        start_llama();
        let path = c_path(path)?;
        let mut parameters = model_parameters();
        parameters.n_gpu_layers = i32::try_from(placement.layers).unwrap_or(i32::MAX);
        // The list ends with null. Without a list llama.cpp would take every device that it sees,
        // and let them compute some of what the CPU is to compute, in other bits.
        let device = placement.device.as_ref();
        let device = device.map_or(std::ptr::null_mut(), |device| device.handle.as_ptr());
        let mut devices = [device, std::ptr::null_mut()];
        parameters.devices = devices.as_mut_ptr();
        // SAFETY: the parameters are llama.cpp's own defaults with plain values changed; path and
        // list live through the call, and devices as long as the program.
        let model = unsafe { sys::llama_model_load_from_file(path.as_ptr(), parameters) };
        let model = NonNull::new(model).ok_or_else(take_complaint)?;
        // SAFETY: the model is alive, and its vocabulary lives as long as it does.
        let vocabulary = unsafe { sys::llama_model_get_vocab(model.as_ptr()) };
        let vocabulary =
            NonNull::new(vocabulary.cast_mut()).ok_or("the model has no vocabulary")?;
        Ok(Weights { model, vocabulary })
    }

    /// Whether it reads and writes text token by token, as a judge must.
    pub(super) fn is_text_model(&self) -> bool {
        // SAFETY: the model and its vocabulary are alive.
        unsafe {
            sys::llama_model_has_decoder(self.model.as_ptr())
                && !sys::llama_model_has_encoder(self.model.as_ptr())
                && !sys::llama_model_is_diffusion(self.model.as_ptr())
                && sys::llama_vocab_type(self.vocabulary.as_ptr()) != sys::LLAMA_VOCAB_TYPE_NONE
        }
    }

    /// Whether a prefix of what it has read can be kept and the rest forgotten.
    pub(super) fn can_forget(&self) -> bool {
        // SAFETY: the model is alive.
        unsafe {
            !sys::llama_model_is_recurrent(self.model.as_ptr())
                && !sys::llama_model_is_hybrid(self.model.as_ptr())
        }
    }

    /// Returns how many layers it has.
    pub(super) fn layers(&self) -> u32 {
        // SAFETY: the model is alive.
        u32::try_from(unsafe { sys::llama_model_n_layer(self.model.as_ptr()) }).unwrap_or(0)
    }

    /// Returns how many tokens the vocabulary has.
    pub(super) fn tokens(&self) -> usize {
        // SAFETY: the vocabulary is alive.
        usize::try_from(unsafe { sys::llama_vocab_n_tokens(self.vocabulary.as_ptr()) }).unwrap_or(0)
    }

    /// Returns the token a text begins with, where the model wants one.
    pub(super) fn first_token(&self) -> Option<Token> {
        // SAFETY: the vocabulary is alive.
        let (wanted, token) = unsafe {
            (
                sys::llama_vocab_get_add_bos(self.vocabulary.as_ptr()),
                sys::llama_vocab_bos(self.vocabulary.as_ptr()),
            )
        };
        (wanted && token >= 0).then_some(token)
    }

    /// Returns the tokens between a question and its answer, for a model that scores the two.
    pub(super) fn tokens_between(&self) -> Vec<Token> {
        // SAFETY: the vocabulary is alive.
        let [(ends, end), (parts, part)] = unsafe {
            let vocabulary = self.vocabulary.as_ptr();
            [
                (
                    sys::llama_vocab_get_add_eos(vocabulary),
                    sys::llama_vocab_eos(vocabulary),
                ),
                (
                    sys::llama_vocab_get_add_sep(vocabulary),
                    sys::llama_vocab_sep(vocabulary),
                ),
            ]
        };
        let end = (ends && end >= 0).then_some(end);
        let part = (parts && part >= 0).then_some(part);
        end.into_iter().chain(part).collect()
    }

    /// Returns the names of the classes of a model that scores texts: one without a name where it
    /// gives one number.
    pub(super) fn score_classes(&self) -> Vec<Option<String>> {
        // SAFETY: the model is alive.
        let count = unsafe { sys::llama_model_n_cls_out(self.model.as_ptr()) };
        let name = |class| {
            // SAFETY: the model is alive, and so is the text that it owns; null is no name.
            unsafe {
                let name = sys::llama_model_cls_label(self.model.as_ptr(), class);
                let name = NonNull::new(name.cast_mut())?;
                let name = std::ffi::CStr::from_ptr(name.as_ptr());
                Some(name.to_string_lossy().into_owned())
            }
        };
        (0..count).map(name).collect()
    }

    /// Returns the token a text ends with, where the model wants one.
    pub(super) fn last_token(&self) -> Option<Token> {
        // SAFETY: the vocabulary is alive.
        let (wanted, token) = unsafe {
            let vocabulary = self.vocabulary.as_ptr();
            if sys::llama_vocab_get_add_sep(vocabulary) {
                (true, sys::llama_vocab_sep(vocabulary))
            } else {
                (
                    sys::llama_vocab_get_add_eos(vocabulary),
                    sys::llama_vocab_eos(vocabulary),
                )
            }
        };
        (wanted && token >= 0).then_some(token)
    }

    /// Returns the texts of the vocabulary's first and last token; empty where it has none.
    pub(super) fn end_texts(&self) -> (String, String) {
        // SAFETY: the vocabulary is alive.
        let (bos, eos) = unsafe {
            (
                sys::llama_vocab_bos(self.vocabulary.as_ptr()),
                sys::llama_vocab_eos(self.vocabulary.as_ptr()),
            )
        };
        (self.name(bos), self.name(eos))
    }

    /// Returns the token as the vocabulary writes it.
    pub(super) fn name(&self, token: Token) -> String {
        if usize::try_from(token).is_ok_and(|index| index < self.tokens()) {
            // SAFETY: the token is one of the vocabulary, which is alive and keeps the text.
            let text = unsafe { sys::llama_vocab_get_text(self.vocabulary.as_ptr(), token) };
            return copy_text(text);
        }
        String::new()
    }

    /// Returns what the token is for. Only for tokens of the vocabulary.
    pub(super) fn attributes(&self, token: Token) -> Attributes {
        // SAFETY: the vocabulary is alive and checks the token.
        let (bits, control, ends) = unsafe {
            let vocabulary = self.vocabulary.as_ptr();
            let bits = sys::llama_vocab_get_attr(vocabulary, token);
            (
                bits,
                sys::llama_vocab_is_control(vocabulary, token),
                sys::llama_vocab_is_eog(vocabulary, token),
            )
        };
        Attributes {
            control: control || ends || bits & sys::LLAMA_TOKEN_ATTR_UNKNOWN != 0,
            added: bits & sys::LLAMA_TOKEN_ATTR_USER_DEFINED != 0,
            strips_left: bits & sys::LLAMA_TOKEN_ATTR_LSTRIP != 0,
            strips_right: bits & sys::LLAMA_TOKEN_ATTR_RSTRIP != 0,
        }
    }

    /// Whether the model ends its turn with this token.
    pub(super) fn ends_turn(&self, token: Token) -> bool {
        // SAFETY: the vocabulary is alive.
        unsafe { sys::llama_vocab_is_eog(self.vocabulary.as_ptr(), token) }
    }

    /// Returns the tokens of a text, with the names of control tokens read as such or as text.
    pub(super) fn tokenize(&self, text: &str, with_control: bool) -> Vec<Token> {
        let mut tokens: Vec<Token> = vec![0; text.len() + 8];
        let mut count = self.tokenize_into(text, with_control, &mut tokens);
        if count < 0 {
            tokens.resize(count.unsigned_abs() as usize, 0);
            count = self.tokenize_into(text, with_control, &mut tokens);
        }
        tokens.truncate(usize::try_from(count).unwrap_or(0));
        tokens
    }

    fn tokenize_into(&self, text: &str, with_control: bool, room: &mut [Token]) -> i32 {
        let (length, capacity) = (
            i32::try_from(text.len()).unwrap_or(i32::MAX),
            i32::try_from(room.len()).unwrap_or(i32::MAX),
        );
        // SAFETY: both buffers are as long as is said, and the vocabulary is alive.
        unsafe {
            let text = text.as_ptr().cast::<c_char>();
            sys::llama_tokenize(
                self.vocabulary.as_ptr(),
                text,
                length,
                room.as_mut_ptr(),
                capacity,
                false,
                with_control,
            )
        }
    }

    /// Adds the text of a token, which may end within a character; nothing for a control token.
    pub(super) fn append_piece(&self, token: Token, text: &mut Vec<u8>) {
        let mut room = vec![0_u8; 64];
        let mut length = self.piece_into(token, &mut room);
        if length < 0 {
            room.resize(length.unsigned_abs() as usize, 0);
            length = self.piece_into(token, &mut room);
        }
        text.extend_from_slice(&room[..usize::try_from(length).unwrap_or(0)]);
    }

    fn piece_into(&self, token: Token, room: &mut [u8]) -> i32 {
        let capacity = i32::try_from(room.len()).unwrap_or(i32::MAX);
        // SAFETY: the buffer is as long as is said, and the vocabulary is alive and checks the
        // token.
        unsafe {
            let room = room.as_mut_ptr().cast::<c_char>();
            sys::llama_token_to_piece(self.vocabulary.as_ptr(), token, room, capacity, 0, false)
        }
    }
}

impl Drop for Weights {
    fn drop(&mut self) {
        // SAFETY: nothing else holds the model: every context keeps the `Arc` of its weights.
        unsafe { sys::llama_model_free(self.model.as_ptr()) }
    }
}

fn model_parameters() -> sys::llama_model_params {
    // SAFETY: it returns plain values, llama.cpp's own defaults.
    let mut parameters = unsafe { sys::llama_model_default_params() };
    parameters.use_extra_bufts = extra_kernels();
    parameters
}

fn context_parameters(options: &ContextOptions) -> sys::llama_context_params {
    // SAFETY: it returns plain values, llama.cpp's own defaults.
    let mut parameters = unsafe { sys::llama_context_default_params() };
    parameters.n_ctx = options.length;
    parameters.n_batch = options.chunk;
    parameters.n_ubatch = options.chunk;
    parameters.n_seq_max = options.sequences;
    // All sequences share the cells, and one may be of several.
    parameters.kv_unified = true;
    parameters.n_threads = thread_count(options.threads);
    parameters.n_threads_batch = parameters.n_threads;
    // Flash attention splits a sum among the threads: its bits depend on their number.
    parameters.flash_attn_type = sys::LLAMA_FLASH_ATTN_TYPE_DISABLED;
    parameters.swa_full = true;
    parameters.embeddings = matches!(options.output, Output::States | Output::Pooled);
    if options.output == Output::States {
        parameters.pooling_type = sys::LLAMA_POOLING_TYPE_NONE;
    }
    parameters
}

/// A model at work: its memory of what it has read, and the logits it gave last.
#[derive(Debug)]
pub(super) struct Context {
    context: NonNull<sys::llama_context>,
    batch: sys::llama_batch,
    room: usize,
    outputs: usize,
    /// Only in a context whose layers are listened to; it outlives the context, which has its
    /// address.
    tap: Option<Tap>,
    pub(super) weights: Arc<Weights>,
}

// SAFETY: llama.cpp binds a context to no thread, and this type can be used by one at a time only.
unsafe impl Send for Context {}

impl Context {
    /// Makes a context with these weights.
    pub(super) fn new(weights: Arc<Weights>, options: &ContextOptions) -> Result<Context, String> {
        // llama.cpp makes contexts of one model in several threads, and while others are used; one
        // at a time is asked for all the same.
        static TURN: Mutex<()> = Mutex::new(());
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut parameters = context_parameters(options);
        let tap = (options.output == Output::Tapped).then(Tap::new);
        if let Some(tap) = &tap {
            tap.connect(&mut parameters);
        }
        // SAFETY: contexts are made one after the other, and the weights, which they share, are
        // only read.
        let context = unsafe { sys::llama_init_from_model(weights.model.as_ptr(), parameters) };
        let context = NonNull::new(context).ok_or_else(take_complaint)?;
        let room = i32::try_from(options.chunk).unwrap_or(i32::MAX);
        // SAFETY: the sizes are positive; the batch is freed with this context.
        let batch = unsafe { sys::llama_batch_init(room, 0, 1) };
        Ok(Context {
            context,
            batch,
            room: options.chunk as usize,
            outputs: 0,
            tap,
            weights,
        })
    }

    /// Returns how many tokens it can hold.
    pub(super) fn length(&self) -> u32 {
        // SAFETY: the context is alive.
        unsafe { sys::llama_n_ctx(self.context.as_ptr()) }
    }

    /// Reads tokens at these positions, and keeps the logits from the `first_output`th of them on.
    pub(super) fn decode(
        &mut self,
        tokens: &[Token],
        start: usize,
        first_output: usize,
    ) -> Result<(), String> {
        let tokens = tokens.iter().enumerate();
        self.decode_placed(tokens.map(|(index, token)| Placed {
            token: *token,
            position: start + index,
            sequence: STACK,
            wants_output: index >= first_output,
        }))
    }

    /// Reads tokens, each where it says.
    pub(super) fn decode_placed(
        &mut self,
        placed: impl ExactSizeIterator<Item = Placed>,
    ) -> Result<(), String> {
        let count = placed.len();
        if count == 0 || count > self.room {
            return Err(bad_batch(count, self.room));
        }
        self.fill_batch(placed)?;
        self.outputs = count;
        // What a layer put out before is not to be taken for what it puts out now.
        if let Some(tap) = &mut self.tap {
            tap.clear();
        }
        // SAFETY: the batch is filled as far as it says; the context is alive.
        match unsafe { sys::llama_decode(self.context.as_ptr(), self.batch) } {
            0 => Ok(()),
            code => Err(not_evaluated(code)),
        }
    }

    /// Puts tokens into the batch, which has room for them.
    fn fill_batch(&mut self, placed: impl Iterator<Item = Placed>) -> Result<(), String> {
        let mut count = 0;
        for (index, placed) in placed.take(self.room).enumerate() {
            let position = i32::try_from(placed.position).map_err(|error| error.to_string())?;
            // SAFETY: the batch has room for `self.room` tokens, each with room for one sequence.
            unsafe {
                self.batch.token.add(index).write(placed.token);
                self.batch.pos.add(index).write(position);
                self.batch.n_seq_id.add(index).write(1);
                (*self.batch.seq_id.add(index)).write(placed.sequence);
                self.batch
                    .logits
                    .add(index)
                    .write(i8::from(placed.wants_output));
            }
            count = index + 1;
        }
        self.batch.n_tokens = i32::try_from(count).map_err(|error| error.to_string())?;
        Ok(())
    }

    /// Returns the row of the `index`th token of the last batch.
    fn output_row(&self, index: usize, what: &str) -> Result<i32, String> {
        let outputs = self.outputs;
        if index >= outputs {
            return Err(format!("no {what} at {index} of a batch of {outputs}"));
        }
        Ok(i32::try_from(index).unwrap_or(i32::MAX))
    }

    /// Returns the logits after the `index`th token of the last batch.
    pub(super) fn logits(&self, index: usize) -> Result<&[f32], String> {
        let row = self.output_row(index, "logits")?;
        // SAFETY: the context is alive; it answers a row without logits with null.
        let logits = unsafe { sys::llama_get_logits_ith(self.context.as_ptr(), row) };
        let logits = NonNull::new(logits).ok_or("llama.cpp gave no logits")?;
        // SAFETY: a row has as many logits as the vocabulary has tokens, and stays as it is until
        // the next batch, which needs this context mutably.
        Ok(unsafe { std::slice::from_raw_parts(logits.as_ptr(), self.weights.tokens()) })
    }

    /// Returns the state of the `index`th token of the last batch, after the last layer's norm.
    /// Only in a context of states.
    pub(super) fn state(&self, index: usize) -> Result<&[f32], String> {
        let row = self.output_row(index, "state")?;
        // SAFETY: the context is alive; it answers a row without a state, and any row where none
        // are kept, with null.
        let state = unsafe { sys::llama_get_embeddings_ith(self.context.as_ptr(), row) };
        self.output_vector(state, "llama.cpp gave no states")
    }

    /// Returns the vector of the last batch. Only in a context of pooled output.
    pub(super) fn pooled(&self) -> Result<&[f32], String> {
        // SAFETY: the context is alive; it answers with null where nothing was pooled.
        let vector = unsafe { sys::llama_get_embeddings_seq(self.context.as_ptr(), 0) };
        self.output_vector(vector, "llama.cpp pooled nothing")
    }

    /// Returns the score of the last batch, the first of its classes. Only in a context of pooled
    /// output, of a model that scores.
    pub(super) fn score(&self) -> Result<f32, String> {
        // SAFETY: the context is alive; it answers with null where nothing was pooled, and else
        // with a number for each class, of which there is one at least.
        let score = unsafe { sys::llama_get_embeddings_seq(self.context.as_ptr(), 0) };
        let score = NonNull::new(score).ok_or("llama.cpp gave no score")?;
        // SAFETY: it is not null, and stays until the next batch, which needs this context mutably.
        Ok(unsafe { *score.as_ptr() })
    }

    /// Returns a state or a pooled vector that this context keeps; null is an error.
    fn output_vector(&self, vector: *mut f32, missing: &str) -> Result<&[f32], String> {
        let vector = NonNull::new(vector).ok_or(missing)?;
        // SAFETY: the model is alive.
        let width = unsafe { sys::llama_model_n_embd_out(self.weights.model.as_ptr()) };
        // SAFETY: both have as many numbers as the model's output is wide (a score, which is one,
        // is read by `score`), and stay as they are until the
        // next batch, which needs this context mutably.
        Ok(unsafe {
            std::slice::from_raw_parts(vector.as_ptr(), usize::try_from(width).unwrap_or(0))
        })
    }

    /// Listens to these layers, counted from 0. Only in a context of tapped layers.
    pub(super) fn listen(&mut self, layers: &[u32]) {
        if let Some(tap) = &mut self.tap {
            tap.listen(layers);
        }
    }

    /// Returns the states of the last `count` tokens of the last batch after the `at`th of the
    /// layers that are listened to; None where the model shows none. The last layer has states of
    /// those tokens only whose logits were wanted.
    pub(super) fn last_states(&mut self, at: usize, count: usize) -> Option<Vec<&[f32]>> {
        self.tap.as_mut()?.last_states(at, count)
    }

    /// Uses so many threads from now on.
    pub(super) fn use_threads(&mut self, threads: usize) {
        let threads = thread_count(threads);
        // SAFETY: the context is alive.
        unsafe { sys::llama_set_n_threads(self.context.as_ptr(), threads, threads) }
    }

    /// Lets what a sequence has read from this position on belong to another one, too.
    pub(super) fn share(&mut self, from: i32, to: i32, start: usize) {
        let start = i32::try_from(start).unwrap_or(i32::MAX);
        // SAFETY: the context is alive, and so is its memory; both sequences are of this context.
        unsafe {
            let memory = sys::llama_get_memory(self.context.as_ptr());
            sys::llama_memory_seq_cp(memory, from, to, start, -1);
        }
    }

    /// Takes everything from a sequence that is not the stack's; what no sequence has is forgotten.
    pub(super) fn forget_sequence(&mut self, sequence: i32) {
        // SAFETY: as above.
        unsafe {
            let memory = sys::llama_get_memory(self.context.as_ptr());
            sys::llama_memory_seq_rm(memory, sequence, -1, -1);
        }
    }

    /// Returns what a sequence has read, as bytes.
    pub(super) fn save_sequence(&mut self, sequence: i32) -> Result<Vec<u8>, String> {
        // SAFETY: the context is alive; the buffer is as long as is said.
        unsafe {
            let size = sys::llama_state_seq_get_size(self.context.as_ptr(), sequence);
            let mut cells = vec![0_u8; size];
            let written = sys::llama_state_seq_get_data(
                self.context.as_ptr(),
                cells.as_mut_ptr(),
                size,
                sequence,
            );
            if written == 0 || written > size {
                return Err(not_copied());
            }
            cells.truncate(written);
            Ok(cells)
        }
    }

    /// Puts what [`Context::save_sequence`] gave, of a context of these weights, into fresh cells.
    pub(super) fn load_sequence(&mut self, sequence: i32, cells: &[u8]) -> Result<(), String> {
        // SAFETY: the context is alive; the bytes are those that such a context wrote, and as many
        // as is said.
        let read = unsafe {
            sys::llama_state_seq_set_data(
                self.context.as_ptr(),
                cells.as_ptr(),
                cells.len(),
                sequence,
            )
        };
        if read == cells.len() {
            Ok(())
        } else {
            Err(not_copied())
        }
    }

    /// Forgets everything from this position on. False if the model cannot.
    pub(super) fn forget_from(&mut self, position: usize) -> bool {
        let position = i32::try_from(position).unwrap_or(i32::MAX);
        // SAFETY: the context is alive, and so is its memory.
        unsafe {
            sys::llama_memory_seq_rm(
                sys::llama_get_memory(self.context.as_ptr()),
                STACK,
                position,
                -1,
            )
        }
    }

    /// Forgets everything.
    pub(super) fn forget(&mut self) {
        // SAFETY: the context is alive, and so is its memory.
        unsafe { sys::llama_memory_clear(sys::llama_get_memory(self.context.as_ptr()), false) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: both were made by `new` and are freed once; the weights are dropped after this.
        unsafe {
            sys::llama_batch_free(self.batch);
            sys::llama_free(self.context.as_ptr());
        }
    }
}

/// Writes the model anew with its weights as Q8_0.
pub(super) fn quantize_to_q8(from: &Path, to: &Path, threads: usize) -> Result<(), String> {
    start_llama();
    let (from, to) = (c_path(from)?, c_path(to)?);
    // SAFETY: the parameters are llama.cpp's own defaults with plain values changed; the paths live
    // through the call.
    let code = unsafe {
        let mut parameters = sys::llama_model_quantize_default_params();
        parameters.nthread = i32::try_from(threads).unwrap_or(1);
        parameters.ftype = sys::LLAMA_FTYPE_MOSTLY_Q8_0;
        parameters.allow_requantize = true;
        sys::llama_model_quantize(from.as_ptr(), to.as_ptr(), &raw const parameters)
    };
    if code == 0 {
        Ok(())
    } else {
        Err(take_complaint())
    }
}

/// Says which of llama.cpp's kernels this program was compiled with, in its own words, and whether
/// AMX's are among those that are used: part of what a run's manifest says.
pub(super) fn describe_kernels() -> String {
    let compiled = kernel_features();
    let tiles = has_amx(&compiled) && extra_kernels();
    compiled + if tiles { " AMX tiles are used |" } else { "" }
}

/// Whether weights may be repacked for this processor's special kernels. Not for AMX, unless
/// scripts/llama-cpp.cmake was read when llama.cpp was compiled: GCC before 12.4 otherwise compiles
/// those kernels so that the program ends with an illegal instruction
/// (docs/design/embedded-engine.md).
fn extra_kernels() -> bool {
    // SAFETY: it returns a constant text.
    let commit = unsafe { CStr::from_ptr(sys::ggml_commit()) };
    commit == c"evenhand-tiles" || !has_amx(&kernel_features())
}

/// Returns the features that the loaded kernels were compiled for, in llama.cpp's words.
fn kernel_features() -> String {
    start_llama();
    // SAFETY: it returns a text of its own that nothing frees.
    let features = copy_text(unsafe { sys::llama_print_system_info() });
    of_processor(&features).to_owned()
}

/// A graphics device that a back end of this program sees.
#[derive(Debug)]
pub(super) struct Device {
    handle: NonNull<sys::ggml_backend_device>,
    /// One of [`BACK_ENDS`].
    pub(super) back_end: &'static str,
    /// What its driver calls it.
    pub(super) description: String,
    /// Whether its memory is main memory.
    pub(super) integrated: bool,
    /// Bytes of its memory, in all; 0 where it does not say.
    pub(super) total: u64,
}

impl Device {
    /// Returns how many bytes of its memory are free now; None where it does not say.
    pub(super) fn free_if_known(&self) -> Option<u64> {
        device_memory(self.handle.as_ptr()).map(|(free, _)| free)
    }
}

/// Returns the devices of this program's back ends, in llama.cpp's order.
pub(super) fn list_devices() -> Vec<Device> {
    start_llama();
    // SAFETY: it counts what was registered when llama.cpp started.
    let count = unsafe { sys::ggml_backend_dev_count() };
    (0..count).filter_map(open_device).collect()
}

/// Returns the device of this number; None for one that is no graphics device, or whose back end
/// nobody asked for when compiling.
fn open_device(index: usize) -> Option<Device> {
    // SAFETY: the index is below their count, and devices live as long as the program, as do the
    // texts that they and their registries own.
    unsafe {
        let handle = NonNull::new(sys::ggml_backend_dev_get(index))?;
        let kind = sys::ggml_backend_dev_type(handle.as_ptr());
        let integrated = kind == sys::GGML_BACKEND_DEVICE_TYPE_IGPU;
        if !integrated && kind != sys::GGML_BACKEND_DEVICE_TYPE_GPU {
            return None;
        }
        let registry = sys::ggml_backend_dev_backend_reg(handle.as_ptr());
        let name = back_end_name(&copy_text(sys::ggml_backend_reg_name(registry)));
        Some(Device {
            handle,
            back_end: BACK_ENDS.iter().copied().find(|known| *known == name)?,
            description: copy_text(sys::ggml_backend_dev_description(handle.as_ptr())),
            integrated,
            total: device_memory(handle.as_ptr()).map_or(0, |(_, total)| total),
        })
    }
}

/// Returns a device's free memory and all of it, in bytes; None where it does not say.
fn device_memory(device: sys::ggml_backend_dev_t) -> Option<(u64, u64)> {
    let (mut free, mut total) = (0, 0);
    // SAFETY: devices live as long as the program; the places live through the call.
    unsafe { sys::ggml_backend_dev_memory(device, &raw mut free, &raw mut total) };
    (total > 0).then_some((free as u64, total as u64))
}

/// Starts llama.cpp, once, with its log kept from the terminal.
fn start_llama() {
    static START: Once = Once::new();
    START.call_once(|| {
        // SAFETY: the callback is a function of this program and needs no data.
        unsafe { sys::llama_log_set(Some(hear_log), std::ptr::null_mut()) };
        #[cfg(feature = "kernel-variants")]
        load_kernels();
        // SAFETY: nothing else has called llama.cpp yet.
        unsafe { sys::llama_backend_init() };
    });
}

/// Loads the best of the kernels' libraries for this processor.
#[cfg(feature = "kernel-variants")]
fn load_kernels() {
    let Some(Ok(folder)) = super::kernel_folder::kernel_folder().map(c_path) else {
        return;
    };
    // SAFETY: the path lives through the call.
    unsafe { sys::ggml_backend_load_all_from_path(folder.as_ptr()) };
}

unsafe extern "C" fn hear_log(level: sys::ggml_log_level, text: *const c_char, _: *mut c_void) {
    if level == sys::GGML_LOG_LEVEL_ERROR {
        record_error(&copy_text(text));
    }
}

fn copy_text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: llama.cpp's texts end with a zero byte, and this copies before anything can free
    // them.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}
