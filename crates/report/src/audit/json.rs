//! The findings as JSON and CSV.

use crate::meta::figure_cells;
use crate::serialize::{csv_text, json_text, optional_cell};
use evenhand_studies::audit::{AuditReport, CriteriaRow, Finding, compare_criteria, flip_table};
use serde_json::{Value, json};

/// Returns one object for an audit; of several, a list `audits`.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn audit_json(reports: &[AuditReport]) -> Result<String, serde_json::Error> {
    if let [report] = reports {
        return json_text(&report_json(report));
    }
    let audits: Vec<Value> = reports.iter().map(report_json).collect();
    json_text(&json!({"audits": audits, "flips": flip_table(reports)}))
}

fn report_json(report: &AuditReport) -> Value {
    let findings: Vec<Value> = report.findings.iter().map(finding_json).collect();
    let biased = report.findings.iter().filter(|finding| finding.biased);
    json!({
        "judge": report.judge,
        "protocols": report.protocols,
        "criteria": report.criteria,
        "items": report.items,
        "questions": report.questions,
        "responses": report.responses,
        "rewrites": report.rewrites,
        "level": report.level,
        "seed": report.seed,
        "tested": report.tested,
        "findings": findings,
        "flips": flip_table(std::slice::from_ref(report)),
        "by_criterion": criteria_json(report),
        "climbs": report.climbs,
        "distributions": report.distributions,
        "advice": report.advice,
        "warnings": report.warnings,
        "usage": usage_json(report),
        "rewriting": report.rewriting,
        "biased": biased.count(),
    })
}

/// Returns each figure with its findings by the names of the criteria.
fn criteria_json(report: &AuditReport) -> Vec<Value> {
    let rows = compare_criteria(&report.findings, &report.criteria);
    let rows = rows.iter();
    rows.map(|row| criteria_row_json(row, &report.criteria))
        .collect()
}

fn criteria_row_json(row: &CriteriaRow<'_>, criteria: &[String]) -> Value {
    let findings = criteria.iter().zip(&row.findings);
    let findings = findings.map(|(criterion, finding)| {
        let finding = finding.map(tested_json);
        (criterion.clone(), json!(finding))
    });
    json!({
        "probe": row.first().map(|finding| finding.name.topic()),
        "name": row.first().map(|finding| finding.name.to_string()),
        "protocol": row.protocol,
        "criteria": findings.collect::<serde_json::Map<_, _>>(),
    })
}

fn tested_json(finding: &Finding) -> Value {
    json!({
        "value": finding.figure.value,
        "ci": finding.figure.ci,
        "p": finding.p,
        "adjusted_p": finding.adjusted_p,
        "biased": finding.biased,
    })
}

/// Returns what the judge's calls took, and beside it what the rewriter's did.
fn usage_json(report: &AuditReport) -> Value {
    let mut usage = json!(report.usage);
    usage["rewriter"] = json!(report.rewriting);
    usage
}

/// Returns a finding with the parts of its figure beside the rest.
fn finding_json(finding: &Finding) -> Value {
    let mut value = json!({
        "probe": finding.name.topic(),
        "name": finding.name.to_string(),
        "protocol": finding.protocol,
        "criterion": finding.criterion,
        "estimand": finding.name.estimand(),
        "scale": finding.scale,
        "value": finding.figure.value,
        "ci": finding.figure.ci,
        "unbiased": finding.unbiased,
        "items": finding.items,
        "clusters": finding.clusters,
        "failed": finding.failed,
        "p": finding.p,
        "adjusted_p": finding.adjusted_p,
        "detectable": finding.detectable,
        "biased": finding.biased,
    });
    if let Some(note) = &finding.figure.note {
        value["note"] = json!(note);
    }
    value
}

const COLUMNS: [&str; 15] = [
    "judge",
    "probe",
    "name",
    "protocol",
    "value",
    "ci_low",
    "ci_high",
    "unbiased",
    "items",
    "failed",
    "p",
    "adjusted_p",
    "detectable",
    "biased",
    "clusters",
];

/// Returns a row for each finding.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn audit_csv(reports: &[AuditReport]) -> Result<String, csv::Error> {
    csv_text(COLUMNS, reports.iter().flat_map(report_rows))
}

fn report_rows(report: &AuditReport) -> impl Iterator<Item = Vec<String>> {
    let findings = report.findings.iter();
    findings.map(|finding| finding_cells(report, finding))
}

fn finding_cells(report: &AuditReport, finding: &Finding) -> Vec<String> {
    let mut cells = vec![
        report.judge.clone(),
        finding.name.topic().into(),
        finding.name.to_string(),
        finding.protocol.clone(),
    ];
    cells.extend(figure_cells(&finding.figure));
    cells.push(optional_cell(finding.unbiased));
    cells.extend([finding.items, finding.failed].map(|count| count.to_string()));
    cells.extend(test_cells(finding));
    cells.push(finding.clusters.to_string());
    cells
}

fn test_cells(finding: &Finding) -> [String; 4] {
    [
        optional_cell(finding.p),
        optional_cell(finding.adjusted_p),
        optional_cell(finding.detectable),
        finding.biased.to_string(),
    ]
}
