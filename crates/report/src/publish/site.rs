//! The first page of a site of runs: a table with a link to each run's report. It has no script,
//! and names of others stand in it as text alone.

use crate::figures::escape_xml;
use crate::numbers::or_blank;
use crate::progress_text;
use evenhand_pages::Overview;
use serde_json::Value;

/// A run of the site.
#[derive(Clone, Debug)]
pub struct SitePage<'a> {
    /// The file of its report, beside the first page.
    pub file: String,
    /// Its name.
    pub name: String,
    /// When it was judged last, in UTC.
    pub judged_at: String,
    /// What is known of it.
    pub run: &'a Overview,
}

const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta \
    name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta \
    http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src \
    'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n<meta name=\"referrer\" \
    content=\"no-referrer\">\n";

const STYLE: &str = "<style>\n:root { color-scheme: light dark; font: 16px/1.5 system-ui, \
    sans-serif; }\nbody { margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }\n.wide { \
    overflow-x: auto; }\ntable { border-collapse: collapse; width: 100%; }\nth, td { \
    text-align: left; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid color-mix(in srgb, \
    currentColor 20%, transparent); vertical-align: top; }\ntd.number { text-align: right; \
    font-variant-numeric: tabular-nums; }\n@media (max-width: 640px) { table, tbody, tr, td { \
    display: block; }\nthead { position: absolute; left: -999px; }\ntr { padding: .5rem 0; \
    border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }\ntd, td.number { \
    border: 0; padding: .1rem 0; text-align: left; overflow-wrap: anywhere; \
    }\ntd[data-label]::before { content: attr(data-label) \": \"; opacity: .75; } }\n</style>\n";

/// Returns the first page: each run with its date, judge, protocol, state, systems and the best of
/// them, in the order given.
pub fn site_index(title: &str, pages: &[SitePage]) -> String {
    let rows: String = pages.iter().map(row).collect();
    let title = escape(title);
    format!(
        "{HEAD}<title>{title}</title>\n{STYLE}</head>\n<body>\n<h1>{title}</h1>\n<div \
         class=\"wide\"><table>\n<thead><tr><th>run</th><th>judged</th><th>judge</th><th>protocol\
         </th><th>state</th><th>items</th><th>systems</th><th>answer</th></tr></thead>\n<tbody>\n{rows}\
         </tbody>\n</table></div>\n<p>Each run opens with its ranking, its warnings and its \
         judgments; nothing is loaded from elsewhere. Made by evenhand {}.</p>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    )
}

fn row(page: &SitePage) -> String {
    let setting = |name: &str| {
        let value = page.run.manifest.get(name).map_or("", String::as_str);
        escape(&value.replace('\n', ", "))
    };
    let report = &page.run.report;
    let items = match page.run.items {
        // Of battles they are often not known.
        0 => or_blank(report["items"].as_u64(), |items| items.to_string()),
        items => items.to_string(),
    };
    let ranked = report["ranking"].as_array().map_or(0, Vec::len);
    format!(
        "<tr><td><a href=\"{}\">{}</a></td><td data-label=\"judged\">{}</td><td \
         data-label=\"judge\">{}</td><td data-label=\"protocol\">{}</td><td \
         data-label=\"state\">{}</td><td class=\"number\" data-label=\"items\">{}</td><td \
         class=\"number\" data-label=\"systems\">{}</td><td data-label=\"answer\">{}</td></tr>\n",
        escape(&page.file),
        escape(&page.name),
        escape(&page.judged_at),
        setting("judge"),
        setting("protocol"),
        escape(&or_blank(page.run.progress.as_ref(), progress_text)),
        items,
        page.run.systems.len().max(ranked),
        escape(&leaders(page.run)),
    )
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
        [] => "no ranking is kept".into(),
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
        run.report = serde_json::json!({"ranking": [{"system": "<script>x</script>", "rank": 1}]});
        run.manifest.insert("judge".into(), "\"><img src=x>".into());
        let page = SitePage {
            file: "a\"b.html".into(),
            name: "<b>run</b>".into(),
            judged_at: "2026".into(),
            run: &run,
        };
        let text = site_index("Ours & <theirs>", &[page]);
        assert!(!text.contains("<script") && !text.contains("<img") && !text.contains("<b>"));
        assert!(text.contains("href=\"a&quot;b.html\""));
        assert!(text.contains("&lt;script&gt;x&lt;/script&gt;"));
    }
}
