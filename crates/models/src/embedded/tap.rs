//! The states of inner layers, taken while llama.cpp evaluates a batch.
//!
//! llama.cpp shows every tensor that it works out to a function, if it is given one, and names what
//! a layer puts out `l_out-N`. So nothing of the model is worked out twice.
#![allow(unsafe_code)]

use llama_cpp_sys_2 as sys;
use std::ffi::{CStr, CString, c_void};
use std::ptr::NonNull;

/// The layers that are listened to, and what they put out in the last batch.
///
/// Whoever makes it keeps it, and llama.cpp has its address: so it lies in a place of its own, and
/// is touched by one at a time only.
#[derive(Debug)]
pub(super) struct Tap(NonNull<Tapped>);

// SAFETY: it owns what it points to, which is plain data.
unsafe impl Send for Tap {}

#[derive(Debug, Default)]
struct Tapped {
    /// The names of the layers' tensors.
    names: Vec<CString>,
    /// For each of them the numbers of the last batch, token after token; empty where the model has
    /// no such tensor, or it is no table of plain numbers.
    states: Vec<Vec<f32>>,
    /// How many numbers a token has, for each of them.
    widths: Vec<usize>,
}

impl Tap {
    /// Makes a tap that listens to no layer.
    pub(super) fn new() -> Tap {
        Tap(NonNull::from(Box::leak(Box::<Tapped>::default())))
    }

    /// Listens to these layers, counted from 0, and to no other.
    pub(super) fn listen(&mut self, layers: &[u32]) {
        let names = layers
            .iter()
            .filter_map(|layer| CString::new(format!("l_out-{layer}")).ok());
        let tapped = self.tapped();
        tapped.names = names.collect();
        tapped.states = vec![Vec::new(); tapped.names.len()];
        tapped.widths = vec![0; tapped.names.len()];
    }

    /// Forgets what was put out.
    pub(super) fn clear(&mut self) {
        let tapped = self.tapped();
        tapped.states.iter_mut().for_each(Vec::clear);
    }

    /// Returns the states of the last `count` tokens of the last batch, after the `at`th of the
    /// layers; None where the model showed no such states.
    pub(super) fn last_states(&mut self, at: usize, count: usize) -> Option<Vec<&[f32]>> {
        let tapped = self.tapped();
        let (states, width) = (tapped.states.get(at)?, *tapped.widths.get(at)?);
        let start = states.len().checked_sub(count.checked_mul(width)?)?;
        (width > 0).then(|| states[start..].chunks_exact(width).collect())
    }

    /// Sets a context up to show its tensors to this tap.
    pub(super) fn connect(&self, parameters: &mut sys::llama_context_params) {
        parameters.cb_eval = Some(hear_tensor);
        parameters.cb_eval_user_data = self.0.as_ptr().cast();
    }

    fn tapped(&mut self) -> &mut Tapped {
        // SAFETY: the place lives as long as this tap, and only llama.cpp touches it beside, while
        // it evaluates a batch for the one who holds the tap.
        unsafe { self.0.as_mut() }
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        // SAFETY: it was leaked by `new`, and the context that has its address is gone before it.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// Says whether a tensor is wanted, when llama.cpp asks; copies it, when it is there.
unsafe extern "C" fn hear_tensor(
    tensor: *mut sys::ggml_tensor,
    asks: bool,
    tapped: *mut c_void,
) -> bool {
    // SAFETY: it is the place of the tap of the context that evaluates, which nothing else touches
    // meanwhile.
    let Some(tapped) = (unsafe { tapped.cast::<Tapped>().as_mut() }) else {
        return !asks;
    };
    // SAFETY: llama.cpp shows a tensor that is alive, with a name that ends with a zero byte.
    let name = unsafe { CStr::from_ptr(sys::ggml_get_name(tensor)) };
    if !tapped.names.iter().any(|one| one.as_c_str() == name) {
        // Not wanted; and if it is shown all the same, the evaluation goes on.
        return !asks;
    }
    if !asks {
        // SAFETY: as above; the tensor was worked out.
        let (states, width) = unsafe { copy_tensor(tensor) };
        // Several depths of a model of few layers are one layer.
        for at in 0..tapped.names.len() {
            if tapped.names[at].as_c_str() == name {
                tapped.states[at].clone_from(&states);
                tapped.widths[at] = width;
            }
        }
    }
    true
}

/// Returns a tensor's numbers, and how many each of its rows has; none where it is no table of
/// plain numbers.
///
/// # Safety
/// The tensor must be alive and worked out.
unsafe fn copy_tensor(tensor: *const sys::ggml_tensor) -> (Vec<f32>, usize) {
    // SAFETY: the tensor is alive; the buffer is as long as is said.
    unsafe {
        let is_plain = (*tensor).type_ == sys::GGML_TYPE_F32 && sys::ggml_is_contiguous(tensor);
        let count = usize::try_from(sys::ggml_nelements(tensor)).unwrap_or(0);
        let width = usize::try_from((*tensor).ne[0]).unwrap_or(0);
        // Some models have several streams of states, of which one alone goes on.
        let is_table = (*tensor).ne[2] == 1 && (*tensor).ne[3] == 1;
        if !is_plain || !is_table || count == 0 {
            return (Vec::new(), width);
        }
        let mut numbers = vec![0_f32; count];
        let bytes = count * size_of::<f32>();
        sys::ggml_backend_tensor_get(tensor, numbers.as_mut_ptr().cast(), 0, bytes);
        (numbers, width)
    }
}
