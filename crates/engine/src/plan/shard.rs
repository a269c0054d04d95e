//! A part of a job, for one of several machines.

use crate::{Design, Job};
use evenhand_core::{Cause, Refusal, Setting};
use std::fmt;
use std::str::FromStr;

/// The name of the shard in a run's manifest.
pub(crate) const MANIFEST_KEY: &str = "shard";

/// One of so many parts of a job's items.
///
/// All items of one question are of one shard, so that no two shards ask the same and each counts
/// whole questions. The trials of a shard have the numbers that they have in the whole plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    part: u32,
    of: u32,
}

impl Shard {
    /// Which part it is, from 1.
    pub fn part(self) -> u32 {
        self.part
    }

    /// How many parts there are.
    pub fn of(self) -> u32 {
        self.of
    }

    /// Whether the items of this question are of this part.
    pub(crate) fn holds(self, question: u32) -> bool {
        question % self.of == self.part - 1
    }

    /// Returns all parts of so many.
    pub fn all(of: u32) -> impl Iterator<Item = Shard> {
        (1..=of).map(move |part| Shard { part, of })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text
            .split_once('/')
            .and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((part, of)) if (1..=of).contains(&part) => Ok(Shard { part, of }),
            _ => Err("expected PART/OF, such as 1/4, 2/4, 3/4 and 4/4 for four machines".into()),
        }
    }
}

impl Job {
    /// Leaves the trials of one shard alone, whose runs `merge` puts together.
    ///
    /// # Errors
    /// A design that chooses as it goes, whose choices rest on all judgments; more shards than
    /// questions.
    pub fn of_shard(self, shard: Shard) -> Result<Job, Refusal> {
        if self.design.chooses() || matches!(self.design, Design::Tournament(_)) {
            let reason = format!(
                "{} {} chooses what is judged next by all earlier judgments, but a shard knows \
                 only its own part; choose another design",
                Setting::Design,
                self.design
            );
            let conflict = Cause::Conflict(Setting::Design);
            return Err(Refusal::new(Setting::Shard, conflict, reason).with_value(shard));
        }
        let questions = self.clusters.numbers().iter();
        let is_kept = questions.map(|question| shard.holds(*question));
        let plan = self.plan.only(is_kept.collect());
        if plan.is_empty() {
            let count = self.clusters.count();
            let reason = format!("nothing is left for it: the data have {count} questions");
            return Err(Refusal::new(Setting::Shard, Cause::Data, reason).with_value(shard));
        }
        Ok(Job {
            plan,
            shard: Some(shard),
            ..self
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_counted_from_one() {
        let shard: Shard = "2/4".parse().unwrap();
        assert_eq!((shard.part(), shard.of()), (2, 4));
        assert_eq!(shard.to_string(), "2/4");
        for wrong in ["", "2", "0/4", "5/4", "1/0", "-1/4", "a/b", "1/4/2", " 1/4"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
