//! Where a table is shown: on a terminal of some width, or to a program that reads all.

use crate::numbers::count_of;
use crate::text_table::TextTable;
use evenhand_core::Setting;
use evenhand_engine::{Warning, WarningKind};

/// Rows under one key that a terminal shows of a summary.
const ROWS: usize = 10;

/// Columns of a terminal that the keys of a summary take.
const KEYS: usize = 12;

/// A row of a summary: its key and its text. Rows under one key follow each other; a row without a
/// key goes on with the one above.
pub(crate) type Line = (&'static str, String);

/// Where a table is shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct View {
    /// Columns of the terminal; None where a file or another program reads, which is given all.
    pub width: Option<usize>,
    /// Every column, row and warning whole, on a terminal too.
    pub verbose: bool,
}

impl View {
    /// Returns the width to which tables are cut, if they are.
    fn cut_width(self) -> Option<usize> {
        self.width.filter(|_| !self.verbose)
    }
}

/// Returns the table without those of its columns for which there is no room: `droppable` are
/// columns by number, the least important first.
pub(crate) fn fit_table(mut table: TextTable, view: View, droppable: &[usize]) -> String {
    let Some(width) = view.cut_width() else {
        return table.to_text();
    };
    let dropped = droppable
        .iter()
        .take_while(|column| table.width() > width && table.hide_column(**column))
        .count();
    table.break_lines_at(width);
    if dropped == 0 {
        return table.to_text();
    }
    let note = dropped_columns_note(dropped, width);
    format!("{}\n\n{}", table.to_text(), wrap_text(&note, width))
}

fn dropped_columns_note(dropped: usize, width: usize) -> String {
    format!(
        "{} left out for the width of {width}; {} or {} csv has all",
        count_of(dropped as u64, "column", "columns"),
        Setting::Verbose,
        Setting::Format
    )
}

/// Returns the text in lines of at most so many characters, broken between words.
fn wrap_text(text: &str, width: usize) -> String {
    let mut table = TextTable::new();
    for line in text.lines() {
        table.add_row([line]);
    }
    table.remove_padding();
    table.break_lines_at(width);
    table.to_text()
}

/// Returns sentences as they are, or on a terminal in lines that break between words.
pub(crate) fn sentences_text(text: &str, view: View) -> String {
    view.width
        .map_or(text.into(), |width| wrap_text(text, width))
}

/// Returns rows of a summary as text: on a terminal at most ten under a key, in lines that break
/// between words.
pub(crate) fn summary_text(lines: Vec<Line>, view: View) -> String {
    let mut table = TextTable::new();
    for (key, value) in cut_long_lists(lines, view) {
        table.add_row([key.to_string(), value]);
    }
    if let Some(width) = view.width {
        table.break_lines_at(width);
    }
    table.to_text()
}

fn cut_long_lists(lines: Vec<Line>, view: View) -> Vec<Line> {
    if view.cut_width().is_none() {
        return lines;
    }
    let mut kept = Vec::new();
    for list in lines.chunk_by(|a, b| a.0 == b.0 && !a.0.is_empty()) {
        kept.extend(list.iter().take(ROWS).cloned());
        if list.len() > ROWS {
            kept.push((list[0].0, more_rows_note(list.len() - ROWS)));
        }
    }
    kept
}

fn more_rows_note(more: usize) -> String {
    format!(
        "and {more} more; {} or {} json has all",
        Setting::Verbose,
        Setting::Format
    )
}

/// Returns warnings as rows of a summary: on a terminal a line for each kind, and how many were cut.
pub(crate) fn warning_lines(warnings: &[Warning], view: View) -> Vec<Line> {
    match view.cut_width() {
        Some(width) => one_line_each(&texts_by_kind(warnings), width),
        None => warnings
            .iter()
            .map(|warning| ("warning", warning.to_string()))
            .collect(),
    }
}

fn texts_by_kind(warnings: &[Warning]) -> Vec<Vec<&str>> {
    let mut kinds: Vec<(WarningKind, Vec<&str>)> = Vec::new();
    for warning in warnings {
        match kinds.iter_mut().find(|(kind, _)| *kind == warning.kind) {
            Some((_, texts)) => texts.push(&warning.text),
            None => kinds.push((warning.kind, vec![&warning.text])),
        }
    }
    kinds.into_iter().map(|(_, texts)| texts).collect()
}

/// Returns warnings without a kind as rows of a summary: on a terminal a line for each, and how many
/// were cut.
pub(crate) fn unsorted_warning_lines(warnings: &[String], view: View) -> Vec<Line> {
    match view.cut_width() {
        Some(width) => {
            let each: Vec<Vec<&str>> = warnings.iter().map(|text| vec![text.as_str()]).collect();
            one_line_each(&each, width)
        }
        None => warnings
            .iter()
            .map(|warning| ("warning", warning.clone()))
            .collect(),
    }
}

fn one_line_each(kinds: &[Vec<&str>], width: usize) -> Vec<Line> {
    let lines: Vec<String> = kinds
        .iter()
        .map(|texts| first_in_one_line(texts, width.saturating_sub(KEYS)))
        .collect();
    let whole = kinds
        .iter()
        .zip(&lines)
        .all(|(texts, line)| texts == &[line]);
    let count: usize = kinds.iter().map(Vec::len).sum();
    let mut rows: Vec<Line> = lines.into_iter().map(|line| ("warning", line)).collect();
    if !whole {
        rows.push(("", cut_warnings_note(count)));
    }
    rows
}

fn cut_warnings_note(count: usize) -> String {
    let warnings = count_of(count as u64, "warning", "warnings");
    format!("{warnings}; {} has all in full", Setting::Verbose)
}

/// Returns the first of these warnings in one line of at most so many characters, and how many more
/// there are.
fn first_in_one_line(texts: &[&str], width: usize) -> String {
    let more = if texts.len() > 1 {
        format!(" (and {} more like it)", texts.len() - 1)
    } else {
        String::new()
    };
    let first = texts.first().copied().unwrap_or_default();
    cut_between_words(first, width.saturating_sub(more.len())) + &more
}

/// Returns the text in so many characters, ended between words where it is longer.
fn cut_between_words(text: &str, most: usize) -> String {
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

    fn table() -> TextTable {
        let mut table =
            TextTable::with_header(["rank", "system", "score", "95 % interval", "judgments"]);
        table.add_row(["1", "a-system-of-note", "1200", "1100 to 1300", "20,000"]);
        table
    }

    #[test]
    fn the_least_important_columns_go_first_and_that_is_said() {
        let text = fit_table(table(), NARROW, &[4, 3, 0]);
        assert_eq!(
            text,
            " rank  system            score\n 1     a-system-of-note  1200\n\n2 columns left out \
             for the width of 40;\n`verbose` or `format` csv has all"
        );
        let whole = table().to_text();
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
            assert_eq!(fit_table(table(), view, &[4, 3, 0]), whole);
        }
    }

    #[test]
    fn name_and_score_stay_however_narrow_it_is() {
        let text = fit_table(
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
        let text = summary_text(vec![("position", words.into())], NARROW);
        assert!(
            text.lines().count() > 1 && text.lines().all(|line| line.chars().count() <= 40),
            "{text}"
        );
        let together: Vec<&str> = text.split_whitespace().skip(1).collect();
        assert_eq!(together.join(" "), words);
        assert_eq!(
            summary_text(vec![("position", words.into())], View::default()),
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
        let text = summary_text(
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
                && text.contains("and 5 more; `verbose`"),
            "{text}"
        );
        assert_eq!(
            summary_text(
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
        assert_eq!(summary_text(rows(), View::default()).lines().count(), 16);
    }

    #[test]
    fn a_kind_of_warning_is_a_line_with_a_count() {
        let long = "a sentence that is much too long for the line of a narrow terminal";
        let all = [
            WarningKind::Service.says(long),
            WarningKind::Prior.says("short"),
            WarningKind::Service.says("again"),
        ];
        let rows = warning_lines(
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
                "3 warnings; `verbose` has all in full"
            ]
        );
        assert!(
            texts.iter().all(|text| text.chars().count() <= 48),
            "{texts:?}"
        );
        assert_eq!(
            warning_lines(&all[1..2], NARROW),
            [("warning", "short".to_string())]
        );
        assert_eq!(warning_lines(&all, View::default()).len(), 3);
    }
}
