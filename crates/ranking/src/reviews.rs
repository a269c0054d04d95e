//! Verdicts of people on pairs that a judge was not sure of (Wang et al. 2024, section 4.3).

use evenhand_core::{
    Cause, Item, Judgment, Refusal, Response, Setting, Side, Verdict, VerdictSource,
};
use evenhand_engine::{EngineError, Job};
use evenhand_protocols::Slots;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Verdicts of people.
#[derive(Clone, Debug, Default)]
pub struct Reviews {
    verdicts: BTreeMap<ReviewedPair, Review>,
    /// The file that they stand in.
    file: String,
}

/// An item and two systems, the smaller name first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ReviewedPair {
    item: String,
    a: String,
    b: String,
}

/// A person's verdict, and the line that it stands on.
#[derive(Clone, Copy, Debug)]
struct Review {
    side: Side,
    line: usize,
}

#[derive(Deserialize)]
struct ReviewLine {
    item: String,
    a: String,
    b: String,
    #[serde(default)]
    preferred: Option<String>,
}

impl ReviewedPair {
    /// Returns the pair, and whether the two systems changed places.
    fn in_order(item: String, a: String, b: String) -> (ReviewedPair, bool) {
        if a <= b {
            (ReviewedPair { item, a, b }, false)
        } else {
            (ReviewedPair { item, a: b, b: a }, true)
        }
    }
}

impl Reviews {
    /// Reads JSON lines with `item`, `a`, `b` and `preferred` (`a`, `b`, `tie`, or null where
    /// nobody has looked yet).
    ///
    /// # Errors
    /// A file that cannot be read; a line that is no reviewed pair, or contradicts another.
    pub fn read(path: &Path) -> Result<Reviews, EngineError> {
        let text = fs::read_to_string(path).map_err(|error| {
            let why = format!("cannot be read: {error}");
            refuse_reviewed(Cause::File, why).with_value(path.display())
        })?;
        let mut reviews = Reviews {
            verdicts: BTreeMap::new(),
            file: path.display().to_string(),
        };
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() {
                continue;
            }
            let added = reviews.add_line(line, number);
            added.map_err(|why| Refusal::of_input(format!("{}:{number}: {why}", reviews.file)))?;
        }
        Ok(reviews)
    }

    fn add_line(&mut self, text: &str, line: usize) -> Result<(), String> {
        let parsed = serde_json::from_str(text);
        let row: ReviewLine = parsed.map_err(|e| format!("not a reviewed pair: {e}"))?;
        let side = match row.preferred.as_deref() {
            // Nobody has looked yet.
            None => return Ok(()),
            Some("a") => Side::First,
            Some("b") => Side::Second,
            Some("tie") => Side::Tie,
            Some(other) => {
                return Err(format!(
                    "field `preferred`: expected a, b, tie or null, found {other:?}"
                ));
            }
        };
        let (pair, swapped) = ReviewedPair::in_order(row.item, row.a, row.b);
        let side = side_in_order(side, swapped);
        match self.verdicts.insert(pair, Review { side, line }) {
            Some(other) if other.side != side => {
                Err("another line gives this pair another verdict".into())
            }
            _ => Ok(()),
        }
    }

    /// Checks that the verdicts can be used with this job.
    ///
    /// # Errors
    /// A form that shows no pairs; verdicts on items or systems that are not judged.
    pub fn check(&self, job: &Job) -> Result<(), EngineError> {
        if !self.verdicts.is_empty() && job.protocol.form().slots() != Slots::Two {
            let why = "people looked at pairs, and this form shows no pairs; use a pairwise form";
            return Err(refuse_reviewed(Cause::Data, why).into());
        }
        // A misspelt name would do nothing, and nobody would notice.
        let unknown = self.find_unknown(job);
        let Some((line, name)) = unknown.iter().min() else {
            return Ok(());
        };
        let (others, all) = (unknown.len(), self.verdicts.len());
        let reason = format!(
            "there is no {name} in what is judged ({others} of {all} reviewed pairs are of other \
             data); correct the name, or take those lines out"
        );
        let place = format!("{}:{line}", self.file);
        Err(refuse_reviewed(Cause::Data, reason)
            .with_value(place)
            .into())
    }

    /// Finds the lines that name what is not judged, and what that is.
    fn find_unknown(&self, job: &Job) -> Vec<(usize, String)> {
        let items = job.dataset.items.iter();
        let items: BTreeSet<&str> = items.map(|item| item.id.as_str()).collect();
        let systems: BTreeSet<&str> = job.dataset.systems.iter().map(AsRef::as_ref).collect();
        let mut unknown = Vec::new();
        for (pair, review) in &self.verdicts {
            if !items.contains(&*pair.item) {
                unknown.push((review.line, format!("item `{}`", pair.item)));
                continue;
            }
            let mut names = [&pair.a, &pair.b].into_iter();
            if let Some(name) = names.find(|name| !systems.contains(name.as_str())) {
                unknown.push((review.line, format!("system `{name}`")));
            }
        }
        unknown
    }

    /// Puts a person's verdict in place of the judge's, where there is one.
    pub fn apply(&self, judgment: &mut Judgment, item: &Item, responses: &[Response]) {
        let [first, second] = responses else {
            return;
        };
        let (first, second) = (first.system.to_string(), second.system.to_string());
        let (pair, swapped) = ReviewedPair::in_order(item.id.clone(), first, second);
        let Some(review) = self.verdicts.get(&pair) else {
            return;
        };
        let preference = match side_in_order(review.side, swapped) {
            Side::First => [1.0, 0.0, 0.0],
            Side::Tie => [0.0, 1.0, 0.0],
            Side::Second => [0.0, 0.0, 1.0],
        };
        judgment.outcome = Ok(Verdict::pair(preference, 0.0, VerdictSource::Person));
    }
}

fn side_in_order(side: Side, swapped: bool) -> Side {
    if swapped { side.swapped() } else { side }
}

fn refuse_reviewed(cause: Cause, why: impl Into<String>) -> Refusal {
    Refusal::new(Setting::Reviewed, cause, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

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
            .map(|(pair, review)| {
                let ReviewedPair { item, a, b } = pair;
                ([&**item, a, b], review.side, review.line)
            })
            .collect();
        assert_eq!(read, [(["1", "x", "y"], Side::Second, 1)]);
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
                ":2: another line gives this pair another verdict",
            ),
        ] {
            let found = Reviews::read(file(text).path()).unwrap_err().to_string();
            assert!(found.contains(message), "{found}");
        }
    }
}
