//! What the test files share: the recorded answers, and the definition of the best alignment
//! searched exhaustively.
#![allow(
    clippy::disallowed_methods,
    reason = "the purity fence is for the crate, and these tests read files"
)]

use evenhand_align::{Aligned, Cuts, Segmentation, align_by_tokens, find_cuts};
use evenhand_testing::shared_data;
use flate2::read::GzDecoder;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Two answers to one question.
pub(crate) struct Pair {
    pub(crate) systems: [String; 2],
    pub(crate) question: u64,
    pub(crate) a: String,
    pub(crate) b: String,
}

/// Every pair of answers that PORTIA's eight pairs of systems give and that are recorded.
pub(crate) fn recorded_pairs() -> Option<Vec<Pair>> {
    let folder = shared_data()?.join("vicuna_bench");
    let pairs: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("portia_pairs.json")).unwrap())
            .unwrap();
    let available = pairs
        .as_array()
        .unwrap()
        .iter()
        .filter(|pair| pair["available"] == true);
    Some(
        available
            .flat_map(|pair| pairs_of(&folder, [&pair["assistant_a"], &pair["assistant_b"]]))
            .collect(),
    )
}

fn pairs_of(folder: &Path, systems: [&Value; 2]) -> Vec<Pair> {
    let systems = systems.map(|system| system.as_str().unwrap().to_string());
    let [a, mut b] = [&systems[0], &systems[1]].map(|system| answers(folder, system));
    let pair = |(question, a): (u64, String)| Pair {
        systems: systems.clone(),
        question,
        a,
        b: b.remove(&question).unwrap(),
    };
    a.into_iter().map(pair).collect()
}

fn answers(folder: &Path, system: &str) -> BTreeMap<u64, String> {
    let mut text = String::new();
    let file = File::open(folder.join(format!("answers/{system}.jsonl.gz"))).unwrap();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let rows = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.map(|row| {
        (
            row["question_id"].as_u64().unwrap(),
            row["answer"].as_str().unwrap().to_string(),
        )
    })
    .collect()
}

/// What the crate finds.
pub(crate) fn found(a: &str, b: &str, segmentation: Segmentation, k: usize) -> Option<Aligned> {
    let (cuts_a, cuts_b) = (find_cuts(a, segmentation), find_cuts(b, segmentation));
    align_by_tokens((a, &cuts_a), (b, &cuts_b), k)
}

/// A score and the numbers of the places chosen in each answer.
pub(crate) type Choice = (f64, Vec<usize>, Vec<usize>);

/// The definition, searched exhaustively, for answers cut at these places.
pub(crate) struct Twin {
    n: usize,
    m: usize,
    similarities: Vec<f64>,
}

impl Twin {
    pub(crate) fn new(a: (&str, &Cuts), b: (&str, &Cuts)) -> Twin {
        Twin::by_tokens(a, b, tokens)
    }

    /// The twin whose tokens are words in scripts without spaces.
    pub(crate) fn of_words(a: (&str, &Cuts), b: (&str, &Cuts)) -> Twin {
        Twin::by_tokens(a, b, words)
    }

    fn by_tokens(a: (&str, &Cuts), b: (&str, &Cuts), tokens: fn(&str) -> HashSet<String>) -> Twin {
        let similarities = similarities(&pieces(a.0, a.1), &pieces(b.0, b.1), tokens);
        Twin {
            n: a.1.places().len() + 1,
            m: b.1.places().len() + 1,
            similarities,
        }
    }

    pub(crate) fn best(&self, k: usize) -> Option<Choice> {
        let (n, m) = (self.n + 1, self.m + 1);
        exhaustive((self.n, self.m), k, |a, b| {
            self.similarities[((a[0] * n + a[1]) * m + b[0]) * m + b[1]]
        })
    }
}

/// Every choice of places in a times every choice in b in lexicographic order, the sum of each from
/// the first segment on, the first of the greatest kept.
pub(crate) fn exhaustive(
    (n, m): (usize, usize),
    k: usize,
    similarity: impl Fn(&[usize], &[usize]) -> f64,
) -> Option<Choice> {
    let (choices_a, choices_b) = (choices(n, k), choices(m, k));
    let mut best: Option<Choice> = None;
    for x in &choices_a {
        for y in &choices_b {
            let score = x
                .windows(2)
                .zip(y.windows(2))
                .fold(0.0, |sum, (a, b)| sum + similarity(a, b));
            if score > best.as_ref().map_or(0.0, |best| best.0) {
                let inner = |choice: &[usize]| choice[1..k].iter().map(|place| place - 1).collect();
                best = Some((score, inner(x), inner(y)));
            }
        }
    }
    best
}

/// How many choices a search of all looks at.
pub(crate) fn combinations(a: &Cuts, b: &Cuts, k: usize) -> f64 {
    let choose = |n: usize| {
        (0..k - 1).fold(1.0, |all, i| {
            all * (n as f64 - i as f64).max(0.0) / (i + 1) as f64
        })
    };
    choose(a.places().len()) * choose(b.places().len())
}

/// Every 0 < p1 < … < n of k - 1 inner places in lexicographic order, with 0 and n around them.
fn choices(n: usize, k: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![0]];
    for _ in 1..k {
        let longer = |choice: Vec<usize>| {
            (choice.last().unwrap() + 1..n).map(move |place| [&choice[..], &[place]].concat())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all.into_iter()
        .map(|choice| [&choice[..], &[n]].concat())
        .collect()
}

fn pieces<'t>(text: &'t str, cuts: &Cuts) -> Vec<&'t str> {
    let places = cuts.places().iter().map(|cut| cut.byte);
    let ends: Vec<usize> = places.chain([text.len()]).collect();
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts
        .zip(&ends)
        .map(|(start, end)| &text[start..*end])
        .collect()
}

/// The similarity of every segment of a and every segment of b, each from its sets of tokens.
fn similarities(a: &[&str], b: &[&str], tokens: fn(&str) -> HashSet<String>) -> Vec<f64> {
    let (n, m) = (a.len(), b.len());
    let mut all = vec![0.0; (n + 1) * (n + 1) * (m + 1) * (m + 1)];
    let mut numbers = HashMap::new();
    let (of_a, of_b) = (sets(a, &mut numbers, tokens), sets(b, &mut numbers, tokens));
    for (i, j) in (0..n).flat_map(|i| (i + 1..=n).map(move |j| (i, j))) {
        for (p, q) in (0..m).flat_map(|p| (p + 1..=m).map(move |q| (p, q))) {
            let (x, y) = (&of_a[i][j - i], &of_b[p][q - p]);
            let most = size(x.iter().copied()).max(size(y.iter().copied()));
            let both = size(x.iter().zip(y).map(|(x, y)| x & y));
            all[((i * (n + 1) + j) * (m + 1) + p) * (m + 1) + q] = if most > 0 {
                f64::from(both) / f64::from(most)
            } else {
                0.0
            };
        }
    }
    all
}

/// The set of tokens of every segment i..j, under \[i\]\[j - i\], as a set of bits.
fn sets(
    pieces: &[&str],
    numbers: &mut HashMap<String, usize>,
    tokens: fn(&str) -> HashSet<String>,
) -> Vec<Vec<Vec<u64>>> {
    let mut set = |text: &str| {
        let mut bits = Vec::new();
        for token in tokens(text) {
            let new = numbers.len();
            let number = *numbers.entry(token).or_insert(new);
            bits.resize(bits.len().max(number / 64 + 1), 0);
            bits[number / 64] |= 1 << (number % 64);
        }
        bits
    };
    (0..=pieces.len())
        .map(|i| {
            (i..=pieces.len())
                .map(|j| set(&pieces[i..j].concat()))
                .collect()
        })
        .collect()
}

fn size(bits: impl Iterator<Item = u64>) -> u32 {
    bits.map(u64::count_ones).sum()
}

fn tokens(text: &str) -> HashSet<String> {
    let mut tokens = HashSet::new();
    let mut word = String::new();
    for c in text.to_lowercase().chars() {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        tokens.insert(std::mem::take(&mut word));
        if !c.is_whitespace() {
            tokens.insert(c.to_string());
        }
    }
    tokens.insert(word);
    tokens.remove("");
    tokens
}

/// The words of ICU's dictionaries where a word is of a script without spaces, else tokens.
fn words(text: &str) -> HashSet<String> {
    let lower = text.to_lowercase();
    let unspaced = |c: char| {
        let c = u32::from(c);
        (0x0e01..=0x0eff).contains(&c)
            || (0x3041..=0x30ff).contains(&c)
            || (0x4e00..=0x9fff).contains(&c)
    };
    let spaced: String = lower
        .chars()
        .map(|c| if unspaced(c) { ' ' } else { c })
        .collect();
    let mut all = tokens(&spaced);
    let segmenter = icu_segmenter::WordSegmenter::new_dictionary(Default::default());
    for run in lower.split(|c| !unspaced(c)).filter(|run| !run.is_empty()) {
        let bounds: Vec<usize> = segmenter.segment_str(run).collect();
        all.extend(
            bounds
                .windows(2)
                .map(|ends| run[ends[0]..ends[1]].to_owned()),
        );
    }
    all
}
