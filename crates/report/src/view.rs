//! Where a table is shown: on a terminal of some width, or to a program that reads all.

use crate::table::{Table, lines};
use evenhand_engine::{Warning, WarningKind};

/// Rows under one key that a terminal shows of a summary.
const ROWS: usize = 10;

/// Columns of a terminal that the keys of a summary take.
const KEYS: usize = 12;

/// Where a table is shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct View {
    /// Columns of the terminal; none where a file or another program reads, which is given all.
    pub width: Option<usize>,
    /// Every column, row and warning whole, on a terminal too.
    pub verbose: bool,
}

impl View {
    /// The width to which something is cut.
    fn cut(self) -> Option<usize> {
        self.width.filter(|_| !self.verbose)
    }
}

/// The table, without those of its columns for which there is no room: `droppable` are columns by
/// number, the least important first.
pub(crate) fn fitted(mut table: Table, view: View, droppable: &[usize]) -> String {
    let Some(width) = view.cut() else {
        return lines(&table);
    };
    let dropped = droppable
        .iter()
        .take_while(|column| table.width() > width && table.hide(**column))
        .count();
    table.within(width);
    let columns = if dropped == 1 {
        "1 column"
    } else {
        &format!("{dropped} columns")
    };
    let note =
        format!("{columns} left out for the width of {width}; --verbose or --format csv has all");
    lines(&table)
        + &if dropped > 0 {
            format!("\n\n{}", wrapped(&note, width))
        } else {
            String::new()
        }
}

/// The text in lines of at most so many characters, broken between words.
fn wrapped(text: &str, width: usize) -> String {
    let mut table = crate::table::plain();
    text.lines().for_each(|line| table.add_row([line]));
    for column in table.column_iter_mut() {
        column.set_padding((0, 0));
    }
    table.within(width);
    lines(&table)
}

/// Sentences as they are, or on a terminal in lines that break between words.
pub(crate) fn sentences(text: &str, view: View) -> String {
    view.width.map_or(text.into(), |width| wrapped(text, width))
}

/// Rows of a summary as text: on a terminal at most ten under a key, in lines that break between
/// words.
pub(crate) fn summary(rows: Vec<(&str, String)>, view: View) -> String {
    let mut table = crate::table::plain();
    shown(rows, view)
        .into_iter()
        .for_each(|(key, value)| table.add_row([key.to_string(), value]));
    if let Some(width) = view.width {
        table.within(width);
    }
    lines(&table)
}

fn shown(rows: Vec<(&str, String)>, view: View) -> Vec<(&str, String)> {
    if view.cut().is_none() {
        return rows;
    }
    let mut out: Vec<(&str, String)> = Vec::new();
    for part in rows.chunk_by(|a, b| a.0 == b.0 && !a.0.is_empty()) {
        out.extend(part.iter().take(ROWS).cloned());
        let more = part.len().saturating_sub(ROWS);
        out.extend((more > 0).then(|| {
            (
                part[0].0,
                format!("and {more} more; --verbose or --format json has all"),
            )
        }));
    }
    out
}

/// Warnings as rows of a summary: on a terminal a line for each kind, and how many were cut.
pub(crate) fn warnings(warnings: &[Warning], view: View) -> Vec<(&'static str, String)> {
    let mut kinds: Vec<(WarningKind, Vec<&str>)> = Vec::new();
    for warning in warnings.iter().filter(|_| view.cut().is_some()) {
        match kinds.iter_mut().find(|kind| kind.0 == warning.kind) {
            Some(kind) => kind.1.push(&warning.text),
            None => kinds.push((warning.kind, vec![&warning.text])),
        }
    }
    match view.cut() {
        Some(width) => a_line_each(kinds.into_iter().map(|kind| kind.1), width),
        None => warnings
            .iter()
            .map(|warning| ("warning", warning.to_string()))
            .collect(),
    }
}

/// Warnings without a kind as rows of a summary: on a terminal a line for each, and how many were
/// cut.
pub(crate) fn unsorted_warnings(warnings: &[String], view: View) -> Vec<(&'static str, String)> {
    match view.cut() {
        Some(width) => a_line_each(warnings.iter().map(|warning| vec![warning.as_str()]), width),
        None => warnings
            .iter()
            .map(|warning| ("warning", warning.clone()))
            .collect(),
    }
}

fn a_line_each<'a>(
    kinds: impl Iterator<Item = Vec<&'a str>>,
    width: usize,
) -> Vec<(&'static str, String)> {
    let (mut rows, mut count, mut whole) = (Vec::new(), 0, true);
    for kind in kinds {
        let line = line(&kind, width.saturating_sub(KEYS));
        count += kind.len();
        whole &= kind == [line.as_str()];
        rows.push(("warning", line));
    }
    let count = if count == 1 {
        "1 warning".into()
    } else {
        format!("{count} warnings")
    };
    rows.extend((!whole).then(|| ("", format!("{count}; --verbose has all in full"))));
    rows
}

/// The first of these warnings in one line of at most so many characters, and how many more there
/// are.
fn line(kind: &[&str], width: usize) -> String {
    let more = if kind.len() > 1 {
        format!(" (and {} more like it)", kind.len() - 1)
    } else {
        String::new()
    };
    cut(
        kind.first().copied().unwrap_or_default(),
        width.saturating_sub(more.len()),
    ) + &more
}

/// The text in so many characters, ended between words where it is longer.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.into();
    }
    let kept: String = text.chars().take(most.saturating_sub(3)).collect();
    let end = kept.rfind(' ').unwrap_or(kept.len());
    format!("{}...", kept[..end].trim_end_matches([',', ';', ':', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NARROW: View = View {
        width: Some(40),
        verbose: false,
    };

    fn table() -> Table {
        let mut table = crate::table::plain();
        table.set_header(["rank", "system", "score", "95 % interval", "judgments"]);
        table.add_row(["1", "a-system-of-note", "1200", "1100 to 1300", "20,000"]);
        table
    }

    #[test]
    fn the_least_important_columns_go_first_and_that_is_said() {
        let text = fitted(table(), NARROW, &[4, 3, 0]);
        assert_eq!(
            text,
            " rank  system            score\n 1     a-system-of-note  1200\n\n2 columns left out \
             for the width of 40;\n--verbose or --format csv has all"
        );
        let whole = lines(&table());
        for view in [
            View::default(),
            View {
                verbose: true,
                ..NARROW
            },
            View {
                width: Some(80),
                verbose: false,
            },
        ] {
            assert_eq!(fitted(table(), view, &[4, 3, 0]), whole);
        }
    }

    #[test]
    fn name_and_score_stay_however_narrow_it_is() {
        let text = fitted(
            table(),
            View {
                width: Some(16),
                verbose: false,
            },
            &[4, 3, 0],
        );
        assert!(
            text.contains("score") && text.contains("1200") && !text.contains("rank"),
            "{text}"
        );
        assert!(
            text.lines()
                .take_while(|line| !line.is_empty())
                .all(|line| line.chars().count() <= 16),
            "{text}"
        );
    }

    #[test]
    fn lines_of_a_summary_break_between_words() {
        let words = "the same outcome in both orders on seven of nine pairs that were judged";
        let text = summary(vec![("position", words.into())], NARROW);
        assert!(
            text.lines().count() > 1 && text.lines().all(|line| line.chars().count() <= 40),
            "{text}"
        );
        let together: Vec<&str> = text.split_whitespace().skip(1).collect();
        assert_eq!(together.join(" "), words);
        assert_eq!(
            summary(vec![("position", words.into())], View::default()),
            format!(" position  {words}")
        );
    }

    #[test]
    fn many_rows_under_a_key_are_counted() {
        let rows = || {
            (0..15)
                .map(|n| ("pair", format!("pair {n}")))
                .chain([("judge", "j".into())])
                .collect()
        };
        let text = summary(
            rows(),
            View {
                width: Some(80),
                verbose: false,
            },
        );
        assert_eq!(text.lines().count(), 12);
        assert!(
            text.contains("pair 9")
                && !text.contains("pair 10")
                && text.contains("and 5 more; --verbose"),
            "{text}"
        );
        assert_eq!(
            summary(
                rows(),
                View {
                    width: Some(80),
                    verbose: true
                }
            )
            .lines()
            .count(),
            16
        );
        assert_eq!(summary(rows(), View::default()).lines().count(), 16);
    }

    #[test]
    fn a_kind_of_warning_is_a_line_with_a_count() {
        let long = "a sentence that is much too long for the line of a narrow terminal";
        let all = [
            WarningKind::Service.says(long),
            WarningKind::Prior.says("short"),
            WarningKind::Service.says("again"),
        ];
        let rows = warnings(
            &all,
            View {
                width: Some(60),
                verbose: false,
            },
        );
        let texts: Vec<&str> = rows.iter().map(|row| row.1.as_str()).collect();
        assert_eq!(
            texts,
            [
                "a sentence that is much... (and 1 more like it)",
                "short",
                "3 warnings; --verbose has all in full"
            ]
        );
        assert!(
            texts.iter().all(|text| text.chars().count() <= 48),
            "{texts:?}"
        );
        assert_eq!(
            warnings(&all[1..2], NARROW),
            [("warning", "short".to_string())]
        );
        assert_eq!(warnings(&all, View::default()).len(), 3);
    }
}
