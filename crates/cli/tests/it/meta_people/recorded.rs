//! Recorded votes against a slow twin, which looks at every pair of labels by itself.

use super::{assert_within, measure, number};
use crate::common::Desk;
use evenhand_testing::shared_data;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// One person's label: item, systems in the data's order, loss (0), tie or win of the first.
struct Vote {
    unit: (String, usize, usize),
    person: String,
    said: usize,
}

/// The systems in the order in which the data name them first.
#[derive(Default)]
struct Systems(Vec<String>);

impl Systems {
    fn place(&mut self, name: &str) -> usize {
        let known = self.0.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.0.push(name.into());
            self.0.len() - 1
        })
    }

    fn vote(&mut self, item: &str, systems: [&str; 2], said: usize, person: &str) -> Vote {
        let [a, b] = systems.map(|name| self.place(name));
        Vote {
            unit: (item.into(), a.min(b), a.max(b)),
            person: person.into(),
            said: if a > b { 2 - said } else { said },
        }
    }
}

/// The slow twin: every pair of labels is looked at by itself.
#[derive(Default)]
struct Twin {
    units: BTreeMap<(String, usize, usize), Vec<(String, usize)>>,
}

impl Twin {
    fn of_votes(votes: impl Iterator<Item = Vote>) -> Twin {
        let mut twin = Twin::default();
        for vote in votes {
            let unit = twin.units.entry(vote.unit).or_default();
            if unit.iter().all(|(person, _)| *person != vote.person) {
                unit.push((vote.person, vote.said));
            }
        }
        twin
    }

    fn compared(&self) -> impl Iterator<Item = &Vec<(String, usize)>> {
        self.units.values().filter(|unit| unit.len() > 1)
    }

    /// Both labels of every ordered pair within a unit, and how many the unit has.
    fn ordered_pairs(&self) -> Vec<[&(String, usize); 2]> {
        let mut pairs = Vec::new();
        for unit in self.compared() {
            for (i, one) in unit.iter().enumerate() {
                let others = unit.iter().enumerate().filter(|(j, _)| *j != i);
                pairs.extend(others.map(|(_, other)| [one, other]));
            }
        }
        pairs
    }

    fn agreement(&self, counts: impl Fn(usize, usize) -> bool) -> f64 {
        let pairs = self.ordered_pairs();
        let counted: Vec<_> = pairs.iter().filter(|[x, y]| counts(x.1, y.1)).collect();
        let same = counted.iter().filter(|[x, y]| x.1 == y.1).count();
        same as f64 / counted.len() as f64
    }

    /// Krippendorff's alpha by its definition, every label for both systems: the distance of two
    /// values is 1, or, where they are in order, the square of how many ratings lie between their
    /// middles.
    fn alpha(&self, ordinal: bool) -> f64 {
        let said = self.compared().flatten().map(|label| label.1);
        let ratings: Vec<usize> = said.flat_map(|said| [said, 2 - said]).collect();
        let mut counts = [0.0; 3];
        for rating in &ratings {
            counts[*rating] += 1.0;
        }
        let distance = |x: usize, y: usize| {
            let (low, high) = (x.min(y), x.max(y));
            let between: f64 = (low..=high).map(|value| counts[value]).sum();
            let steps = between - (counts[low] + counts[high]) / 2.0;
            if x == y {
                0.0
            } else if ordinal {
                steps * steps
            } else {
                1.0
            }
        };
        let n = ratings.len() as f64;
        let mut observed = 0.0;
        for unit in self.compared() {
            let all = unit
                .iter()
                .flat_map(|x| unit.iter().map(|y| distance(x.1, y.1)));
            // The other way round the distances are the same.
            observed += 2.0 * all.sum::<f64>() / (unit.len() - 1) as f64;
        }
        let pairs = (0..3).flat_map(|x| (0..3).map(move |y| (x, y)));
        let chance: f64 = pairs
            .map(|(x, y)| counts[x] * counts[y] * distance(x, y))
            .sum();
        1.0 - (n - 1.0) * observed / chance
    }

    /// How often most of the others are met, with an even draw among what they say equally often;
    /// and how often what most say.
    fn ceilings(&self) -> [f64; 2] {
        let (mut by_others, mut by_all, mut n) = (0.0, 0.0, 0.0);
        for unit in self.compared() {
            let most = (0..3)
                .map(|said| unit.iter().filter(|label| label.1 == said).count())
                .max();
            by_all += most.unwrap() as f64;
            for (person, said) in unit {
                let count = |said| {
                    unit.iter()
                        .filter(|x| x.0 != *person && x.1 == said)
                        .count()
                };
                let modes: Vec<usize> = (0..3)
                    .filter(|x| (0..3).all(|y| count(*x) >= count(y)))
                    .collect();
                by_others += if modes.contains(said) {
                    1.0 / modes.len() as f64
                } else {
                    0.0
                };
                n += 1.0;
            }
        }
        [by_others / n, by_all / n]
    }

    /// Units shared with others, and kappa with each other person's label.
    fn kappa_of(&self, person: &str) -> (usize, f64) {
        let pairs = self.ordered_pairs();
        let own: Vec<_> = pairs.iter().filter(|[x, _]| x.0 == person).collect();
        let n = own.len() as f64;
        let same = own.iter().filter(|[x, y]| x.1 == y.1).count() as f64 / n;
        let chance: f64 = (0..3)
            .map(|said| {
                let of = |at: usize| {
                    let count = |said| own.iter().filter(|pair| pair[at].1 == said).count();
                    (count(said) + count(2 - said)) as f64 / (2.0 * n)
                };
                of(0) * of(1)
            })
            .sum();
        let units = self
            .compared()
            .filter(|unit| unit.iter().any(|x| x.0 == person))
            .count();
        (units, (same - chance) / (1.0 - chance))
    }

    fn check(&self, found: &Value) {
        let unanimous = self
            .compared()
            .filter(|unit| unit.iter().all(|x| x.1 == unit[0].1));
        let [by_others, by_all] = self.ceilings();
        for (key, expected) in [
            ("agreement", self.agreement(|_, _| true)),
            (
                "agreement_without_ties",
                self.agreement(|x, y| x != 1 && y != 1),
            ),
            ("alpha_nominal", self.alpha(false)),
            ("alpha_ordinal", self.alpha(true)),
            (
                "unanimous",
                unanimous.count() as f64 / self.compared().count() as f64,
            ),
            ("ceiling_leave_one_out", by_others),
            ("ceiling_in_sample", by_all),
        ] {
            assert!(
                (number(found, key) - expected).abs() < 1e-9,
                "{key}: {expected}, {found}"
            );
            assert_within(found, key, expected);
        }
        assert_eq!(found["units"], self.units.len());
        for row in found["by_annotator"].as_array().unwrap().iter().take(5) {
            let (units, kappa) = self.kappa_of(row["annotator"].as_str().unwrap());
            assert_eq!(row["units"], units);
            assert!(
                (number(row, "kappa") - kappa).abs() < 1e-9,
                "{row}: {kappa}"
            );
        }
    }
}

/// The paper's agreement: Cohen's kappa of the three annotators is 0.85, 0.88 and 0.86, so that of
/// each with the other two lies between those of its two pairs, or very near.
#[test]
fn pandalms_people_agree_as_published() {
    let Some(data) = shared_data() else { return };
    let path = data.join("pandalm/pairs.jsonl.gz");
    let found = measure(&Desk::empty(), &format!("--data {}", path.display()));
    let file = flate2::read::GzDecoder::new(std::fs::File::open(&path).unwrap());
    let text = std::io::read_to_string(file).unwrap();
    let pairs: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (mut systems, mut votes) = (Systems::default(), Vec::new());
    for pair in &pairs {
        let names = ["model_1", "model_2"].map(|key| pair[key].as_str().unwrap());
        for (person, said) in pair["human"].as_array().unwrap().iter().enumerate() {
            let said = [1, 2, 0][said.as_u64().unwrap() as usize];
            let (item, person) = (pair["idx"].to_string(), (person + 1).to_string());
            votes.push(systems.vote(&item, names, said, &person));
        }
    }
    Twin::of_votes(votes.into_iter()).check(&found);
    for row in found["by_annotator"].as_array().unwrap() {
        let kappa = number(row, "kappa");
        assert!((0.85..=0.88).contains(&kappa), "{row}");
    }
}

/// 8,931 votes of workers on answers of 59 systems, read by a mapping.
#[test]
fn recorded_votes_agree_with_the_twin() {
    let Some(data) = shared_data() else { return };
    let path = data.join("evalica/llmfao.csv");
    let map = "item=prompt,system_1=left,system_2=right,label=winner,annotator=worker";
    let found = measure(
        &Desk::empty(),
        &format!("--labels {} --map {map}", path.display()),
    );
    let text = std::fs::read_to_string(&path).unwrap();
    let rows = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>());
    let mut systems = Systems::default();
    let votes: Vec<Vote> = rows
        .map(|row| {
            let said = ["right", "tie", "left"]
                .iter()
                .position(|word| *word == row[5])
                .unwrap();
            systems.vote(row[1], [row[6], row[7]], said, row[4])
        })
        .collect();
    let people: BTreeSet<&str> = votes.iter().map(|vote| &*vote.person).collect();
    assert_eq!(found["labels"], 8931);
    assert_eq!(found["annotators"], json!(people.len()));
    Twin::of_votes(votes.into_iter()).check(&found);
}
