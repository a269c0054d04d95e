//! Where a table is shown: on a terminal of some width, or to a program that reads all.

use crate::numbers::count_of;
use crate::terminal::{printable, printable_lines};
use crate::text_table::TextTable;
use evenhand_core::Setting;
use evenhand_ranking::{Warning, WarningKind};

/// Rows that a terminal shows under one key of a summary, and of a table below the first.
const ROWS: usize = 10;

/// Columns of a terminal that the keys of a summary take.
const KEYS: usize = 12;

/// A row of a summary: its key and its text. Rows under one key follow each other; a row without a
/// key goes on with the one above.
pub(crate) type Line = (&'static str, String);

/// Where a table is shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct View {
    /// Columns of the terminal; None where a file or another program reads: nothing is cut to fit.
    pub width: Option<usize>,
    /// Every column, row and warning whole, on a terminal too.
    pub verbose: bool,
}

impl View {
    /// Returns the width to which tables are cut, if they are.
    pub(crate) fn cut_width(self) -> Option<usize> {
        self.width.filter(|_| !self.verbose)
    }

    /// Returns how many of so many rows of a table below the first are shown, and a line that says
    /// how many are not.
    pub(crate) fn shorten(self, rows: usize) -> (usize, String) {
        // One more is as short as the line about it.
        if self.cut_width().is_none() || rows <= ROWS + 1 {
            return (rows, String::new());
        }
        let more = rows - ROWS;
        let has_all = Setting::Verbose;
        (ROWS, format!("\n and {more} more; {has_all} has all"))
    }
}

/// Returns the table without those of its columns for which there is no room, and says below it how
/// many were hidden: `droppable` are columns by number, the least important first.
pub(crate) fn fit_table(mut table: TextTable, view: View, droppable: &[usize]) -> String {
    let Some(width) = view.cut_width() else {
        return table.to_text();
    };
    let mut dropped = 0;
    for &column in droppable {
        if table.width() <= width || !table.hide_column(column) {
            break;
        }
        dropped += 1;
    }
    table.break_lines_at(width);
    let text = table.to_text();
    if dropped == 0 {
        return text;
    }
    let note = format!(
        "{} left out for the width of {width}; {} or {} csv has all",
        count_of(dropped, "column", "columns"),
        Setting::Verbose,
        Setting::Format
    );
    format!("{text}\n\n{}", wrap_text(&note, width))
}

/// Returns the text in lines of at most so many characters, broken between words.
fn wrap_text(text: &str, width: usize) -> String {
    // A table of one column breaks its lines as the tables above the text do.
    let lines = text.lines().map(|line| [line]);
    let mut table = TextTable::new().with_rows(lines);
    table.remove_padding();
    table.break_lines_at(width);
    table.to_text()
}

/// Returns lines of ours with what they quote printable, on a terminal in lines that break between
/// words. A sentence that quotes foreign names is made [`printable`] first: a name begins no line.
pub(crate) fn sentences_text(text: &str, view: View) -> String {
    let text = printable_lines(text);
    match view.width {
        Some(width) => wrap_text(&text, width),
        None => text.into_owned(),
    }
}

/// Returns a report that begins with its answer: below it are tables, then the rows of a summary.
pub(crate) fn answer_first(
    answer: &str,
    tables: &[String],
    lines: Vec<Line>,
    view: View,
) -> String {
    let answer = sentences_text(&printable(answer), view);
    let summary = summary_text(lines, view);
    [&[answer], tables, &[summary]].concat().join("\n\n") + "\n"
}

/// Returns rows of a summary as text: on a terminal at most ten under a key, in lines that break
/// between words.
pub(crate) fn summary_text(lines: Vec<Line>, view: View) -> String {
    let lines = match view.cut_width() {
        Some(_) => cut_long_lists(&lines),
        None => lines,
    };
    let rows = lines
        .into_iter()
        .map(|(key, value)| [key.to_string(), value]);
    let mut table = TextTable::new().with_rows(rows);
    if let Some(width) = view.width {
        table.break_lines_at(width);
    }
    table.to_text()
}

/// Returns the first rows of each list under one key, and how many more there are.
fn cut_long_lists(lines: &[Line]) -> Vec<Line> {
    let mut rows = Vec::new();
    // Lines without a key each belong to the line above, and are no list.
    for list in lines.chunk_by(|a, b| a.0 == b.0 && !a.0.is_empty()) {
        let (shown, rest) = list.split_at(list.len().min(ROWS));
        rows.extend_from_slice(shown);
        if !rest.is_empty() {
            let note = format!(
                "and {} more; {} or {} json has all",
                rest.len(),
                Setting::Verbose,
                Setting::Format
            );
            rows.push((list[0].0, note));
        }
    }
    rows
}

/// Returns warnings as rows of a summary: on a terminal a line for each kind, and how many were
/// cut.
pub(crate) fn warning_lines(warnings: &[Warning], view: View) -> Vec<Line> {
    // The kinds in the order of their first warnings.
    let mut kinds: Vec<(WarningKind, Vec<&str>)> = Vec::new();
    for warning in warnings {
        match kinds.iter_mut().find(|(kind, _)| *kind == warning.kind) {
            Some((_, texts)) => texts.push(&warning.text),
            None => kinds.push((warning.kind, vec![&warning.text])),
        }
    }
    match view.cut_width() {
        Some(width) => one_line_each(kinds.into_iter().map(|(_, texts)| texts), width),
        None => whole_warnings(warnings),
    }
}

/// Returns warnings without a kind as rows of a summary: on a terminal a line for each, and how
/// many were cut.
pub(crate) fn unsorted_warning_lines(warnings: &[String], view: View) -> Vec<Line> {
    match view.cut_width() {
        Some(width) => one_line_each(warnings.iter().map(|text| vec![text.as_str()]), width),
        None => whole_warnings(warnings),
    }
}

fn whole_warnings<W: ToString>(warnings: &[W]) -> Vec<Line> {
    let texts = warnings.iter().map(W::to_string);
    texts.map(|text| ("warning", text)).collect()
}

/// Returns a line for each kind of warning, the first one and how many more like it there are, and
/// a note where that does not show all of them whole.
fn one_line_each<'a>(kinds: impl Iterator<Item = Vec<&'a str>>, width: usize) -> Vec<Line> {
    let mut rows: Vec<Line> = Vec::new();
    let mut warnings = 0;
    let mut is_whole = true;
    for texts in kinds {
        let more = match texts.len() {
            0 | 1 => String::new(),
            count => format!(" (and {} more like it)", count - 1),
        };
        let room = width.saturating_sub(KEYS).saturating_sub(more.len());
        let first = texts.first().copied().unwrap_or_default();
        let line = cut_between_words(first, room) + &more;
        warnings += texts.len() as u64;
        is_whole &= texts.len() == 1 && line == first;
        rows.push(("warning", line));
    }
    if !is_whole {
        let warnings = count_of(warnings, "warning", "warnings");
        rows.push((
            "",
            format!("{warnings}; {} has all in full", Setting::Verbose),
        ));
    }
    rows
}

/// Returns the text in so many characters, ended between words where it is longer.
fn cut_between_words(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.into();
    }
    // Three characters are left for the dots.
    let kept: String = text.chars().take(most.saturating_sub(3)).collect();
    // The last word may be cut; marks before it go with it.
    let end = kept.rfind(' ').unwrap_or(kept.len());
    let whole = kept[..end].trim_end_matches([',', ';', ':', ' ']);
    format!("{whole}...")
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
