//! Rankings before and after their lowest systems were rewritten.

use crate::View;
use crate::columns::{Column, Columns, table_of};
use crate::numbers::{or_dash, with_interval};
use crate::view::{fit_table, sentences_text};
use evenhand_studies::Figure;
use evenhand_studies::audit::{Climb, Climber};

const ELO_COLUMNS: [Column<Climber>; 6] = [
    ("Elo", |system| {
        let mark = if system.rewritten { " (rewritten)" } else { "" };
        format!("{}{mark}", system.system)
    }),
    ("before", |system| elo_text(system, 0)),
    ("asked again", |system| elo_text(system, 1)),
    ("rewritten", |system| elo_text(system, 2)),
    ("gained", |system| gain_text(&system.elo_gained)),
    ("beyond neutral", |system| {
        gain_text(&system.elo_gained_beyond_neutral)
    }),
];

const ELO_HEAD: &str = "Elo with intervals over questions; gained: rewritten minus before, and \
                        beyond what spaces that no reader sees gain";

/// Returns the ratings before and after, then the Elo ratings with their intervals and what the
/// systems gain.
pub(super) fn climb_text(climb: &Climb, view: View) -> String {
    let head = format!(
        "Climbing by style ({}), {}: Bradley-Terry and Elo ratings",
        climb.rewrite, climb.protocol
    );
    let head = sentences_text(&head, view);
    let mut ratings: Columns<Climber> = Columns::new(&[
        ("system", |system| system.system.clone()),
        ("", |system| {
            if system.rewritten { "rewritten" } else { "" }.into()
        }),
    ]);
    // The two ratings and the rank of each system, three times.
    for (state, name) in ["before", "asked again", "rewritten"]
        .into_iter()
        .enumerate()
    {
        ratings.push(name, move |system| {
            or_dash(system.rating[state], points_text)
        });
        ratings.push("Elo", move |system| or_dash(system.elo[state], points_text));
        ratings.push("rank", move |system| {
            or_dash(system.rank[state], |rank| rank.to_string())
        });
    }
    let ratings = ratings.table(&climb.systems).with_numbers_from(2);
    let mut elo = table_of(&ELO_COLUMNS, &climb.systems);
    let gained = gain_text(&climb.elo_gained);
    let beyond = gain_text(&climb.elo_gained_beyond_neutral);
    elo.add_row(["mean of the rewritten", "", "", "", &gained, &beyond]);
    let ratings = fit_table(ratings, view, &[3, 6, 9, 1]);
    let elo = fit_table(elo.with_numbers_from(1), view, &[2, 5]);
    let elo_head = sentences_text(ELO_HEAD, view);
    format!("{head}\n{ratings}\n\n{elo_head}\n{elo}")
}

/// Returns the Elo rating of a system in a state, with its interval.
fn elo_text(system: &Climber, state: usize) -> String {
    with_interval(system.elo[state], system.elo_ci[state], points_text)
}

fn points_text(points: f64) -> String {
    format!("{points:.0}")
}

fn gain_text(gained: &Figure) -> String {
    with_interval(gained.value, gained.ci, |points| format!("{points:.1}"))
}
