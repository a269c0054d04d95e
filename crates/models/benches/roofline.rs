//! Where judging stands against the machine: what its processor and memory do at most, and what
//! reading prompts (prefill) and writing tokens one at a time (decode) make of it, on one thread
//! and on all cores.
//!
//! `cargo bench -p evenhand-models --bench roofline`. The model is found by EVENHAND_MODEL or in
//! the user's cache, the data by EVENHAND_SHARED_DATA or in ../shared/data. The more runs beside
//! it, the lower is every figure: shares of the peak hold on an idle machine.
#![allow(
    unsafe_code,
    reason = "a processor's own instructions, behind a check that it has them"
)]

mod machine;
mod pairs;

use evenhand_core::{Decoding, Message, Request, Task};
use evenhand_models::Model;
use evenhand_models::embedded::{Embedded, Logits, Options};
use evenhand_models::gguf::{Header, Part, read_header};
use machine::{Machine, float_kernel, integer_kernel};
use pairs::{Queue, model_path, number, pairs};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Tokens that are written after each prompt.
const WRITTEN: u32 = 48;
/// So many tokens of a prompt go through the model together.
const CHUNK: u64 = 64;

/// Counts what a token costs, by the header of the model's file.
struct Weights {
    /// Numbers in the layers, each multiplied and added once for every token.
    layers: u64,
    layer_bytes: u64,
    /// Numbers of the matrix that makes logits of a state, multiplied and added once for every token
    /// whose logits are wanted.
    output: u64,
    output_bytes: u64,
}

impl Weights {
    /// Adds up the tensors. A model without an output uses its embeddings, which are otherwise only
    /// looked up.
    fn of(header: &Header) -> Weights {
        let sum = |is_wanted: fn(Part) -> bool| {
            let wanted = header.tensors.iter().filter(|one| is_wanted(one.part));
            wanted.fold((0, 0), |(values, bytes), tensor| {
                (values + tensor.values, bytes + tensor.size())
            })
        };
        let (layers, layer_bytes) = sum(|part| matches!(part, Part::Layer(_)));
        let (output, output_bytes) = match sum(|part| part == Part::Output) {
            (0, _) => sum(|part| part == Part::Input),
            found => found,
        };
        Weights {
            layers,
            layer_bytes,
            output,
            output_bytes,
        }
    }
}

/// Some work of a model, measured.
struct Measured {
    name: &'static str,
    seconds: f64,
    tokens: u64,
    /// Of those tokens, how many had logits made.
    logits: u64,
    /// How often all layers were read for them.
    reads: u64,
}

/// A request for a verdict that goes on for so many tokens.
fn request(pair: &pairs::Pair, max_tokens: u32) -> Arc<Request> {
    let pairs::Pair {
        input,
        output_1,
        output_2,
    } = pair;
    let user = format!(
        "Compare two responses to an instruction, at length.\n\nInstruction:\n{input}\n\n\
         Response A:\n{output_1}\n\nResponse B:\n{output_2}"
    );
    let decoding = Decoding::greedy(max_tokens);
    Arc::new(Request::new(
        "bench".into(),
        vec![Message::user(user)],
        Task::Generate {
            decoding,
            answers: None,
        },
    ))
}

/// Measures prefill, served and by llama.cpp alone, and decode: what longer replies take beyond the
/// first token.
fn measure(path: &Path, threads: usize) -> Result<[Measured; 3], Box<dyn Error>> {
    let options = Options {
        threads: Some(threads),
        context: Some(4096),
        chunk: CHUNK as u32,
        share_prefixes: false,
        ..Options::default()
    };
    let mut model = Embedded::open(path, &options)?;
    let mut pairs = pairs()?;
    pairs.truncate(number("EVENHAND_BENCH_PAIRS").unwrap_or(8));
    let of = |most| pairs.iter().map(|pair| request(pair, most)).collect();
    let serve = |model: &mut Embedded, requests: Vec<Arc<Request>>| {
        let (started, before) = (Instant::now(), model.evaluated_tokens());
        model.serve(&mut Queue(requests))?;
        let seconds = started.elapsed().as_secs_f64();
        Ok::<_, Box<dyn Error>>((seconds, model.evaluated_tokens() - before))
    };
    let short: Vec<Arc<Request>> = of(1);
    let lengths = short
        .iter()
        .filter_map(|one| model.count_prompt_tokens(one));
    let reads = lengths.map(|tokens| tokens.div_ceil(CHUNK)).sum();
    // Weights come from the disk and pages are made the first time.
    serve(&mut model, short.iter().take(threads).cloned().collect())?;
    let (seconds, tokens) = serve(&mut model, short.clone())?;
    let (longer, all) = serve(&mut model, of(1 + WRITTEN))?;
    let written = all.saturating_sub(tokens);
    let bare: Vec<Request> = short.iter().map(|one| Request::clone(one)).collect();
    let bare = model.time_bare_reads(&bare, Logits::Last)?.as_secs_f64();
    let prefill = |name, seconds| Measured {
        name,
        seconds,
        tokens,
        logits: short.len() as u64,
        reads,
    };
    Ok([
        prefill("prefill, as served", seconds),
        prefill("prefill, llama.cpp alone", bare),
        Measured {
            name: "decode, token by token",
            seconds: longer - seconds,
            tokens: written,
            logits: written,
            reads: written,
        },
    ])
}

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn Error>> {
    let path = model_path();
    let weights = Weights::of(&read_header(&path)?);
    let model_bytes = weights.layer_bytes + weights.output_bytes;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut counts = vec![1, number("EVENHAND_THREADS").unwrap_or(cores)];
    counts.dedup();

    println!("llama.cpp: {}", Embedded::describe_kernels());
    println!(
        "peaks: {} (f32) and {} (int8)\n",
        float_kernel().name,
        integer_kernel().name
    );
    println!("threads  f32 Gop/s  int8 Gop/s  memory GB/s  weights GB/s");
    let mut machines = Vec::new();
    for threads in counts {
        let machine = Machine::measure(threads, model_bytes as usize);
        println!(
            "{threads:7} {:10.1} {:11.1} {:12.2} {:13.2}",
            machine.floats / 1e9,
            machine.integers / 1e9,
            machine.memory / 1e9,
            machine.weights / 1e9
        );
        machines.push(machine);
    }
    println!(
        "\n{}: {:.1} million weights in the layers ({:.1} MB), {:.1} in the output ({:.1} MB)\n",
        path.display(),
        weights.layers as f64 / 1e6,
        weights.layer_bytes as f64 / 1e6,
        weights.output as f64 / 1e6,
        weights.output_bytes as f64 / 1e6
    );
    println!(
        "{:24} threads tokens/s Mop/token MB/token op/byte  f32 % int8 % read % roof, t/s  of it %",
        ""
    );
    for machine in &machines {
        for one in measure(&path, machine.threads)? {
            // A model may end its replies at once.
            if one.tokens == 0 {
                continue;
            }
            // Of one token. The operations are those with weights: attention is left out.
            let tokens = one.tokens as f64;
            let (reads, logits) = (one.reads as f64 / tokens, one.logits as f64 / tokens);
            let operations = 2.0 * (weights.layers as f64 + weights.output as f64 * logits);
            let bytes = weights.layer_bytes as f64 * reads + weights.output_bytes as f64 * logits;
            let rate = tokens / one.seconds;
            let share = |needs: f64, peak: f64| 100.0 * rate * needs / peak;
            // The tokens a second that the slower of integers and reading allows.
            let roof = (machine.integers / operations).min(machine.weights / bytes);
            println!(
                "{:24} {:7} {rate:8.1} {:9.1} {:8.2} {:7.1} {:6.1} {:6.1} {:6.1} {roof:9.0} {:8.1}",
                one.name,
                machine.threads,
                operations / 1e6,
                bytes / 1e6,
                operations / bytes,
                share(operations, machine.floats),
                share(operations, machine.integers),
                share(bytes, machine.weights),
                100.0 * rate / roof
            );
        }
    }
    Ok(())
}
