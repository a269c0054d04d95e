//! PandaLM (Wang et al. 2023): pairs with the labels of three people, and recorded verdicts of a
//! judge on them.
//!
//! The pairs name the systems; the verdicts only the pair. With the pairs alone the people are the
//! judges; with verdicts too, the judge of the verdicts is.

use super::builder::{Builder, Pair};
use super::own::{label_record, votes};
use super::row::Row;
use super::{Compared, Error, UNPARSED, unknown};
use crate::records::{Mapping, name_of_text};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

const VERDICTS: &str =
    "1 or 2 for the better response, 0 for a tie, or null where the judge gave none";

/// The pairs and the people's verdicts, until it is known whose verdicts are asked for.
#[derive(Default)]
pub(super) struct PandaLm {
    pairs: HashMap<String, Pair>,
    people: Vec<Compared>,
    annotators: Vec<String>,
    judged: bool,
    /// The pairs that a filter leaves out.
    left_out: HashSet<String>,
}

impl PandaLm {
    /// A pair with its labels. Pairs with the same instruction are the same item.
    pub(super) fn pair(
        &mut self,
        row: Row<'_>,
        position: u64,
        builder: &mut Builder,
    ) -> Result<(), Error> {
        let mapping = Mapping::exactly("item=idx,system_1=model_1,system_2=model_2,label=human")?;
        let (index, a, b, given) = label_record(row, position, &mapping)?;
        let pair = builder.pair(
            instruction(row).unwrap_or_else(|| index.clone()),
            a,
            b,
            row.place,
        )?;
        for annotator in given.iter().filter_map(|vote| vote.annotator.as_ref()) {
            if !self.annotators.contains(annotator) {
                self.annotators.push(annotator.clone());
            }
        }
        self.people.extend(votes(pair, &given));
        match self.pairs.insert(index.clone(), pair) {
            None => Ok(()),
            Some(_) => Err(Error::DuplicatePair {
                place: row.place.clone(),
                found: index,
            }),
        }
    }

    /// Leaves a pair out, and with it what is said of it.
    pub(super) fn leave_out(&mut self, row: Row<'_>) -> Result<(), Error> {
        self.left_out.insert(row.name("idx")?);
        Ok(())
    }

    /// A judge's verdict on a pair.
    pub(super) fn verdict(&mut self, row: Row<'_>, builder: &mut Builder) -> Result<(), Error> {
        let (place, index) = (row.place.clone(), row.name("idx")?);
        if self.left_out.contains(&index) {
            return Ok(());
        }
        if self.pairs.is_empty() {
            return Err(Error::NoPairs { place });
        }
        let pair = *self.pairs.get(&index).ok_or(Error::UnknownPair {
            place,
            found: index,
        })?;
        builder.judge(row.name_if_given("judge")?);
        self.judged = true;
        let (verdict, found) = (pair.verdict(), row.need("verdict", VERDICTS)?);
        match found.as_f64() {
            Some(1.0) => builder.compare(Compared {
                wins_a: 1.0,
                ..verdict
            }),
            Some(2.0) => builder.compare(Compared {
                wins_b: 1.0,
                ..verdict
            }),
            Some(0.0) => builder.compare(Compared {
                ties: 1.0,
                ..verdict
            }),
            None if found.is_null() => builder.fail(UNPARSED),
            _ => return Err(unknown(row, "verdict", found, VERDICTS)),
        }
        Ok(())
    }

    /// The people's verdicts count where there are no others.
    pub(super) fn finish(self, builder: &mut Builder) {
        if self.judged {
            return;
        }
        self.annotators
            .into_iter()
            .for_each(|annotator| builder.judge(Some(annotator)));
        self.people
            .into_iter()
            .for_each(|verdict| builder.compare(verdict));
    }
}

pub(super) fn instruction(row: Row<'_>) -> Option<String> {
    let text = |field| row.find(field).and_then(Value::as_str);
    let instruction = text("instruction")?;
    Some(name_of_text(&format!(
        "{instruction}\n\n{}",
        text("input").unwrap_or_default()
    )))
}
