//! What a study's file cannot ask for together.

use super::config::{Config, Input, Recorded};
use evenhand_engine::check_level;
use std::ops::RangeInclusive;

/// Nothing, or why the file is refused.
type Checked = Result<(), String>;

/// An interval needs two rounds; more than a million take hours.
const ROUNDS: RangeInclusive<usize> = 2..=1_000_000;

/// More repeats of every pair are a slip.
const REPEATS: RangeInclusive<u32> = 1..=1000;

/// Longer names make no directory on common file systems.
const LONGEST_NAME: usize = 200;

const NO_RATINGS: &str = "inputs and recorded judgments of them are held against people's ratings: \
                          expected [ratings] with file = \"...\"";

const NO_JUDGES: &str = "input sets are judged live: expected [judges.NAME] with spec = \"...\", and \
                         types = [\"pairwise\", ...]";

const NOTHING: &str = "nothing to study: expected [inputs.NAME], [labelled.NAME] or [[recorded]]";

impl Config {
    /// Checks the name, which is part of a directory's under `runs/`, and stays there.
    pub(super) fn check_name(&self) -> Checked {
        let name = self.name.as_deref().unwrap_or_default();
        let is_bad = |c: char| c.is_control() || "/\\:".contains(c);
        if name.is_empty() || name.contains(is_bad) || name.len() > LONGEST_NAME {
            return Err(format!(
                "name {name:?}: it names a directory under runs/; expected at most {LONGEST_NAME} \
                 bytes without / \\ : and control characters"
            ));
        }
        Ok(())
    }

    /// Checks everything that needs no file but the study's own.
    pub(super) fn check(&self) -> Checked {
        self.check_numbers()?;
        self.check_sets()?;
        self.check_each_set()?;
        self.check_totals()?;
        self.aggregations().map(|_| ())
    }

    fn check_each_set(&self) -> Checked {
        self.check_labels_of_inputs()?;
        self.check_all_recorded()?;
        self.check_all_labelled()
    }

    fn check_all_recorded(&self) -> Checked {
        self.recorded.iter().try_for_each(|recorded| {
            let checked = self.check_recorded(recorded);
            checked.map_err(|why| format!("[[recorded]] on {}: {why}", recorded.input))
        })
    }

    fn check_all_labelled(&self) -> Checked {
        let mut sets = self.labelled.iter();
        sets.try_for_each(|(name, set)| self.check_labelled(name, set))
    }

    fn check_totals(&self) -> Checked {
        let mut totals = self.totals.iter();
        totals.try_for_each(|(name, sets)| {
            self.check_total(name, sets)
                .map_err(|why| format!("[totals] {name}: {why}"))
        })
    }

    fn check_total(&self, name: &str, sets: &[String]) -> Checked {
        if self.labelled.contains_key(name) {
            return Err("an input set has this name; expected another".into());
        }
        let mut unknown = sets.iter().filter(|set| !self.labelled.contains_key(*set));
        unknown.next().map_or(Ok(()), |set| Err(unknown_set(set)))
    }

    fn check_numbers(&self) -> Checked {
        check_level(self.level).map_err(|_| bad_level(self.level))?;
        self.check_rounds()?;
        self.check_repeats()?;
        self.check_shares()
    }

    fn check_repeats(&self) -> Checked {
        let own = self.labelled.values().filter_map(|set| set.repeats);
        let mut all = own.chain([self.repeats]);
        let checked = all.all(|repeats| REPEATS.contains(&repeats)).then_some(());
        checked.ok_or("repeats: expected 1 to 1000".into())
    }

    fn check_shares(&self) -> Checked {
        let is_share = |share: &f64| *share > 0.0 && *share <= 1.0;
        let checked = self.shares.iter().all(is_share).then_some(());
        checked.ok_or("shares: expected numbers above 0 and up to 1".into())
    }

    fn check_rounds(&self) -> Checked {
        let rounds = [self.rounds, self.share_rounds, self.budget_rounds];
        let are_usable = rounds.iter().all(|rounds| ROUNDS.contains(rounds));
        let checked = are_usable.then_some(());
        checked.ok_or("rounds: expected 2 to 1000000".into())
    }

    fn check_sets(&self) -> Checked {
        let lacks_judges = self.judges.is_empty() || self.types.is_empty();
        if self.ratings.is_none() && self.has_rated() {
            Err(NO_RATINGS.into())
        } else if lacks_judges && self.has_live() {
            Err(NO_JUDGES.into())
        } else if self.is_empty() {
            Err(NOTHING.into())
        } else {
            Ok(())
        }
    }

    fn has_rated(&self) -> bool {
        !self.inputs.is_empty() || self.rated().next().is_some()
    }

    /// Whether live judges are asked.
    pub(super) fn has_live(&self) -> bool {
        !self.inputs.is_empty() || self.live_labelled().next().is_some()
    }

    fn is_empty(&self) -> bool {
        self.inputs.is_empty() && self.labelled.is_empty() && self.recorded.is_empty()
    }

    /// Refuses what only labelled sets have a use for.
    fn check_labels_of_inputs(&self) -> Checked {
        for (name, input) in &self.inputs {
            if !input.labels.is_empty() {
                return Err(labels_of_input(name));
            }
            if input.repeats.is_some() || input.by.is_some() {
                return Err(repeats_of_input(name));
            }
        }
        Ok(())
    }

    /// Refuses what a recording of a labelled input set, or of a rated one, has no use for.
    fn check_recorded(&self, recorded: &Recorded) -> Result<(), &'static str> {
        if self.labelled.contains_key(&recorded.input) {
            return self.check_recorded_labelled(recorded);
        }
        let judge = recorded.judge.as_ref().map(|_| ());
        judge.ok_or("expected judge = \"...\", who judged")
    }

    fn check_recorded_labelled(&self, recorded: &Recorded) -> Result<(), &'static str> {
        if self.inputs.contains_key(&recorded.input) {
            Err("both [inputs] and [labelled] have this name; expected different ones")
        } else if recorded.systems.is_some() {
            Err("systems: a labelled input set is held against its pairs")
        } else if recorded.cost_usd.is_some() {
            Err("cost-usd: it is for the cost of rankings")
        } else {
            Ok(())
        }
    }

    fn check_labelled(&self, name: &str, set: &Input) -> Checked {
        let is_recorded = self.is_recorded(name);
        if is_recorded && set.data.is_empty() && selects_data(set) {
            Err(selection_without_data(name))
        } else if !is_recorded && !set.labels.is_empty() {
            Err(labels_without_recording(name))
        } else {
            Ok(())
        }
    }
}

fn bad_level(level: f64) -> String {
    format!("level {level}: expected a number strictly between 0 and 1")
}

fn labels_of_input(name: &str) -> String {
    format!(
        "[inputs.{name}] labels: they are for [labelled.NAME]; ratings are what [inputs] are held \
         against"
    )
}

fn repeats_of_input(name: &str) -> String {
    format!("[inputs.{name}] repeats, by: they are for [labelled.NAME], whose figures are of pairs")
}

fn unknown_set(set: &str) -> String {
    format!("{set} is no labelled input set; expected names of [labelled.NAME]")
}

fn selection_without_data(name: &str) -> String {
    format!(
        "[labelled.{name}] items, systems, map and where: they are of its data; expected data = \
         [\"PATH\", ...]"
    )
}

fn labels_without_recording(name: &str) -> String {
    format!(
        "[labelled.{name}] labels: they are for recorded judges; expected [[recorded]] with input \
         = \"{name}\""
    )
}

/// Whether an input set names a part of its data.
fn selects_data(set: &Input) -> bool {
    let has_selection = set.items.is_some() || set.systems.is_some();
    has_selection || set.map.is_some() || !set.filter.is_empty()
}
