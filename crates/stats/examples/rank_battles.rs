//! Ranks the battles of a CSV file by Bradley-Terry strengths, with intervals that respect the
//! items.
//!
//! `cargo run -p evenhand-stats --example rank_battles [-- FILE]`: without a file it ranks those of
//! `examples/battles.csv`. Columns are `item,a,b,winner`; the winner is the name of a system, or
//! `tie`. Names must not contain commas.

#![allow(clippy::print_stdout, reason = "a program that prints its result")]
#![allow(
    clippy::disallowed_methods,
    reason = "the purity fence is for the crate"
)]

use evenhand_stats::{
    Bootstrap, Cluster, Comparison, Comparisons, Estimate, Interval, PairMethod, Ranked,
    StrengthScale, Undefined, rank_pairs,
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let text = match std::env::args().nth(1) {
        Some(file) => std::fs::read_to_string(file)?,
        None => include_str!("battles.csv").to_string(),
    };
    let mut names = Vec::new();
    let rows = text
        .lines()
        .skip(1)
        .map(|line| read_battle(line, &mut names));
    let rows: Vec<Comparison> = rows.collect::<Result<_, _>>()?;
    let data = Comparisons::new(names.len(), rows)?;
    let ranking = rank_pairs(
        &data,
        PairMethod::BradleyTerry,
        Cluster::Item,
        &Bootstrap::default(),
    )?;
    let ranking = ranking.on_scale(StrengthScale::Elo);
    let mut table: Vec<(&String, &Ranked)> = names.iter().zip(&ranking.systems).collect();
    table.sort_by_key(|(_, system)| system.rank.unwrap_or(u32::MAX));
    println!("{:>4}  {:10} {:>6}  95 % interval", "rank", "system", "Elo");
    for (name, system) in table {
        let rank = system.rank.map_or("-".into(), |rank| rank.to_string());
        let score = show_score(system.estimate);
        println!(
            "{rank:>4}  {name:10} {score:>6}  {}",
            show_interval(system.interval)
        );
    }
    Ok(())
}

/// Reads `item,a,b,winner`; a name not seen before gets the next number.
fn read_battle(line: &str, names: &mut Vec<String>) -> Result<Comparison, Box<dyn Error>> {
    let [item, a, b, winner] = line.split(',').collect::<Vec<_>>()[..] else {
        return Err(format!("expected item,a,b,winner, found {line}").into());
    };
    let item = item.parse()?;
    let (first, second) = (number_of(a, names)?, number_of(b, names)?);
    match winner {
        "tie" => Ok(Comparison::tied(item, first, second)),
        name if name == a || name == b => Ok(Comparison::won(item, first, second, name == a)),
        other => Err(format!("expected {a}, {b} or tie as the winner, found {other}").into()),
    }
}

fn number_of(name: &str, names: &mut Vec<String>) -> Result<u16, Box<dyn Error>> {
    let known = names.iter().position(|other| other == name);
    let number = known.unwrap_or_else(|| {
        names.push(name.to_string());
        names.len() - 1
    });
    Ok(u16::try_from(number)?)
}

/// What is undefined is a value with its cause, never NaN.
fn show_score(estimate: Estimate) -> String {
    match estimate {
        Estimate::Finite(score) => format!("{score:.0}"),
        Estimate::PlusInfinity => "inf".into(),
        Estimate::MinusInfinity => "-inf".into(),
        Estimate::Undefined(_) => "-".into(),
    }
}

fn show_interval(interval: Result<Interval, Undefined>) -> String {
    match interval {
        Ok(Interval { low, high, .. }) => {
            let end = |x: Option<f64>, open: &str| x.map_or(open.into(), |x| format!("{x:.0}"));
            format!("{} to {}", end(low, "-inf"), end(high, "inf"))
        }
        Err(reason) => reason.to_string(),
    }
}
