//! Where a table is shown: on a terminal of some width, or to a program that reads all.

use crate::numbers::count_of;
use crate::terminal::printable_lines;
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
pub(crate) fn fit_table(table: TextTable, view: View, droppable: &[usize]) -> String {
    match view.cut_width() {
        Some(width) => narrow_table(table, width, droppable),
        None => table.to_text(),
    }
}

/// Hides columns until the rest fit, and says below the table how many were hidden.
fn narrow_table(mut table: TextTable, width: usize, droppable: &[usize]) -> String {
    let dropped = hide_columns(&mut table, width, droppable);
    table.break_lines_at(width);
    let text = table.to_text();
    match dropped {
        0 => text,
        count => text + &dropped_columns_note(count, width),
    }
}

/// Hides one column after the other while the table is too wide; returns how many.
fn hide_columns(table: &mut TextTable, width: usize, droppable: &[usize]) -> usize {
    droppable
        .iter()
        .take_while(|column| table.width() > width && table.hide_column(**column))
        .count()
}

fn dropped_columns_note(dropped: usize, width: usize) -> String {
    let columns = count_of(dropped as u64, "column", "columns");
    let (verbose, format) = (Setting::Verbose, Setting::Format);
    let note =
        format!("{columns} left out for the width of {width}; {verbose} or {format} csv has all");
    format!("\n\n{}", wrap_text(&note, width))
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

/// Returns rows of a summary as text: on a terminal at most ten under a key, in lines that break
/// between words.
pub(crate) fn summary_text(lines: Vec<Line>, view: View) -> String {
    let rows = cut_long_lists(lines, view)
        .into_iter()
        .map(|(key, value)| [key.to_string(), value]);
    let mut table = TextTable::new().with_rows(rows);
    if let Some(width) = view.width {
        table.break_lines_at(width);
    }
    table.to_text()
}

fn cut_long_lists(lines: Vec<Line>, view: View) -> Vec<Line> {
    if view.cut_width().is_none() {
        return lines;
    }
    // Lines without a key each belong to the line above, and are no list.
    let lists = lines.chunk_by(|a, b| a.0 == b.0 && !a.0.is_empty());
    lists.flat_map(first_rows).collect()
}

/// Returns the first rows of a list under one key, and how many more there are.
fn first_rows(list: &[Line]) -> Vec<Line> {
    let (shown, rest) = list.split_at(list.len().min(ROWS));
    let mut rows = shown.to_vec();
    if !rest.is_empty() {
        rows.push((list[0].0, more_rows_note(rest.len())));
    }
    rows
}

fn more_rows_note(more: usize) -> String {
    format!(
        "and {more} more; {} or {} json has all",
        Setting::Verbose,
        Setting::Format
    )
}

/// Returns warnings as rows of a summary: on a terminal a line for each kind, and how many were
/// cut.
pub(crate) fn warning_lines(warnings: &[Warning], view: View) -> Vec<Line> {
    match view.cut_width() {
        Some(width) => one_line_each(&texts_by_kind(warnings), width),
        None => whole_warnings(warnings),
    }
}

fn whole_warnings<W: ToString>(warnings: &[W]) -> Vec<Line> {
    let texts = warnings.iter().map(W::to_string);
    texts.map(|text| ("warning", text)).collect()
}

/// Returns the texts of each kind of warning, the kinds in the order of their first warnings.
fn texts_by_kind(warnings: &[Warning]) -> Vec<Vec<&str>> {
    let mut kinds: Vec<WarningKind> = Vec::new();
    for warning in warnings {
        if !kinds.contains(&warning.kind) {
            kinds.push(warning.kind);
        }
    }
    let texts = kinds.iter().map(|kind| texts_of_kind(warnings, *kind));
    texts.collect()
}

fn texts_of_kind(warnings: &[Warning], kind: WarningKind) -> Vec<&str> {
    let of_kind = warnings.iter().filter(|warning| warning.kind == kind);
    of_kind.map(|warning| warning.text.as_str()).collect()
}

/// Returns warnings without a kind as rows of a summary: on a terminal a line for each, and how
/// many were cut.
pub(crate) fn unsorted_warning_lines(warnings: &[String], view: View) -> Vec<Line> {
    let Some(width) = view.cut_width() else {
        return whole_warnings(warnings);
    };
    let each: Vec<Vec<&str>> = warnings.iter().map(|text| vec![text.as_str()]).collect();
    one_line_each(&each, width)
}

/// Returns a line for each kind of warning, and a note where that does not show all of them whole.
fn one_line_each(kinds: &[Vec<&str>], width: usize) -> Vec<Line> {
    let room = width.saturating_sub(KEYS);
    let mut rows: Vec<Line> = kinds
        .iter()
        .map(|texts| ("warning", first_in_one_line(texts, room)))
        .collect();
    if !are_shown_whole(kinds, &rows) {
        rows.push(("", cut_warnings_note(kinds)));
    }
    rows
}

fn are_shown_whole(kinds: &[Vec<&str>], rows: &[Line]) -> bool {
    kinds
        .iter()
        .zip(rows)
        .all(|(texts, (_, line))| texts == &[line])
}

fn cut_warnings_note(kinds: &[Vec<&str>]) -> String {
    let count: usize = kinds.iter().map(Vec::len).sum();
    let warnings = count_of(count as u64, "warning", "warnings");
    format!("{warnings}; {} has all in full", Setting::Verbose)
}

/// Returns the first of these warnings in one line of at most so many characters, and how many more
/// there are.
fn first_in_one_line(texts: &[&str], width: usize) -> String {
    let more = more_like_it(texts);
    let room = width.saturating_sub(more.len());
    let first = texts.first().copied().unwrap_or_default();
    cut_between_words(first, room) + &more
}

fn more_like_it(texts: &[&str]) -> String {
    match texts.len() {
        0 | 1 => String::new(),
        count => format!(" (and {} more like it)", count - 1),
    }
}

/// Returns the text in so many characters, ended between words where it is longer.
fn cut_between_words(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.into();
    }
    // Three characters are left for the dots.
    let kept: String = text.chars().take(most.saturating_sub(3)).collect();
    format!("{}...", whole_words(&kept))
}

/// Returns the text without its last word, which may be cut, and without the marks before it.
fn whole_words(text: &str) -> &str {
    let end = text.rfind(' ').unwrap_or(text.len());
    text[..end].trim_end_matches([',', ';', ':', ' '])
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
