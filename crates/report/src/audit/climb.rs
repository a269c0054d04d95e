//! Rankings before and after their lowest systems were rewritten.

use crate::View;
use crate::numbers::{bracketed_interval, or_dash};
use crate::text_table::TextTable;
use crate::view::{fit_table, sentences_text};
use evenhand_studies::Figure;
use evenhand_studies::audit::{Climb, Climber};

/// The two ratings and the rank of each system, three times.
const CLIMB_HEADER: [&str; 11] = [
    "system",
    "",
    "before",
    "Elo",
    "rank",
    "asked again",
    "Elo",
    "rank",
    "rewritten",
    "Elo",
    "rank",
];

const ELO_HEADER: [&str; 6] = [
    "Elo",
    "before",
    "asked again",
    "rewritten",
    "gained",
    "beyond neutral",
];

const ELO_HEAD: &str = "Elo with intervals over questions; gained: rewritten less before, and \
                        beyond what spaces that no reader sees gain";

pub(super) fn climb_text(climb: &Climb, view: View) -> String {
    let head = format!(
        "Climbing by style ({}), {}: Bradley-Terry and Elo ratings",
        climb.rewrite, climb.protocol
    );
    let head = sentences_text(&head, view);
    let ratings = fit_table(ratings_table(climb), view, &[3, 6, 9, 1]);
    format!("{head}\n{ratings}\n\n{}", elo_text(climb, view))
}

fn ratings_table(climb: &Climb) -> TextTable {
    TextTable::with_header(CLIMB_HEADER)
        .with_rows(climb.systems.iter().map(climber_row))
        .with_numbers_from(2)
}

/// Returns the Elo ratings with their intervals, and what the systems gain.
fn elo_text(climb: &Climb, view: View) -> String {
    let mut table = TextTable::with_header(ELO_HEADER).with_rows(climb.systems.iter().map(elo_row));
    table.add_row(mean_row(climb));
    let table = table.with_numbers_from(1);
    let elo = fit_table(table, view, &[2, 5]);
    format!("{}\n{elo}", sentences_text(ELO_HEAD, view))
}

fn elo_row(system: &Climber) -> [String; 6] {
    let mark = if system.rewritten { " (rewritten)" } else { "" };
    let [before, again, after] = [0, 1, 2].map(|state| elo_cell(system, state));
    [
        format!("{}{mark}", system.system),
        before,
        again,
        after,
        gain_text(&system.elo_gained),
        gain_text(&system.elo_gained_beyond_neutral),
    ]
}

/// Returns the Elo rating of a system in a state, with its interval.
fn elo_cell(system: &Climber, state: usize) -> String {
    let ci = bracketed_interval(system.elo_ci[state], points_text);
    or_dash(system.elo[state], |elo| points_text(elo) + &ci)
}

/// Returns what the rewritten systems gain on average.
fn mean_row(climb: &Climb) -> [String; 6] {
    let blank = String::new;
    [
        "mean of the rewritten".into(),
        blank(),
        blank(),
        blank(),
        gain_text(&climb.elo_gained),
        gain_text(&climb.elo_gained_beyond_neutral),
    ]
}

fn points_text(points: f64) -> String {
    format!("{points:.0}")
}

fn gain_text(gained: &Figure) -> String {
    let points = |points: f64| format!("{points:.1}");
    let ci = bracketed_interval(gained.ci, points);
    or_dash(gained.value, |value| points(value) + &ci)
}

fn climber_row(system: &Climber) -> Vec<String> {
    let mark = if system.rewritten { "rewritten" } else { "" };
    let mut cells = vec![system.system.clone(), mark.into()];
    cells.extend((0..system.rank.len()).flat_map(|state| state_cells(system, state)));
    cells
}

/// Returns the two ratings and the rank of a system in a state: before, asked again, rewritten.
fn state_cells(system: &Climber, state: usize) -> [String; 3] {
    let rank = system.rank[state].map(f64::from);
    [system.rating[state], system.elo[state], rank]
        .map(|number| or_dash(number, |number| format!("{number:.0}")))
}
