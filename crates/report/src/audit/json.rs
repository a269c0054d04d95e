//! The findings as JSON and CSV.

use crate::meta::figure_cells;
use crate::serialize::{array_of, csv_text, json_text, optional_cell};
use evenhand_studies::audit::{
    AuditReport, CriteriaRow, Finding, FindingName, compare_criteria, flip_table,
};
use serde_json::{Map, Value, json};
use std::slice;

/// Returns one object for an audit; of several, a list `audits`.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn audit_json(reports: &[AuditReport]) -> Result<String, serde_json::Error> {
    if let [report] = reports {
        return json_text(&report_json(report));
    }
    json_text(&json!({
        "audits": array_of(reports, report_json),
        "flips": flip_table(reports),
    }))
}

fn report_json(report: &AuditReport) -> Value {
    let criteria = compare_criteria(&report.findings, &report.criteria).into_iter();
    let criteria = criteria.map(|row| criteria_row_json(&row, &report.criteria));
    // What the judge's calls took, and beside it what the rewriter's did.
    let mut usage = json!(report.usage);
    usage["rewriter"] = json!(report.rewriting);
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
        "findings": array_of(&report.findings, finding_json),
        "flips": flip_table(slice::from_ref(report)),
        "by_criterion": criteria.collect::<Value>(),
        "climbs": report.climbs,
        "distributions": report.distributions,
        "advice": report.advice,
        "warnings": report.warnings,
        "usage": usage,
        "rewriting": report.rewriting,
        "biased": biased.count(),
    })
}

/// Returns a figure with its findings by the names of the criteria.
fn criteria_row_json(row: &CriteriaRow<'_>, criteria: &[String]) -> Value {
    let name = row.first().map(|finding| &finding.name);
    let findings = row.findings.iter().map(|finding| {
        json!(finding.map(|finding| json!({
            "value": finding.figure.value,
            "ci": finding.figure.ci,
            "p": finding.p,
            "adjusted_p": finding.adjusted_p,
            "biased": finding.biased,
        })))
    });
    let findings: Map<String, Value> = criteria.iter().cloned().zip(findings).collect();
    json!({
        "probe": name.map(FindingName::topic),
        "name": name.map(FindingName::to_string),
        "protocol": row.protocol,
        "criteria": findings,
    })
}

/// Returns a finding with the parts of its figure beside the rest.
fn finding_json(finding: &Finding) -> Value {
    let mut object = json!({
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
        object["note"] = json!(note);
    }
    object
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
    let rows = reports.iter().flat_map(|report| {
        let findings = report.findings.iter();
        findings.map(|finding| finding_cells(&report.judge, finding))
    });
    csv_text(COLUMNS, rows)
}

fn finding_cells(judge: &str, finding: &Finding) -> Vec<String> {
    let [value, low, high] = figure_cells(&finding.figure);
    vec![
        judge.into(),
        finding.name.topic().into(),
        finding.name.to_string(),
        finding.protocol.clone(),
        value,
        low,
        high,
        optional_cell(finding.unbiased),
        finding.items.to_string(),
        finding.failed.to_string(),
        optional_cell(finding.p),
        optional_cell(finding.adjusted_p),
        optional_cell(finding.detectable),
        finding.biased.to_string(),
        finding.clusters.to_string(),
    ]
}
