//! Which system of a ranking is which of the reference.

use super::source::open_decompressed;
use evenhand_core::Setting;
use evenhand_engine::EngineError;
use evenhand_formats::records::{Input, read_objects};
use serde_json::Value;
use std::path::Path;

/// Names of systems in several vocabularies: each group holds the names of one system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(Vec<Vec<String>>);

/// Which system of one side is which of the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Matching {
    /// Positions in the ranking and in the reference, in the order of the names in the reference.
    pub(super) pairs: Vec<(usize, usize)>,
    /// Systems of the ranking without a partner.
    pub(super) ranking: Vec<String>,
    /// Systems of the reference without one.
    pub(super) reference: Vec<String>,
}

impl Names {
    /// Reads a table, each of whose rows holds the names of one system in any columns.
    ///
    /// # Errors
    /// A file that cannot be read or is no table.
    pub fn read(path: &Path) -> Result<Names, EngineError> {
        let mut groups = Vec::new();
        let name = path.display().to_string();
        let file = open_decompressed(path)?;
        read_objects(
            file,
            &Input::new(&name),
            |record, _| -> Result<(), EngineError> {
                groups.push(names_in(&record));
                Ok(())
            },
        )?;
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
        let mut partners = Partners::new(reference);
        for (place, name) in ranking.iter().enumerate() {
            let Some(partner) = self.partner_of(name, reference)? else {
                partners.alone.push(place);
                continue;
            };
            if let Some(other) = partners.taken[partner].replace(place) {
                return Err(ambiguous_name(reference[partner], ranking[other], name));
            }
        }
        Ok(partners.matching(ranking))
    }

    fn partner_of(&self, name: &str, reference: &[&str]) -> Result<Option<usize>, EngineError> {
        if let Some(same) = reference.iter().position(|other| *other == name) {
            return Ok(Some(same));
        }
        let all = (0..reference.len()).filter(|&place| self.are_one(name, reference[place]));
        match all.collect::<Vec<_>>()[..] {
            [] => Ok(None),
            [one] => Ok(Some(one)),
            [one, two, ..] => Err(ambiguous_name(name, reference[one], reference[two])),
        }
    }

    /// Whether a row holds both names.
    fn are_one(&self, name: &str, other: &str) -> bool {
        let has = |group: &[String], name: &str| group.iter().any(|known| known == name);
        self.0
            .iter()
            .any(|group| has(group, name) && has(group, other))
    }
}

/// The partners that were found so far.
struct Partners<'a> {
    reference: &'a [&'a str],
    /// By place in the reference, the place in the ranking.
    taken: Vec<Option<usize>>,
    /// Places in the ranking without a partner.
    alone: Vec<usize>,
}

impl<'a> Partners<'a> {
    fn new(reference: &'a [&'a str]) -> Partners<'a> {
        Partners {
            reference,
            taken: vec![None; reference.len()],
            alone: Vec::new(),
        }
    }

    fn matching(&self, ranking: &[&str]) -> Matching {
        let alone = self.alone.iter();
        Matching {
            pairs: self.pairs_by_name(),
            ranking: alone.map(|&place| ranking[place].to_string()).collect(),
            reference: self.reference_alone(),
        }
    }

    fn pairs_by_name(&self) -> Vec<(usize, usize)> {
        let mut order: Vec<usize> = (0..self.reference.len()).collect();
        order.sort_by_key(|&place| self.reference[place]);
        let pairs = order.into_iter();
        pairs
            .filter_map(|place| Some((self.taken[place]?, place)))
            .collect()
    }

    fn reference_alone(&self) -> Vec<String> {
        let systems = self.reference.iter().zip(&self.taken);
        systems
            .filter(|(_, taken)| taken.is_none())
            .map(|(name, _)| name.to_string())
            .collect()
    }
}

/// Returns all texts of a record, without white space around them.
fn names_in(record: &Value) -> Vec<String> {
    let fields = record
        .as_object()
        .into_iter()
        .flat_map(|object| object.values());
    let names = fields.filter_map(Value::as_str).map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(String::from)
        .collect()
}

fn ambiguous_name(name: &str, one: &str, two: &str) -> EngineError {
    EngineError::Setting(format!(
        "{}: {name} could be {one} or {two}; expected each system in one row",
        Setting::Names
    ))
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
            (found.ranking, found.reference),
            (vec!["other".to_string()], vec!["Llama".to_string()])
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
