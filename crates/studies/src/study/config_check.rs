//! What a study's file cannot ask for together.

use super::config::{Config, Recorded};
use evenhand_ranking::check_level;
use std::ops::RangeInclusive;

/// Nothing, or why the file is refused.
type Checked = Result<(), String>;

/// An interval needs two rounds; more than a million take hours.
const ROUNDS: RangeInclusive<usize> = 2..=1_000_000;

/// More repeats of every pair are a slip.
const REPEATS: RangeInclusive<u32> = 1..=1000;

/// Longer names make no directory on common file systems.
const LONGEST_NAME: usize = 200;

const NO_RATINGS: &str = "inputs and recorded judgments of them are compared with people's \
                          ratings: expected [ratings] with file = \"...\"";

const NO_JUDGES: &str = "input sets are judged live: expected [judges.NAME] with spec = \"...\", \
                         and types = [\"pairwise\", ...]";

const NOTHING: &str = "nothing to study: expected [inputs.NAME], [labelled.NAME], \
                       [unlabelled.NAME] or [[recorded]]";

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
        self.check_inputs()?;
        for recorded in &self.recorded {
            self.check_recorded(recorded)
                .map_err(|why| format!("[[recorded]] on {}: {why}", recorded.input))?;
        }
        self.check_labelled()?;
        self.check_unlabelled()?;
        self.check_totals()?;
        self.aggregations().map(|_| ())
    }

    fn check_totals(&self) -> Checked {
        for (name, sets) in &self.totals {
            if self.labelled.contains_key(name) {
                return Err(format!(
                    "[totals] {name}: an input set has this name; expected another"
                ));
            }
            if let Some(set) = sets.iter().find(|set| !self.labelled.contains_key(*set)) {
                return Err(format!(
                    "[totals] {name}: {set} is not a labelled input set; expected names of \
                     [labelled.NAME]"
                ));
            }
        }
        Ok(())
    }

    fn check_numbers(&self) -> Checked {
        let level = self.level;
        check_level(level)
            .map_err(|_| format!("level {level}: expected a number strictly between 0 and 1"))?;
        let rounds = [self.rounds, self.share_rounds, self.budget_rounds];
        if !rounds.iter().all(|rounds| ROUNDS.contains(rounds)) {
            return Err("rounds: expected 2 to 1000000".into());
        }
        let own = self.labelled.values().filter_map(|set| set.repeats);
        if !own
            .chain([self.repeats])
            .all(|repeats| REPEATS.contains(&repeats))
        {
            return Err("repeats: expected 1 to 1000".into());
        }
        if !self
            .shares
            .iter()
            .all(|share| *share > 0.0 && *share <= 1.0)
        {
            return Err("shares: expected numbers above 0 and up to 1".into());
        }
        Ok(())
    }

    fn check_sets(&self) -> Checked {
        let has_rated = !self.inputs.is_empty() || self.rated().next().is_some();
        let lacks_judges = self.judges.is_empty() || self.types.is_empty();
        if self.ratings.is_none() && has_rated {
            Err(NO_RATINGS.into())
        } else if lacks_judges && self.has_live() {
            Err(NO_JUDGES.into())
        } else if self.inputs.is_empty()
            && self.labelled.is_empty()
            && self.unlabelled.is_empty()
            && self.recorded.is_empty()
        {
            Err(NOTHING.into())
        } else {
            Ok(())
        }
    }

    /// Refuses what only labelled sets have a use for.
    fn check_inputs(&self) -> Checked {
        for (name, input) in &self.inputs {
            if !input.labels.is_empty() {
                return Err(format!(
                    "[inputs.{name}] labels: they are for [labelled.NAME]; [inputs] are compared \
                     with ratings"
                ));
            }
            if input.votes.is_some() {
                return Err(format!(
                    "[inputs.{name}] votes: they are labels of pairs, for [labelled.NAME]"
                ));
            }
            if input.repeats.is_some() || input.by.is_some() {
                return Err(format!(
                    "[inputs.{name}] repeats, by: they are for [labelled.NAME], whose figures are \
                     of pairs"
                ));
            }
        }
        Ok(())
    }

    /// Checks baselines, and what only sets without labels have a use for.
    fn check_unlabelled(&self) -> Checked {
        let sets = || self.labelled.values().chain(self.unlabelled.values());
        for baseline in &self.baselines {
            let is_asked = |kinds: &[String]| kinds.contains(baseline);
            let recorded = self
                .recorded
                .iter()
                .any(|recorded| recorded.kind == *baseline);
            if !recorded && !sets().any(|set| is_asked(self.types_of(set))) {
                return Err(format!(
                    "baselines: {baseline} is not a type of a labelled or unlabelled input set; \
                     expected one of types, as it is written there"
                ));
            }
        }
        for (name, set) in self.inputs.iter().chain(&self.labelled) {
            if !set.pairs.is_empty() || set.gold.is_some() {
                return Err(format!(
                    "{name}: pairs, gold: they are for [unlabelled.NAME], whose pairs have no \
                     labels"
                ));
            }
        }
        for (name, set) in &self.unlabelled {
            let gold = set.gold.as_ref();
            if self.labelled.contains_key(name) || self.inputs.contains_key(name) {
                return Err(format!(
                    "[unlabelled.{name}] another input set has this name; expected different ones"
                ));
            }
            if let Some(gold) = gold.filter(|gold| !self.judges.contains_key(*gold)) {
                return Err(format!(
                    "[unlabelled.{name}] gold: {gold} is not a judge of this study; expected the \
                     name of one of [judges.NAME]"
                ));
            }
            if !set.labels.is_empty() || set.by.is_some() || set.optional {
                return Err(format!(
                    "[unlabelled.{name}] labels, by, optional: they are for [labelled.NAME]"
                ));
            }
        }
        Ok(())
    }

    /// Whether live judges are asked.
    pub(super) fn has_live(&self) -> bool {
        let has_pairs = !self.unlabelled.is_empty() || self.live_labelled().next().is_some();
        !self.inputs.is_empty() || has_pairs
    }

    /// Refuses what a recording of a labelled input set, or of a rated one, has no use for.
    fn check_recorded(&self, recorded: &Recorded) -> Result<(), &'static str> {
        if !self.labelled.contains_key(&recorded.input) {
            return match recorded.judge {
                Some(_) => Ok(()),
                None => Err("expected judge = \"...\", who judged"),
            };
        }
        if self.inputs.contains_key(&recorded.input) {
            Err("both [inputs] and [labelled] have this name; expected different ones")
        } else if recorded.systems.is_some() {
            Err("systems: a labelled input set is compared with its pairs")
        } else if recorded.cost_usd.is_some() {
            Err("cost-usd: it is for the cost of rankings")
        } else {
            Ok(())
        }
    }

    fn check_labelled(&self) -> Checked {
        for (name, set) in &self.labelled {
            let is_recorded = self.is_recorded(name);
            let selects_data = set.items.is_some()
                || set.systems.is_some()
                || set.map.is_some()
                || !set.filter.is_empty();
            if is_recorded && set.data.is_empty() && selects_data {
                return Err(format!(
                    "[labelled.{name}] items, systems, map and where: they are of its data; \
                     expected data = [\"PATH\", ...]"
                ));
            }
            if !is_recorded && !set.labels.is_empty() {
                return Err(format!(
                    "[labelled.{name}] labels: they are for recorded judges; expected \
                     [[recorded]] with input = \"{name}\""
                ));
            }
        }
        Ok(())
    }
}
