//! How well a judge agrees with people on a few labelled pairs, each judged in both orders.
//!
//! `cargo run -p evenhand-studies --example judge_agreement`

#![allow(clippy::print_stdout, reason = "an example prints its result")]

use evenhand_core::Side;
use evenhand_studies::Figure;
use evenhand_studies::judge::{Game, JudgedPairs, LabelledPair, OrdersSeen, Settings, evaluate};

/// Item, people's label, and the judge's verdict where `a` was shown first and where `b` was.
const LINES: &str = "\
q1 a a a
q2 b b b
q3 a a b
q4 b a b
q5 a a a
q6 b tie b
q7 a a a
q8 tie a b";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let judged = JudgedPairs {
        judge: "example".into(),
        order_known: true,
        subsets: vec!["all".into()],
        pairs: LINES.lines().zip(0..).filter_map(read_pair).collect(),
        ..JudgedPairs::default()
    };
    let found = evaluate(&judged, &Settings::default())?;
    let measures = &found.total.measures;
    println!("accuracy     {}", percent(&measures.accuracy));
    println!("consistency  {}", percent(&measures.consistency));
    println!("first slot   {}", percent(&measures.first_slot));
    for warning in &found.warnings {
        println!("{warning}");
    }
    Ok(())
}

fn read_pair((line, cluster): (&str, u32)) -> Option<LabelledPair> {
    let mut words = line.split_whitespace();
    Some(LabelledPair {
        name: words.next()?.into(),
        cluster,
        subset: 0,
        label: read_side(words.next()?),
        systems: None,
        lengths: None,
        games: [read_game(words.next()?), read_game(words.next()?)],
        seen: OrdersSeen::Apart,
        ..LabelledPair::default()
    })
}

fn read_side(word: &str) -> Side {
    match word {
        "a" => Side::First,
        "b" => Side::Second,
        _ => Side::Tie,
    }
}

fn read_game(word: &str) -> Option<Game> {
    let outcome = Ok(match read_side(word) {
        Side::First => [1.0, 0.0, 0.0],
        Side::Tie => [0.0, 1.0, 0.0],
        Side::Second => [0.0, 0.0, 1.0],
    });
    Some(Game {
        outcome,
        margin: None,
        recorded: None,
        why: None,
    })
}

fn percent(figure: &Figure) -> String {
    match (figure.value, figure.ci) {
        (Some(value), Some([Some(low), Some(high)])) => format!(
            "{:.1} % ({:.0} to {:.0})",
            100.0 * value,
            100.0 * low,
            100.0 * high
        ),
        (Some(value), _) => format!("{:.1} %", 100.0 * value),
        (None, _) => figure.note.clone().unwrap_or_default(),
    }
}
