//! The findings of an audit by the value of a field: what was found, and a table of figures by
//! slice.

use super::parts::{finding_value, marked_finding};
use crate::View;
use crate::columns::Columns;
use crate::numbers::{chosen_percent, count_items, count_of};
use crate::slices::slice_name;
use crate::view::{fit_table, sentences_text};
use evenhand_studies::audit::{AuditReport, AuditSlice, AuditSlices, Finding, FindingName};

/// Slices beside each other in one table.
const BESIDE: usize = 4;

/// Questions below which a slice is said to be small: no figure of it can be told from chance but
/// the largest.
const FEW_QUESTIONS: u64 = 20;

/// Returns what was found by slice, and the figures that are tested or are rates; None where no
/// field was asked for.
pub(super) fn slices_text(report: &AuditReport, view: View) -> Option<String> {
    let slices = report.slices.as_ref()?;
    let mut parts = vec![sentences_text(&found_text(slices, report.level), view)];
    let rows: Vec<&Finding> = report.findings.iter().filter(|one| is_shown(one)).collect();
    if rows.is_empty() {
        return Some(parts.remove(0));
    }
    for beside in slices.parts.chunks(BESIDE) {
        let mut columns: Columns<Finding> = Columns::new(&[
            ("figure", |one| one.name.to_string()),
            ("protocol", |one| one.protocol.clone()),
        ]);
        for slice in beside {
            let heading = format!(
                "{} ({})",
                slice_name(&slice.value),
                count_items(slice.items, slice.questions)
            );
            columns.push(heading, move |one| marked_finding(same_figure(slice, one)));
        }
        let table = columns.table(rows.iter().copied()).with_numbers_from(2);
        parts.push(fit_table(table, view, &[1]));
    }
    Some(parts.join("\n"))
}

fn is_shown(finding: &Finding) -> bool {
    let is_rate = matches!(
        finding.name,
        FindingName::NoVerdict { category: None } | FindingName::Refusals { category: None }
    );
    is_rate || finding.p.is_some() || finding.name.is_flip_rate()
}

fn same_figure<'a>(slice: &'a AuditSlice, finding: &Finding) -> Option<&'a Finding> {
    let is_same = |one: &&Finding| {
        one.name == finding.name
            && one.protocol == finding.protocol
            && one.criterion == finding.criterion
    };
    slice.findings.iter().find(is_same)
}

/// Says in one sentence, without a full stop, how many biases were found in slices.
pub(super) fn slices_answer(slices: &AuditSlices, level: f64) -> String {
    let field = &slices.field;
    if slices.tested == 0 {
        return format!(
            "By {field}: nothing was tested, as no figure of a slice has a value that an unbiased \
             judge must show"
        );
    }
    let findings = slices.parts.iter().flat_map(|slice| &slice.findings);
    let tests = count_of(slices.tested, "test", "tests");
    let could_find = findings.clone().any(|one| one.could_find);
    let found = match findings.filter(|one| one.biased).count() {
        0 if !could_find => format!("every slice has too few items to find a bias in {tests}"),
        0 => format!("nothing found in {tests} of slices"),
        some => format!("found in {some} of {tests} of slices"),
    };
    let share = chosen_percent(1.0 - level);
    format!(
        "By {field}: {found} (at most {share} % of judges without a bias are accused in any slice)"
    )
}

/// Whether a slice has so few questions that only the largest defects can be found.
pub(super) fn is_small(slice: &AuditSlice) -> bool {
    slice.questions < FEW_QUESTIONS
}

/// Says which slices show a bias, and which have few questions.
fn found_text(slices: &AuditSlices, level: f64) -> String {
    let mut text = slices_answer(slices, level);
    if slices.tested == 0 {
        return text + ".";
    }
    let found: Vec<String> = slices
        .parts
        .iter()
        .flat_map(|slice| {
            let biased = slice.findings.iter().filter(|one| one.biased);
            biased.map(|one| {
                format!(
                    "- {} = {}: {}, {}: {} [{}]",
                    slices.field,
                    slice_name(&slice.value),
                    one.name.topic(),
                    one.name,
                    finding_value(one),
                    one.protocol
                )
            })
        })
        .collect();
    if !found.is_empty() {
        text += &format!(":\n{}", found.join("\n"));
    }
    let small = slices.parts.iter().filter(|slice| is_small(slice));
    let small: Vec<&str> = small.map(|slice| slice_name(&slice.value)).collect();
    if !small.is_empty() {
        text += &format!(
            "\nFewer than {FEW_QUESTIONS} questions, so that only the largest defects can be \
             found: {}",
            small.join(", ")
        );
    }
    text
}
