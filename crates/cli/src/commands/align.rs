//! `evenhand align`.

mod embed;

use super::print;
use crate::args::{AlignArgs, AlignFormat, SegmentationBy};
use crate::{Done, Failed};
use embed::{Both, embed_pairs, open_embedder};
use evenhand_align::{
    Aligned, Alignment, Cut, Segmentation, align_by_embedding, align_by_length, align_by_tokens,
    find_cuts,
};
use evenhand_formats::records::Filter;
use flate2::bufread::MultiGzDecoder;
use rayon::prelude::*;
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
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.count())
        .build()
        .map_err(|e| Failed::run(format!("threads cannot be started: {e}")))?;
    let mut embedder = open_embedder(args)?;
    loop {
        let (pairs, end) = lines.read_pairs();
        let aligned = match &mut embedder {
            None => threads.install(|| align_by_overlap(&pairs, args)),
            Some(embedder) => {
                let embedded = embed_pairs(embedder, &pairs, args, &lines.name)?;
                threads.install(|| align_by_vectors(&pairs, &embedded, args))
            }
        };
        print(&aligned.concat())?;
        match end {
            None => {}
            Some(Ok(())) => return Ok(Done::Fine),
            Some(Err(message)) => return Err(Failed::Usage(message)),
        }
    }
}

/// Aligns pairs by the tokens that their segments share; a line for each.
fn align_by_overlap(pairs: &[Pair], args: &AlignArgs) -> Vec<String> {
    pairs.par_iter().map(|pair| by_tokens(pair, args)).collect()
}

/// Aligns pairs by the embeddings of their pieces; a line for each.
fn align_by_vectors(pairs: &[Pair], embedded: &[Option<Both>], args: &AlignArgs) -> Vec<String> {
    pairs
        .par_iter()
        .zip(embedded)
        .map(|(pair, both)| by_embeddings(pair, both.as_ref(), args))
        .collect()
}

/// Opens a file or stdin, plain or gzip.
fn open_input(path: &Path, name: &str) -> Result<Box<dyn BufRead>, Failed> {
    let unreadable = |e: io::Error| Failed::Usage(format!("{name}: cannot be read: {e}"));
    let stdin = path == Path::new("-");
    let input: Box<dyn Read> = if stdin {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(path).map_err(unreadable)?)
    };
    let mut input = BufReader::new(input);
    let gzip = input
        .fill_buf()
        .map_err(unreadable)?
        .starts_with(&[0x1f, 0x8b]);
    Ok(if gzip {
        Box::new(BufReader::new(MultiGzDecoder::new(input)))
    } else {
        Box::new(input)
    })
}

/// Two answers, and the line that they stand in.
struct Pair {
    line: u64,
    a: String,
    b: String,
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
        let name = if args.file == Path::new("-") {
            "stdin".to_owned()
        } else {
            args.file.display().to_string()
        };
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
            match self.read_line() {
                Ok(None) => return (pairs, Some(self.check_kept())),
                Ok(Some(line)) if line.trim().is_empty() => {}
                Ok(Some(line)) => match parse_pair(self.number, &line, &self.filter) {
                    Ok(pair) => {
                        self.kept += u64::from(pair.is_some());
                        pairs.extend(pair);
                    }
                    Err(problem) => return (pairs, Some(Err(self.locate(&problem)))),
                },
                Err(problem) => return (pairs, Some(Err(self.locate(&problem)))),
            }
        }
        (pairs, None)
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

    fn read_line(&mut self) -> Result<Option<String>, String> {
        let mut line = Vec::new();
        self.number += 1;
        let read = (&mut *self.input)
            .take(LONGEST_LINE + 1)
            .read_until(b'\n', &mut line);
        let read = read.map_err(|e| format!("cannot be read: {e}"))?;
        if read as u64 > LONGEST_LINE {
            return Err(format!("the line is longer than {LONGEST_LINE} bytes"));
        }
        let start: &[u8] = if self.number == 1 {
            b"\xef\xbb\xbf"
        } else {
            b""
        };
        let line = line.strip_prefix(start).map(<[u8]>::to_vec).unwrap_or(line);
        let text = String::from_utf8(line).map_err(|_| "the line is not UTF-8".to_owned())?;
        Ok((read > 0).then_some(text))
    }

    fn locate(&self, problem: &str) -> String {
        format!("{}:{}: {problem}", self.name, self.number)
    }
}

/// The pair in a line; None where the filter leaves it out.
fn parse_pair(number: u64, line: &str, filter: &Filter) -> Result<Option<Pair>, String> {
    let value: Value = serde_json::from_str(line)
        .map_err(|e| format!("not valid JSON ({e}); each line must be one whole JSON object"))?;
    let object = value
        .as_object()
        .ok_or("expected an object with `a` and `b`")?;
    let answer = |field: &str| match object.get(field) {
        Some(Value::String(answer)) => Ok(answer.clone()),
        Some(_) => Err(format!("field `{field}`: expected a string")),
        None => Err(format!("field `{field}` is missing; expected a string")),
    };
    let pair = Pair {
        line: number,
        a: answer("a")?,
        b: answer("b")?,
    };
    Ok(filter
        .keeps(&value, number.saturating_sub(1))
        .then_some(pair))
}

fn by_tokens(Pair { a, b, .. }: &Pair, args: &AlignArgs) -> String {
    let (cuts_a, cuts_b) = (
        find_cuts(a, segmentation(args)),
        find_cuts(b, segmentation(args)),
    );
    let semantic = align_by_tokens((a, &cuts_a), (b, &cuts_b), args.k);
    format_line(align_by_length(&cuts_a, &cuts_b, args.k), semantic, args)
}

fn by_embeddings(Pair { a, b, .. }: &Pair, embedded: Option<&Both>, args: &AlignArgs) -> String {
    let (cuts_a, cuts_b) = (
        find_cuts(a, segmentation(args)),
        find_cuts(b, segmentation(args)),
    );
    let semantic = embedded.and_then(|both| {
        let [of_a, of_b] = both
            .each_ref()
            .map(|embeddings| embeddings.vectors().collect::<Vec<_>>());
        align_by_embedding((&cuts_a, &of_a), (&cuts_b, &of_b), args.k)
    });
    format_line(align_by_length(&cuts_a, &cuts_b, args.k), semantic, args)
}

fn segmentation(args: &AlignArgs) -> Segmentation {
    match args.segmentation {
        SegmentationBy::Full => Segmentation::Full,
        SegmentationBy::Plain => Segmentation::Plain,
    }
}

fn format_line(length: Option<Alignment>, semantic: Option<Aligned>, args: &AlignArgs) -> String {
    // The only one so far.
    let AlignFormat::Jsonl = args.format;
    let (length, semantic) = (
        length.map(|alignment| cuts_to_json(&alignment)),
        semantic.map(|aligned| aligned_to_json(&aligned)),
    );
    format!("{}\n", json!({"length": length, "semantic": semantic}))
}

fn cuts_to_json(alignment: &Alignment) -> Map<String, Value> {
    let chars = |cuts: &[Cut]| cuts.iter().map(|cut| cut.char).collect::<Vec<_>>().into();
    Map::from_iter([
        ("a".to_owned(), chars(&alignment.a)),
        ("b".to_owned(), chars(&alignment.b)),
    ])
}

/// The cuts and the score; `searched` where an answer has more places than were looked at.
fn aligned_to_json(aligned: &Aligned) -> Map<String, Value> {
    let mut object = cuts_to_json(&aligned.alignment);
    object.insert("score".to_owned(), aligned.score.into());
    if let [None, None] = aligned.searched {
        return object;
    }
    let [a, b] = aligned.searched;
    object.insert("searched".to_owned(), json!({"a": a, "b": b}));
    object
}
