//! The rows of a run as a table: both orders of a pair in a line.

use super::judgment::name_side;
use super::verdict::{format_score, format_share};
use crate::View;
use crate::columns::{Column, table_of};
use crate::numbers::{count_of, format_usd, or_blank, or_dash};
use crate::view::{fit_table, sentences_text};
use evenhand_core::Setting;
use evenhand_pages::{Cell, Row, RowSums};

const COLUMNS: [Column<Row>; 10] = [
    ("judgment", |row| row.id.to_string()),
    ("item", |row| row.item.clone()),
    ("a", |row| match &row.systems {
        Some(all) => all.join(", "),
        None => row.a.clone(),
    }),
    ("b", |row| or_dash(row.b.clone(), |b| b)),
    ("outcome", |row| match row.score {
        Some(score) => format!("score {}", format_score(score)),
        None => name_side(row, row.outcome).into(),
    }),
    ("p", |row| or_dash(row.p, format_share)),
    ("a first", |row| {
        describe_cell(row, row.ab.as_ref(), ["a", "b"])
    }),
    ("b first", |row| {
        describe_cell(row, row.ba.as_ref(), ["b", "a"])
    }),
    ("marks", describe_marks),
    ("cost", |row| or_dash(row.cost, format_usd)),
];

/// Columns by number that a narrow terminal goes without, the least important first.
const DROPPABLE: [usize; 6] = [9, 5, 7, 6, 8, 3];

/// Rows of a run, and how they are shown.
#[derive(Clone, Copy, Debug)]
pub struct RowTable<'a> {
    /// Those that are shown.
    pub rows: &'a [Row],
    /// Sums over all that pass the filter.
    pub sums: RowSums,
    /// Where it is shown.
    pub view: View,
}

/// Returns a line for each row, and a line of sums below.
pub fn row_table(shown: &RowTable<'_>) -> String {
    let sums = &shown.sums;
    let judgments = count_of(sums.judgments, "judgment", "judgments");
    let failed = match sums.failures {
        0 => String::new(),
        count => format!(
            ", {} without a verdict",
            count_of(count, "judgment", "judgments")
        ),
    };
    let first = match shown.rows.len() {
        0 => String::new(),
        count if count as u64 == sums.rows => String::new(),
        count => format!(" ({count} shown; {} has more)", Setting::Limit),
    };
    let cost = or_blank(sums.cost, |usd| format!("; {}", format_usd(usd)));
    let rows = count_of(sums.rows, "row", "rows");
    let (flipped, split) = (sums.flipped, sums.split);
    let said =
        format!("{rows} of {judgments}{first}: {flipped} flipped, {split} split{failed}{cost}");
    let sums = sentences_text(&said, shown.view);
    if shown.rows.is_empty() {
        return sums;
    }
    let mut table = table_of(&COLUMNS, shown.rows);
    table.align_right([0, 5, 9]);
    let table = fit_table(table, shown.view, &DROPPABLE);
    format!("{table}\n\n{sums}")
}

/// Returns the verdict of one order, with the systems of its slots.
fn describe_cell(row: &Row, cell: Option<&Cell>, slots: [&str; 2]) -> String {
    let Some(cell) = cell else { return "-".into() };
    if let Some(kind) = cell.failure {
        return kind.into();
    }
    if let Some([first, tie, second]) = cell.p {
        let [a, b] = slots.map(|side| name_side(row, side));
        let mut likeliest = (first, a);
        for other in [(tie, "tie"), (second, b)] {
            if other.0 > likeliest.0 {
                likeliest = other;
            }
        }
        let (share, name) = likeliest;
        return format!("{name} {}", format_share(share));
    }
    if let Some(places) = &cell.places {
        let places = places.iter().map(|place| format_score(*place));
        return places.collect::<Vec<_>>().join(", ");
    }
    or_dash(cell.score, format_score)
}

fn describe_marks(row: &Row) -> String {
    let mut marks = Vec::new();
    if row.flipped {
        marks.push("flipped".to_owned());
    }
    if row.split {
        marks.push("split".to_owned());
    }
    if let Some(people) = row.people {
        marks.push(format!("people: {}", name_side(row, people)));
    }
    marks.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(p: [f64; 3]) -> Option<Cell> {
        Some(Cell {
            trial: 0,
            p: Some(p),
            score: None,
            places: None,
            failure: None,
        })
    }

    fn row() -> Row {
        Row {
            id: 4,
            item: "q1".into(),
            category: None,
            a: "ant".into(),
            b: Some("bee".into()),
            systems: None,
            replicate: 0,
            ab: cell([0.9, 0.0, 0.1]),
            ba: cell([0.75, 0.0, 0.25]),
            outcome: "a",
            p: Some(0.575),
            score: None,
            flipped: true,
            split: false,
            people: Some("b"),
            confidence: Some(0.15),
            cost: Some(0.0025),
            tokens: 7,
            excerpt: None,
        }
    }

    #[test]
    fn a_row_has_both_orders_and_the_sums_are_of_all_that_pass() {
        let sums = RowSums {
            rows: 2,
            judgments: 4,
            failures: 1,
            flipped: 1,
            split: 0,
            cost: Some(0.005),
        };
        let table = row_table(&RowTable {
            rows: &[row()],
            sums,
            view: View::default(),
        });
        let expected = " judgment  item  a    b    outcome      p  a first    b first    marks                       cost
        4  q1    ant  bee  ant      0.575  ant 0.900  bee 0.750  flipped, people: bee  0.0025 USD

2 rows of 4 judgments (1 shown; `limit` has more): 1 flipped, 0 split, 1 judgment without a verdict; 0.0050 USD";
        assert_eq!(table, expected);
    }
}
