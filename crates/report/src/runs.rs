//! Runs that are kept, for people and programs.

use crate::table::{lines, plain};
use crate::{dollars, grouped};
use evenhand_engine::RunRow;

/// As a JSON array.
pub fn runs_json(rows: &[RunRow]) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(rows).map(|text| text + "\n")
}

/// As a header and a row each.
pub fn runs_csv(rows: &[RunRow]) -> Result<String, csv::Error> {
    let mut out = csv::Writer::from_writer(Vec::new());
    let head = [
        "run",
        "last_used",
        "judge",
        "protocol",
        "data",
        "judgments",
        "verdicts",
        "calls",
        "taken_over",
        "cost_usd",
    ];
    out.write_record(head)?;
    for row in rows {
        let cost = row.cost_usd.map_or_else(String::new, |usd| usd.to_string());
        let counts =
            [row.judgments, row.verdicts, row.calls, row.taken_over].map(|count| count.to_string());
        let [judge, protocol, data] = ["judge", "protocol", "data"].map(|name| setting(row, name));
        out.write_record(
            [&row.run, &row.last_used, &judge, &protocol, &data]
                .into_iter()
                .chain(&counts)
                .chain([&cost]),
        )?;
    }
    let bytes = out
        .into_inner()
        .map_err(|e| csv::Error::from(e.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// For people.
pub fn runs_table(rows: &[RunRow], dir: &str) -> String {
    if rows.is_empty() {
        return format!("no runs in {dir}");
    }
    let mut table = plain();
    table.set_header([
        "last used (UTC)",
        "run",
        "what",
        "judge",
        "protocol",
        "verdicts",
        "calls",
        "cost",
    ]);
    for row in rows {
        table.add_row([
            row.last_used.clone(),
            row.run.clone(),
            what(row),
            setting(row, "judge").replace('\n', ", "),
            setting(row, "protocol"),
            verdicts(row),
            calls(row),
            row.cost_usd.map_or("-".into(), dollars),
        ]);
    }
    lines(&table)
}

/// What was judged, or which study it is, as far as the settings say.
fn what(row: &RunRow) -> String {
    let data = setting(row, "data");
    let items = data
        .split_once(", digest")
        .map_or(data.as_str(), |(items, _)| items);
    let systems = row
        .settings
        .get("systems")
        .map(|names| names.split(", ").count());
    match (items, systems) {
        ("", _) => row
            .settings
            .keys()
            .next()
            .cloned()
            .unwrap_or_else(|| "-".into()),
        (items, Some(count)) => format!("{items}, {count} systems"),
        (items, None) => items.into(),
    }
}

fn verdicts(row: &RunRow) -> String {
    match row.judgments {
        0 => "-".into(),
        all => format!("{} of {}", grouped(row.verdicts), grouped(all)),
    }
}

fn calls(row: &RunRow) -> String {
    match row.taken_over {
        0 => grouped(row.calls),
        taken => format!("{} and {} taken over", grouped(row.calls), grouped(taken)),
    }
}

fn setting(row: &RunRow, name: &str) -> String {
    row.settings.get(name).cloned().unwrap_or_default()
}
