//! What a study's file cannot ask for together.

use super::config::{Config, Input, Recorded};
use evenhand_engine::check_level;

/// Longer names make no directory on common file systems.
const LONGEST_NAME: usize = 200;

impl Config {
    /// Checks the name, which is part of a directory's under `runs/`, and stays there.
    pub(super) fn check_name(&self) -> Result<(), String> {
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
    pub(super) fn check(&self) -> Result<(), String> {
        self.check_numbers()?;
        self.check_sets()?;
        self.check_labels_of_inputs()?;
        for recorded in &self.recorded {
            self.check_recorded(recorded)
                .map_err(|why| format!("[[recorded]] on {}: {why}", recorded.input))?;
        }
        for (name, set) in &self.labelled {
            self.check_labelled(name, set)?;
        }
        self.check_totals()?;
        self.aggregations().map(|_| ())
    }

    fn check_totals(&self) -> Result<(), String> {
        for (name, sets) in &self.totals {
            if self.labelled.contains_key(name) {
                return Err(format!(
                    "[totals] {name}: an input set has this name; expected another"
                ));
            }
            self.check_total(sets)
                .map_err(|why| format!("[totals] {name}: {why}"))?;
        }
        Ok(())
    }

    fn check_total(&self, sets: &[String]) -> Result<(), String> {
        let is_unknown = |set: &&String| !self.labelled.contains_key(*set);
        match sets.iter().find(is_unknown) {
            Some(set) => Err(format!(
                "{set} is no labelled input set; expected names of [labelled.NAME]"
            )),
            None => Ok(()),
        }
    }

    fn check_numbers(&self) -> Result<(), String> {
        if check_level(self.level).is_err() {
            return Err(format!(
                "level {}: expected a number strictly between 0 and 1",
                self.level
            ));
        }
        self.check_rounds()?;
        let is_share = |share: &f64| *share > 0.0 && *share <= 1.0;
        if !self.shares.iter().all(is_share) {
            return Err("shares: expected numbers above 0 and up to 1".into());
        }
        Ok(())
    }

    fn check_rounds(&self) -> Result<(), String> {
        let mut rounds = [self.rounds, self.share_rounds, self.budget_rounds].into_iter();
        // An interval needs two rounds; more than a million take hours.
        if rounds.all(|rounds| (2..=1_000_000).contains(&rounds)) {
            return Ok(());
        }
        Err("rounds: expected 2 to 1000000".into())
    }

    fn check_sets(&self) -> Result<(), String> {
        let lacks_judges = self.judges.is_empty() || self.types.is_empty();
        let problem = if self.ratings.is_none() && self.has_rated() {
            "inputs and recorded judgments of them are held against people's ratings: expected \
             [ratings] with file = \"...\""
        } else if lacks_judges && self.has_live() {
            "input sets are judged live: expected [judges.NAME] with spec = \"...\", and types = \
             [\"pairwise\", ...]"
        } else if self.is_empty() {
            "nothing to study: expected [inputs.NAME], [labelled.NAME] or [[recorded]]"
        } else {
            return Ok(());
        };
        Err(problem.into())
    }

    fn has_rated(&self) -> bool {
        !self.inputs.is_empty() || self.rated().next().is_some()
    }

    fn has_live(&self) -> bool {
        !self.inputs.is_empty() || self.live_labelled().next().is_some()
    }

    fn is_empty(&self) -> bool {
        self.inputs.is_empty() && self.labelled.is_empty() && self.recorded.is_empty()
    }

    fn check_labels_of_inputs(&self) -> Result<(), String> {
        let mut inputs = self.inputs.iter();
        match inputs.find(|(_, input)| !input.labels.is_empty()) {
            Some((name, _)) => Err(format!(
                "[inputs.{name}] labels: they are for [labelled.NAME]; ratings are what [inputs] \
                 are held against"
            )),
            None => Ok(()),
        }
    }

    /// Refuses what a recording of a labelled input set, or of a rated one, has no use for.
    fn check_recorded(&self, recorded: &Recorded) -> Result<(), &'static str> {
        if self.labelled.contains_key(&recorded.input) {
            return self.check_recorded_labelled(recorded);
        }
        match recorded.judge {
            Some(_) => Ok(()),
            None => Err("expected judge = \"...\", who judged"),
        }
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

    fn check_labelled(&self, name: &str, set: &Input) -> Result<(), String> {
        let is_recorded = self.is_recorded(name);
        if is_recorded && set.data.is_empty() && selects_data(set) {
            return Err(format!(
                "[labelled.{name}] items, systems, map and where: they are of its data; \
                 expected data = [\"PATH\", ...]"
            ));
        }
        if !is_recorded && !set.labels.is_empty() {
            return Err(format!(
                "[labelled.{name}] labels: they are for recorded judges; expected [[recorded]] \
                 with input = \"{name}\""
            ));
        }
        Ok(())
    }
}

/// Whether an input set names a part of its data.
fn selects_data(set: &Input) -> bool {
    let has_selection = set.items.is_some() || set.systems.is_some();
    has_selection || set.map.is_some() || !set.filter.is_empty()
}
