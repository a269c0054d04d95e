//! What a study found: tables, JSON, CSV.

use super::{coefficient, figure_cells, judge};
use crate::table::{Table, lines, plain};
use crate::{dollars, grouped};
use comfy_table::CellAlignment;
use evenhand_studies::study::{Row, Spending, StudyReport, Unit};
use serde_json::{Map, Value, json};

/// Everything as one object: `benchers` (rows), what was computed of each, and the recommendation.
///
/// # Errors
/// None that a report can cause.
pub fn study_json(report: &StudyReport) -> Result<String, serde_json::Error> {
    let rows = report
        .rows
        .iter()
        .enumerate()
        .map(|(at, row)| row_json(report, at, row))
        .collect::<Result<Vec<_>, _>>()?;
    let labelled = report.labelled.iter().map(|(input, evaluation)| {
        let mut object = judge::evaluation(evaluation);
        object.insert("input".into(), json!(input));
        Value::Object(object)
    });
    let whole = json!({
        "study": report.name,
        "benchers": rows,
        "frontier": report.frontier,
        "unit": report.unit,
        "labelled": labelled.collect::<Vec<_>>(),
        "measures": report.measures,
        "concordances": report.concordances,
        "recommendation": report.recommendation,
        "ci": {"method": "bootstrap", "over": "items", "rounds": report.plan.rounds, "level": report.plan.level},
        "seed": report.plan.seed,
        "warnings": report.warnings,
    });
    serde_json::to_string_pretty(&whole).map(|text| text + "\n")
}

fn row_json(report: &StudyReport, at: usize, row: &Row) -> Result<Value, serde_json::Error> {
    let mut object = super::bencher::row_json(&row.bencher)?;
    object.remove("bencher");
    let mut first = Map::new();
    first.insert("input".into(), json!(row.input));
    first.insert("judge".into(), json!(row.judge));
    first.insert("type".into(), json!(row.kind));
    first.insert("reference".into(), json!(row.reference));
    first.append(&mut object);
    first.insert("trials".into(), json!(row.trials));
    first.insert("verdicts".into(), json!(row.judged));
    first.insert("spent".into(), json!(row.spent.map(spent_json)));
    first.insert("shares".into(), json!(report.shares.get(at)));
    let references = report
        .references
        .iter()
        .find(|(row, _)| *row == at)
        .map(|(_, found)| found);
    let budget = report
        .budgets
        .iter()
        .find(|(row, _)| *row == at)
        .map(|(_, splits)| splits);
    references
        .into_iter()
        .for_each(|found| drop(first.insert("references".into(), json!(found))));
    budget
        .into_iter()
        .for_each(|splits| drop(first.insert("fixed_budget".into(), json!(splits))));
    Ok(Value::Object(first))
}

fn spent_json(spent: Spending) -> Value {
    let Spending { calls, usage, usd } = spent;
    json!({"calls": calls, "prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens, "cost_usd": usd})
}

/// One row for each bencher, with a header; where there are none, [`concordances_csv`].
///
/// # Errors
/// None that a report can cause.
pub fn study_csv(report: &StudyReport) -> Result<String, csv::Error> {
    if report.rows.is_empty() {
        return concordances_csv(report);
    }
    let mut out = csv::Writer::from_writer(Vec::new());
    let mut header: Vec<String> = [
        "input",
        "judge",
        "type",
        "reference",
        "aggregation",
        "systems",
        "trials",
        "verdicts",
        "cost_usd",
    ]
    .map(String::from)
    .to_vec();
    let names = report
        .rows
        .first()
        .map(|row| row.bencher.figures.named().map(|(name, _)| name))
        .unwrap_or_default();
    header.extend(names.iter().flat_map(|name| {
        [
            name.to_string(),
            format!("{name}_low"),
            format!("{name}_high"),
        ]
    }));
    out.write_record(&header)?;
    for row in &report.rows {
        let mut cells = [&row.input, &row.judge, &row.kind]
            .map(String::clone)
            .to_vec();
        cells.extend([
            row.reference.clone().unwrap_or_default(),
            row.aggregation.to_string(),
            row.bencher.n.to_string(),
        ]);
        cells.extend([row.trials, row.judged].map(|count| count.to_string()));
        cells.push(
            row.spent
                .and_then(|spent| spent.usd)
                .map(|usd| usd.to_string())
                .unwrap_or_default(),
        );
        cells.extend(
            row.bencher
                .figures
                .named()
                .iter()
                .flat_map(|(_, figure)| figure_cells(figure)),
        );
        out.write_record(&cells)?;
    }
    let bytes = out
        .into_inner()
        .map_err(|e| csv::Error::from(e.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// How alike every two settings order the judges (figure 3), a row for each, with a header.
///
/// # Errors
/// None that a report can cause.
pub fn concordances_csv(report: &StudyReport) -> Result<String, csv::Error> {
    let mut out = csv::Writer::from_writer(Vec::new());
    let header = "setting_a,input_a,setting_b,input_b,judges,rho,rho_low,rho_high,tau_b,tau_b_low,tau_b_high,note";
    out.write_record(header.split(','))?;
    for row in &report.concordances {
        let ((a, input_a), (b, input_b)) = (&row.a, &row.b);
        let mut cells = vec![
            a.to_string(),
            input_a.clone(),
            b.to_string(),
            input_b.clone(),
            row.judges.to_string(),
        ];
        cells.extend([&row.rho, &row.tau_b].into_iter().flat_map(figure_cells));
        cells.push(
            row.rho
                .note
                .clone()
                .or(row.tau_b.note.clone())
                .unwrap_or_default(),
        );
        out.write_record(&cells)?;
    }
    let bytes = out
        .into_inner()
        .map_err(|e| csv::Error::from(e.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Table 1 of the paper, and below it what else was asked for.
pub fn study_table(report: &StudyReport) -> String {
    let mut parts = Vec::new();
    if !report.rows.is_empty() {
        parts.push(lines(&main_table(report)));
    }
    parts.extend(references(report).map(|table| lines(&table)));
    parts.extend(budgets(report).map(|table| lines(&table)));
    parts.extend(frontier(report).map(|table| lines(&table)));
    if !report.labelled.is_empty() {
        parts.push(lines(&labelled(report)));
    }
    parts.extend(concordances(report).map(|table| lines(&table)));
    parts.push(remarks(report).join("\n"));
    parts.join("\n\n") + "\n"
}

fn right(table: &mut Table, columns: impl IntoIterator<Item = usize>) {
    for column in columns {
        table
            .column_mut(column)
            .into_iter()
            .for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    }
}

fn main_table(report: &StudyReport) -> Table {
    let mut table = plain();
    table.set_header([
        "input",
        "judge",
        "type",
        "reference",
        "aggregation",
        "systems",
        "verdicts",
        "rho",
        "tau-b",
        "separable",
        "cost",
    ]);
    for row in &report.rows {
        let figures = &row.bencher.figures;
        table.add_row([
            row.input.clone(),
            row.judge.clone(),
            row.kind.clone(),
            row.reference.clone().unwrap_or_default(),
            row.aggregation.to_string(),
            row.bencher.n.to_string(),
            grouped(row.judged),
            coefficient(&figures.spearman),
            coefficient(&figures.kendall_tau_b),
            figures
                .separability
                .value
                .map_or("-".into(), |share| format!("{:.0} %", 100.0 * share)),
            cost(row),
        ]);
    }
    right(&mut table, 5..11);
    table
}

fn cost(row: &Row) -> String {
    match row.spent {
        Some(Spending { usd: Some(usd), .. }) => dollars(usd),
        Some(Spending { usage, calls, .. }) if calls > 0 => {
            format!(
                "{} tokens",
                grouped(usage.prompt_tokens + usage.completion_tokens)
            )
        }
        _ => "-".into(),
    }
}

fn of(row: &Row) -> String {
    format!(
        "{} on {}: {}, {}",
        row.judge, row.input, row.kind, row.aggregation
    )
}

fn references(report: &StudyReport) -> Option<Table> {
    let mut table = plain();
    table.set_header([
        "every system as the reference",
        "references",
        "worst rho",
        "best rho",
        "rho of rating and agreement",
    ]);
    for (at, found) in &report.references {
        let row = report.rows.get(*at)?;
        let mut rhos: Vec<(f64, &str)> = found
            .points
            .iter()
            .filter_map(|p| Some((p.rho.value?, p.system.as_str())))
            .collect();
        rhos.sort_by(|x, y| x.0.total_cmp(&y.0));
        let shown = |end: Option<&(f64, &str)>| {
            end.map_or("-".into(), |(rho, system)| format!("{rho:.2} ({system})"))
        };
        let points = found.points.len().to_string();
        table.add_row([
            of(row),
            points,
            shown(rhos.first()),
            shown(rhos.last()),
            coefficient(&found.trend),
        ]);
    }
    right(&mut table, [1, 4]);
    (!report.references.is_empty()).then_some(table)
}

fn budgets(report: &StudyReport) -> Option<Table> {
    let mut table = plain();
    table.set_header([
        "as many comparisons as responses",
        "inputs x comparisons",
        "rho",
        "tau-b",
    ]);
    for (at, splits) in &report.budgets {
        let row = report.rows.get(*at)?;
        for split in splits {
            let size = format!(
                "{} x {}",
                grouped(split.items as u64),
                grouped(split.comparisons as u64)
            );
            table.add_row([
                of(row),
                size,
                coefficient(&split.spread.rho),
                coefficient(&split.spread.tau),
            ]);
        }
    }
    right(&mut table, 1..4);
    (!report.budgets.is_empty()).then_some(table)
}

fn frontier(report: &StudyReport) -> Option<Table> {
    let mut table = plain();
    let unit = if report.unit == Unit::Usd {
        "cost (USD)"
    } else {
        "cost (tokens)"
    };
    table.set_header(["best at its cost", unit, "inputs", "rho", "tau-b"]);
    for point in &report.frontier {
        let row = report.rows.get(point.row)?;
        let reference = row
            .reference
            .as_ref()
            .map(|system| format!(" against {system}"))
            .unwrap_or_default();
        let cost = if report.unit == Unit::Usd {
            format!("{:.5}", point.cost)
        } else {
            grouped(point.cost as u64)
        };
        let cells = [
            of(row) + &reference,
            cost,
            grouped(point.items as u64),
            coefficient(&point.rho),
            coefficient(&point.tau),
        ];
        table.add_row(cells);
    }
    right(&mut table, 1..5);
    (!report.frontier.is_empty()).then_some(table)
}

fn labelled(report: &StudyReport) -> Table {
    let mut table = plain();
    table.set_header([
        "labelled pairs",
        "judge",
        "type",
        "pairs",
        "accuracy %",
        "consistent",
        "kappa",
        "no verdict",
    ]);
    for (input, evaluation) in &report.labelled {
        let m = &evaluation.total.measures;
        table.add_row([
            input.clone(),
            evaluation.judge.clone(),
            evaluation.protocol.clone(),
            grouped(m.n),
            super::percent(&m.accuracy),
            super::percent(&m.consistency),
            coefficient(&m.kappa),
            grouped(m.coverage.trials - m.coverage.verdicts),
        ]);
    }
    right(&mut table, 3..8);
    table
}

fn concordances(report: &StudyReport) -> Option<Table> {
    let mut table = plain();
    table.set_header([
        "do the settings order the judges alike?",
        "",
        "judges",
        "rho",
        "tau-b",
    ]);
    let name = |(setting, input): &(u8, String)| format!("setting {setting}, {input}");
    for row in &report.concordances {
        table.add_row([
            name(&row.a),
            name(&row.b),
            row.judges.to_string(),
            coefficient(&row.rho),
            coefficient(&row.tau_b),
        ]);
    }
    right(&mut table, 2..5);
    (!report.concordances.is_empty()).then_some(table)
}

fn remarks(report: &StudyReport) -> Vec<String> {
    let plan = &report.plan;
    let mut remarks = vec![format!(
        "intervals: {:.0} %, {} bootstrap rounds over items, seed {}",
        100.0 * plan.level,
        plan.rounds,
        plan.seed
    )];
    remarks.extend(
        report
            .recommendation
            .iter()
            .flat_map(|found| &found.text)
            .cloned(),
    );
    remarks.extend(
        report
            .warnings
            .iter()
            .map(|warning| format!("warning: {warning}")),
    );
    let mut notes: Vec<&String> = report
        .rows
        .iter()
        .flat_map(|row| &row.bencher.notes)
        .collect();
    notes.sort();
    notes.dedup();
    remarks.extend(notes.into_iter().map(|note| format!("note: {note}")));
    remarks
}
