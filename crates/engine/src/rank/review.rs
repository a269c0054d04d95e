//! Review by people: which pairs a judge is least sure of, and the verdicts of those who looked
//! (Wang et al. 2023, section 4.3).

use crate::{EngineError, Job};
use evenhand_core::{Item, Judgment, Response, Side, Source, Stage, Verdict};
use evenhand_protocols::Slots;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::Path;

/// An item and two systems, the smaller name first.
type Pair = (String, String, String);

/// Verdicts of people.
#[derive(Clone, Debug, Default)]
pub struct Reviews {
    verdicts: BTreeMap<Pair, Reviewed>,
    /// The file that they stand in.
    file: String,
}

/// A person's verdict, and the line that it stands on.
#[derive(Clone, Copy, Debug)]
struct Reviewed {
    side: Side,
    line: usize,
}

#[derive(Deserialize)]
struct Line {
    item: String,
    a: String,
    b: String,
    #[serde(default)]
    preferred: Option<String>,
}

impl Reviews {
    /// Reads JSON lines with `item`, `a`, `b` and `preferred` (`a`, `b`, `tie`, or null where
    /// nobody has looked yet).
    pub fn read(path: &Path) -> Result<Reviews, EngineError> {
        let name = path.display();
        let text = fs::read_to_string(path)
            .map_err(|e| EngineError::Setting(format!("--reviewed {name}: cannot be read: {e}")))?;
        let mut verdicts: BTreeMap<Pair, Reviewed> = BTreeMap::new();
        for (number, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
        {
            let bad = |why: String| EngineError::Setting(format!("{name}:{}: {why}", number + 1));
            let line: Line =
                serde_json::from_str(line).map_err(|e| bad(format!("not a reviewed pair: {e}")))?;
            let side = match line.preferred.as_deref() {
                None => continue,
                Some("a") => Side::First,
                Some("b") => Side::Second,
                Some("tie") => Side::Tie,
                Some(other) => {
                    return Err(bad(format!(
                        "field `preferred`: expected a, b, tie or null, found {other:?}"
                    )));
                }
            };
            let (pair, swapped) = pair(line.item, line.a, line.b);
            let side = if swapped { side.swapped() } else { side };
            match verdicts.insert(
                pair,
                Reviewed {
                    side,
                    line: number + 1,
                },
            ) {
                Some(other) if other.side != side => {
                    return Err(bad("another line says otherwise of this pair".into()));
                }
                _ => {}
            }
        }
        Ok(Reviews {
            verdicts,
            file: name.to_string(),
        })
    }

    /// That they can be used with this job.
    pub fn check(&self, job: &Job) -> Result<(), EngineError> {
        if !self.verdicts.is_empty() && job.protocol.form().slots() != Slots::Two {
            let why = "--reviewed: people looked at pairs, and this form shows no pairs; use a \
                       pairwise form";
            return Err(EngineError::Setting(why.into()));
        }
        self.check_pairs(job)
    }

    /// Refuses verdicts on items or systems that are not judged: a misspelt name would do nothing,
    /// and nobody would see it.
    fn check_pairs(&self, job: &Job) -> Result<(), EngineError> {
        let items: BTreeSet<&str> = job
            .dataset
            .items
            .iter()
            .map(|item| item.id.as_str())
            .collect();
        let systems: BTreeSet<&str> = job.dataset.systems.iter().map(AsRef::as_ref).collect();
        let strange = |((item, a, b), reviewed): (&Pair, &Reviewed)| {
            let system = [a, b]
                .into_iter()
                .find(|name| !systems.contains(name.as_str()));
            let what = match system {
                _ if !items.contains(item.as_str()) => format!("item `{item}`"),
                Some(name) => format!("system `{name}`"),
                None => return None,
            };
            Some((reviewed.line, what))
        };
        let strange: Vec<(usize, String)> = self.verdicts.iter().filter_map(strange).collect();
        let Some((line, what)) = strange.iter().min() else {
            return Ok(());
        };
        Err(EngineError::Setting(format!(
            "--reviewed {}:{line}: there is no {what} in what is judged ({} of {} reviewed pairs \
             are of other data); correct the name, or take those lines out",
            self.file,
            strange.len(),
            self.verdicts.len()
        )))
    }

    /// The judgment with a person's verdict in place of the judge's, where there is one.
    pub fn apply(&self, judgment: &mut Judgment, item: &Item, responses: &[Response]) {
        let [first, second] = responses else { return };
        let (pair, swapped) = pair(
            item.id.clone(),
            first.system.to_string(),
            second.system.to_string(),
        );
        let Some(Reviewed { side, .. }) = self.verdicts.get(&pair) else {
            return;
        };
        let p = match if swapped { side.swapped() } else { *side } {
            Side::First => [1.0, 0.0, 0.0],
            Side::Tie => [0.0, 1.0, 0.0],
            Side::Second => [0.0, 0.0, 1.0],
        };
        judgment.outcome = Ok(Verdict::pair(p, 0.0, Source::Person));
    }
}

/// The smaller name first, and whether they changed places.
fn pair(item: String, a: String, b: String) -> (Pair, bool) {
    if a <= b {
        ((item, a, b), false)
    } else {
        ((item, b, a), true)
    }
}

/// What a judge said of each pair, over all looks.
#[derive(Clone, Debug, Default)]
pub struct ForReview(BTreeMap<(u32, u32, u32), Counts>);

/// How often each side was preferred, the smaller system index first, and how often there was no
/// verdict.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    sides: [u32; 3],
    failures: u32,
}

/// A pair for a person to look at.
#[derive(Serialize)]
struct Row<'a> {
    item: &'a str,
    a: &'a str,
    b: &'a str,
    /// Balanced position diversity entropy, in nats; None where the judge came to no verdict at
    /// all.
    entropy: Option<f64>,
    preferred_a: u32,
    ties: u32,
    preferred_b: u32,
    failures: u32,
    instruction: &'a str,
    output_a: &'a str,
    output_b: &'a str,
    preferred: Option<&'a str>,
}

impl ForReview {
    /// Takes a judgment of a pair: its looks, or its verdict where there was one look.
    pub fn add(&mut self, judgment: &Judgment) {
        let [a, b] = judgment.trial.systems[..] else {
            return;
        };
        let counts = self
            .0
            .entry((judgment.trial.item, a.min(b), a.max(b)))
            .or_default();
        let side = |verdict: &Verdict| {
            verdict
                .side()
                .map(|side| if a > b { side.swapped() } else { side })
        };
        let own = judgment
            .looks
            .iter()
            .filter(|look| look.stage != Stage::Member)
            .map(|look| look.outcome.as_ref().ok().and_then(side));
        let mut sides: Vec<Option<Side>> = own.collect();
        if sides.is_empty() {
            sides.push(judgment.outcome.as_ref().ok().and_then(side));
        }
        for side in sides {
            match side {
                Some(side) => counts.sides[side as usize] += 1,
                None => counts.failures += 1,
            }
        }
    }

    /// Writes the pairs of which the judge is least sure, at most this share of all: those without
    /// a verdict first, then by falling entropy. Pairs on which every look agrees are left out.
    /// Returns how many were written.
    pub fn write(&self, job: &Job, share: f64, out: &mut impl Write) -> Result<usize, EngineError> {
        let mut pairs: Vec<_> = self
            .0
            .iter()
            .filter(|(_, counts)| counts.entropy() != Some(0.0))
            .collect();
        pairs.sort_by(|(_, a), (_, b)| key(b).total_cmp(&key(a)));
        pairs.truncate((share * self.0.len() as f64).ceil() as usize);
        for ((item, a, b), counts) in &pairs {
            let line = row(job, *item, [*a, *b], counts)?;
            out.write_all(&line).map_err(|e| {
                EngineError::Setting(format!("--for-review: cannot be written: {e}"))
            })?;
        }
        Ok(pairs.len())
    }
}

/// What sorts the pairs; no verdict comes before any entropy.
fn key(counts: &Counts) -> f64 {
    counts.entropy().unwrap_or(f64::INFINITY)
}

fn row(job: &Job, item: u32, systems: [u32; 2], counts: &Counts) -> Result<Vec<u8>, EngineError> {
    let trial = evenhand_core::Trial {
        index: 0,
        item,
        systems: systems.to_vec(),
        replicate: 0,
    };
    let responses = job.responses(&trial)?;
    let item = &job.dataset.items[item as usize];
    let [a, b] = &responses[..] else {
        return Ok(Vec::new());
    };
    let row = Row {
        item: &item.id,
        a: &a.system,
        b: &b.system,
        entropy: counts.entropy(),
        preferred_a: counts.sides[0],
        ties: counts.sides[1],
        preferred_b: counts.sides[2],
        failures: counts.failures,
        instruction: item.instruction(),
        output_a: &a.text,
        output_b: &b.text,
        preferred: None,
    };
    let mut line =
        serde_json::to_vec(&row).map_err(|e| EngineError::Setting(format!("--for-review: {e}")))?;
    line.push(b'\n');
    Ok(line)
}

impl Counts {
    /// Balanced position diversity entropy: -sum p ln p over the shares of win, tie and lose among
    /// all looks in both orders (Wang et al. 2023, equation 4). None where no look has a verdict.
    fn entropy(&self) -> Option<f64> {
        let total: u32 = self.sides.iter().sum();
        let shares = self
            .sides
            .iter()
            .filter(|count| **count > 0)
            .map(|count| f64::from(*count) / f64::from(total));
        (total > 0).then(|| shares.map(|p| -p * p.ln()).sum::<f64>() + 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_that_of_the_looks() {
        let of = |sides| Counts { sides, failures: 0 }.entropy();
        assert_eq!(of([6, 0, 0]), Some(0.0));
        assert_eq!(of([0, 0, 0]), None);
        assert!((of([3, 0, 3]).unwrap() - 2f64.ln()).abs() < 1e-12);
        assert!((of([2, 2, 2]).unwrap() - 3f64.ln()).abs() < 1e-12);
    }

    fn file(text: &str) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file
    }

    #[test]
    fn reviews_are_read_in_either_order_of_the_systems() {
        let reviews = file(
            "{\"item\":\"1\",\"a\":\"y\",\"b\":\"x\",\"preferred\":\"a\"}\n\n{\"item\":\"2\",\"a\":\"x\",\"b\":\"y\",\"preferred\":null}\n",
        );
        let reviews = Reviews::read(reviews.path()).unwrap();
        let read: Vec<_> = reviews
            .verdicts
            .iter()
            .map(|(pair, reviewed)| (pair.clone(), reviewed.side, reviewed.line))
            .collect();
        assert_eq!(
            read,
            [(("1".into(), "x".into(), "y".into()), Side::Second, 1)]
        );
    }

    #[test]
    fn errors_name_file_line_and_field() {
        for (text, message) in [
            (
                "{\"item\":\"1\",\"a\":\"y\",\"b\":\"x\",\"preferred\":\"y\"}",
                ":1: field `preferred`: expected a, b, tie or null, found \"y\"",
            ),
            (
                "\n{\"item\":\"1\"}",
                ":2: not a reviewed pair: missing field `a`",
            ),
            (
                "{\"item\":\"1\",\"a\":\"y\",\"b\":\"x\",\"preferred\":\"a\"}\n{\"item\":\"1\",\"a\":\"x\",\"b\":\"y\",\"preferred\":\"a\"}",
                ":2: another line says otherwise of this pair",
            ),
        ] {
            let found = Reviews::read(file(text).path()).unwrap_err().to_string();
            assert!(found.contains(message), "{found}");
        }
    }
}
