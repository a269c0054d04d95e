//! Verdicts against those of lm-eval's checker, as record_ifeval.py recorded them.

use crate::common::{Data, case_file};
use evenhand_constraints::{Constraint, Constraints};
use evenhand_testing::shared_data;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// How many verdicts, how many of ours and of the checker's say followed, and how many are equal:
/// strict, then loose.
#[derive(Clone, Copy, Default)]
struct Agreement {
    verdicts: usize,
    followed: [usize; 2],
    equal: [usize; 2],
}

impl Agreement {
    fn add(&mut self, ours: [bool; 2], theirs: [bool; 2]) {
        self.verdicts += 1;
        for check in 0..2 {
            self.followed[check] += usize::from(theirs[check]);
            self.equal[check] += usize::from(ours[check] == theirs[check]);
        }
    }

    fn sum<'a>(all: impl Iterator<Item = &'a Agreement>) -> Agreement {
        all.fold(Agreement::default(), |mut sum, one| {
            sum.verdicts += one.verdicts;
            (0..2).for_each(|check| sum.followed[check] += one.followed[check]);
            (0..2).for_each(|check| sum.equal[check] += one.equal[check]);
            sum
        })
    }

    fn line(&self, name: &str) -> String {
        let [a, b] = self.followed;
        let [c, d] = self.equal.map(|equal| self.verdicts - equal);
        let share = |n: usize| 100.0 * n as f64 / self.verdicts as f64;
        format!(
            "{name:<46} {:>6} {:>5.1}% {:>5.1}% {c:>4} {d:>4}",
            self.verdicts,
            share(a),
            share(b)
        )
    }
}

fn bit(hex: &str, at: usize) -> bool {
    let nibble = hex
        .chars()
        .nth(at / 4)
        .and_then(|c| c.to_digit(16))
        .unwrap();
    nibble >> (3 - at % 4) & 1 == 1
}

fn digest(texts: &[String]) -> String {
    let mut hasher = Sha256::new();
    texts
        .iter()
        .for_each(|text| hasher.update(format!("{text}\0")));
    hasher
        .finalize()
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// A verdict that differs: prompt, text, type, whether strict or loose, what the checker says.
type Difference = (u64, usize, &'static str, &'static str, bool);

fn compare(data: &Data, case: &Value, by_type: &mut ByType) -> Vec<Difference> {
    let i = case["prompt"].as_u64().unwrap();
    let texts = data.texts(i as usize);
    assert_eq!(
        digest(&texts),
        case["texts"],
        "prompt {i}: the texts are not those that were recorded"
    );
    let constraints = Constraints::parse(&data.prompts[i as usize], "").unwrap();
    let list: &[Constraint] = constraints.list();
    let [strict, loose] = ["strict", "loose"].map(|check| case[check].as_str().unwrap());
    let mut differences = Vec::new();
    for (t, text) in texts.iter().enumerate() {
        let checked = constraints.check(text);
        for (j, constraint) in list.iter().enumerate() {
            let name = constraint.id().name();
            let (ours, at) = ([checked.strict[j], checked.loose[j]], t * list.len() + j);
            let theirs = [bit(strict, at), bit(loose, at)];
            by_type.entry(name).or_default().add(ours, theirs);
            let differs = (0..2).filter(|check| ours[*check] != theirs[*check]);
            differences.extend(
                differs.map(|check| (i, t, name, ["strict", "loose"][check], theirs[check])),
            );
        }
    }
    differences
}

type ByType = BTreeMap<&'static str, Agreement>;

/// All cases, in a few threads.
fn compare_all(data: &Data, cases: &[Value]) -> (ByType, Vec<Difference>) {
    let some = |cases: &[Value]| {
        let mut by_type = ByType::new();
        let differences: Vec<Difference> = cases
            .iter()
            .flat_map(|case| compare(data, case, &mut by_type))
            .collect();
        (by_type, differences)
    };
    let parts: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = cases
            .chunks(cases.len().div_ceil(4))
            .map(|cases| scope.spawn(|| some(cases)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let mut by_type = ByType::new();
    for (name, agreement) in parts.iter().flat_map(|(part, _)| part) {
        let sum = by_type.entry(*name).or_default();
        *sum = Agreement::sum([*sum, *agreement].iter());
    }
    (
        by_type,
        parts
            .into_iter()
            .flat_map(|(_, differences)| differences)
            .collect(),
    )
}

fn table(by_type: &ByType) -> String {
    let lines = by_type
        .iter()
        .map(|(name, agreement)| agreement.line(name) + "\n");
    let total = Agreement::sum(by_type.values()).line("all");
    format!(
        "{:<46} {:>6} {:>6} {:>6} {:>4} {:>4}\n{}{total}\n",
        "type",
        "all",
        "strict",
        "loose",
        "≠ s",
        "≠ l",
        lines.collect::<String>()
    )
}

#[test]
fn verdicts_are_those_of_lm_eval() {
    let Some(folder) = shared_data() else { return };
    let recorded: Value = serde_json::from_str(&case_file("ifeval.json")).unwrap();
    let data = Data::read(&folder);
    let (by_type, differences) = compare_all(&data, recorded["cases"].as_array().unwrap());
    let found: String = differences
        .iter()
        .map(|(i, t, name, check, theirs)| format!("{i} {t} {name} {check} {theirs}\n"))
        .collect();
    println!("{}{found}", table(&by_type));
    let total = Agreement::sum(by_type.values());
    assert!(
        by_type.len() == 25 && total.verdicts > 33_000,
        "{} types, {} verdicts",
        by_type.len(),
        total.verdicts
    );
    for equal in total.equal {
        assert!(
            1000 * (total.verdicts - equal) <= total.verdicts,
            "more than 0.1 % differ"
        );
    }
    for (name, agreement) in &by_type {
        let few = agreement.verdicts / 20;
        assert!(
            (few..agreement.verdicts - few).contains(&agreement.followed[0]),
            "{name}: nearly all verdicts are the same"
        );
    }
    let kept = case_file("ifeval_differences.txt");
    let kept: BTreeSet<&str> = kept
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    assert_eq!(
        found.lines().collect::<BTreeSet<_>>(),
        kept,
        "left: found, right: tests/cases/ifeval_differences.txt"
    );
}

#[test]
fn every_prompt_is_read() {
    let Some(folder) = shared_data() else { return };
    let data = Data::read(&folder);
    for prompt in &data.prompts {
        let constraints = Constraints::parse(prompt, "").unwrap();
        assert_eq!(
            constraints.list().len(),
            prompt["kwargs"].as_array().unwrap().len()
        );
        assert!(
            constraints
                .list()
                .iter()
                .all(|constraint| constraint.describe().len() > 10)
        );
    }
    assert_eq!(data.prompts.len(), 421);
}
