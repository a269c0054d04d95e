//! Tables as Markdown, as GitHub reads it: for pull requests, issues and job summaries.
//!
//! Names and warnings hold foreign words. Nothing in them is more than words: no markup, no link,
//! no person who is called.

use crate::numbers::or_blank;
use crate::terminal::printable;
use evenhand_core::in_order;
use serde_json::Value;

/// Comes after a sign that would call a person or name an issue: no reader sees it.
const NO_WIDTH: char = '\u{200b}';

/// Returns a table, with warnings above it.
pub(crate) fn markdown_text<'a>(
    warnings: impl IntoIterator<Item = &'a str>,
    table: &MarkdownTable,
) -> String {
    let mut text = String::new();
    for warning in warnings {
        text += &format!("**Warning:** {}\n\n", escape(warning));
    }
    text + &table.text()
}

/// A table of cells that are escaped as they are written.
pub(crate) struct MarkdownTable {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The columns whose cells stand at the left; those of the others stand at the right.
    left: Vec<usize>,
}

impl MarkdownTable {
    pub(crate) fn new(header: Vec<String>, rows: Vec<Vec<String>>, left: Vec<usize>) -> Self {
        MarkdownTable { header, rows, left }
    }

    /// Returns a table of what a CSV says; numbers have at most three decimals.
    fn of_csv(csv: &str) -> Result<Self, csv::Error> {
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let header: Vec<String> = reader.headers()?.iter().map(short_number).collect();
        let mut rows: Vec<Vec<String>> = Vec::new();
        for row in reader.records() {
            rows.push(row?.iter().map(short_number).collect());
        }
        // Columns that hold anything but numbers.
        let has_words = |at: &usize| {
            let cells = rows.iter().filter_map(|row| row.get(*at));
            let mut filled = cells.filter(|cell| !cell.is_empty());
            filled.any(|cell| cell.trim_start_matches("< ").parse::<f64>().is_err())
        };
        let left = (0..header.len()).filter(has_words).collect();
        Ok(MarkdownTable { header, rows, left })
    }

    /// Returns the table under a heading of its own.
    pub(crate) fn text_under(&self, heading: &str) -> String {
        format!("\n**{}**\n\n{}", escape(heading), self.text())
    }

    pub(crate) fn text(&self) -> String {
        let line = |cells: &[String]| {
            let cells = cells.iter().map(|cell| format!(" {} |", escape(cell)));
            format!("|{}\n", cells.collect::<String>())
        };
        let mut text = line(&self.header) + "|";
        for at in 0..self.header.len() {
            text += if self.left.contains(&at) {
                " --- |"
            } else {
                " ---: |"
            };
        }
        text.push('\n');
        text.extend(self.rows.iter().map(|row| line(row)));
        text
    }
}

/// Returns a cell with at most three decimals, where it is a number that has more.
fn short_number(cell: &str) -> String {
    let decimals = cell
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    match cell.parse::<f64>() {
        // What is not 0 is not shown as 0: a p-value, mostly.
        Ok(number) if decimals > 3 && number > 0.0 && number < 0.0005 => "< 0.001".into(),
        Ok(number) if decimals > 3 && number.is_finite() => format!("{number:.3}"),
        _ => cell.to_owned(),
    }
}

/// Returns the rows of a report's CSV as a table in Markdown: for reports that have no Markdown of
/// their own. Above it stand the answer and the warnings of its JSON, also those of each of several
/// judges; below it what the figures do not say by themselves.
///
/// # Errors
/// A text that is no CSV.
pub fn csv_as_markdown(csv: &str, json: &str) -> Result<String, csv::Error> {
    fn texts<'a>(list: &'a Value, of: fn(&'a Value) -> &'a Value) -> Vec<&'a str> {
        let list = list.as_array().into_iter().flatten();
        list.filter_map(|one| of(one).as_str()).collect()
    }
    let report: Value = serde_json::from_str(json).unwrap_or_default();
    // The report of a head keeps its sentences as they are in its file.
    let sentences = report["answer"].as_str();
    let sentences = sentences.map(|text| text.strip_suffix('.').unwrap_or(text));
    let answer = or_blank(sentences.or(report["answer"]["text"].as_str()), |answer| {
        format!("**{}.**\n\n", escape(answer))
    });
    // What is said of several judges is said once, with their names.
    let judges: Vec<&Value> = report["judges"].as_array().into_iter().flatten().collect();
    let mut of_judges: Vec<(&str, Vec<&str>)> = Vec::new();
    for judge in &judges {
        let name = judge["judge"].as_str().unwrap_or_default();
        for text in texts(&judge["warnings"], |one| one) {
            match of_judges.iter_mut().find(|(said, _)| *said == text) {
                Some((_, names)) => names.push(name),
                None => of_judges.push((text, vec![name])),
            }
        }
    }
    let of_judges = of_judges.into_iter().map(|(text, names)| {
        if names.len() > 1 && names.len() == judges.len() {
            format!("all {} judges: {text}", names.len())
        } else {
            format!("{}: {text}", names.join("; "))
        }
    });
    let warnings = texts(&report["warnings"], |one| one).into_iter();
    let warnings: Vec<String> = warnings.map(String::from).chain(of_judges).collect();
    let warnings = warnings.iter().map(String::as_str);
    let table = markdown_text(warnings, &MarkdownTable::of_csv(csv)?);
    // The table has the rows of all lists: what is said of several is said once.
    let caveats = in_order(texts(&report["caveats"], |one| &one["text"]));
    let caveats: String = caveats
        .into_iter()
        .map(|text| format!("\n**Note:** {}\n", escape(text)))
        .collect();
    Ok(answer + &table + &caveats)
}

/// Returns lines of text as Markdown: those that begin with a dash as a list, each other as a
/// paragraph, and an empty one as none.
pub(crate) fn lines_as_markdown(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines().filter(|line| !line.is_empty()).peekable();
    while let Some(line) = lines.next() {
        let in_list = line.strip_prefix("- ");
        match in_list {
            Some(words) => out += &format!("- {}\n", escape(words)),
            None => out += &format!("{}\n", escape(line)),
        }
        let goes_on = lines.peek().is_some_and(|next| next.starts_with("- "));
        if in_list.is_none() || !goes_on {
            out.push('\n');
        }
    }
    out
}

/// Returns words that Markdown leaves as they are.
pub(crate) fn escape(text: &str) -> String {
    let shown = printable(text);
    let mut out = String::with_capacity(shown.len() + 8);
    for (at, c) in shown.char_indices() {
        let (before, rest) = shown.split_at(at);
        // No `https://` and no `www.` is left whole: an address would become a link.
        if rest.starts_with("://") || (c == '.' && before.ends_with(['w', 'W'])) {
            out.push('\\');
        }
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '@' | '#' => out.extend([c, NO_WIDTH]),
            '\\' | '|' | '`' | '*' | '_' | '~' | '[' | ']' | '$' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_words_are_words_alone() {
        for (text, escaped) in [
            ("plain-name (95 %): 0.5", "plain-name (95 %): 0.5"),
            ("a|b", "a\\|b"),
            ("`a`\\", "\\`a\\`\\\\"),
            ("<img src=x>&", "&lt;img src=x&gt;&amp;"),
            ("a\nb\u{202e}", "a\\\\nb\\\\u{202e}"),
            ("@someone #12", "@\u{200b}someone #\u{200b}12"),
            (
                "[a](https://b.c) www.d.e",
                "\\[a\\](https\\://b.c) www\\.d.e",
            ),
            (
                "**a** __b__ ~~c~~",
                "\\*\\*a\\*\\* \\_\\_b\\_\\_ \\~\\~c\\~\\~",
            ),
        ] {
            assert_eq!(escape(text), escaped);
        }
    }

    #[test]
    fn what_is_not_nought_is_not_shown_as_nought() {
        for (cell, shown) in [
            ("0.00003", "< 0.001"),
            ("0.00062", "0.001"),
            ("0", "0"),
            ("0.0", "0.0"),
            ("-0.00003", "-0.000"),
            ("a.00003", "a.00003"),
        ] {
            assert_eq!(short_number(cell), shown);
        }
    }

    #[test]
    fn a_csv_becomes_a_table_with_the_warnings_above() {
        let csv = "system,score,note\na,0.123456,\n\"b|c\",,won all\n";
        let json = r#"{"warnings": ["few @items"]}"#;
        assert_eq!(
            csv_as_markdown(csv, json).unwrap(),
            "**Warning:** few @\u{200b}items\n\n\
             | system | score | note |\n\
             | --- | ---: | --- |\n\
             | a | 0.123 |  |\n\
             | b\\|c |  | won all |\n"
        );
        assert!(
            !csv_as_markdown("a,b\n1,2\n", "")
                .unwrap()
                .contains("Warning")
        );
    }

    #[test]
    fn warnings_of_several_judges_stand_above_the_table_once_and_caveats_below() {
        let json = r#"{"answer": {"text": "one of two"}, "caveats": [{"text": "nearer 0"}, {"text": "nearer 0"}],
            "judges": [{"judge": "j", "warnings": ["few", "old"]}, {"judge": "k", "warnings": ["old"]},
                       {"judge": "l", "warnings": ["old", "few"]}]}"#;
        let text = csv_as_markdown("a,b\n1,2\n", json).unwrap();
        let (above, below) = text.split_once("| a | b |").unwrap();
        assert_eq!(
            above,
            "**one of two.**\n\n**Warning:** j; l: few\n\n**Warning:** all 3 judges: old\n\n"
        );
        assert!(
            below.ends_with("| 1 | 2 |\n\n**Note:** nearer 0\n"),
            "{below}"
        );
    }
}
