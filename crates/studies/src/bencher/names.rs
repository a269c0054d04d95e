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
            groups.push(names_in(&record));
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
        let mut partners = Partners::new(self, ranking, reference);
        for place in 0..ranking.len() {
            partners.add(place)?;
        }
        Ok(partners.matching())
    }

    fn partner_of(&self, name: &str, reference: &[&str]) -> Result<Option<usize>, Refusal> {
        let same = reference.iter().position(|other| *other == name);
        match same {
            Some(_) => Ok(same),
            None => self.partner_by_row(name, reference),
        }
    }

    fn partner_by_row(&self, name: &str, reference: &[&str]) -> Result<Option<usize>, Refusal> {
        let all = (0..reference.len()).filter(|&place| self.are_one(name, reference[place]));
        match all.collect::<Vec<_>>()[..] {
            [] => Ok(None),
            [one] => Ok(Some(one)),
            [one, two, ..] => Err(ambiguous_name(name, reference[one], reference[two])),
        }
    }

    /// Whether a row holds both names.
    fn are_one(&self, name: &str, other: &str) -> bool {
        let mut rows = self.0.iter();
        rows.any(|row| has_name(row, name) && has_name(row, other))
    }
}

fn has_name(row: &[String], name: &str) -> bool {
    row.iter().any(|known| known == name)
}

/// The partners that were found so far.
struct Partners<'a> {
    names: &'a Names,
    ranking: &'a [&'a str],
    reference: &'a [&'a str],
    /// By place in the reference, the place in the ranking.
    taken: Vec<Option<usize>>,
    /// Places in the ranking without a partner.
    alone: Vec<usize>,
}

impl<'a> Partners<'a> {
    fn new(names: &'a Names, ranking: &'a [&'a str], reference: &'a [&'a str]) -> Partners<'a> {
        Partners {
            names,
            ranking,
            reference,
            taken: vec![None; reference.len()],
            alone: Vec::new(),
        }
    }

    /// Finds the partner of a system of the ranking.
    fn add(&mut self, place: usize) -> Result<(), Refusal> {
        match self.names.partner_of(self.ranking[place], self.reference)? {
            Some(partner) => self.take(partner, place)?,
            None => self.alone.push(place),
        }
        Ok(())
    }

    /// Gives a system of the reference to one of the ranking, unless another has it.
    fn take(&mut self, partner: usize, place: usize) -> Result<(), Refusal> {
        let [name, one] = [self.reference[partner], self.ranking[place]];
        match self.taken[partner].replace(place) {
            Some(other) => Err(ambiguous_name(name, self.ranking[other], one)),
            None => Ok(()),
        }
    }

    fn matching(&self) -> Matching {
        Matching {
            pairs: self.pairs_by_name(),
            unmatched: Unmatched {
                ranking: self.ranking_alone(),
                reference: self.reference_alone(),
            },
        }
    }

    fn ranking_alone(&self) -> Vec<String> {
        let alone = self.alone.iter();
        alone
            .map(|&place| self.ranking[place].to_string())
            .collect()
    }

    fn pairs_by_name(&self) -> Vec<(usize, usize)> {
        let mut order: Vec<usize> = (0..self.reference.len()).collect();
        order.sort_by_key(|&place| self.reference[place]);
        order
            .into_iter()
            .filter_map(|place| self.pair_at(place))
            .collect()
    }

    /// Returns a system of the reference with its partner.
    fn pair_at(&self, place: usize) -> Option<(usize, usize)> {
        Some((self.taken[place]?, place))
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
    let fields = record.as_object().into_iter().flat_map(Map::values);
    let names = fields.filter_map(Value::as_str).map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(String::from)
        .collect()
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
