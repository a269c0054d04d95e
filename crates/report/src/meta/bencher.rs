//! Benchers against people: table, JSON, CSV.

use crate::table::{Table, lines, plain};
use comfy_table::CellAlignment;
use evenhand_studies::Figure;
use evenhand_studies::bencher::{BencherReport, BencherRow, Difference, Over, TauRow};
use serde_json::{Map, Value, json};

/// So many names without a partner are shown in the table; JSON has all.
const SHOWN: usize = 8;

/// One bencher as a flat object, several under `benchers`; a figure and its interval are null where
/// they do not exist, with the cause under `notes`.
///
/// # Errors
/// None that a report can cause.
pub fn bencher_json(report: &BencherReport) -> Result<String, serde_json::Error> {
    let mut benchers: Vec<Map<String, Value>> = report
        .benchers
        .iter()
        .map(row_json)
        .collect::<Result<_, _>>()?;
    let whole = match (benchers.len(), benchers.pop()) {
        (1, Some(mut one)) => {
            one.insert("seed".into(), json!(report.seed));
            Value::Object(one)
        }
        (_, last) => {
            benchers.extend(last);
            let differences: Vec<Map<String, Value>> =
                report.differences.iter().map(difference_json).collect();
            json!({"benchers": benchers, "differences": differences, "seed": report.seed})
        }
    };
    serde_json::to_string_pretty(&whole).map(|text| text + "\n")
}

pub(super) fn row_json(row: &BencherRow) -> Result<Map<String, Value>, serde_json::Error> {
    let mut object = Map::new();
    let mut notes: Vec<String> = Vec::new();
    object.insert("bencher".into(), json!(row.bencher));
    object.insert("aggregation".into(), json!(row.aggregation));
    object.insert("n".into(), json!(row.n));
    for (name, figure) in row.figures.named() {
        put(&mut object, name, figure);
        notes.extend(figure.note.as_ref().map(|why| format!("{name}: {why}")));
    }
    object.insert(
        "tau_u".into(),
        row.tau_u.iter().map(tau_json).collect::<Value>(),
    );
    object.insert("ci".into(), serde_json::to_value(&row.ci)?);
    object.insert("systems".into(), serde_json::to_value(&row.systems)?);
    object.insert("unmatched".into(), serde_json::to_value(&row.unmatched)?);
    object.insert("coverage".into(), serde_json::to_value(&row.coverage)?);
    object.insert("items".into(), serde_json::to_value(row.items)?);
    notes.extend(row.notes.iter().cloned());
    object.insert("notes".into(), json!(notes));
    Ok(object)
}

fn tau_json(row: &TauRow) -> Value {
    let mut object = Map::new();
    object.insert("u".into(), json!(row.u));
    object.insert("share".into(), json!(row.share));
    put(&mut object, "tau", &row.tau);
    object.insert("pairs".into(), json!(row.pairs));
    if let Some(why) = &row.tau.note {
        object.insert("note".into(), json!(why));
    }
    Value::Object(object)
}

fn difference_json(row: &Difference) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("bencher".into(), json!(row.bencher));
    object.insert("less".into(), json!(row.less));
    put(&mut object, "spearman", &row.spearman);
    put(&mut object, "kendall_tau_b", &row.kendall_tau_b);
    object
}

fn put(object: &mut Map<String, Value>, name: &str, figure: &Figure) {
    object.insert(name.into(), json!(figure.value));
    object.insert(format!("{name}_ci"), json!(figure.ci));
}

/// One row for each figure of each bencher, with a header; differences have the bencher `A - B`.
///
/// # Errors
/// None that a report can cause.
pub fn bencher_csv(report: &BencherReport) -> Result<String, csv::Error> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record([
        "bencher", "figure", "u", "share", "value", "ci_low", "ci_high", "pairs", "n", "note",
    ])?;
    for row in &report.benchers {
        let n = row.n.to_string();
        for (name, figure) in row.figures.named() {
            out.write_record(cells(&row.bencher, name, None, figure, &n))?;
        }
        for tau in &row.tau_u {
            out.write_record(cells(&row.bencher, "tau_u", Some(tau), &tau.tau, &n))?;
        }
    }
    for row in &report.differences {
        let name = format!("{} - {}", row.bencher, row.less);
        for (figure, found) in [
            ("spearman", &row.spearman),
            ("kendall_tau_b", &row.kendall_tau_b),
        ] {
            out.write_record(cells(&name, figure, None, found, ""))?;
        }
    }
    let bytes = out
        .into_inner()
        .map_err(|e| csv::Error::from(e.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn cells(
    bencher: &str,
    name: &str,
    tau: Option<&TauRow>,
    figure: &Figure,
    n: &str,
) -> [String; 10] {
    let number = |value: Option<f64>| value.map(|x| x.to_string()).unwrap_or_default();
    let end = |at: usize| number(figure.ci.and_then(|ci| ci[at]));
    let (u, share) = (
        number(tau.and_then(|tau| tau.u)),
        number(tau.and_then(|tau| tau.share)),
    );
    let pairs = tau.map(|tau| tau.pairs.to_string()).unwrap_or_default();
    let note = figure.note.clone().unwrap_or_default();
    [
        bencher.into(),
        name.into(),
        u,
        share,
        number(figure.value),
        end(0),
        end(1),
        pairs,
        n.into(),
        note,
    ]
}

/// A row for each bencher, and below it the curve of tau_u, differences and what is to be known.
pub fn bencher_table(report: &BencherReport) -> String {
    let mut parts = vec![lines(&main_table(report)), lines(&curve_table(report))];
    if !report.differences.is_empty() {
        parts.push(lines(&difference_table(report)));
    }
    parts.push(remarks(report).join("\n"));
    parts.join("\n\n") + "\n"
}

fn main_table(report: &BencherReport) -> Table {
    let names = [
        "bencher",
        "systems",
        "spearman",
        "kendall tau-b",
        "separability",
        "agreement",
        "strict",
        "brier",
        "log loss",
    ];
    let mut table = headed(&names);
    for row in &report.benchers {
        let figures = &row.figures;
        let rest = [&figures.strict_agreement, &figures.brier, &figures.log_loss].map(value);
        let whole = [
            &figures.spearman,
            &figures.kendall_tau_b,
            &figures.separability,
            &figures.agreement_with_confidence,
        ];
        let cells = [
            vec![row.bencher.clone(), row.n.to_string()],
            whole.map(with_interval).to_vec(),
            rest.to_vec(),
        ];
        table.add_row(cells.concat());
    }
    right(table)
}

/// tau_u at every second share, at the thresholds asked for too.
fn curve_table(report: &BencherReport) -> Table {
    let first = report.benchers.first().map_or(&[][..], |row| &row.tau_u);
    let shown: Vec<usize> = (0..first.len())
        .filter(|at| *at >= 20 || at % 4 == 3 || *at == 0)
        .collect();
    let head = |at: &usize| match (at, first[*at].u, first[*at].share) {
        (20.., Some(u), _) => format!("u {u}"),
        (_, _, share) => format!("{:.0} %", 100.0 * share.unwrap_or_default()),
    };
    let heads: Vec<String> = shown.iter().map(head).collect();
    let names: Vec<&str> = std::iter::once("tau_u at pairs")
        .chain(heads.iter().map(String::as_str))
        .collect();
    let mut table = headed(&names);
    for row in &report.benchers {
        let taus = shown.iter().map(|&at| {
            row.tau_u
                .get(at)
                .map_or("-".into(), |tau| with_interval(&tau.tau))
        });
        table.add_row(
            std::iter::once(row.bencher.clone())
                .chain(taus)
                .collect::<Vec<_>>(),
        );
    }
    right(table)
}

fn difference_table(report: &BencherReport) -> Table {
    let mut table = headed(&["difference", "spearman", "kendall tau-b"]);
    for row in &report.differences {
        let name = format!("{} - {}", row.bencher, row.less);
        table.add_row([
            name,
            with_interval(&row.spearman),
            with_interval(&row.kendall_tau_b),
        ]);
    }
    right(table)
}

/// What intervals rest on, who was left out, and why figures are missing; what is the same for
/// several benchers once.
fn remarks(report: &BencherReport) -> Vec<String> {
    let mut found: Vec<(String, Vec<&str>)> = Vec::new();
    let mut add = |text: String, bencher| match found.iter_mut().find(|(known, _)| *known == text) {
        Some((_, benchers)) => benchers.push(bencher),
        None => found.push((text, vec![bencher])),
    };
    for row in &report.benchers {
        let mut remark = |text: String| add(text, row.bencher.as_str());
        remark(format!("intervals: {}", intervals(row)));
        if let Some(coverage) = &row.coverage {
            remark(format!(
                "coverage: {} of {} judgments have a verdict",
                coverage.verdicts, coverage.trials
            ));
        }
        if !row.unmatched.ranking.is_empty() {
            remark(format!("unmatched: {}", some(&row.unmatched.ranking)));
        }
        row.figures
            .named()
            .iter()
            .filter_map(|(name, figure)| Some(format!("{name}: {}", figure.note.as_ref()?)))
            .for_each(&mut remark);
        if let Some(why) = row.tau_u.iter().find_map(|tau| tau.tau.note.as_ref()) {
            remark(format!("tau_u: {why}"));
        }
        row.notes.iter().cloned().for_each(&mut remark);
    }
    let all = report.benchers.len();
    let line = |(text, benchers): (String, Vec<&str>)| match benchers.len() == all {
        true => text,
        false => format!("{}: {text}", benchers.join(", ")),
    };
    found.into_iter().map(line).collect()
}

/// The first names of a list.
fn some(names: &[String]) -> String {
    let more = names.len().saturating_sub(SHOWN);
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    names
        .iter()
        .take(SHOWN)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ")
        + &rest
}

fn intervals(row: &BencherRow) -> String {
    let (level, rounds) = (100.0 * row.ci.level, row.ci.rounds);
    let drawn = match row.ci.over {
        Over::Systems => return format!("{level:.0} % bootstrap over systems, {rounds} rounds"),
        Over::Items => format!("bootstrap over items, {rounds} rounds"),
        Over::Comparisons => format!("bootstrap over comparisons, {rounds} rounds"),
        Over::Rounds => format!("of the file's {rounds} bootstrap rounds"),
    };
    format!("{level:.0} % {drawn}; those of separability, agreements and losses over systems")
}

fn value(figure: &Figure) -> String {
    figure.value.map_or("-".into(), |x| format!("{x:.3}"))
}

fn with_interval(figure: &Figure) -> String {
    let end = |x: Option<f64>, open: &str| x.map_or(open.to_string(), |x| format!("{x:.2}"));
    match (figure.value, figure.ci) {
        (Some(_), Some([low, high])) => format!(
            "{} [{}, {}]",
            value(figure),
            end(low, "..."),
            end(high, "...")
        ),
        _ => value(figure),
    }
}

fn headed(names: &[&str]) -> Table {
    let mut table = plain();
    table.set_header(
        names
            .iter()
            .map(|name| name.to_string())
            .collect::<Vec<String>>(),
    );
    table
}

fn right(mut table: Table) -> Table {
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
