//! People's labels and a judge's verdicts, matched row by row.

use crate::leaderboard::gathered::KeptSystems;
use crate::leaderboard::recorded::share_of_first;
use crate::score::count_systems;
use evenhand_formats::judgments::{RecordedJudgments, other_turn_name};
use evenhand_stats::prediction_powered::{Judged, JudgedPair, Labelled, LabelledPair};
use std::collections::{BTreeMap, HashMap};

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

/// Puts together what the judge and people say of the systems that are kept. Of several labels or
/// verdicts of one row the mean counts.
pub(super) fn match_rows(
    judged: &RecordedJudgments,
    people: &RecordedJudgments,
    kept: &KeptSystems,
    wanted: Option<&[String]>,
) -> MatchedRows {
    let mut rows: BTreeMap<RowKey, MatchedRow> = BTreeMap::new();
    for (RowKey { item, a, b }, judge) in mean_by_row(judged) {
        if let Some([a, b]) = kept.numbers([a, b]) {
            let row = MatchedRow {
                item,
                a,
                b,
                judge,
                human: None,
            };
            rows.insert(RowKey { item, a, b }, row);
        }
    }

    // The numbers that the judge's files have for the items and systems of the labels.
    let items = places_of_names(&people.items, &judged.items);
    let systems = places_of_names(&people.systems, &judged.systems);
    let system = |system: u16| {
        let known = systems[usize::from(system)]?;
        kept.number(u16::try_from(known).ok()?)
    };
    let translate = |key: RowKey| {
        Some(RowKey {
            item: u32::try_from(items[key.item as usize]?).ok()?,
            a: system(key.a)?,
            b: system(key.b)?,
        })
    };
    let mut unmatched = 0;
    for (key, human) in mean_by_row(people) {
        // A labelled row is not missed if the user left out one of its systems.
        let is_wanted = |system: u16| {
            wanted.is_none_or(|wanted| wanted.contains(&people.systems[usize::from(system)]))
        };
        if !is_wanted(key.a) || !is_wanted(key.b) {
            continue;
        }
        let key = translate(key);
        match key.and_then(|key| Some((key, rows.get_mut(&key.in_order())?))) {
            Some((key, row)) => row.human = Some(key.points_in_order(human)),
            None => unmatched += 1,
        }
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

impl RowKey {
    /// Returns the key with the lower system first.
    fn in_order(self) -> RowKey {
        RowKey {
            item: self.item,
            a: self.a.min(self.b),
            b: self.a.max(self.b),
        }
    }

    /// Turns points of the first system into those of the lower system.
    fn points_in_order(self, points: f64) -> f64 {
        if self.a > self.b {
            1.0 - points
        } else {
            points
        }
    }
}

/// Returns where each name stands among those that are known. A question without a turn is its
/// first turn.
fn places_of_names(names: &[String], known: &[String]) -> Vec<Option<usize>> {
    let numbered = known.iter().enumerate();
    let places: HashMap<&str, usize> = numbered.map(|(place, name)| (&**name, place)).collect();
    let find = |name: &String| {
        let place = places.get(name.as_str());
        place
            .or_else(|| places.get(&*other_turn_name(name)))
            .copied()
    };
    names.iter().map(find).collect()
}

/// Returns the mean of all that is said of each row: of a comparison, the points of its lower
/// system.
fn mean_by_row(recorded: &RecordedJudgments) -> BTreeMap<RowKey, f64> {
    let comparisons = recorded.comparisons.iter().map(|row| {
        let key = RowKey {
            item: row.item,
            a: row.a,
            b: row.b,
        };
        (key.in_order(), key.points_in_order(share_of_first(row)))
    });
    let scores = recorded.scores.iter().map(|row| {
        let key = RowKey {
            item: row.item,
            a: row.system,
            b: row.system,
        };
        (key, row.score)
    });
    let mut sums = BTreeMap::<RowKey, (f64, f64)>::new();
    for (key, points) in comparisons.chain(scores) {
        let (sum, count) = sums.entry(key).or_default();
        *sum += points;
        *count += 1.0;
    }
    let means = sums.into_iter();
    means
        .map(|(key, (sum, count))| (key, sum / count))
        .collect()
}

impl MatchedRows {
    /// Returns how many rows have a label.
    pub(super) fn matched(&self) -> u64 {
        let labelled = self.all.iter().filter(|row| row.human.is_some());
        labelled.count() as u64
    }

    /// Returns the rows of each system.
    pub(super) fn counts(&self, systems: usize) -> Vec<u64> {
        count_systems(systems, self.all.iter().flat_map(MatchedRow::systems))
    }

    /// Returns the comparisons with a label, and those without.
    pub(super) fn pairs(&self) -> (Vec<LabelledPair>, Vec<JudgedPair>) {
        let (mut labelled, mut judged) = (Vec::new(), Vec::new());
        for row in &self.all {
            let MatchedRow {
                item: cluster,
                a,
                b,
                judge,
                human,
            } = *row;
            match human {
                Some(human) => labelled.push(LabelledPair {
                    cluster,
                    a,
                    b,
                    human,
                    judge,
                }),
                None => judged.push(JudgedPair {
                    cluster,
                    a,
                    b,
                    judge,
                }),
            }
        }
        (labelled, judged)
    }

    /// Whether the rows are comparisons of two systems, and not scores.
    pub(super) fn are_comparisons(&self) -> bool {
        self.all.iter().any(|row| row.a != row.b)
    }

    /// Returns one system's scores, or its points of its comparisons, with a label and without.
    pub(super) fn points(&self, system: usize) -> (Vec<Labelled>, Vec<Judged>) {
        let (mut labelled, mut judged) = (Vec::new(), Vec::new());
        let has_system = |row: &&MatchedRow| row.systems().any(|one| usize::from(one) == system);
        for row in self.all.iter().filter(has_system) {
            // What is said for the first system, turned into what it says of this one.
            let of_system = |points: f64| {
                if usize::from(row.a) == system {
                    points
                } else {
                    1.0 - points
                }
            };
            let (cluster, judge) = (row.item, of_system(row.judge));
            match row.human {
                Some(human) => labelled.push(Labelled {
                    cluster,
                    human: of_system(human),
                    judge,
                }),
                None => judged.push(Judged { cluster, judge }),
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
        assert_eq!(found.counts(3), [2, 1, 1]);
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
