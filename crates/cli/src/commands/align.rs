//! `evenhand align`.

mod embed;

use super::print_data;
use crate::args::{AlignArgs, AlignFormat, SegmentationBy};
use crate::{Done, Failed};
use embed::{Both, embed_pairs, open_embedder};
use evenhand_align::{
    Aligned, Alignment, Cut, Cuts, Segmentation, align_by_embedding, align_by_length,
    align_by_tokens, find_cuts,
};
use evenhand_engine::Embedder;
use evenhand_formats::records::Filter;
use flate2::bufread::MultiGzDecoder;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// Pairs that are read, aligned on all threads, and printed, before the next ones are read.
const PAIRS_AT_ONCE: usize = 256;

/// The longest line that is read, in bytes.
const LONGEST_LINE: u64 = 1 << 28;

/// How PORTIA splits and aligns pairs of answers, with no judge.
pub(crate) fn align(args: &AlignArgs) -> Result<Done, Failed> {
    let mut lines = Lines::open(args)?;
    let mut aligner = Aligner::new(args)?;
    loop {
        let (pairs, end) = lines.read_pairs();
        // What comes before a bad line is printed before the line is refused.
        print_data(&aligner.align(&pairs, &lines.name)?)?;
        if let Some(end) = end {
            return end.map(|()| Done::Fine).map_err(Failed::Usage);
        }
    }
}

/// Aligns pairs on all threads.
struct Aligner<'a> {
    args: &'a AlignArgs,
    threads: ThreadPool,
    /// Who embeds the pieces; None where they are compared by their tokens.
    embedder: Option<Embedder>,
}

impl<'a> Aligner<'a> {
    fn new(args: &'a AlignArgs) -> Result<Aligner<'a>, Failed> {
        Ok(Aligner {
            args,
            threads: start_threads(args)?,
            embedder: open_embedder(args)?,
        })
    }

    /// Returns a line for each pair.
    fn align(&mut self, pairs: &[Pair], file: &str) -> Result<String, Failed> {
        let Aligner { args, threads, .. } = self;
        let Some(embedder) = &mut self.embedder else {
            return Ok(threads.install(|| align_by_overlap(pairs, args)).concat());
        };
        let embedded = embed_pairs(embedder, pairs, args, file)?;
        let lines = threads.install(|| align_by_vectors(pairs, &embedded, args));
        Ok(lines.concat())
    }
}

fn start_threads(args: &AlignArgs) -> Result<ThreadPool, Failed> {
    ThreadPoolBuilder::new()
        .num_threads(args.threads.count())
        .build()
        .map_err(|e| Failed::run(format!("threads cannot be started: {e}")))
}

/// Aligns pairs by the tokens that their segments share; a line for each.
fn align_by_overlap(pairs: &[Pair], args: &AlignArgs) -> Vec<String> {
    pairs.par_iter().map(|pair| by_tokens(pair, args)).collect()
}

/// Aligns pairs by the embeddings of their pieces; a line for each.
fn align_by_vectors(pairs: &[Pair], embedded: &[Option<Both>], args: &AlignArgs) -> Vec<String> {
    let pairs = pairs.par_iter().zip(embedded);
    pairs
        .map(|(pair, both)| by_embeddings(pair, both.as_ref(), args))
        .collect()
}

/// Opens a file or stdin, plain or gzip.
fn open_input(path: &Path, name: &str) -> Result<Box<dyn BufRead>, Failed> {
    let mut input = BufReader::new(open_raw(path, name)?);
    // Stdin has no name that could end in .gz, so the first two bytes decide.
    let start = input.fill_buf().map_err(|e| Failed::unreadable(name, e))?;
    Ok(if start.starts_with(&[0x1f, 0x8b]) {
        Box::new(BufReader::new(MultiGzDecoder::new(input)))
    } else {
        Box::new(input)
    })
}

fn open_raw(path: &Path, name: &str) -> Result<Box<dyn Read>, Failed> {
    if is_stdin(path) {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).map_err(|e| Failed::unreadable(name, e))?;
    Ok(Box::new(file))
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

fn input_name(path: &Path) -> String {
    if is_stdin(path) {
        "stdin".into()
    } else {
        path.display().to_string()
    }
}

/// Two answers, and the line that they stand in.
struct Pair {
    line: u64,
    a: String,
    b: String,
}

/// The meaning of the next line.
enum Next {
    Pair(Pair),
    /// A blank line, or a pair that the filter leaves out.
    Nothing,
    End,
}

/// Returns a first line without the mark of byte order that some editors put before it.
fn without_mark(line: Vec<u8>) -> Vec<u8> {
    match line.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => rest.to_vec(),
        None => line,
    }
}

struct Lines {
    input: Box<dyn BufRead>,
    name: String,
    number: u64,
    filter: Filter,
    /// How many pairs the filter has kept.
    kept: u64,
}

impl Lines {
    fn open(args: &AlignArgs) -> Result<Lines, Failed> {
        let name = input_name(&args.file);
        let filter = args.filter.parse()?;
        Ok(Lines {
            input: open_input(&args.file, &name)?,
            name,
            number: 0,
            filter,
            kept: 0,
        })
    }

    /// Some of the pairs that come next, and the end of the file or what is wrong with the line
    /// after them.
    fn read_pairs(&mut self) -> (Vec<Pair>, Option<Result<(), String>>) {
        let mut pairs = Vec::new();
        while pairs.len() < PAIRS_AT_ONCE {
            match self.read_pair() {
                Ok(Next::Pair(pair)) => pairs.push(pair),
                Ok(Next::Nothing) => {}
                Ok(Next::End) => return (pairs, Some(self.check_kept())),
                Err(problem) => return (pairs, Some(Err(problem))),
            }
        }
        (pairs, None)
    }

    fn read_pair(&mut self) -> Result<Next, String> {
        self.read_line()
            .and_then(|line| self.take_line(line.as_deref()))
            .map_err(|problem| self.locate(&problem))
    }

    fn take_line(&mut self, line: Option<&str>) -> Result<Next, String> {
        let Some(line) = line else {
            return Ok(Next::End);
        };
        if line.trim().is_empty() {
            return Ok(Next::Nothing);
        }
        let pair = parse_pair(self.number, line, &self.filter)?;
        self.kept += u64::from(pair.is_some());
        Ok(pair.map_or(Next::Nothing, Next::Pair))
    }

    /// Checks that something is left under a filter.
    fn check_kept(&self) -> Result<(), String> {
        if self.kept > 0 || self.filter.is_empty() {
            return Ok(());
        }
        Err(format!(
            "--where {}: no pair of {} is left",
            self.filter, self.name
        ))
    }

    /// Returns the next line; None at the end of the file.
    fn read_line(&mut self) -> Result<Option<String>, String> {
        self.number += 1;
        let line = self.read_bytes()?;
        if line.is_empty() {
            return Ok(None);
        }
        let line = if self.number == 1 {
            without_mark(line)
        } else {
            line
        };
        let text = String::from_utf8(line).map_err(|_| "the line is not UTF-8")?;
        Ok(Some(text))
    }

    /// Returns the bytes of the next line, with its line end; none at the end of the file.
    fn read_bytes(&mut self) -> Result<Vec<u8>, String> {
        let mut line = Vec::new();
        // One byte more than is allowed shows that a line is too long, without reading it whole.
        let mut input = (&mut *self.input).take(LONGEST_LINE + 1);
        let read = input.read_until(b'\n', &mut line);
        match read {
            Ok(length) if length as u64 > LONGEST_LINE => {
                Err(format!("the line is longer than {LONGEST_LINE} bytes"))
            }
            Ok(_) => Ok(line),
            Err(error) => Err(format!("cannot be read: {error}")),
        }
    }

    fn locate(&self, problem: &str) -> String {
        format!("{}:{}: {problem}", self.name, self.number)
    }
}

/// The pair in a line; None where the filter leaves it out.
fn parse_pair(number: u64, line: &str, filter: &Filter) -> Result<Option<Pair>, String> {
    let value = parse_json(line)?;
    let pair = Pair::read(number, &value)?;
    // Filters count records from 0.
    let is_kept = filter.keeps(&value, number.saturating_sub(1));
    Ok(is_kept.then_some(pair))
}

fn parse_json(line: &str) -> Result<Value, String> {
    serde_json::from_str(line)
        .map_err(|e| format!("not valid JSON ({e}); each line must be one whole JSON object"))
}

impl Pair {
    fn read(line: u64, value: &Value) -> Result<Pair, String> {
        let object = value
            .as_object()
            .ok_or("expected an object with `a` and `b`")?;
        Ok(Pair {
            line,
            a: read_answer(object, "a")?,
            b: read_answer(object, "b")?,
        })
    }

    /// Returns the places where either answer may be cut.
    fn find_cuts(&self, args: &AlignArgs) -> [Cuts; 2] {
        [&self.a, &self.b].map(|answer| find_cuts(answer, segmentation(args)))
    }
}

fn read_answer(object: &Map<String, Value>, field: &str) -> Result<String, String> {
    match object.get(field) {
        Some(Value::String(answer)) => Ok(answer.clone()),
        Some(_) => Err(format!("field `{field}`: expected a string")),
        None => Err(format!("field `{field}` is missing; expected a string")),
    }
}

fn by_tokens(pair: &Pair, args: &AlignArgs) -> String {
    let cuts = pair.find_cuts(args);
    let [cuts_a, cuts_b] = &cuts;
    let semantic = align_by_tokens((&pair.a, cuts_a), (&pair.b, cuts_b), args.k);
    format_line(&cuts, semantic, args)
}

fn by_embeddings(pair: &Pair, embedded: Option<&Both>, args: &AlignArgs) -> String {
    let cuts = pair.find_cuts(args);
    let semantic = embedded.and_then(|both| align_embedded(&cuts, both, args.k));
    format_line(&cuts, semantic, args)
}

fn align_embedded([cuts_a, cuts_b]: &[Cuts; 2], [a, b]: &Both, k: usize) -> Option<Aligned> {
    let [a, b] = [a, b].map(|pieces| pieces.vectors().collect::<Vec<_>>());
    align_by_embedding((cuts_a, &a), (cuts_b, &b), k)
}

fn segmentation(args: &AlignArgs) -> Segmentation {
    match args.segmentation {
        SegmentationBy::Full => Segmentation::Full,
        SegmentationBy::Plain => Segmentation::Plain,
    }
}

fn format_line([a, b]: &[Cuts; 2], semantic: Option<Aligned>, args: &AlignArgs) -> String {
    // The only one so far.
    let AlignFormat::Jsonl = args.format;
    let length = align_by_length(a, b, args.k).as_ref().map(cuts_to_json);
    let semantic = semantic.as_ref().map(aligned_to_json);
    format!("{}\n", json!({"length": length, "semantic": semantic}))
}

fn cuts_to_json(alignment: &Alignment) -> Value {
    json!({"a": chars_of(&alignment.a), "b": chars_of(&alignment.b)})
}

/// Returns cuts as characters of the answer: other languages do not count in bytes.
fn chars_of(cuts: &[Cut]) -> Value {
    cuts.iter().map(|cut| cut.char).collect()
}

/// The cuts and the score; `searched` where an answer has more places than were looked at.
fn aligned_to_json(aligned: &Aligned) -> Value {
    let [a, b] = aligned.searched;
    let mut value = cuts_to_json(&aligned.alignment);
    value["score"] = aligned.score.into();
    if a.is_some() || b.is_some() {
        value["searched"] = json!({"a": a, "b": b});
    }
    value
}
