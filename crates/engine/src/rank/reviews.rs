//! Verdicts of people on pairs that a judge was not sure of (Wang et al. 2023, section 4.3).

use crate::{EngineError, Job};
use evenhand_core::{
    Cause, Item, Judgment, Refusal, Response, Setting, Side, Verdict, VerdictSource,
};
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
        let file = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|e| {
            Refusal::new(
                Setting::Reviewed,
                Cause::File,
                format!("cannot be read: {e}"),
            )
            .with_value(&file)
        })?;
        let mut reviews = Reviews {
            verdicts: BTreeMap::new(),
            file,
        };
        for (number, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let line_number = number + 1;
            reviews.add_line(line, line_number).map_err(|why| {
                Refusal::of_input(format!("{}:{line_number}: {why}", reviews.file))
            })?;
        }
        Ok(reviews)
    }

    fn add_line(&mut self, line: &str, number: usize) -> Result<(), String> {
        let line: ReviewLine =
            serde_json::from_str(line).map_err(|e| format!("not a reviewed pair: {e}"))?;
        let Some(side) = line.parse_side()? else {
            return Ok(());
        };
        let (pair, swapped) = ReviewedPair::in_order(line.item, line.a, line.b);
        let side = if swapped { side.swapped() } else { side };
        let review = Review { side, line: number };
        match self.verdicts.insert(pair, review) {
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
            return Err(Refusal::new(Setting::Reviewed, Cause::Data, why).into());
        }
        Ok(self.check_names(job)?)
    }

    /// Refuses verdicts on items or systems that are not judged: a misspelt name would do nothing,
    /// and nobody would notice.
    fn check_names(&self, job: &Job) -> Result<(), Refusal> {
        let known = KnownNames::of(job);
        let unknown = self.verdicts.iter().filter_map(|(pair, review)| {
            let name = known.find_unknown(pair)?;
            Some((review.line, name))
        });
        let unknown: Vec<(usize, String)> = unknown.collect();
        let Some((line, name)) = unknown.iter().min() else {
            return Ok(());
        };
        let reason = format!(
            "there is no {name} in what is judged ({} of {} reviewed pairs are of other data); \
             correct the name, or take those lines out",
            unknown.len(),
            self.verdicts.len()
        );
        let place = format!("{}:{line}", self.file);
        Err(Refusal::new(Setting::Reviewed, Cause::Data, reason).with_value(place))
    }

    /// Puts a person's verdict in place of the judge's, where there is one.
    pub fn apply(&self, judgment: &mut Judgment, item: &Item, responses: &[Response]) {
        let [first, second] = responses else { return };
        let (first, second) = (first.system.to_string(), second.system.to_string());
        let (pair, swapped) = ReviewedPair::in_order(item.id.clone(), first, second);
        let Some(Review { side, .. }) = self.verdicts.get(&pair) else {
            return;
        };
        let preference = match if swapped { side.swapped() } else { *side } {
            Side::First => [1.0, 0.0, 0.0],
            Side::Tie => [0.0, 1.0, 0.0],
            Side::Second => [0.0, 0.0, 1.0],
        };
        judgment.outcome = Ok(Verdict::pair(preference, 0.0, VerdictSource::Person));
    }
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
        if !self.items.contains(pair.item.as_str()) {
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
