//! The findings as JSON and CSV.

use crate::meta::figure_cells;
use crate::serialize::{array_of, csv_text, json_text, object_of, optional_cell};
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
    let parts = [
        subject_members(report),
        setting_members(report),
        result_members(report),
        remark_members(report),
    ];
    Value::Object(parts.into_iter().flatten().collect())
}

/// Returns what was audited.
fn subject_members(report: &AuditReport) -> Map<String, Value> {
    object_of(json!({
        "judge": report.judge,
        "protocols": report.protocols,
        "criteria": report.criteria,
        "items": report.items,
        "questions": report.questions,
        "responses": report.responses,
        "rewrites": report.rewrites,
    }))
}

fn setting_members(report: &AuditReport) -> Map<String, Value> {
    object_of(json!({
        "level": report.level,
        "seed": report.seed,
        "tested": report.tested,
    }))
}

fn result_members(report: &AuditReport) -> Map<String, Value> {
    object_of(json!({
        "findings": array_of(&report.findings, finding_json),
        "flips": flip_table(slice::from_ref(report)),
        "by_criterion": criteria_json(report),
        "climbs": report.climbs,
        "distributions": report.distributions,
    }))
}

fn remark_members(report: &AuditReport) -> Map<String, Value> {
    let biased = report.findings.iter().filter(|finding| finding.biased);
    object_of(json!({
        "advice": report.advice,
        "warnings": report.warnings,
        "usage": usage_json(report),
        "rewriting": report.rewriting,
        "biased": biased.count(),
    }))
}

/// Returns each figure with its findings by the names of the criteria.
fn criteria_json(report: &AuditReport) -> Value {
    let rows = compare_criteria(&report.findings, &report.criteria).into_iter();
    rows.map(|row| criteria_row_json(&row, &report.criteria))
        .collect()
}

fn criteria_row_json(row: &CriteriaRow<'_>, criteria: &[String]) -> Value {
    let name = row.first().map(|finding| &finding.name);
    json!({
        "probe": name.map(FindingName::topic),
        "name": name.map(FindingName::to_string),
        "protocol": row.protocol,
        "criteria": findings_json(row, criteria),
    })
}

/// Returns the findings of a row by the names of the criteria.
fn findings_json(row: &CriteriaRow<'_>, criteria: &[String]) -> Map<String, Value> {
    let findings = row.findings.iter().copied();
    let tested = findings.map(|finding| json!(finding.map(tested_json)));
    criteria.iter().cloned().zip(tested).collect()
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
    let parts = [
        name_members(finding),
        figure_members(finding),
        test_members(finding),
    ];
    let mut object: Map<String, Value> = parts.into_iter().flatten().collect();
    if let Some(note) = &finding.figure.note {
        object.insert("note".into(), json!(note));
    }
    Value::Object(object)
}

fn name_members(finding: &Finding) -> Map<String, Value> {
    object_of(json!({
        "probe": finding.name.topic(),
        "name": finding.name.to_string(),
        "protocol": finding.protocol,
        "criterion": finding.criterion,
        "estimand": finding.name.estimand(),
    }))
}

fn figure_members(finding: &Finding) -> Map<String, Value> {
    object_of(json!({
        "scale": finding.scale,
        "value": finding.figure.value,
        "ci": finding.figure.ci,
        "unbiased": finding.unbiased,
    }))
}

fn test_members(finding: &Finding) -> Map<String, Value> {
    object_of(json!({
        "items": finding.items,
        "clusters": finding.clusters,
        "failed": finding.failed,
        "p": finding.p,
        "adjusted_p": finding.adjusted_p,
        "detectable": finding.detectable,
        "biased": finding.biased,
    }))
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
    let mut cells = name_cells(report, finding).to_vec();
    cells.extend(figure_cells(&finding.figure));
    cells.push(optional_cell(finding.unbiased));
    cells.extend([finding.items, finding.failed].map(|count| count.to_string()));
    cells.extend(test_cells(finding));
    cells.push(finding.clusters.to_string());
    cells
}

fn name_cells(report: &AuditReport, finding: &Finding) -> [String; 4] {
    [
        report.judge.clone(),
        finding.name.topic().into(),
        finding.name.to_string(),
        finding.protocol.clone(),
    ]
}

fn test_cells(finding: &Finding) -> [String; 4] {
    [
        optional_cell(finding.p),
        optional_cell(finding.adjusted_p),
        optional_cell(finding.detectable),
        finding.biased.to_string(),
    ]
}
