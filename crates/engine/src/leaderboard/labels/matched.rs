//! People's labels and a judge's verdicts, matched row by row.

use crate::leaderboard::gathered::KeptSystems;
use crate::leaderboard::recorded::share_of_first;
use crate::rank::counts::count_systems;
use evenhand_formats::judgments::{
    RecordedComparison, RecordedJudgments, RecordedScore, other_turn_name,
};
use evenhand_stats::prediction_powered::{Judged, JudgedPair, Labelled, LabelledPair};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An item and two systems, the lower number first; or an item and twice the same system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RowKey {
    item: u32,
    a: u16,
    b: u16,
}

/// One row that the judge has judged. Of a comparison, what is said is the outcome for the first
/// system, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MatchedRow {
    /// The item, or the number of the question that it asks.
    pub(super) item: u32,
    pub(super) a: u16,
    pub(super) b: u16,
    pub(super) judge: f64,
    pub(super) human: Option<f64>,
}

/// All rows that the judge has judged, each once, in the order of their items.
pub(super) struct MatchedRows {
    pub(super) all: Vec<MatchedRow>,
    /// Labelled rows that the judge has not judged.
    pub(super) unmatched: u64,
}

type RowsByKey = BTreeMap<RowKey, MatchedRow>;

/// Puts together what the judge and people say of the systems that are kept. Of several labels or
/// verdicts of one row the mean counts.
pub(super) fn match_rows(
    judged: &RecordedJudgments,
    people: &RecordedJudgments,
    kept: &KeptSystems,
    wanted: Option<&[String]>,
) -> MatchedRows {
    let mut rows = judged_rows(judged, kept);
    let numbers = NumbersOfPeople::find(judged, people, kept);
    let mut labels = mean_by_row(people);
    labels.retain(|key, _| !is_left_out(key, people, wanted));
    let mut unmatched = 0;
    for (key, human) in labels {
        let found = add_label(&mut rows, numbers.translate(key), human);
        unmatched += u64::from(found.is_none());
    }
    // From here on an item is what counts as one: the question that it asks.
    let clusters = judged.clusters();
    let rows = rows.into_values().map(|row| MatchedRow {
        item: clusters.of(row.item),
        ..row
    });
    MatchedRows {
        all: rows.collect(),
        unmatched,
    }
}

/// Adds a label to its row; None where the judge has not judged it.
fn add_label(rows: &mut RowsByKey, key: Option<RowKey>, human: f64) -> Option<()> {
    let row = rows.get_mut(&key?.in_order())?;
    row.human = Some(key?.points_in_order(human));
    Some(())
}

fn judged_rows(judged: &RecordedJudgments, kept: &KeptSystems) -> RowsByKey {
    let means = mean_by_row(judged).into_iter();
    let rows = means.filter_map(|(key, judge)| {
        let key = key.among(kept)?;
        Some((key, key.judged_row(judge)))
    });
    rows.collect()
}

/// Whether the user left out a system of a labelled row, which is then not missed.
fn is_left_out(key: &RowKey, people: &RecordedJudgments, wanted: Option<&[String]>) -> bool {
    let Some(wanted) = wanted else { return false };
    let mut systems = [key.a, key.b].into_iter();
    systems.any(|system| !wanted.contains(&people.systems[usize::from(system)]))
}

impl RowKey {
    fn of_comparison(row: &RecordedComparison) -> RowKey {
        RowKey {
            item: row.item,
            a: row.a,
            b: row.b,
        }
    }

    fn of_score(row: &RecordedScore) -> RowKey {
        RowKey {
            item: row.item,
            a: row.system,
            b: row.system,
        }
    }

    /// Returns the key by the numbers of the systems that are kept; None where one is not.
    fn among(self, kept: &KeptSystems) -> Option<RowKey> {
        let [a, b] = kept.numbers([self.a, self.b])?;
        Some(RowKey { a, b, ..self })
    }

    fn judged_row(self, judge: f64) -> MatchedRow {
        MatchedRow {
            item: self.item,
            a: self.a,
            b: self.b,
            judge,
            human: None,
        }
    }

    fn in_order(self) -> RowKey {
        RowKey {
            item: self.item,
            a: self.a.min(self.b),
            b: self.a.max(self.b),
        }
    }

    /// Turns the points of `a` into those of the lower system.
    fn points_in_order(self, points: f64) -> f64 {
        if self.a > self.b {
            1.0 - points
        } else {
            points
        }
    }
}

/// The numbers that the judge's files have for the items and systems of the labels.
struct NumbersOfPeople<'a> {
    items: Vec<Option<usize>>,
    systems: Vec<Option<usize>>,
    kept: &'a KeptSystems,
}

impl<'a> NumbersOfPeople<'a> {
    fn find(judged: &RecordedJudgments, people: &RecordedJudgments, kept: &'a KeptSystems) -> Self {
        NumbersOfPeople {
            items: places_of_names(&people.items, &judged.items),
            systems: places_of_names(&people.systems, &judged.systems),
            kept,
        }
    }

    /// Returns the key by the judge's numbers; None where the judge does not know one of them.
    fn translate(&self, key: RowKey) -> Option<RowKey> {
        Some(RowKey {
            item: u32::try_from(self.items[key.item as usize]?).ok()?,
            a: self.system(key.a)?,
            b: self.system(key.b)?,
        })
    }

    fn system(&self, system: u16) -> Option<u16> {
        let known = self.systems[usize::from(system)]?;
        self.kept.number(u16::try_from(known).ok()?)
    }
}

/// Returns where each name stands among those that are known. A question without a turn is its
/// first turn.
fn places_of_names(names: &[String], known: &[String]) -> Vec<Option<usize>> {
    let numbered = known.iter().enumerate();
    let places: PlacesByName = numbered.map(|(place, name)| (&**name, place)).collect();
    names.iter().map(|name| find_place(&places, name)).collect()
}

type PlacesByName<'a> = HashMap<&'a str, usize>;

fn find_place(places: &PlacesByName<'_>, name: &str) -> Option<usize> {
    places
        .get(name)
        .or_else(|| places.get(&*other_turn_name(name)))
        .copied()
}

/// Returns the mean of all that is said of each row.
fn mean_by_row(recorded: &RecordedJudgments) -> BTreeMap<RowKey, f64> {
    let means = sums_by_row(recorded).into_iter();
    means.map(|(key, mean)| (key, mean.mean())).collect()
}

fn sums_by_row(recorded: &RecordedJudgments) -> BTreeMap<RowKey, RunningMean> {
    let comparisons = recorded.comparisons.iter().map(points_of_comparison);
    let scores = recorded.scores.iter();
    let scores = scores.map(|row| (RowKey::of_score(row), row.score));
    let mut means = BTreeMap::<RowKey, RunningMean>::new();
    for (key, points) in comparisons.chain(scores) {
        means.entry(key).or_default().add(points);
    }
    means
}

/// Returns the key of a comparison, and the points of its lower system.
fn points_of_comparison(row: &RecordedComparison) -> (RowKey, f64) {
    let key = RowKey::of_comparison(row);
    let points = key.points_in_order(share_of_first(row));
    (key.in_order(), points)
}

#[derive(Default)]
struct RunningMean {
    sum: f64,
    count: f64,
}

impl RunningMean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1.0;
    }

    fn mean(&self) -> f64 {
        self.sum / self.count
    }
}

impl MatchedRows {
    /// Returns how many rows have a label.
    pub(super) fn matched(&self) -> u64 {
        self.labelled().count() as u64
    }

    fn labelled(&self) -> impl Iterator<Item = &MatchedRow> {
        self.all.iter().filter(|row| row.human.is_some())
    }

    /// Returns the rows of each system.
    pub(super) fn counts(&self, systems: usize) -> Vec<u64> {
        count_systems(systems, self.all.iter().flat_map(MatchedRow::systems))
    }

    /// Returns the items with a labelled row of each system.
    pub(super) fn label_clusters(&self, systems: usize) -> Vec<usize> {
        let mut counts = vec![0; systems];
        for (system, _) in self.labelled_items() {
            counts[usize::from(system)] += 1;
        }
        counts
    }

    /// The systems with the items of their labelled rows, each once.
    fn labelled_items(&self) -> BTreeSet<(u16, u32)> {
        self.labelled()
            .flat_map(|row| row.systems().map(|system| (system, row.item)))
            .collect()
    }

    /// Returns the comparisons with a label, and those without.
    pub(super) fn pairs(&self) -> (Vec<LabelledPair>, Vec<JudgedPair>) {
        let (mut labelled, mut judged) = (Vec::new(), Vec::new());
        for row in &self.all {
            match row.human {
                Some(human) => labelled.push(row.labelled_pair(human)),
                None => judged.push(row.judged_pair()),
            }
        }
        (labelled, judged)
    }

    /// Returns one system's scores, or its points of its comparisons, with a label and without.
    pub(super) fn points(&self, system: usize) -> (Vec<Labelled>, Vec<Judged>) {
        let (mut labelled, mut judged) = (Vec::new(), Vec::new());
        for row in self.all.iter().filter(|row| row.has_system(system)) {
            match row.human {
                Some(human) => labelled.push(row.labelled_points(system, human)),
                None => judged.push(row.judged_points(system)),
            }
        }
        (labelled, judged)
    }
}

impl MatchedRow {
    /// Returns the two systems of a comparison, or the one of a score.
    fn systems(&self) -> impl Iterator<Item = u16> + use<> {
        let other = Some(self.b).filter(|b| *b != self.a);
        [Some(self.a), other].into_iter().flatten()
    }

    fn has_system(&self, system: usize) -> bool {
        self.systems().any(|one| usize::from(one) == system)
    }

    fn labelled_pair(&self, human: f64) -> LabelledPair {
        LabelledPair {
            cluster: self.item,
            a: self.a,
            b: self.b,
            human,
            judge: self.judge,
        }
    }

    fn judged_pair(&self) -> JudgedPair {
        JudgedPair {
            cluster: self.item,
            a: self.a,
            b: self.b,
            judge: self.judge,
        }
    }

    fn labelled_points(&self, system: usize, human: f64) -> Labelled {
        Labelled {
            cluster: self.item,
            human: self.points_of(system, human),
            judge: self.points_of(system, self.judge),
        }
    }

    fn judged_points(&self, system: usize) -> Judged {
        Judged {
            cluster: self.item,
            judge: self.points_of(system, self.judge),
        }
    }

    /// Turns what is said for the first system into what it says of this one.
    fn points_of(&self, system: usize, points: f64) -> f64 {
        if usize::from(self.a) == system {
            points
        } else {
            1.0 - points
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use evenhand_formats::judgments::{Options, read_judgments};

    fn labels(rows: &[(&str, &str, &str, &str)]) -> RecordedJudgments {
        let line = |(item, a, b, preferred): &(&str, &str, &str, &str)| {
            format!(
                "{{\"item\":\"{item}\",\"a\":\"{a}\",\"b\":\"{b}\",\"preferred\":\"{preferred}\"}}\n"
            )
        };
        let text: String = rows.iter().map(line).collect();
        read_judgments([("labels.jsonl", text.as_bytes())], &Options::default()).unwrap()
    }

    #[test]
    fn rows_meet_whatever_the_order_of_the_systems_and_are_averaged() {
        let judged = labels(&[
            ("1", "x", "y", "a"),
            ("1", "y", "x", "a"),
            ("1", "y", "x", "b"),
            ("2", "x", "z", "b"),
        ]);
        let people = labels(&[
            ("2", "z", "x", "a"),
            ("1", "y", "x", "tie"),
            ("1", "x", "y", "b"),
            ("9", "x", "y", "a"),
            ("2", "x", "w", "a"),
        ]);
        let all = KeptSystems::all(&judged.systems);
        let found = match_rows(&judged, &people, &all, None);
        // x won two of its three verdicts of item 1, and got half a point of two labels: 0.25.
        let expected = [
            MatchedRow {
                item: 0,
                a: 0,
                b: 1,
                judge: 2.0 / 3.0,
                human: Some(0.25),
            },
            MatchedRow {
                item: 1,
                a: 0,
                b: 2,
                judge: 0.0,
                human: Some(0.0),
            },
        ];
        assert_eq!(
            (found.all.as_slice(), found.unmatched),
            (expected.as_slice(), 2)
        );
        assert_eq!(
            (found.counts(3), found.label_clusters(3)),
            (vec![2, 1, 1], vec![2, 1, 1])
        );
        let (labelled, judged) = found.points(2);
        assert_eq!(
            (labelled, judged),
            (
                vec![Labelled {
                    cluster: 1,
                    human: 1.0,
                    judge: 1.0
                }],
                vec![]
            )
        );
    }

    #[test]
    fn what_is_left_out_is_not_missed() {
        let judged = labels(&[("1", "x", "y", "a"), ("2", "x", "z", "b")]);
        let people = labels(&[
            ("1", "x", "y", "a"),
            ("2", "x", "z", "a"),
            ("3", "y", "x", "a"),
        ]);
        let wanted = ["x".to_string(), "z".to_string()];
        let kept = KeptSystems::of_names(&judged.systems, &wanted);
        let found = match_rows(&judged, &people, &kept, Some(&wanted));
        assert_eq!(
            found.all,
            [MatchedRow {
                item: 1,
                a: 0,
                b: 1,
                judge: 0.0,
                human: Some(1.0)
            }]
        );
        assert_eq!((found.unmatched, found.matched()), (0, 1));
    }
}
