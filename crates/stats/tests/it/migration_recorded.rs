//! Migrations between judges whose verdicts are recorded: how often what is said is false, and
//! which share of the calls it took. `EVENHAND_SLOW=1 cargo test -p evenhand-stats --test it
//! migration_recorded -- --nocapture` prints the table of docs/design/migrate.md.

use super::migration::{Judges, Outcome, errors, is_same, mean, migrate, random_order, truth};
use crate::common::json_lines;
use evenhand_stats::change::{Moves, paired_change};
use evenhand_stats::holm;
use evenhand_stats::migration::{Migration, OldPair, PairChange, RankingChange};
use evenhand_testing::{is_slow, shared_data};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

const ALPHA: f64 = 0.05;

fn names(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).unwrap();
    let name = |file: std::io::Result<std::fs::DirEntry>| {
        let name = file.unwrap().file_name().into_string().unwrap();
        name.trim_end_matches(".jsonl.gz").to_owned()
    };
    let mut names: Vec<String> = files.map(name).collect();
    names.sort();
    names
}

/// A pair of systems: its items, and what the old and the new judge say there.
type Pair = (Vec<usize>, Vec<f64>, Vec<f64>);

/// Turns each pair so that the old judge's mean is above 0, and marks those that it tells apart:
/// p-values by Holm below 0.05, as the command does.
fn judges_of(pairs: Vec<Pair>, arms: Option<Vec<[usize; 2]>>, items: usize) -> Judges {
    let mut judges = Judges {
        places: vec![],
        old: vec![],
        new: vec![],
        apart: vec![],
        arms,
        items,
    };
    let mut p_values = Vec::new();
    for (places, mut old, mut new) in pairs {
        let moves = Moves {
            step: 1.0,
            limit: 1.0,
        };
        p_values.push(paired_change(&old, moves, 0.95).map_or(1.0, |change| change.p_value));
        if mean(&old) < 0.0 {
            old.iter_mut()
                .chain(&mut new)
                .for_each(|value| *value = -*value);
        }
        judges.places.push(places);
        judges.old.push(old);
        judges.new.push(new);
    }
    judges.apart = holm(&p_values).unwrap().iter().map(|p| *p < 0.05).collect();
    judges
}

/// Migrations of one family, over several orders each.
struct Family {
    name: &'static str,
    cases: Vec<(String, Judges)>,
    seeds: u64,
}

/// One judge's shares of wins of some systems over a reference, item by item.
type Shares = BTreeMap<String, BTreeMap<i64, f64>>;

fn alpaca_eval(folder: &Path, annotator: &str) -> Shares {
    let folder = folder.join("alpaca_eval/preferences").join(annotator);
    let mut shares = Shares::new();
    for system in names(&folder) {
        let rows = json_lines(folder.join(format!("{system}.jsonl.gz")));
        let share = |row: &Value| {
            let preference = row["preference"].as_f64()?;
            let share = if preference == 0.0 {
                0.5
            } else {
                preference - 1.0
            };
            Some((row["instruction_id"].as_i64()?, share))
        };
        shares.insert(system, rows.iter().filter_map(share).collect());
    }
    shares
}

/// Systems by two judges, each against that judge's reference: arms.
fn arms(old: &Shares, new: &Shares, systems: &[String]) -> Judges {
    let has_all = |item: &i64| {
        let mut both = systems
            .iter()
            .flat_map(|system| [&old[system], &new[system]]);
        both.all(|row| row.contains_key(item))
    };
    let items: Vec<i64> = old[&systems[0]].keys().copied().filter(has_all).collect();
    let (mut pairs, mut numbers) = (Vec::new(), Vec::new());
    for a in 0..systems.len() {
        for b in a + 1..systems.len() {
            let of = |shares: &Shares| -> Vec<f64> {
                let (a, b) = (&shares[&systems[a]], &shares[&systems[b]]);
                items
                    .iter()
                    .map(|item| (a[item] - b[item]).clamp(-1.0, 1.0))
                    .collect()
            };
            pairs.push(((0..items.len()).collect(), of(old), of(new)));
            numbers.push([a, b]);
        }
    }
    judges_of(pairs, Some(numbers), items.len())
}

fn alpaca_families(folder: &Path) -> Vec<Family> {
    let annotators = [
        "alpaca_eval_gpt4",
        "weighted_alpaca_eval_gpt4_turbo",
        "alpaca_eval_cot_gpt4_turbo_fn",
        "alpaca_eval_gpt4_turbo_fn",
    ];
    let shares = annotators.map(|name| alpaca_eval(folder, name));
    let (mut whole, mut several, mut twos) = (vec![], vec![], vec![]);
    for (old, one) in annotators.iter().zip(&shares) {
        for (new, other) in annotators
            .iter()
            .zip(&shares)
            .filter(|(new, _)| *new != old)
        {
            let common: Vec<String> = one
                .keys()
                .filter(|name| other.contains_key(*name))
                .cloned()
                .collect();
            if common.len() < 2 {
                continue;
            }
            let case = |systems: &[String]| {
                let name = format!("{old} -> {new}: {}", systems.join(" "));
                (name, arms(one, other, systems))
            };
            whole.push(case(&common));
            for a in 0..common.len() {
                for b in (a + 1..common.len()).take(if is_slow() { usize::MAX } else { 1 }) {
                    twos.push(case(&[common[a].clone(), common[b].clone()]));
                }
            }
            if common.len() > 5 {
                for seed in 0..if is_slow() { 40 } else { 2 } {
                    let size = 3 + seed as usize % 4;
                    let chosen = &random_order(common.len(), seed)[..size];
                    let chosen: Vec<String> = chosen
                        .iter()
                        .map(|system| common[*system].clone())
                        .collect();
                    several.push(case(&chosen));
                }
            }
        }
    }
    // Of 39 systems, the judge of probabilities becomes one that only says who won.
    let soft = &shares[1];
    let hard: Shares = soft
        .iter()
        .map(|(system, row)| {
            let round = |share: &f64| if *share == 0.5 { 0.5 } else { share.round() };
            let row = row.iter().map(|(item, share)| (*item, round(share)));
            (system.clone(), row.collect())
        })
        .collect();
    let mut rounded = Vec::new();
    for (old, new, name) in [
        (soft, &hard, "probabilities -> winners"),
        (&hard, soft, "winners -> probabilities"),
    ] {
        let all: Vec<String> = soft.keys().cloned().collect();
        let sizes = [(5, 5), (6, 5), (3, 10), (4, 10), (2, 20), (1, 39)];
        for (seed, size) in sizes[..if is_slow() { 6 } else { 2 }].iter().copied() {
            let chosen: Vec<String> = random_order(39, seed)[..size]
                .iter()
                .map(|system| all[*system].clone())
                .collect();
            rounded.push((format!("{name}, {size} systems"), arms(old, new, &chosen)));
        }
    }
    vec![
        Family {
            name: "AlpacaEval, all common systems",
            cases: whole,
            seeds: 20,
        },
        Family {
            name: "AlpacaEval, 3 to 6 of them",
            cases: several,
            seeds: 10,
        },
        Family {
            name: "AlpacaEval, two of them",
            cases: twos,
            seeds: 20,
        },
        Family {
            name: "AlpacaEval, rounded (5 to 39 systems)",
            cases: rounded,
            seeds: 3,
        },
    ]
}

/// PandaLM: three people and a judge, five systems, each pair on its own items.
fn pandalm(folder: &Path) -> Family {
    let judgments = json_lines(folder.join("pandalm/judgments/gpt-3.5-turbo.jsonl.gz"));
    let rows = json_lines(folder.join("pandalm/pairs.jsonl.gz"));
    let verdict = |judge: usize, at: usize| match judge {
        3 => judgments[at]["verdict"].as_u64(),
        person => rows[at]["human"][person].as_u64(),
    };
    let lean = |verdict: u64| [0.0, 1.0, -1.0][verdict as usize];
    let mut cases = Vec::new();
    for old in 0..4 {
        for new in (0..4).filter(|new| *new != old) {
            let mut pairs: BTreeMap<(String, String), Pair> = BTreeMap::new();
            for (at, row) in rows.iter().enumerate() {
                let Some((one, other)) = verdict(old, at).zip(verdict(new, at)) else {
                    continue;
                };
                let [a, b] =
                    ["model_1", "model_2"].map(|side| row[side].as_str().unwrap().to_owned());
                let sign = if a < b { 1.0 } else { -1.0 };
                let key = if a < b { (a, b) } else { (b, a) };
                let pair = pairs.entry(key).or_default();
                pair.0.push(at);
                pair.1.push(sign * lean(one));
                pair.2.push(sign * lean(other));
            }
            cases.push((
                format!("judge {old} -> {new}"),
                judges_of(pairs.into_values().collect(), None, rows.len()),
            ));
        }
    }
    Family {
        name: "PandaLM, 5 systems",
        cases,
        seeds: 20,
    }
}

/// LLMBar: how far each judge prefers the better of two outputs; both orders of each pair. The
/// better and the worse outputs are two systems.
fn llmbar(folder: &Path, set: &str) -> Vec<(String, Vec<f64>)> {
    let folder = folder.join(set).join("evaluators");
    let mut judges = Vec::new();
    for name in names(&folder) {
        let rows = json_lines(folder.join(format!("{name}.jsonl.gz")));
        let lean = |row: &Value| {
            let label = row["label"].to_string();
            let of = |field: &str| match row[field].as_str() {
                None => 0.0,
                Some(winner) if *winner == *label => 0.5,
                Some(_) => -0.5,
            };
            of("winner_unswapped") + of("winner_swapped")
        };
        judges.push((name, rows.iter().map(lean).collect()));
    }
    judges
}

fn llmbar_family(folder: &Path, name: &'static str, set: &str) -> Family {
    let judges = llmbar(folder, set);
    let (mut cases, mut number) = (Vec::new(), 0);
    for (old, one) in &judges {
        for (new, other) in judges.iter().filter(|(new, _)| new != old) {
            number += 1;
            if !is_slow() && number % 97 != 0 {
                continue;
            }
            let pair = ((0..one.len()).collect(), one.clone(), other.clone());
            cases.push((
                format!("{old} -> {new}"),
                judges_of(vec![pair], None, one.len()),
            ));
        }
    }
    Family {
        name,
        cases,
        seeds: 2,
    }
}

fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (share * (values.len().max(1) - 1) as f64).round() as usize;
    values.get(at).copied().unwrap_or(f64::NAN)
}

#[test]
fn recorded_judges() {
    let Some(folder) = shared_data() else {
        return;
    };
    let mut families = alpaca_families(&folder);
    families.push(pandalm(&folder));
    families.push(llmbar_family(
        &folder,
        "LLMBar natural (100 pairs)",
        "llmbar/natural",
    ));
    families.push(llmbar_family(
        &folder,
        "LLMBar manual (46 pairs)",
        "llmbar/manual",
    ));
    families.push(llmbar_family(
        &folder,
        "LLMBar gptinst (92 pairs)",
        "llmbar/gptinst",
    ));
    families.push(llmbar_family(
        &folder,
        "LLMBar mt_bench (200 pairs)",
        "llmbar_processed/mt_bench",
    ));
    families.push(llmbar_family(
        &folder,
        "LLMBar faireval (66 pairs)",
        "llmbar_processed/faireval",
    ));
    println!(
        "family | migrations with an order to keep (of), orders each | same: so, said, false | changed: so, said | undecided | pair claims false | share of calls: mean, median, 90 %; same; changed | first | without the control"
    );
    for family in &families {
        let seeds = if is_slow() { family.seeds } else { 1 };
        let cases: Vec<&(String, Judges)> = family
            .cases
            .iter()
            .filter(|(_, judges)| judges.apart.contains(&true))
            .collect();
        let step = if is_slow() {
            1
        } else {
            (cases.len() / 50).max(1)
        };
        let (
            mut runs,
            mut so,
            mut said,
            mut wrong_same,
            mut changed,
            mut undecided,
            mut wrong_pair,
        ) = (0, 0, 0, 0, 0, 0, 0);
        let (mut shares, mut of_same, mut of_changed, mut first) = (vec![], vec![], vec![], vec![]);
        let mut without = vec![];
        let mut worst: BTreeMap<&str, u32> = BTreeMap::new();
        for (name, judges) in cases.iter().step_by(step) {
            for seed in 0..seeds {
                let outcome: Outcome = migrate(
                    judges,
                    &random_order(judges.items, 1000 + seed),
                    ALPHA,
                    false,
                );
                let (same, pair) = errors(judges, &outcome);
                runs += 1;
                so += u32::from(is_same(judges));
                said += u32::from(outcome.ranking == Some(RankingChange::Same));
                changed += u32::from(outcome.ranking == Some(RankingChange::Changed));
                undecided += u32::from(outcome.ranking == Some(RankingChange::Undecided));
                wrong_same += u32::from(same);
                wrong_pair += u32::from(pair);
                if same || pair {
                    *worst.entry(name).or_default() += 1;
                }
                // For the table alone.
                if is_slow() {
                    let plain = Judges {
                        old: judges.old.iter().map(|old| vec![0.0; old.len()]).collect(),
                        ..(*judges).clone()
                    };
                    let order = random_order(judges.items, 1000 + seed);
                    without.push(migrate(&plain, &order, ALPHA, false).share);
                }
                shares.push(outcome.share);
                first.push(outcome.first);
                if is_same(judges) {
                    of_same.push(outcome.share)
                } else {
                    of_changed.push(outcome.share)
                }
            }
        }
        if runs == 0 {
            continue;
        }
        println!(
            "{} | {} ({}), {seeds} | {so}, {said}, {wrong_same} | {}, {changed} | {undecided} | {wrong_pair} | {:.2}, {:.2}, {:.2}; {:.2}; {:.2} | {:.2} | {:.2}",
            family.name,
            cases.len(),
            family.cases.len(),
            runs - so,
            mean(&shares),
            quantile(&mut shares.clone(), 0.5),
            quantile(&mut shares, 0.9),
            mean(&of_same),
            mean(&of_changed),
            mean(&first),
            mean(&without),
        );
        if let Some((name, times)) = worst.iter().max_by_key(|(_, times)| **times) {
            println!("    most often wrong: {name}, {times} of {seeds}");
            let (_, judges) = cases.iter().find(|(other, _)| other == name).unwrap();
            for (pair, new) in judges
                .new
                .iter()
                .enumerate()
                .filter(|(pair, _)| judges.apart[*pair])
            {
                if truth(new) != PairChange::Kept {
                    println!(
                        "      pair {pair}: old {:.4}, new {:.4}, {} places",
                        mean(&judges.old[pair]),
                        mean(new),
                        new.len()
                    );
                }
            }
        }
        let most =
            |count: u32| ALPHA * f64::from(count) + 3.0 * (ALPHA * f64::from(count)).sqrt() + 1.0;
        assert!(f64::from(wrong_same) <= most(runs - so) && f64::from(wrong_pair) <= most(runs));
    }
}

/// LLMBar's labels are gold: how often bounds of the new judge's agreement with them leave it out
/// at any place of the order, and how wide they are after a part of the items.
#[test]
fn agreement_with_gold_labels() {
    let Some(folder) = shared_data() else {
        return;
    };
    let sets = [
        "llmbar/natural",
        "llmbar/manual",
        "llmbar/gptinst",
        "llmbar_processed/mt_bench",
    ];
    println!(
        "set | migrations | bounds missed at any look | half their width in points after 30 %, 60 % of items, and without the old judge"
    );
    for set in sets {
        let judges = llmbar(&folder, set);
        let step = if is_slow() { 7 } else { 97 };
        let mut cases = Vec::new();
        for (old, one) in &judges {
            for (_, other) in judges.iter().filter(|(new, _)| new != old) {
                cases.push((one, other));
            }
        }
        let (mut runs, mut missed) = (0u32, 0u32);
        let mut widths = [vec![], vec![], vec![]];
        for (seed, (one, other)) in cases.iter().enumerate().step_by(step) {
            let order = random_order(one.len(), seed as u64);
            let bounds = |control: bool, at: &mut dyn FnMut(usize, f64, f64)| {
                let old = order
                    .iter()
                    .map(|item| if control { one[*item] } else { 0.0 });
                let pair = OldPair {
                    old: old.collect(),
                    apart: false,
                };
                let mut migration = Migration::new(ALPHA, vec![pair]).unwrap();
                for (place, item) in order.iter().enumerate() {
                    migration.observe(0, [other[*item]; 2]).unwrap();
                    let found = migration.means()[0];
                    at(place + 1, found.low, found.high);
                }
            };
            let (true_mean, items) = (mean(other), one.len());
            let mut is_missed = false;
            // A net lean of 2 is an agreement of 100 points; half the width is half of that.
            bounds(true, &mut |asked, low, high| {
                is_missed |= !(low - 1e-6..=high + 1e-6).contains(&true_mean);
                for (kept, part) in widths.iter_mut().zip([3, 6]) {
                    if asked == items * part / 10 {
                        kept.push(25.0 * (high - low));
                    }
                }
            });
            bounds(false, &mut |asked, low, high| {
                if asked == items * 3 / 10 {
                    widths[2].push(25.0 * (high - low));
                }
            });
            runs += 1;
            missed += u32::from(is_missed);
        }
        let [some, more, alone] = widths.map(|widths| mean(&widths));
        println!("{set} | {runs} | {missed} | {some:.1}, {more:.1}; {alone:.1}");
        assert!(
            f64::from(missed)
                <= ALPHA * f64::from(runs) + 3.0 * (ALPHA * f64::from(runs)).sqrt() + 1.0
        );
    }
}
