//! How far annotators agree with each other and with the judge.

use super::Review;
use super::queue::names_of;
use super::ranking::CorrectedRanking;
use super::votes::{Votes, number_pair};
use crate::answer::{Answer, Json};
use evenhand_core::Side;
use evenhand_stats::{Confusion, Error, Measurement, preference_alpha, preference_kappa};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Pairs to decide that are listed.
const MOST_LISTED: usize = 1000;

/// What was said, and how far it agrees.
#[derive(Serialize)]
struct Summary {
    labels: usize,
    pairs: usize,
    skipped: usize,
    disagreements: usize,
    adjudicated: usize,
    annotators: Vec<AnnotatorRow>,
    agreement: AgreementOfAll,
    /// What was decided of a pair, else the outcome with more votes than each other (a tie where
    /// none has), against the mean of the judge's verdicts in both orders, over the pairs that have
    /// one: `accuracy_averaged` and `kappa_averaged` of `meta judge`.
    judge: Agreement,
    #[serde(flatten)]
    ranking: CorrectedRanking,
}

#[derive(Default, Serialize)]
struct AnnotatorRow {
    annotator: String,
    labels: usize,
    skipped: usize,
    ties: usize,
    both_bad: usize,
}

/// How far all annotators agree.
#[derive(Serialize)]
struct AgreementOfAll {
    /// Krippendorff's alpha of the three outcomes, each label counted for both systems: that of
    /// `meta people`.
    alpha: Option<f64>,
    note: Option<String>,
    /// Pairs with two labels or more.
    units: usize,
    kappas: Vec<PairOfAnnotators>,
}

#[derive(Serialize)]
struct PairOfAnnotators {
    a: String,
    b: String,
    #[serde(flatten)]
    agreement: Agreement,
}

/// How far two agree on what both have said.
#[derive(Serialize)]
struct Agreement {
    n: usize,
    /// The share of equal labels.
    agree: Option<f64>,
    /// Cohen's kappa, each label counted for both systems.
    kappa: Option<f64>,
    note: Option<String>,
}

impl Review<'_> {
    /// Sums what was said, and how far it agrees.
    pub(crate) fn summary(&self) -> Answer {
        let votes = Votes::of(self.book);
        let pairs = votes.0.values();
        let mut annotators = BTreeMap::<&str, AnnotatorRow>::new();
        for label in self.book.labels().chain(self.book.skipped()) {
            let row = annotators.entry(&label.annotator).or_default();
            row.annotator.clone_from(&label.annotator);
            row.labels += usize::from(label.preferred.is_some());
            row.skipped += usize::from(label.preferred.is_none());
            row.ties += usize::from(label.preferred == Some(Side::Tie));
            row.both_bad += usize::from(label.both_bad);
        }
        // What people and the judge say of each labelled pair.
        let beside_judge: Vec<[Side; 2]> = votes
            .0
            .iter()
            .filter_map(|(pair, said)| Some([said.verdict(), self.judged(*pair)?]))
            .collect();
        Json::of(&Summary {
            labels: self.book.labels().count(),
            pairs: votes.0.len(),
            skipped: self.book.skipped().count(),
            disagreements: pairs.clone().filter(|pair| pair.disagree()).count(),
            adjudicated: pairs
                .filter(|pair| pair.disagree() && pair.decided.is_some())
                .count(),
            annotators: annotators.into_values().collect(),
            agreement: measure_all(&votes),
            judge: Agreement::of(&beside_judge),
            ranking: self.rank_corrected(&votes),
        })
    }

    /// Lists the pairs whose annotators disagree, with their systems and who said what: for the
    /// owner of the run, not for who sees the review alone.
    pub(crate) fn disagreements(&self) -> Answer {
        let index = self.run.index();
        let votes = Votes::of(self.book);
        let disputed = votes.disputed(index);
        let rows = self.queues.random.iter();
        let rows = rows
            .filter(|row| disputed.contains(&row.pair))
            .take(MOST_LISTED);
        let mut listed = Vec::new();
        for row in rows {
            let shown = self.run.row(row.row)?;
            let [item, a, b] = names_of(index, row.pair);
            listed.push(json!({
                "id": shown.id.to_string(), "item": item, "excerpt": shown.excerpt,
                "a": a, "b": b, "said": votes.said_of([item, a, b]),
            }));
        }
        Json::of(&json!({ "disagreements": Value::Array(listed) }))
    }

    /// Returns what the judge says of the first system of a pair.
    fn judged(&self, pair: [&str; 3]) -> Option<Side> {
        let index = self.run.index();
        let number = number_pair(pair, index)?;
        let row = index.find_pair(number[0], [number[1], number[2]], 0)?;
        let outcome = index.facts(row).outcome?;
        let is_first = names_of(index, number)[1] == pair[1];
        Some(if is_first { outcome } else { outcome.swapped() })
    }
}

fn measure_all(votes: &Votes<'_>) -> AgreementOfAll {
    let mut units: Vec<Vec<Option<f64>>> = Vec::new();
    for pair in votes.0.values() {
        let said = pair.by.values();
        let unit = said.map(|said| Some(2.0 * said.share_of_first() - 1.0));
        units.push(unit.collect());
    }
    let alpha = preference_alpha(&units, Measurement::Nominal);
    AgreementOfAll {
        units: units.iter().filter(|unit| unit.len() > 1).count(),
        note: alpha.as_ref().err().map(Error::to_string),
        alpha: alpha.ok().map(|alpha| alpha.value),
        kappas: measure_pairs(votes),
    }
}

/// Compares each two annotators on the pairs that both have labelled.
fn measure_pairs(votes: &Votes<'_>) -> Vec<PairOfAnnotators> {
    let mut shared = BTreeMap::<[&str; 2], Vec<[Side; 2]>>::new();
    for pair in votes.0.values() {
        for (a, said_a) in &pair.by {
            for (b, said_b) in pair
                .by
                .range::<str, _>((std::ops::Bound::Excluded(*a), std::ops::Bound::Unbounded))
            {
                shared.entry([a, b]).or_default().push([*said_a, *said_b]);
            }
        }
    }
    let pairs = shared.into_iter().map(|([a, b], both)| PairOfAnnotators {
        a: a.into(),
        b: b.into(),
        agreement: Agreement::of(&both),
    });
    pairs.collect()
}

impl Agreement {
    fn of(both: &[[Side; 2]]) -> Agreement {
        let equal = both.iter().filter(|[one, other]| one == other).count();
        let [one, other] = [0, 1].map(|side| {
            let said = both.iter().map(|said| said[side] as usize);
            said.collect::<Vec<usize>>()
        });
        let table = Confusion::of_labels(&one, &other, 3);
        let kappa = table.and_then(|table| preference_kappa(&table));
        Agreement {
            n: both.len(),
            agree: (!both.is_empty()).then(|| equal as f64 / both.len() as f64),
            note: kappa.as_ref().err().map(Error::to_string),
            kappa: kappa.ok().map(|kappa| kappa.value),
        }
    }
}
