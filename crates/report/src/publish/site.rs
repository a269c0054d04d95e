//! The first page of a site: a table with a link to the page of each run or board. It runs one
//! script of ours, which sorts and filters, and is whole without it; names of others stand in it as
//! text alone.

use crate::figures::escape_xml;
use crate::numbers::{count_of, or_blank};
use crate::progress_text;
use evenhand_pages::{Overview, script_source};
use evenhand_ranking::WarningKind;
use serde_json::Value;
use std::array::from_fn;

/// A run of the site.
#[derive(Clone, Debug)]
pub struct SitePage {
    /// The file of its report, beside the first page.
    pub file: String,
    /// Its name.
    pub name: String,
    /// When it was judged last, in UTC.
    pub judged_at: String,
    /// What is known of it.
    pub run: Overview,
}

const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta \
    name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" \
    content=\"no-referrer\">\n";

/// Sorts and filters the table.
const SCRIPT: &str = include_str!("site.js");

/// The colours and sizes of the pages (web/src/style/base.css), in light and dark.
const STYLE: &str = concat!("<style>\n", include_str!("site.css"), "</style>\n");

/// The columns behind the page's name: the answer first, then what it rests on.
const COLUMNS: [(&str, &str); 7] = [
    ("answer", "answer"),
    ("long", "judge"),
    ("long", "protocol"),
    ("number", "items"),
    ("number", "systems"),
    ("", "state"),
    ("day", "date (UTC)"),
];

/// Returns the first page: each run or board with its answer, judge, protocol, items, systems, state
/// and date, in the order given. Columns that are empty in every row are left out.
pub fn site_index(title: &str, pages: &[SitePage]) -> String {
    let texts: Vec<[String; 7]> = pages.iter().map(texts_of).collect();
    let shown: [bool; 7] = from_fn(|at| texts.iter().any(|texts| !texts[at].is_empty()));
    let rows = pages.iter().zip(&texts);
    let rows: String = rows.map(|(page, texts)| row(page, texts, shown)).collect();
    let heads = COLUMNS.iter().zip(shown).filter(|(_, is_shown)| *is_shown);
    let heads = heads.map(|((class, name), _)| format!("<th class=\"{class}\">{name}</th>"));
    let (title, heads) = (escape(title), heads.collect::<String>());
    let source = script_source(SCRIPT);
    format!(
        "{HEAD}<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         script-src {source}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
         <title>{title}</title>\n{STYLE}</head>\n<body>\n<main>\n<h1>{title}</h1>\n<div \
         class=\"wide\"><table>\n<thead><tr><th>page</th>{heads}</tr></thead>\n<tbody>\n{rows}\
         </tbody>\n</table></div>\n<p>Each page opens with its answer and its warnings; \
         a run's page has its judgments too. Nothing is loaded from elsewhere. Made by evenhand {}.</p>\n\
         </main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// Returns what stands in the columns of a page's row.
fn texts_of(page: &SitePage) -> [String; 7] {
    let setting = |name: &str| {
        let value = page.run.manifest.get(name).map_or("", String::as_str);
        value.replace('\n', ", ")
    };
    let report = &page.run.report;
    // What is not known, as the items of battles, or is not there, as the systems of an audit, is
    // blank.
    let count = |count: u64| match count {
        0 => String::new(),
        count => count.to_string(),
    };
    let items = match page.run.items as u64 {
        0 => count(report["items"].as_u64().unwrap_or_default()),
        items => count(items),
    };
    // Battles need not name their items.
    let trials = report["coverage"]["trials"].as_u64().unwrap_or_default();
    let is_battles = report["protocol"]
        .as_str()
        .is_some_and(|name| name.contains("battles"));
    let items = match items.is_empty() && is_battles && trials > 0 {
        // A number that is sorted by has no commas.
        true => format!("{trials} battles"),
        false => items,
    };
    let editions = report["history"].as_array().map_or(0, Vec::len) as u64;
    let state = match (&page.run.progress, editions) {
        (Some(progress), _) => progress_text(progress),
        (None, 0) => String::new(),
        (None, editions) => count_of(editions, "edition", "editions"),
    };
    let ranked = report["ranking"].as_array().map_or(0, Vec::len);
    [
        leaders(&page.run),
        setting("judge"),
        setting("protocol"),
        items,
        count(page.run.systems.len().max(ranked) as u64),
        state,
        page.judged_at.clone(),
    ]
}

fn row(page: &SitePage, texts: &[String; 7], shown: [bool; 7]) -> String {
    let cells = COLUMNS.iter().zip(texts).zip(shown);
    let cells = cells.filter(|(_, is_shown)| *is_shown);
    let cells = cells.map(|(((class, name), text), _)| {
        // On a narrow screen the answer needs no name.
        let (label, warning) = match *name {
            "answer" => (String::new(), warning_of(&page.run)),
            name => (format!(" data-label=\"{name}\""), None),
        };
        let mut text = match *name {
            "answer" => unbroken(&escape(text)),
            _ => escape(text),
        };
        if *class == "long" && !text.contains("://") {
            // Names of judges and protocols break between their parts, but for addresses, which are
            // looked for as a whole where they are to be left out.
            for mark in [",", ":", "/"] {
                text = text.replace(mark, &format!("{mark}<wbr>"));
            }
        }
        let warning = or_blank(warning, |warning| {
            format!(
                "<small class=\"warning\">Warning: {}</small>",
                escape(&warning)
            )
        });
        format!("<td class=\"{class}\"{label}>{text}{warning}</td>")
    });
    format!(
        "<tr><td><a href=\"{}\">{}</a></td>{}</tr>\n",
        escape(&page.file),
        escape(&page.name),
        cells.collect::<String>()
    )
}

/// Keeps names with hyphens in one piece where they fit a line; `text` is escaped.
fn unbroken(text: &str) -> String {
    let words = text.split(' ').map(|word| match word.contains('-') {
        true => format!("<span class=\"name\">{word}</span>"),
        false => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The warnings without which an answer misleads; the others stand on its page.
const SERIOUS: [WarningKind; 11] = [
    WarningKind::Position,
    WarningKind::Coin,
    WarningKind::OneSlot,
    WarningKind::Outside,
    WarningKind::AgainstText,
    WarningKind::Failures,
    WarningKind::Disconnected,
    WarningKind::Unconverged,
    WarningKind::FewItems,
    WarningKind::JudgesApart,
    WarningKind::Repeats,
];

/// Characters of a warning that stand in the list.
const WARNING: usize = 160;

/// The first warning without which the answer misleads, unless the answer says it itself, and how
/// many more there are.
fn warning_of(run: &Overview) -> Option<String> {
    let list = |value: &Value| -> Vec<String> {
        let texts = value.as_array().into_iter().flatten();
        texts
            .map(|text| text.as_str().unwrap_or_default().into())
            .collect()
    };
    let (texts, kinds) = (
        list(&run.report["warnings"]),
        list(&run.report["warning_kinds"]),
    );
    let said = list(&run.report["answer"]["says"]);
    let serious = texts.iter().zip(&kinds).filter(|(_, kind)| {
        let is_serious = WarningKind::from_name(kind).is_some_and(|kind| SERIOUS.contains(&kind));
        is_serious && !said.contains(kind)
    });
    let serious: Vec<&String> = serious.map(|(text, _)| text).collect();
    let (first, more) = serious.split_first()?;
    let more = match more.len() {
        0 => String::new(),
        count => format!("; {count} more"),
    };
    let shown: String = first.chars().take(WARNING).collect();
    let cut = if shown.len() < first.len() { "…" } else { "" };
    Some(format!("{shown}{cut}{more}"))
}

/// The answer of the run's ranking; in one of an earlier version, whoever may be the best: the
/// systems that no other is told apart from and better than.
fn leaders(run: &Overview) -> String {
    if let Some(text) = run.report["answer"]["text"].as_str() {
        return text.into();
    }
    let rows: &[Value] = run.report["ranking"].as_array().map_or(&[], Vec::as_slice);
    let says_apart = rows.iter().any(|row| row["better_than"].is_array());
    let is_beaten = |place: u64| {
        let ranges = rows.iter().filter_map(|row| row["better_than"].as_array());
        ranges
            .flatten()
            .any(|ends| match (ends[0].as_u64(), ends[1].as_u64()) {
                (Some(first), Some(last)) => (first..=last).contains(&place),
                _ => false,
            })
    };
    let names = (1..).zip(rows).filter(|(place, row)| match says_apart {
        true => row["rank"].is_u64() && !is_beaten(*place),
        // A run of an earlier version, or one without intervals.
        false => row["rank_ci"][0].as_u64().or(row["rank"].as_u64()) == Some(1),
    });
    let names: Vec<&str> = names
        .filter_map(|(_, row)| row["system"].as_str())
        .collect();
    match names[..] {
        [] => "no result is kept".into(),
        [name] => name.into(),
        _ => format!("not told apart: {}", names.join(", ")),
    }
}

/// A foreign text: its signs that would move a cursor are shown as what they are.
fn escape(text: &str) -> String {
    escape_xml(&crate::printable(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_text_whatever_they_hold() {
        let mut run = Overview::of_file();
        run.report = serde_json::json!({
            "ranking": [{"system": "<script>x</script>", "rank": 1}],
            "warnings": ["close", "it names <one> slot", "few"],
            "warning_kinds": ["not-told-apart", "one-slot", "few-items"],
        });
        run.manifest.insert("judge".into(), "\"><img src=x>".into());
        let page = SitePage {
            file: "a\"b.html".into(),
            name: "<b>run</b>".into(),
            judged_at: "2026".into(),
            run,
        };
        let text = site_index("Ours & <theirs>", &[page]);
        // Our own script alone, whose digest the policy names.
        assert_eq!(text.matches("<script").count(), 1);
        assert!(text.contains("script-src 'sha256-") && !SCRIPT.contains('<'));
        assert!(!text.contains("<img") && !text.contains("<b>"));
        assert!(text.contains("href=\"a&quot;b.html\""));
        assert!(text.contains("&lt;script&gt;x&lt;/script&gt;"));
        let warning = "Warning: it names &lt;one&gt; slot; 1 more</small>";
        assert!(text.contains(warning), "{text}");
        // Columns that are empty in every row are left out.
        for (column, is_shown) in [("answer", true), ("judge", true), ("protocol", false)] {
            assert_eq!(
                text.contains(&format!(">{column}</th>")),
                is_shown,
                "{text}"
            );
        }
        assert_eq!(
            text.matches("<th>").count() + text.matches("<th ").count(),
            text.matches("<td").count()
        );
    }
}
