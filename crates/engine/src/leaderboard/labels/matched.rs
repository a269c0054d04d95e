//! People's labels and a judge's verdicts, matched row by row.

use super::super::recorded::won;
use evenhand_formats::judgments::{Recorded, first_turn};
use evenhand_stats::prediction_powered::{Judged, JudgedPair, Labelled, LabelledPair};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An item and two systems, the lower number first; or an item and twice the same system.
type Key = (u32, u16, u16);

/// One row that the judge has judged. Of a comparison, what is said is the outcome for the first
/// system, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) item: u32,
    pub(super) a: u16,
    pub(super) b: u16,
    pub(super) judge: f64,
    pub(super) human: Option<f64>,
}

/// All rows that the judge has judged, each once, in the order of their items.
pub(super) struct Rows {
    pub(super) all: Vec<Row>,
    /// Labelled rows that the judge has not judged.
    pub(super) unmatched: u64,
}

/// Puts together what the judge and people say of the systems that are kept. Of several labels or
/// verdicts of one row the mean counts.
pub(super) fn rows(
    judged: &Recorded,
    people: &Recorded,
    keep: &[Option<u16>],
    wanted: Option<&[String]>,
) -> Rows {
    let verdicts = averaged(judged)
        .into_iter()
        .filter_map(|((item, a, b), judge)| {
            let (a, b) = (keep[usize::from(a)]?, keep[usize::from(b)]?);
            Some((
                (item, a, b),
                Row {
                    item,
                    a,
                    b,
                    judge,
                    human: None,
                },
            ))
        });
    let mut all: BTreeMap<Key, Row> = verdicts.collect();
    let (items, systems) = (
        numbers(&people.items, &judged.items),
        numbers(&people.systems, &judged.systems),
    );
    let mut unmatched = 0;
    for ((item, a, b), human) in averaged(people) {
        let left_out = |system: u16| {
            wanted.is_some_and(|wanted| !wanted.contains(&people.systems[usize::from(system)]))
        };
        if left_out(a) || left_out(b) {
            continue;
        }
        let system = |system: u16| keep[systems[usize::from(system)]?];
        let key = || {
            Some((
                u32::try_from(items[item as usize]?).ok()?,
                system(a)?,
                system(b)?,
            ))
        };
        match key().and_then(|key| Some((all.get_mut(&ordered(key))?, key))) {
            Some((row, (_, a, b))) => row.human = Some(if a > b { 1.0 - human } else { human }),
            None => unmatched += 1,
        }
    }
    Rows {
        all: all.into_values().collect(),
        unmatched,
    }
}

fn ordered((item, a, b): Key) -> Key {
    (item, a.min(b), a.max(b))
}

/// Where each name stands among those that are known. A question without a turn is its first turn.
fn numbers(names: &[String], known: &[String]) -> Vec<Option<usize>> {
    let places: HashMap<&str, usize> = known
        .iter()
        .enumerate()
        .map(|(place, name)| (name.as_str(), place))
        .collect();
    let find = |name: &String| {
        places
            .get(name.as_str())
            .or_else(|| places.get(first_turn(name).as_str()))
            .copied()
    };
    names.iter().map(find).collect()
}

/// The mean of all that is said of each row.
fn averaged(recorded: &Recorded) -> BTreeMap<Key, f64> {
    let compared = recorded.comparisons.iter().map(|row| {
        let (key, won) = ((row.item, row.a, row.b), won(row));
        (ordered(key), if row.a > row.b { 1.0 - won } else { won })
    });
    let scored = recorded
        .scores
        .iter()
        .map(|row| ((row.item, row.system, row.system), row.score));
    let mut sums: BTreeMap<Key, (f64, f64)> = BTreeMap::new();
    for (key, value) in compared.chain(scored) {
        let sum = sums.entry(key).or_default();
        *sum = (sum.0 + value, sum.1 + 1.0);
    }
    sums.into_iter()
        .map(|(key, (sum, count))| (key, sum / count))
        .collect()
}

impl Rows {
    /// Rows with a label.
    pub(super) fn matched(&self) -> u64 {
        self.all.iter().filter(|row| row.human.is_some()).count() as u64
    }

    /// Rows of each system.
    pub(super) fn counts(&self, systems: usize) -> Vec<u64> {
        let mut counts = vec![0; systems];
        self.all
            .iter()
            .flat_map(systems_of)
            .for_each(|system| counts[usize::from(system)] += 1);
        counts
    }

    /// Items with a labelled row of each system.
    pub(super) fn label_clusters(&self, systems: usize) -> Vec<usize> {
        let labelled = self.all.iter().filter(|row| row.human.is_some());
        let seen: BTreeSet<(u16, u32)> = labelled
            .flat_map(|row| systems_of(row).map(|system| (system, row.item)))
            .collect();
        let mut counts = vec![0; systems];
        seen.iter()
            .for_each(|(system, _)| counts[usize::from(*system)] += 1);
        counts
    }

    /// Comparisons with a label and without.
    pub(super) fn pairs(&self) -> (Vec<LabelledPair>, Vec<JudgedPair>) {
        let (mut labelled, mut judged) = (Vec::new(), Vec::new());
        for &Row {
            item: cluster,
            a,
            b,
            judge,
            human,
        } in &self.all
        {
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

    /// One system's scores, or its points of its comparisons, with a label and without.
    pub(super) fn points(&self, system: usize) -> (Vec<Labelled>, Vec<Judged>) {
        let (mut labelled, mut judged) = (Vec::new(), Vec::new());
        for row in self
            .all
            .iter()
            .filter(|row| systems_of(row).any(|one| usize::from(one) == system))
        {
            let turned = usize::from(row.a) != system;
            let own = |value: f64| if turned { 1.0 - value } else { value };
            let (cluster, judge) = (row.item, own(row.judge));
            match row.human {
                Some(human) => labelled.push(Labelled {
                    cluster,
                    human: own(human),
                    judge,
                }),
                None => judged.push(Judged { cluster, judge }),
            }
        }
        (labelled, judged)
    }
}

/// The two systems of a comparison, or the one of a score.
fn systems_of(row: &Row) -> impl Iterator<Item = u16> + use<> {
    [Some(row.a), Some(row.b).filter(|b| *b != row.a)]
        .into_iter()
        .flatten()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use evenhand_formats::judgments::{Options, read};

    fn labels(rows: &[(&str, &str, &str, &str)]) -> Recorded {
        let line = |(item, a, b, preferred): &(&str, &str, &str, &str)| {
            format!(
                "{{\"item\":\"{item}\",\"a\":\"{a}\",\"b\":\"{b}\",\"preferred\":\"{preferred}\"}}\n"
            )
        };
        let text: String = rows.iter().map(line).collect();
        read([("labels.jsonl", text.as_bytes())], &Options::default()).unwrap()
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
        let all: Vec<Option<u16>> = (0..3).map(Some).collect();
        let found = rows(&judged, &people, &all, None);
        // x won two of its three verdicts of item 1, and got half a point of two labels: 0.25.
        let expected = [
            Row {
                item: 0,
                a: 0,
                b: 1,
                judge: 2.0 / 3.0,
                human: Some(0.25),
            },
            Row {
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
        let found = rows(&judged, &people, &[Some(0), None, Some(1)], Some(&wanted));
        assert_eq!(
            found.all,
            [Row {
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
