//! The readers against slow obvious twins.

use super::*;
use crate::error::{At, DataProblem};
use proptest::prelude::*;
use std::collections::BTreeMap;

const WINNERS: [(&str, BattleOutcome); 4] = [
    ("model_a", BattleOutcome::A),
    ("right", BattleOutcome::B),
    ("tie", BattleOutcome::Tie),
    ("tie (bothbad)", BattleOutcome::BothBad),
];

/// A row: cluster, two systems, outcome, weight.
type Row = (String, String, String, usize, u8);

fn row() -> impl Strategy<Value = Row> {
    let name = "[ab,\"\né]{1,3}";
    ("[0-9\",]{1,3}", name, name, 0..4_usize, 0..4_u8).prop_map(
        |(cluster, a, b, winner, weight)| {
            let b = if a == b { format!("{b}x") } else { b };
            (cluster, a, b, winner, weight)
        },
    )
}

/// A cell as the `csv` crate and ours must understand it; `always` quotes what needs no quotes too.
fn cell(text: &str, always: bool) -> String {
    let needs = text.contains([',', '\n']) || text.starts_with('"');
    if needs || always {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn csv_text(rows: &[(Row, bool, u8)], last: bool) -> String {
    let mut text = "question_id,model_b,model_a,winner,other,weight".to_owned();
    for ((cluster, a, b, winner, weight), always, ends) in rows {
        text += ["\n", "\r\n", "\n\n", "\r\n\r\n\n"][usize::from(ends % 4)];
        let cells = [cluster, b, a, WINNERS[*winner].0, "o", &weight.to_string()];
        text += &cells.map(|text| cell(text, *always)).join(",");
    }
    if last { text + "\r\n" } else { text }
}

/// Rows by the `csv` crate.
fn by_csv(text: &str) -> Rows {
    let mut reader = ::csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let records = reader.records().map(Result::unwrap).skip(1);
    twin(records.map(|record| [0, 2, 1, 3, 5].map(|at: usize| record[at].to_owned())))
}

/// Rows from cluster, two systems, outcome and weight of each.
fn twin(records: impl Iterator<Item = [String; 5]>) -> Rows {
    let (mut rows, mut names, mut clusters) = (Rows::default(), Vec::new(), Vec::new());
    let mut number = |name: &String| {
        names
            .iter()
            .position(|known| known == name)
            .unwrap_or_else(|| {
                names.push(name.clone());
                names.len() - 1
            })
    };
    let (mut weights, mut cluster_of) = (Vec::new(), Vec::new());
    for [cluster, a, b, winner, weight] in records {
        rows.a.push(number(&a) as u16);
        rows.b.push(number(&b) as u16);
        rows.outcome
            .push(WINNERS.iter().find(|known| known.0 == winner).unwrap().1);
        weights.push(weight.parse::<f64>().unwrap());
        let known = clusters.iter().position(|known| *known == cluster);
        cluster_of.push(known.unwrap_or(clusters.len()) as u32);
        if known.is_none() {
            clusters.push(cluster);
        }
    }
    let weight = weights
        .iter()
        .any(|&weight| weight != 1.0)
        .then_some(weights);
    Rows {
        dropped: 0,
        skipped: Vec::new(),
        names,
        clusters: clusters.len() as u32,
        cluster: Some(cluster_of),
        weight,
        ..rows
    }
}

fn jsonl_text(rows: &[Row]) -> String {
    let line = |(cluster, a, b, winner, weight): &Row| {
        let [cluster, a, b] = [cluster, a, b].map(|text| serde_json::to_string(text).unwrap());
        let weight = if *weight == 1 {
            String::new()
        } else {
            format!(",\"weight\":{weight}")
        };
        format!(
            "{{\"other\":{{\"winner\":\"x\"}},\"model_b\":{b},\"winner\":\"{}\",\"model_a\":{a},\"question_id\":{cluster}{weight}}}\n",
            WINNERS[*winner].0
        )
    };
    rows.iter().map(line).collect()
}

fn by_value(text: &str) -> Rows {
    let record = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| value[name].as_str().unwrap().to_owned();
        let weight = value
            .get("weight")
            .map_or("1".to_owned(), |weight| weight.to_string());
        [
            text("question_id"),
            text("model_a"),
            text("model_b"),
            text("winner"),
            weight,
        ]
    };
    twin(text.lines().map(record))
}

/// Pair counts of rows, one row after the other.
fn tally(rows: &Rows) -> BTreeMap<(u16, u16), [f64; 4]> {
    let mut pairs = BTreeMap::new();
    for row in 0..rows.a.len() {
        let (a, b, weight) = (
            rows.a[row],
            rows.b[row],
            rows.weight.as_ref().map_or(1.0, |weights| weights[row]),
        );
        let at = match (rows.outcome[row], a < b) {
            (BattleOutcome::Tie, _) => 1,
            (BattleOutcome::BothBad, _) => 2,
            (BattleOutcome::A, true) | (BattleOutcome::B, false) => 0,
            _ => 3,
        };
        pairs.entry((a.min(b), a.max(b))).or_insert([0.0; 4])[at] += weight;
    }
    pairs.retain(|_, counts| counts.iter().sum::<f64>() > 0.0);
    pairs
}

fn counted(counts: &Counts) -> BTreeMap<(u16, u16), [f64; 4]> {
    counts
        .pairs
        .iter()
        .map(|pair| {
            (
                (pair.a, pair.b),
                [pair.wins_a, pair.ties, pair.both_bad, pair.wins_b],
            )
        })
        .collect()
}

proptest! {
    #[test]
    fn csv_is_read_as_the_csv_crate_reads_it(
        rows in prop::collection::vec((row(), prop::bool::weighted(0.1), any::<u8>()), 1..40),
        last: bool, chunk in 1..200_usize, threads in 1..6_usize,
    ) {
        let text = csv_text(&rows, last);
        let expected = by_csv(&text);
        let options = options(threads, chunk);
        prop_assert_eq!(&read_rows(&mut [source("a.csv", &text)], &options).unwrap(), &expected);
        prop_assert_eq!(&read_rows(&mut [source("a.csv.gz", gzip(text.as_bytes()))], &options).unwrap(), &expected);
        let counts = read_counts(&mut [source("a.csv", &text)], &options).unwrap();
        prop_assert_eq!(counted(&counts), tally(&expected));
        prop_assert_eq!((counts.rows, counts.weighted), (rows.len() as u64, expected.weight.is_some()));
    }

    #[test]
    fn json_lines_are_read_as_values(
        rows in prop::collection::vec(row(), 1..40), chunk in 1..200_usize, threads in 1..6_usize,
    ) {
        let text = jsonl_text(&rows);
        let expected = by_value(&text);
        prop_assert_eq!(&read_rows(&mut [source("a.jsonl", &text)], &options(threads, chunk)).unwrap(), &expected);
        let table: Vec<_> = rows.into_iter().map(|row| (row, false, 0)).collect();
        prop_assert_eq!(&read_rows(&mut [source("a.csv", csv_text(&table, true))], &options(threads, chunk)).unwrap(), &expected);
    }

    #[test]
    fn the_line_of_a_bad_row_is_found(
        rows in prop::collection::vec((row(), prop::bool::weighted(0.1), any::<u8>()), 1..40),
        bad in any::<prop::sample::Index>(), chunk in 1..200_usize, threads in 1..6_usize,
    ) {
        let bad = bad.index(rows.len());
        let before = csv_text(&rows[..bad], true);
        let after = csv_text(&rows[bad..], true);
        let text = format!("{before}1,y,x,nobody,o,1{}", &after["question_id,model_b,model_a,winner,other,weight".len()..]);
        let error = read_counts(&mut [source("a.csv", &text)], &options(threads, chunk)).unwrap_err();
        let line = before.matches('\n').count() as u64 + 1;
        prop_assert_eq!(error.place.unwrap().at, At::Line(line));
        let unknown = matches!(*error.problem, DataProblem::Winner { .. });
        prop_assert!(unknown);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), chunk in 1..50_usize) {
        for begin in ["", "model_a,model_b,winner\n", "{\"model_a\":\"x\",\"model_b\":\"y\",\"winner\":\"tie\"}\n", "\u{1f}\u{8b}\u{8}"] {
            let text = [begin.as_bytes(), &bytes].concat();
            let result = read_rows(&mut [source("a.csv", text)], &options(2, chunk));
            prop_assert!(result.is_err() || result.is_ok_and(|rows| rows.a.len() == rows.b.len()));
        }
    }
}
