//! `evenhand align`.

mod embed;

use super::print_data;
use crate::args::choices::words;
use crate::args::help::{JUDGE, OUTPUT, PROTOCOL};
use crate::args::{FilterArgs, GpuArgs, ThreadArgs};
use crate::{Done, Failed};
use clap::{Args, ValueEnum};
use embed::{Both, embed_pairs, open_embedder};
use evenhand_align::{
    Aligned, Alignment, Cut, Cuts, MAX_SEGMENTS, Segmentation, align_by_embedding, align_by_length,
    align_by_tokens, find_cuts,
};
use evenhand_engine::{Embedder, open_input};
use evenhand_formats::records::Filter;
use evenhand_report::{AlignmentLine, CutPlaces, SearchedPlaces, SemanticCuts};
use flate2::bufread::MultiGzDecoder;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde_json::{Map, Value};
use std::io::{self, BufRead, BufReader, Read};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

const SEGMENTS: RangeInclusive<usize> = 2..=MAX_SEGMENTS;

/// The pairs to align, and how.
#[derive(Clone, Debug, Args)]
pub(crate) struct AlignArgs {
    /// JSON lines {"a": "...", "b": "..."}, one pair of answers each
    ///
    /// May end in .gz; - is stdin.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// Segments that each answer is cut into, 2 to 32
    #[arg(
        long, default_value_t = 3, value_parser = parse_segments, value_name = "K",
        help_heading = PROTOCOL
    )]
    pub(crate) k: usize,
    /// How segments are compared
    ///
    /// [default: token-overlap]
    #[arg(
        long, value_enum, value_name = "HOW", hide_default_value = true,
        default_value = "token-overlap", help_heading = PROTOCOL
    )]
    pub(crate) similarity: SimilarityBy,
    /// With --similarity embedding: the model that embeds the pieces
    ///
    /// One of gguf:PATH, openai:MODEL[@BASE_URL], simulated.
    #[arg(long, value_name = "JUDGE", help_heading = JUDGE)]
    pub(crate) embedder: Option<String>,
    /// Where an answer may be cut
    ///
    /// At sentences, list items and statements of code (full), or by the plain rule for checks
    /// (plain). [default: full]
    #[arg(
        long, value_name = "HOW", hide_default_value = true, default_value = "full",
        value_parser = words(&[("full", Segmentation::Full), ("plain", Segmentation::Plain)]),
        help_heading = PROTOCOL
    )]
    pub(crate) segmentation: Segmentation,
    /// Output format
    ///
    /// One line per pair, in order.
    #[arg(long, value_enum, default_value = "jsonl", help_heading = OUTPUT)]
    pub(crate) format: AlignFormat,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) gpu: GpuArgs,
}

fn parse_segments(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(k) if SEGMENTS.contains(&k) => Ok(k),
        _ => Err(format!("expected a whole number from 2 to {MAX_SEGMENTS}")),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SimilarityBy {
    TokenOverlap,
    Embedding,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AlignFormat {
    Jsonl,
}

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
        let threads = ThreadPoolBuilder::new()
            .num_threads(args.threads.count())
            .build()
            .map_err(|e| Failed::run(format!("threads cannot be started: {e}")))?;
        Ok(Aligner {
            args,
            threads,
            embedder: open_embedder(args)?,
        })
    }

    /// Returns a line for each pair: by the tokens that their segments share, or by the embeddings
    /// of their pieces.
    fn align(&mut self, pairs: &[Pair], file: &str) -> Result<String, Failed> {
        let args = self.args;
        let lines: Result<Vec<String>, Failed> = match &mut self.embedder {
            None => {
                let align = |pair: &Pair| {
                    let [a, b] = &pair.find_cuts(args);
                    let semantic = align_by_tokens((&pair.a, a), (&pair.b, b), args.k);
                    format_line([a, b], semantic, args)
                };
                self.threads
                    .install(|| pairs.par_iter().map(align).collect())
            }
            Some(embedder) => {
                let embedded = embed_pairs(embedder, pairs, args, file)?;
                let align = |(pair, both): (&Pair, &Option<Both>)| {
                    let [a, b] = &pair.find_cuts(args);
                    let semantic = both.as_ref().and_then(|[of_a, of_b]| {
                        let of_a: Vec<_> = of_a.vectors().collect();
                        let of_b: Vec<_> = of_b.vectors().collect();
                        align_by_embedding((a, &of_a), (b, &of_b), args.k)
                    });
                    format_line([a, b], semantic, args)
                };
                let pairs = pairs.par_iter().zip(&embedded);
                self.threads.install(|| pairs.map(align).collect())
            }
        };
        Ok(lines?.concat())
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

struct Lines {
    input: Box<dyn BufRead>,
    name: String,
    number: u64,
    filter: Filter,
    /// How many pairs the filter has kept.
    kept: u64,
}

impl Lines {
    /// Opens a file or stdin, plain or gzip.
    fn open(args: &AlignArgs) -> Result<Lines, Failed> {
        let is_stdin = args.file == Path::new("-");
        let name = match is_stdin {
            true => "stdin".into(),
            false => args.file.display().to_string(),
        };
        let filter = args.filter.parse()?;
        let unreadable = |e| Failed::unreadable(&name, e);
        let raw: Box<dyn Read> = match is_stdin {
            true => Box::new(io::stdin().lock()),
            false => Box::new(open_input(&args.file).map_err(unreadable)?),
        };
        let mut input = BufReader::new(raw);
        // Stdin has no name that could end in .gz, so the first two bytes decide.
        let is_gzip = input
            .fill_buf()
            .map_err(unreadable)?
            .starts_with(&[0x1f, 0x8b]);
        let input: Box<dyn BufRead> = match is_gzip {
            true => Box::new(BufReader::new(MultiGzDecoder::new(input))),
            false => Box::new(input),
        };
        Ok(Lines {
            input,
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
                Ok(Next::End) if self.kept > 0 || self.filter.is_empty() => {
                    return (pairs, Some(Ok(())));
                }
                Ok(Next::End) => {
                    let (filter, name) = (&self.filter, &self.name);
                    let why = format!("--where {filter}: no pair of {name} is left");
                    return (pairs, Some(Err(why)));
                }
                Err(problem) => {
                    let why = format!("{}:{}: {problem}", self.name, self.number);
                    return (pairs, Some(Err(why)));
                }
            }
        }
        (pairs, None)
    }

    fn read_pair(&mut self) -> Result<Next, String> {
        let Some(line) = self.read_line()? else {
            return Ok(Next::End);
        };
        if line.trim().is_empty() {
            return Ok(Next::Nothing);
        }
        let value: Value = serde_json::from_str(&line).map_err(|e| {
            format!("not valid JSON ({e}); each line must be one whole JSON object")
        })?;
        let object = value
            .as_object()
            .ok_or("expected an object with `a` and `b`")?;
        let pair = Pair {
            line: self.number,
            a: read_answer(object, "a")?,
            b: read_answer(object, "b")?,
        };
        // Filters count records from 0.
        if !self.filter.keeps(&value, self.number.saturating_sub(1)) {
            return Ok(Next::Nothing);
        }
        self.kept += 1;
        Ok(Next::Pair(pair))
    }

    /// Returns the next line with its end; None at the end of the file.
    fn read_line(&mut self) -> Result<Option<String>, String> {
        self.number += 1;
        let mut line = Vec::new();
        // One byte more than is allowed shows that a line is too long, without reading it whole.
        let mut input = (&mut *self.input).take(LONGEST_LINE + 1);
        let length = input
            .read_until(b'\n', &mut line)
            .map_err(|error| format!("cannot be read: {error}"))?;
        if length as u64 > LONGEST_LINE {
            return Err(format!("the line is longer than {LONGEST_LINE} bytes"));
        }
        if line.is_empty() {
            return Ok(None);
        }
        // Some editors put a mark of byte order before the first line.
        if self.number == 1 && line.starts_with(b"\xef\xbb\xbf") {
            line.drain(..3);
        }
        let text = String::from_utf8(line).map_err(|_| "the line is not UTF-8")?;
        Ok(Some(text))
    }
}

impl Pair {
    /// Returns the places where either answer may be cut.
    fn find_cuts(&self, args: &AlignArgs) -> [Cuts; 2] {
        [&self.a, &self.b].map(|answer| find_cuts(answer, args.segmentation))
    }
}

fn read_answer(object: &Map<String, Value>, field: &str) -> Result<String, String> {
    match object.get(field) {
        Some(Value::String(answer)) => Ok(answer.clone()),
        Some(_) => Err(format!("field `{field}`: expected a string")),
        None => Err(format!("field `{field}` is missing; expected a string")),
    }
}

fn format_line(
    [a, b]: [&Cuts; 2],
    semantic: Option<Aligned>,
    args: &AlignArgs,
) -> Result<String, Failed> {
    // The only one so far.
    let AlignFormat::Jsonl = args.format;
    // Cuts are characters of the answer: other languages do not count in bytes.
    let chars_of = |cuts: &[Cut]| cuts.iter().map(|cut| cut.char).collect();
    let places = |alignment: &Alignment| CutPlaces {
        a: chars_of(&alignment.a),
        b: chars_of(&alignment.b),
    };
    let line = AlignmentLine {
        length: align_by_length(a, b, args.k).as_ref().map(places),
        semantic: semantic.map(|aligned| {
            let [a, b] = aligned.searched;
            SemanticCuts {
                cuts: places(&aligned.alignment),
                score: aligned.score,
                // Where an answer has more places than were looked at.
                searched: (a.is_some() || b.is_some()).then_some(SearchedPlaces { a, b }),
            }
        }),
    };
    let text = serde_json::to_string(&line).map_err(Failed::unprintable)?;
    Ok(text + "\n")
}
