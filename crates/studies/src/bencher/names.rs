//! Which system of a ranking is which of the reference.

use super::Unmatched;
use super::source::open_decompressed;
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_formats::records::{Input, Place, read_objects};
use serde_json::{Map, Value};
use std::path::Path;

/// Names of systems in several vocabularies: each group holds the names of one system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(Vec<Vec<String>>);

/// Which system of one side is which of the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Matching {
    /// Positions in the ranking and in the reference, in the order of the names in the reference.
    pub(super) pairs: Vec<(usize, usize)>,
    /// Systems without a partner.
    pub(super) unmatched: Unmatched,
}

impl Names {
    /// Reads a table, each of whose rows holds the names of one system in any columns.
    ///
    /// # Errors
    /// A file that cannot be read or is no table.
    pub fn read(path: &Path) -> Result<Names, EngineError> {
        let mut groups = Vec::new();
        let add_row = |record: Value, _: &Place| -> Result<(), EngineError> {
            let fields = record.as_object().into_iter().flat_map(Map::values);
            let names = fields.filter_map(Value::as_str).map(str::trim);
            let names = names.filter(|name| !name.is_empty());
            groups.push(names.map(String::from).collect());
            Ok(())
        };
        let name = path.display().to_string();
        read_objects(open_decompressed(path)?, &Input::new(&name), add_row)?;
        Ok(Names(groups))
    }

    /// Pairs the systems of a ranking with those of a reference: by the same name, else by a row
    /// with both names.
    ///
    /// # Errors
    /// A system that could be two others.
    pub(super) fn pair(
        &self,
        ranking: &[&str],
        reference: &[&str],
    ) -> Result<Matching, EngineError> {
        // By place in the reference, the place in the ranking.
        let mut taken: Vec<Option<usize>> = vec![None; reference.len()];
        let mut alone = Vec::new();
        for (place, name) in ranking.iter().enumerate() {
            let Some(partner) = self.partner_of(name, reference)? else {
                alone.push(name.to_string());
                continue;
            };
            if let Some(other) = taken[partner].replace(place) {
                return Err(ambiguous_name(reference[partner], ranking[other], name).into());
            }
        }
        let mut order: Vec<usize> = (0..reference.len()).collect();
        order.sort_by_key(|&place| reference[place]);
        let left = reference.iter().zip(&taken);
        let left = left.filter(|(_, taken)| taken.is_none());
        Ok(Matching {
            unmatched: Unmatched {
                ranking: alone,
                reference: left.map(|(name, _)| name.to_string()).collect(),
            },
            pairs: order
                .into_iter()
                .filter_map(|place| Some((taken[place]?, place)))
                .collect(),
        })
    }

    fn partner_of(&self, name: &str, reference: &[&str]) -> Result<Option<usize>, Refusal> {
        let same = reference.iter().position(|other| *other == name);
        if same.is_some() {
            return Ok(same);
        }
        let has = |row: &[String], name: &str| row.iter().any(|known| known == name);
        let is_one = |other: &str| self.0.iter().any(|row| has(row, name) && has(row, other));
        let mut all: Vec<usize> = (0..reference.len()).collect();
        all.retain(|place| is_one(reference[*place]));
        match all[..] {
            [] => Ok(None),
            [one] => Ok(Some(one)),
            [one, two, ..] => Err(ambiguous_name(name, reference[one], reference[two])),
        }
    }
}

fn ambiguous_name(name: &str, one: &str, two: &str) -> Refusal {
    let reason = format!("{name} could be {one} or {two}; expected each system in one row");
    Refusal::new(Setting::Names, Cause::Data, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(groups: &[&[&str]]) -> Names {
        Names(
            groups
                .iter()
                .map(|group| group.iter().map(|name| name.to_string()).collect())
                .collect(),
        )
    }

    #[test]
    fn the_same_name_or_a_row_with_both() {
        let names = names(&[
            &["Claude 3", "claude-3", "yes"],
            &["gpt", "GPT", "yes"],
            &["none", "yes"],
        ]);
        let found = names
            .pair(&["gpt", "claude-3", "other"], &["Claude 3", "Llama", "GPT"])
            .unwrap();
        assert_eq!(found.pairs, [(1, 0), (0, 2)]);
        assert_eq!(
            found.unmatched,
            Unmatched {
                ranking: vec!["other".to_string()],
                reference: vec!["Llama".to_string()]
            }
        );
    }

    #[test]
    fn nobody_is_two() {
        let names = names(&[&["a", "A"], &["a", "AA"], &["b", "A"]]);
        let text = |ranking: &[&str]| names.pair(ranking, &["A", "AA"]).unwrap_err().to_string();
        assert_eq!(
            text(&["a"]),
            "`names`: a could be A or AA; expected each system in one row"
        );
        assert_eq!(
            text(&["A", "b"]),
            "`names`: A could be A or b; expected each system in one row"
        );
    }
}
