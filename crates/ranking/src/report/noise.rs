//! The noise floor of a run: by how much two identical systems would seem to differ in it.

use crate::{Collected, chosen_percent};
use evenhand_core::{Clusters, items_in_words};
use evenhand_stats::{Comparison, Error, Noise, PairLead, noise_of_leads, noise_of_scores};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// On fewer questions than these nothing is said of noise: its own estimate would be noise.
const FEW: usize = 10;

/// What a difference of two systems is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DifferenceUnit {
    /// Hundredths of the share of comparisons won, ties half: 55 % is 5 points from even.
    #[serde(rename = "points of win rate")]
    WinRate,
    /// Points of the scores, as the judge gave them.
    #[serde(rename = "points of the scores")]
    Score,
}

impl DifferenceUnit {
    /// Returns what a lead of 1, the share won less the share lost, or a score of 1 is in it.
    pub fn factor(self) -> f64 {
        match self {
            DifferenceUnit::WinRate => 50.0,
            DifferenceUnit::Score => 1.0,
        }
    }

    /// Writes a difference in it, without the unit.
    pub fn show(self, difference: f64) -> String {
        match self {
            DifferenceUnit::WinRate => format!("{difference:.1}"),
            DifferenceUnit::Score if difference.abs() < 0.1 => format!("{difference:.3}"),
            DifferenceUnit::Score => format!("{difference:.2}"),
        }
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            DifferenceUnit::WinRate => "points of win rate",
            DifferenceUnit::Score => "points of the scores",
        }
    }
}

/// How far two identical systems would seem apart, compared head to head on the items of a run as
/// it was judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseFloor {
    /// The difference, in `unit`.
    pub points: f64,
    /// What it is in.
    pub unit: DifferenceUnit,
    /// The chance to stay below.
    pub level: f64,
    /// On so many items.
    pub items: usize,
    /// Which ask so many questions.
    pub questions: usize,
}

impl NoiseFloor {
    /// Returns the noise floor of scores, or of comparisons where there are none; None on fewer
    /// than 10 questions, and where nothing varies.
    pub(crate) fn of_collected(
        collected: &Collected,
        clusters: &Clusters,
        systems: usize,
        level: f64,
    ) -> Option<NoiseFloor> {
        if !collected.scores.is_empty() {
            let found =
                noise_of_scores(systems, &collected.scores, |item| clusters.of(item), level);
            return NoiseFloor::new(found, DifferenceUnit::Score, level);
        }
        NoiseFloor::of_comparisons(|| collected.comparisons.rows(), clusters, level)
    }

    /// Returns the noise floor of comparisons, which `rows` gives in the same order each time:
    /// those that were made, or those that scores imply, where a ranking is made of these.
    pub(crate) fn of_comparisons<Rows: Iterator<Item = Comparison>>(
        rows: impl Fn() -> Rows,
        clusters: &Clusters,
        level: f64,
    ) -> Option<NoiseFloor> {
        let leads = || {
            rows().filter_map(|row| {
                let games = row.wins_a + row.ties + row.wins_b;
                let (low, high) = (row.a.min(row.b), row.a.max(row.b));
                let lead = (row.wins_a - row.wins_b) / games;
                (games > 0.0).then(|| PairLead {
                    pair: u32::from(low) << 16 | u32::from(high),
                    item: row.item,
                    question: clusters.of(row.item),
                    // By how much the system of the lower number won.
                    lead: if row.a == low { lead } else { -lead },
                })
            })
        };
        let found = noise_of_leads(leads, level);
        NoiseFloor::new(found, DifferenceUnit::WinRate, level)
    }

    /// Returns what was found, in its unit; None where it is undefined or on too few items.
    pub fn new(
        found: Result<Noise, Error>,
        unit: DifferenceUnit,
        level: f64,
    ) -> Option<NoiseFloor> {
        let found = found.ok().filter(|found| found.questions >= FEW)?;
        Some(NoiseFloor {
            points: unit.factor() * found.difference,
            unit,
            level,
            items: found.items,
            questions: found.questions,
        })
    }

    /// Says that so many items ask too few questions for a noise floor; None where they are enough.
    pub fn too_few(items: u64, questions: u64) -> Option<String> {
        let text = items_in_words(items, questions);
        let are = if items == 1 { "is" } else { "are" };
        (questions < FEW as u64).then(|| {
            format!(
                "{text} {are} too few to say by how much two identical systems would seem to \
                 differ; it takes {FEW}"
            )
        })
    }

    /// Says it: "two identical systems would seem to differ by up to 13.2 points of win rate (95 %)
    /// on 90 items of 15 questions, judged as here".
    pub fn sentence(&self) -> String {
        let (size, unit) = (self.unit.show(self.points), self.unit.name());
        let level = chosen_percent(self.level);
        let items = items_in_words(self.items as u64, self.questions as u64);
        format!(
            "two identical systems would seem to differ by up to {size} {unit} ({level} %) on \
             {items}, judged as here"
        )
    }
}
