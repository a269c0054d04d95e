//! How much memory a model takes, from its file's header alone.

use crate::gguf::{Header, Part, Value};
use std::collections::BTreeMap;

/// The memory that a model takes at work, in bytes. An estimate: what is computed in between is
/// known to llama.cpp alone.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Footprint {
    /// The weights of each layer, in order.
    layers: Vec<u64>,
    input: u64,
    output: u64,
    rest: u64,
    /// What each layer keeps of the tokens of one context.
    cells: u64,
    /// What one context computes in between.
    scratch: u64,
}

impl Footprint {
    /// Measures a model whose contexts hold `length` tokens and read `chunk` at a time.
    pub(super) fn new(header: &Header, length: u32, chunk: u32) -> Footprint {
        let mut layers = BTreeMap::<u64, u64>::new();
        let (mut input, mut output, mut rest) = (0_u64, 0_u64, 0_u64);
        for tensor in &header.tensors {
            let sum = match tensor.part {
                Part::Layer(layer) => layers.entry(layer).or_default(),
                Part::Input => &mut input,
                Part::Output => &mut output,
                Part::Rest => &mut rest,
            };
            *sum = sum.saturating_add(tensor.size());
        }
        let (length, chunk) = (u64::from(length), u64::from(chunk));
        let find = |name| header.of_architecture(name).unwrap_or(0);
        let vocabulary = header.list_length("tokenizer.ggml.tokens").unwrap_or(0);
        // For each token of a chunk: logits and their copy, what it looks at in every head before
        // and after the softmax, and states.
        let seen = find("attention.head_count").saturating_mul(length);
        let numbers = vocabulary.saturating_add(seen).saturating_mul(2);
        let numbers = numbers.saturating_add(find("embedding_length").saturating_mul(16));
        let blocks = u64::try_from(layers.len()).unwrap_or(u64::MAX).max(1);
        let cells = memory_per_token(header).saturating_mul(length) / blocks;
        Footprint {
            layers: layers.into_values().collect(),
            input,
            output,
            rest,
            cells: if keeps_a_cell_a_token(header) {
                cells
            } else {
                0
            },
            scratch: numbers.saturating_mul(4).saturating_mul(chunk),
        }
    }

    /// Returns how many layers can be on a device, the output among them.
    pub(super) fn layers(&self) -> u32 {
        u32::try_from(self.layers.len())
            .unwrap_or(u32::MAX)
            .saturating_add(1)
    }

    /// Returns what a device holds that has so many layers, counted from the output.
    pub(super) fn on_device(&self, layers: u32) -> u64 {
        let Some(blocks) = layers.checked_sub(1) else {
            return 0;
        };
        // Where there is no matrix of its own, the device has a copy of the embeddings.
        let output = if self.output == 0 {
            self.input
        } else {
            self.output
        };
        let blocks = usize::try_from(blocks).unwrap_or(usize::MAX);
        let moved = self.layers.iter().rev().take(blocks);
        moved.fold(output.saturating_add(self.scratch), |sum, weights| {
            sum.saturating_add(*weights).saturating_add(self.cells)
        })
    }

    /// Returns what main memory holds beside a device with so many layers, for one context: more of
    /// them read faster, and one is enough.
    pub(super) fn in_main_memory(&self, layers: u32) -> u64 {
        let blocks = usize::try_from(layers.saturating_sub(1)).unwrap_or(usize::MAX);
        let kept = self.layers.len().saturating_sub(blocks);
        let output = if layers == 0 { self.output } else { 0 };
        let weights = self.layers.iter().take(kept).fold(
            self.input.saturating_add(self.rest).saturating_add(output),
            |sum, weights| sum.saturating_add(*weights),
        );
        let cells = self
            .cells
            .saturating_mul(u64::try_from(kept).unwrap_or(u64::MAX));
        weights.saturating_add(cells).saturating_add(self.scratch)
    }

    /// Returns the most layers whose device holds no more than `room` bytes.
    pub(super) fn layers_that_fit(&self, room: u64) -> u32 {
        let mut held = self.on_device(1);
        let mut fit = 0;
        let mut layers = self.layers.iter().rev();
        while held <= room {
            fit += 1;
            let Some(weights) = layers.next() else { break };
            held = held.saturating_add(*weights).saturating_add(self.cells);
        }
        fit
    }
}

/// Whether every layer keeps as much of a token as [`memory_per_token`] takes for granted. Where
/// layers differ, or keep a state in place of tokens, nothing is said for certain.
fn keeps_a_cell_a_token(header: &Header) -> bool {
    let states = ["ssm.state_size", "wkv.head_size", "shortconv.l_cache"];
    let has_state = states
        .iter()
        .any(|name| header.of_architecture(name).is_some());
    let architecture = header.text("general.architecture").unwrap_or_default();
    let heads = format!("{architecture}.attention.head_count_kv");
    !has_state && !matches!(header.metadata.get(&heads), Some(Value::List(_)))
}

/// Returns the bytes of a context's memory for each token: keys and values in 16 bits, in every
/// layer.
pub(super) fn memory_per_token(header: &Header) -> u64 {
    let find = |name| header.of_architecture(name);
    let layers = find("block_count").unwrap_or(0);
    let heads = find("attention.head_count").unwrap_or(1).max(1);
    let usual = find("embedding_length").unwrap_or(0) / heads;
    let key = find("attention.key_length").unwrap_or(usual);
    let value = find("attention.value_length").unwrap_or(usual);
    let kept = find("attention.head_count_kv").unwrap_or(heads);
    // How many numbers a layer keeps for a token, keys and values together.
    let numbers = kept.saturating_mul(key.saturating_add(value));
    layers.saturating_mul(numbers).saturating_mul(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gguf::Tensor;

    /// A model of three layers of 100, 200 and 300 16-bit weights, 50 of input and 10 of the rest.
    fn header(output: u64) -> Header {
        let mut header = Header::default();
        let mut set = |key: &str, value| header.metadata.insert(key.into(), value);
        set("general.architecture", Value::Text("toy".into()));
        for (key, number) in [
            ("block_count", 3),
            ("attention.head_count", 4),
            ("attention.head_count_kv", 2),
            ("embedding_length", 16),
        ] {
            set(&format!("toy.{key}"), Value::Unsigned(number));
        }
        set("tokenizer.ggml.tokens", Value::List(1000));
        let parts = [
            (Part::Input, 50),
            (Part::Layer(0), 100),
            (Part::Layer(1), 150),
            (Part::Layer(1), 50),
            (Part::Layer(2), 300),
            (Part::Rest, 10),
            (Part::Output, output),
        ];
        let kept = parts.into_iter().filter(|(_, values)| *values > 0);
        header.tensors = kept
            .map(|(part, values)| Tensor {
                values,
                kind: 1,
                offset: 0,
                part,
            })
            .collect();
        header
    }

    #[test]
    fn what_leaves_main_memory_is_on_the_device() {
        let footprint = Footprint::new(&header(40), 8, 2);
        // 2 heads of 4 + 4 numbers in 16 bits, for 8 tokens; and 2 * (1000 + 4 * 8) + 16 * 16
        // numbers in 32 bits for each of 2 tokens.
        let (cells, scratch) = (256, 8 * (2 * 1032 + 256));
        assert_eq!((footprint.cells, footprint.scratch), (cells, scratch));
        let weights = [(0, 1400, 0), (1, 1320, 80), (2, 720, 680), (4, 120, 1280)];
        for (layers, main, device) in weights {
            let (there, here) = (
                u64::from(layers.max(1) - 1),
                3 - u64::from(layers.max(1) - 1),
            );
            let device = if layers == 0 {
                0
            } else {
                device + there * cells + scratch
            };
            let main = main + here * cells + scratch;
            let found = (
                footprint.in_main_memory(layers),
                footprint.on_device(layers),
            );
            assert_eq!(found, (main, device), "{layers}");
        }
    }

    #[test]
    fn a_model_that_uses_its_embeddings_again_has_them_twice() {
        let (own, tied) = (header(50), header(0));
        let [own, tied] = [own, tied].map(|header| Footprint::new(&header, 8, 2));
        assert_eq!(own.on_device(1), tied.on_device(1));
        assert_eq!(own.in_main_memory(1), tied.in_main_memory(1));
        assert_eq!(own.in_main_memory(0), tied.in_main_memory(0) + 100);
    }

    #[test]
    fn as_many_layers_fit_as_there_is_room_for() {
        let footprint = Footprint::new(&header(40), 8, 2);
        assert_eq!(footprint.layers(), 4);
        for layers in 1..=4 {
            let room = footprint.on_device(layers);
            assert_eq!(footprint.layers_that_fit(room), layers);
            assert_eq!(footprint.layers_that_fit(room - 1), layers - 1);
        }
        assert_eq!(footprint.layers_that_fit(u64::MAX), 4);
    }

    #[test]
    fn what_is_not_known_counts_as_nothing() {
        let mut lists = header(40);
        lists
            .metadata
            .insert("toy.attention.head_count_kv".into(), Value::List(3));
        let mut states = header(40);
        states
            .metadata
            .insert("toy.ssm.state_size".into(), Value::Unsigned(16));
        for header in [lists, states] {
            assert_eq!(Footprint::new(&header, 8, 2).cells, 0);
        }
        // Numbers that no model has end in the largest, and in no panic.
        let mut vast = header(u64::MAX);
        let key = "toy.embedding_length";
        vast.metadata.insert(key.into(), Value::Unsigned(u64::MAX));
        let vast = Footprint::new(&vast, u32::MAX, u32::MAX);
        assert_eq!(vast.in_main_memory(0), u64::MAX);
        assert_eq!(vast.on_device(u32::MAX), u64::MAX);
    }
}
