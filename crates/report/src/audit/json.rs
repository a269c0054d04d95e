//! The findings as JSON and CSV.

use evenhand_studies::audit::{AuditReport, Finding};
use serde_json::{Map, Value, json};

/// One object for an audit; of several, a list `audits`.
///
/// # Errors
/// None that is known; those of the JSON writer.
pub fn audit_json(reports: &[AuditReport]) -> Result<String, serde_json::Error> {
    let value = match reports {
        [report] => object(report)?,
        reports => json!({"audits": reports.iter().map(object).collect::<Result<Vec<_>, _>>()?}),
    };
    serde_json::to_string_pretty(&value).map(|text| text + "\n")
}

fn object(report: &AuditReport) -> Result<Value, serde_json::Error> {
    let mut value = serde_json::to_value(report)?;
    if let Some(map) = value.as_object_mut() {
        map.insert(
            "findings".into(),
            report.findings.iter().map(finding).collect(),
        );
        let biased = report
            .findings
            .iter()
            .filter(|finding| finding.biased)
            .count();
        map.insert("biased".into(), json!(biased));
    }
    Ok(value)
}

/// The figure's parts stand beside the rest.
fn finding(finding: &Finding) -> Value {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| map.insert(key.into(), value);
    put("probe", json!(finding.probe));
    put("name", json!(finding.name));
    put("protocol", json!(finding.protocol));
    put("estimand", json!(finding.estimand));
    put("scale", json!(finding.scale));
    put("value", json!(finding.figure.value));
    put("ci", json!(finding.figure.ci));
    put("unbiased", json!(finding.unbiased));
    put("items", json!(finding.items));
    put("clusters", json!(finding.clusters));
    put("failed", json!(finding.failed));
    put("p", json!(finding.p));
    put("adjusted_p", json!(finding.adjusted_p));
    put("detectable", json!(finding.detectable));
    put("biased", json!(finding.biased));
    if let Some(note) = &finding.figure.note {
        put("note", json!(note));
    }
    Value::Object(map)
}

/// A row for each finding.
///
/// # Errors
/// None that is known; those of the CSV writer.
pub fn audit_csv(reports: &[AuditReport]) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = [
        "judge", "probe", "name", "protocol", "value", "ci_low", "ci_high", "unbiased", "items",
        "failed",
    ];
    writer.write_record(header.into_iter().chain([
        "p",
        "adjusted_p",
        "detectable",
        "biased",
        "clusters",
    ]))?;
    for (report, finding) in reports
        .iter()
        .flat_map(|report| report.findings.iter().map(move |finding| (report, finding)))
    {
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let [value, low, high] = crate::meta::figure_cells(&finding.figure);
        let names = [
            report.judge.clone(),
            finding.probe.into(),
            finding.name.clone(),
            finding.protocol.clone(),
        ];
        let numbers = [
            value,
            low,
            high,
            number(finding.unbiased),
            finding.items.to_string(),
            finding.failed.to_string(),
        ];
        let tests = [
            number(finding.p),
            number(finding.adjusted_p),
            number(finding.detectable),
            finding.biased.to_string(),
        ];
        let clusters = [finding.clusters.to_string()];
        writer.write_record(
            names
                .into_iter()
                .chain(numbers)
                .chain(tests)
                .chain(clusters),
        )?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|e| csv::Error::from(e.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
