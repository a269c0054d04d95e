//! Slices as text: their headings, and how far each is from what is expected over all items.

use crate::View;
use crate::columns::Columns;
use crate::figures::{Cell, Figure, grid};
use crate::numbers::{count_of, group_digits, or_dash};
use crate::serialize::optional_cell;
use crate::view::{fit_table, sentences_text};
use evenhand_core::p_value_text;
use evenhand_ranking::{FEW_ITEMS, InteractionReport, SliceDeviation, SliceUnit};

/// Names a slice, with what it has, and whether there are too few of its units.
pub(crate) fn slice_heading(
    field: &str,
    value: &str,
    size: &str,
    units: &str,
    is_small: bool,
) -> String {
    let name = slice_name(value);
    let small = match is_small {
        true => {
            format!("; too small: with fewer than {FEW_ITEMS} {units} intervals are too narrow")
        }
        false => String::new(),
    };
    format!("{field} = {name} ({size}{small})")
}

/// Names a value, be it blank.
pub(crate) fn slice_name(value: &str) -> &str {
    match value {
        "" => "(none)",
        value => value,
    }
}

/// Returns the columns of deviations of systems, or of judges.
pub(crate) fn deviation_columns(subject: &str) -> Columns<'static, SliceDeviation> {
    let mut columns = Columns::new(&[]);
    columns.push(subject, |row: &SliceDeviation| row.system.clone());
    columns.extend(&[
        ("slice", |row| slice_name(&row.value).into()),
        ("beyond overall", |row| format!("{:+.3}", row.deviation)),
        ("standard error", |row| {
            or_dash(row.standard_error, |error| format!("{error:.3}"))
        }),
        ("pooled", |row| format!("{:+.3}", row.pooled)),
        ("p adjusted", |row| or_dash(row.p_adjusted, p_value_text)),
    ]);
    columns
}

/// Returns the deviations as a table under a line that says what they are; blank without any. A
/// terminal shows those with the smallest p-values.
pub(crate) fn deviation_table(found: &InteractionReport, subject: &str, view: View) -> String {
    if found.deviations.is_empty() {
        return String::new();
    }
    let (shown, more) = view.shorten(found.deviations.len());
    let mut rows: Vec<&SliceDeviation> = found.deviations.iter().collect();
    if !more.is_empty() {
        let p_value = |row: &SliceDeviation| row.p_adjusted.unwrap_or(f64::INFINITY);
        rows.sort_by(|a, b| p_value(a).total_cmp(&p_value(b)));
    }
    let table = deviation_columns(subject).table(rows.into_iter().take(shown));
    let table = fit_table(table.with_numbers_from(2), view, &[4, 3]);
    let about = sentences_text(&about_deviations(found), view);
    format!("\n\n{about}\n{table}{more}")
}

/// Says what deviations are.
pub(crate) fn about_deviations(found: &InteractionReport) -> String {
    let what = match found.unit {
        SliceUnit::Points => "Points in each slice beyond what the scores over all items predict",
        SliceUnit::ShareWon => {
            "Share of comparisons won in each slice beyond what the scores over all items predict"
        }
        SliceUnit::ShareKept => {
            "Share of responses that keep all constraints in each slice, above or below what is \
             expected"
        }
        SliceUnit::ShareOfPairs => "Share in each slice, above or below that over all pairs",
        SliceUnit::ShareRight => "Accuracy in each slice, above or below that over all pairs",
    };
    format!(
        "{what} ({}, {} permutations, seed {})",
        found.method,
        group_digits(found.permutations as u64),
        found.seed
    )
}

/// Returns what was found of a system, or judge, in a slice.
pub(crate) fn deviation_of<'a>(
    found: Option<&'a InteractionReport>,
    system: &str,
    value: &str,
) -> Option<&'a SliceDeviation> {
    let is_own = |found: &&SliceDeviation| found.system == system && found.value == value;
    found?.deviations.iter().find(is_own)
}

/// Adds the columns of CSV that name the slice of a row, and how far its system is from what is
/// expected. `of` returns system, slice and items; None for a row of the whole.
pub(crate) fn push_slice_columns<'a, R: 'a>(
    columns: &mut Columns<'a, R>,
    found: &'a InteractionReport,
    of: impl for<'r> Fn(&'r R) -> Option<(&'r str, &'r str, u64)> + Copy + 'a,
) {
    columns.push("slice", move |row| {
        optional_cell(of(row).map(|(_, slice, _)| slice))
    });
    columns.push("n_items", move |row| {
        optional_cell(of(row).map(|(_, _, n_items)| n_items))
    });
    push_deviation_columns(columns, move |row| {
        let (system, slice, _) = of(row)?;
        deviation_of(Some(found), system, slice)
    });
}

/// Adds the columns of what a row's slice deviates by.
pub(crate) fn push_deviation_columns<'a, R: 'a>(
    columns: &mut Columns<'a, R>,
    of: impl Fn(&R) -> Option<&'a SliceDeviation> + Copy + 'a,
) {
    columns.push("deviation", move |row| {
        optional_cell(of(row).map(|found| found.deviation))
    });
    columns.push("pooled", move |row| {
        optional_cell(of(row).map(|found| found.pooled))
    });
    columns.push("p_adjusted", move |row| {
        optional_cell(of(row).and_then(|found| found.p_adjusted))
    });
}

/// The standard errors from which a deviation has the strongest colour.
const STRONGEST: f64 = 4.0;

/// Returns a grid of systems, or judges, and slices; None where nothing deviates.
pub(crate) fn deviations_figure(
    found: &InteractionReport,
    systems: Vec<String>,
    values: &[&str],
    level: f64,
) -> Option<Figure> {
    let mut sizes = found.deviations.iter().map(|row| row.deviation.abs());
    sizes.find(|size| *size > 0.0)?;
    let alpha = 1.0 - level;
    let cell = |system: &str, value: &str| {
        let found = deviation_of(Some(found), system, value)?;
        let is_sure = found.p_adjusted.is_some_and(|p| p <= alpha + 1e-12);
        let star = if is_sure { "*" } else { "" };
        // Of a slice with few items a large deviation is noise: colours are by standard errors.
        // What is 0 as it is shown has no sign.
        let shown = (100.0 * found.deviation).round() / 100.0;
        let error = found.standard_error.filter(|error| *error > 0.0);
        Some(Cell {
            value: error.map(|error| found.deviation / error),
            text: match shown == 0.0 {
                true => format!("0.00{star}"),
                false => format!("{shown:+.2}{star}"),
            },
        })
    };
    let row = |system: &String| values.iter().map(|value| cell(system, value)).collect();
    let cells = systems.iter().map(row).collect();
    let columns = values.iter().map(|value| slice_name(value).into());
    let tested = match found.tested {
        0 => String::from("nothing was tested"),
        tested => format!(
            "* where the p-value, adjusted for {}, is at most {alpha:.2}",
            count_of(tested as u64, "test", "tests")
        ),
    };
    Some(grid(
        format!("Beyond what scores say, by {}", found.field),
        format!(
            "how much better than over all items ({}); {tested}; colours are by standard errors, the \
             strongest from {STRONGEST}",
            found.unit.name()
        ),
        [systems, columns.collect()],
        cells,
        ([-STRONGEST, STRONGEST], "standard errors"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_shows_the_ten_smallest_p_values_and_a_file_all_in_their_order() {
        let deviations = (0..13).map(|n| SliceDeviation {
            system: format!("s{n:02}"),
            value: "coding".into(),
            items: 40,
            deviation: 0.1,
            standard_error: Some(0.02),
            pooled: 0.05,
            p_adjusted: (n > 0).then_some(1.0 - 0.05 * f64::from(n)),
            note: None,
        });
        let found = InteractionReport {
            deviations: deviations.collect(),
            ..InteractionReport::default()
        };
        let systems = |view| -> Vec<String> {
            let text = deviation_table(&found, "system", view);
            let rows = text.lines().filter_map(|line| line.trim().split_once(' '));
            let names = rows.map(|(name, _)| name.into());
            names
                .filter(|name: &String| name.starts_with('s') && name.len() == 3)
                .collect()
        };
        let wide = View {
            width: Some(120),
            verbose: false,
        };
        assert_eq!(systems(wide)[..2], ["s12", "s11"]);
        assert_eq!(systems(wide).len(), 10);
        assert!(
            deviation_table(&found, "system", wide).ends_with("\n and 3 more; `verbose` has all")
        );
        let all: Vec<String> = (0..13).map(|n| format!("s{n:02}")).collect();
        assert_eq!(systems(View::default()), all);
        assert_eq!(
            systems(View {
                verbose: true,
                ..wide
            }),
            all
        );
    }
}
