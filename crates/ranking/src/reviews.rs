//! Verdicts of people on pairs that a judge was not sure of (Wang et al. 2023, section 4.3).

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

impl ReviewLine {
    /// Reads the verdict; None where nobody has looked yet.
    fn parse_side(&self) -> Result<Option<Side>, String> {
        match self.preferred.as_deref() {
            None => Ok(None),
            Some("a") => Ok(Some(Side::First)),
            Some("b") => Ok(Some(Side::Second)),
            Some("tie") => Ok(Some(Side::Tie)),
            Some(other) => Err(format!(
                "field `preferred`: expected a, b, tie or null, found {other:?}"
            )),
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
        let text = fs::read_to_string(path).map_err(|e| refuse_file(path, &e))?;
        let mut reviews = Reviews {
            verdicts: BTreeMap::new(),
            file: path.display().to_string(),
        };
        reviews.add_lines(&text)?;
        Ok(reviews)
    }

    fn add_lines(&mut self, text: &str) -> Result<(), Refusal> {
        let numbered = (1..).zip(text.lines());
        for (number, line) in numbered.filter(|(_, line)| !line.trim().is_empty()) {
            self.add_line(line, number)
                .map_err(|why| Refusal::of_input(format!("{}:{number}: {why}", self.file)))?;
        }
        Ok(())
    }

    fn add_line(&mut self, text: &str, line: usize) -> Result<(), String> {
        let parsed = serde_json::from_str(text);
        let row: ReviewLine = parsed.map_err(|e| format!("not a reviewed pair: {e}"))?;
        match row.parse_side()? {
            Some(side) => self.add_verdict(row, side, line),
            None => Ok(()),
        }
    }

    fn add_verdict(&mut self, row: ReviewLine, side: Side, line: usize) -> Result<(), String> {
        let (pair, swapped) = ReviewedPair::in_order(row.item, row.a, row.b);
        let side = side_in_order(side, swapped);
        match self.verdicts.insert(pair, Review { side, line }) {
            Some(other) if other.side != side => {
                Err("another line says otherwise of this pair".into())
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
        Ok(self.check_names(job)?)
    }

    /// Refuses verdicts on items or systems that are not judged: a misspelt name would do nothing,
    /// and nobody would notice.
    fn check_names(&self, job: &Job) -> Result<(), Refusal> {
        let unknown = self.find_unknown(&KnownNames::of(job));
        match unknown.iter().min() {
            Some((line, name)) => Err(self.refuse_unknown(*line, name, unknown.len())),
            None => Ok(()),
        }
    }

    /// Finds the lines that name what is not judged, and what that is.
    fn find_unknown(&self, known: &KnownNames<'_>) -> Vec<(usize, String)> {
        let verdicts = self.verdicts.iter();
        verdicts
            .filter_map(|(pair, review)| Some((review.line, known.find_unknown(pair)?)))
            .collect()
    }

    fn refuse_unknown(&self, line: usize, name: &str, unknown: usize) -> Refusal {
        let all = self.verdicts.len();
        let reason = format!(
            "there is no {name} in what is judged ({unknown} of {all} reviewed pairs are of other \
             data); correct the name, or take those lines out"
        );
        let place = format!("{}:{line}", self.file);
        refuse_reviewed(Cause::Data, reason).with_value(place)
    }

    /// Puts a person's verdict in place of the judge's, where there is one.
    pub fn apply(&self, judgment: &mut Judgment, item: &Item, responses: &[Response]) {
        if let Some(side) = self.side_of(item, responses) {
            let preference = preference_of_side(side);
            judgment.outcome = Ok(Verdict::pair(preference, 0.0, VerdictSource::Person));
        }
    }

    /// Returns what a person said of two responses, by their slots.
    fn side_of(&self, item: &Item, responses: &[Response]) -> Option<Side> {
        let [first, second] = responses else {
            return None;
        };
        let (first, second) = (first.system.to_string(), second.system.to_string());
        let (pair, swapped) = ReviewedPair::in_order(item.id.clone(), first, second);
        let review = self.verdicts.get(&pair)?;
        Some(side_in_order(review.side, swapped))
    }
}

fn side_in_order(side: Side, swapped: bool) -> Side {
    if swapped { side.swapped() } else { side }
}

fn preference_of_side(side: Side) -> [f64; 3] {
    match side {
        Side::First => [1.0, 0.0, 0.0],
        Side::Tie => [0.0, 1.0, 0.0],
        Side::Second => [0.0, 0.0, 1.0],
    }
}

fn refuse_reviewed(cause: Cause, why: impl Into<String>) -> Refusal {
    Refusal::new(Setting::Reviewed, cause, why)
}

fn refuse_file(path: &Path, error: &std::io::Error) -> Refusal {
    let why = format!("cannot be read: {error}");
    refuse_reviewed(Cause::File, why).with_value(path.display())
}

/// The names of what is judged.
struct KnownNames<'a> {
    items: BTreeSet<&'a str>,
    systems: BTreeSet<&'a str>,
}

impl KnownNames<'_> {
    fn of(job: &Job) -> KnownNames<'_> {
        let items = job.dataset.items.iter();
        KnownNames {
            items: items.map(|item| item.id.as_str()).collect(),
            systems: job.dataset.systems.iter().map(AsRef::as_ref).collect(),
        }
    }

    /// Returns what of a pair is not judged; None where all of it is.
    fn find_unknown(&self, pair: &ReviewedPair) -> Option<String> {
        if !self.items.contains(&*pair.item) {
            return Some(format!("item `{}`", pair.item));
        }
        let mut systems = [&pair.a, &pair.b].into_iter();
        let unknown = systems.find(|name| !self.systems.contains(name.as_str()))?;
        Some(format!("system `{unknown}`"))
    }
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
                ":2: another line says otherwise of this pair",
            ),
        ] {
            let found = Reviews::read(file(text).path()).unwrap_err().to_string();
            assert!(found.contains(message), "{found}");
        }
    }
}
