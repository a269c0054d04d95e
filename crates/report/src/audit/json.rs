//! The findings as JSON and CSV.

use super::several::audits_answer;
use super::slices::{is_small, slices_answer};
use crate::answer::AnswerJson;
use crate::columns::{Column, Columns};
use crate::compare::{GateJson, gates_json};
use crate::serialize::{ByName, end_cell, json_text, optional_cell};
use evenhand_compare::gate::GateResult;
use evenhand_studies::audit::{
    Advice, AuditMember, AuditReport, AuditSlice, AuditUsage, Climb, CriteriaRow, Finding,
    FindingName, FindingScale, FlipTable, PairChoice, ScoreDistribution, TieTable, Written,
    compare_criteria, flip_table, tie_table,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::slice;

/// The judge's biases: one audit, or several.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum AuditJson<'a> {
    One(Box<ReportJson<'a>>),
    Several(Box<SeveralJson<'a>>),
}

/// Audits of several judges.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SeveralJson<'a> {
    /// In which of the judges biases were found, in one sentence.
    answer: AnswerJson,
    /// One for each judge.
    audits: Vec<ReportJson<'a>>,
    /// How often the response preferred less is preferred once it is rewritten, by all judges;
    /// null where no audit counted that.
    flips: Option<FlipTable>,
    /// How often a response and itself, rewritten, are called equal, by all judges; null where
    /// no audit counted that.
    ties: Option<TieTable>,
    /// What came of the conditions that were given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gates: Vec<GateJson<'a>>,
}

/// The findings of an audit, and what they rest on.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ReportJson<'a> {
    /// The answer in one sentence.
    answer: AnswerJson,
    /// The judge.
    judge: &'a str,
    /// The members of a panel, and how many of its own judgments each came to a verdict in; none
    /// where one judge is audited.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    members: &'a [AuditMember],
    /// The protocols.
    protocols: &'a [String],
    /// The criteria that are compared.
    criteria: &'a [String],
    /// Items of the data.
    items: u64,
    /// Questions that they ask.
    questions: u64,
    /// Responses to them.
    responses: u64,
    /// How responses were rewritten, and how many of them were dropped.
    rewrites: &'a [Written],
    /// 1 less the share of false alarms.
    level: f64,
    /// Which pairs of each item were compared; null for recorded judgments, of which all are.
    pairs: Option<PairChoice>,
    /// Of which responses were taken.
    seed: u64,
    /// How many findings were tested.
    tested: u64,
    /// How many of these have items enough for an outcome that is called a bias: where none has,
    /// nothing is decided.
    deciding: u64,
    /// All figures.
    findings: Vec<FindingJson<'a>>,
    /// How often the response preferred less is preferred once it is rewritten; null where that
    /// was not counted.
    flips: Option<FlipTable>,
    /// How often a response and itself, rewritten, are called equal; null where that was not
    /// counted.
    ties: Option<TieTable>,
    /// The figures that stand under several criteria.
    by_criterion: Vec<CriteriaRowJson<'a>>,
    /// The same by the value of a field; where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    slices: Option<SlicesJson<'a>>,
    /// Rankings before and after their lowest systems were rewritten.
    climbs: &'a [Climb],
    /// How often each score was given, by protocol.
    distributions: &'a [ScoreDistribution],
    /// Which protocol to take.
    advice: Option<&'a Advice>,
    /// Things that the reader must know.
    warnings: &'a [String],
    /// Calls to the judge, and what they took.
    usage: UsageJson<'a>,
    /// Those to the model that rewrites; null where none does.
    rewriting: Option<&'a AuditUsage>,
    /// How many findings are biases.
    biased: usize,
    /// What came of the conditions that were given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gates: Vec<GateJson<'a>>,
}

/// The findings by the value of a field.
#[derive(Serialize, JsonSchema)]
struct SlicesJson<'a> {
    /// How many biases were found in slices, in one sentence.
    answer: AnswerJson,
    /// The field.
    field: &'a str,
    /// How many findings were tested in all slices.
    tested: u64,
    /// Each value.
    values: Vec<SliceJson<'a>>,
}

/// The findings on the items of one value.
#[derive(Serialize, JsonSchema)]
struct SliceJson<'a> {
    /// The value; blank for items without one.
    value: &'a str,
    /// Its items.
    items: u64,
    /// Questions that they ask.
    questions: u64,
    /// Whether these are so few that only the largest defects can be found.
    too_small: bool,
    /// The figures. `adjusted_p` is corrected over all slices (Holm 1979).
    findings: Vec<FindingJson<'a>>,
}

/// Calls to the judge, and what they took.
#[derive(Serialize, JsonSchema)]
struct UsageJson<'a> {
    #[serde(flatten)]
    judge: &'a AuditUsage,
    /// Those to the model that rewrites; null where none does.
    rewriter: Option<&'a AuditUsage>,
}

/// One figure of an audit.
#[derive(Serialize, JsonSchema)]
struct FindingJson<'a> {
    /// The probe.
    probe: &'static str,
    /// Which figure it is.
    name: String,
    /// The protocol; empty where a figure is of several.
    protocol: &'a str,
    /// The criterion of the protocol, where an audit compares some.
    criterion: Option<&'a str>,
    /// What the figure estimates.
    estimand: &'static str,
    /// The kind of number that it is.
    scale: FindingScale,
    /// The value; null where it is undefined.
    value: Option<f64>,
    /// The ends of its interval.
    ci: Option<[Option<f64>; 2]>,
    /// The value of a judge without the defect; null where nothing is tested.
    unbiased: Option<f64>,
    /// Items with a value; pairs, or responses by themselves, where several of an item are looked
    /// at.
    items: u64,
    /// Questions that these ask, each of which counts once.
    clusters: u64,
    /// Items without a value.
    failed: u64,
    /// The exact p-value of the hypothesis that there is no defect.
    p: Option<f64>,
    /// The same adjusted over all findings of the audit (Benjamini and Hochberg 1995).
    adjusted_p: Option<f64>,
    /// The smallest true distance from `unbiased` that would be found four times in five.
    detectable: Option<f64>,
    /// Whether the adjusted p-value is at most 1 - level.
    biased: bool,
    /// Whether any outcome of the test could have been called a bias: with too few items none can.
    /// False where nothing is tested.
    could_find: bool,
    /// Why the value or its interval is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

/// One figure under every criterion.
#[derive(Serialize, JsonSchema)]
struct CriteriaRowJson<'a> {
    /// The probe.
    probe: Option<&'static str>,
    /// Which figure it is.
    name: Option<String>,
    /// The protocol without its criterion.
    protocol: String,
    /// The figure under each criterion; null where there is none.
    criteria: ByName<'a, Option<UnderCriterion>>,
}

/// A figure under one criterion.
#[derive(Serialize, JsonSchema)]
struct UnderCriterion {
    /// The value; null where it is undefined.
    value: Option<f64>,
    /// The ends of its interval.
    ci: Option<[Option<f64>; 2]>,
    /// The exact p-value of the hypothesis that there is no defect.
    p: Option<f64>,
    /// The same adjusted over all findings of the audit.
    adjusted_p: Option<f64>,
    /// Whether the adjusted p-value is at most 1 - level.
    biased: bool,
}

/// Returns one object for an audit; of several, a list `audits`.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn audit_json(
    reports: &[AuditReport],
    gates: &[GateResult],
) -> Result<String, serde_json::Error> {
    json_text(&match reports {
        [report] => AuditJson::One(Box::new(ReportJson {
            gates: gates_json(gates),
            ..report.into()
        })),
        several => AuditJson::Several(Box::new(SeveralJson {
            answer: AnswerJson {
                text: audits_answer(several),
            },
            audits: several.iter().map(ReportJson::from).collect(),
            flips: flip_table(several),
            ties: tie_table(several).map(TieTable::from),
            gates: gates_json(gates),
        })),
    })
}

impl<'a> From<&'a AuditReport> for ReportJson<'a> {
    fn from(report: &'a AuditReport) -> Self {
        let criteria = compare_criteria(&report.findings, &report.criteria);
        let by_criterion = criteria.into_iter();
        let by_criterion = by_criterion.map(|row| criteria_row(row, &report.criteria));
        let biased = report.findings.iter().filter(|finding| finding.biased);
        ReportJson {
            answer: AnswerJson {
                text: report.answer(),
            },
            judge: &report.judge,
            members: &report.members,
            protocols: &report.protocols,
            criteria: &report.criteria,
            items: report.items,
            questions: report.questions,
            responses: report.responses,
            rewrites: &report.rewrites,
            level: report.level,
            pairs: report.pairs,
            seed: report.seed,
            tested: report.tested,
            deciding: report.deciding_tests(),
            findings: report.findings.iter().map(FindingJson::from).collect(),
            flips: flip_table(slice::from_ref(report)),
            ties: tie_table(slice::from_ref(report)).map(TieTable::from),
            by_criterion: by_criterion.collect(),
            slices: report.slices.as_ref().map(|slices| SlicesJson {
                answer: AnswerJson {
                    text: slices_answer(slices, report.level),
                },
                field: &slices.field,
                tested: slices.tested,
                values: slices.parts.iter().map(SliceJson::from).collect(),
            }),
            climbs: &report.climbs,
            distributions: &report.distributions,
            advice: report.advice.as_ref(),
            warnings: &report.warnings,
            usage: UsageJson {
                judge: &report.usage,
                rewriter: report.rewriting.as_ref(),
            },
            rewriting: report.rewriting.as_ref(),
            biased: biased.count(),
            gates: Vec::new(),
        }
    }
}

fn criteria_row<'a>(row: CriteriaRow<'_>, criteria: &'a [String]) -> CriteriaRowJson<'a> {
    let name = row.first().map(|finding| &finding.name);
    let findings = row.findings.iter().map(|finding| {
        finding.map(|finding| UnderCriterion {
            value: finding.figure.value,
            ci: finding.figure.ci,
            p: finding.p,
            adjusted_p: finding.adjusted_p,
            biased: finding.biased,
        })
    });
    CriteriaRowJson {
        probe: name.map(FindingName::topic),
        name: name.map(FindingName::to_string),
        criteria: criteria.iter().map(String::as_str).zip(findings).collect(),
        protocol: row.protocol,
    }
}

impl<'a> From<&'a AuditSlice> for SliceJson<'a> {
    fn from(slice: &'a AuditSlice) -> Self {
        SliceJson {
            value: &slice.value,
            items: slice.items,
            questions: slice.questions,
            too_small: is_small(slice),
            findings: slice.findings.iter().map(FindingJson::from).collect(),
        }
    }
}

impl<'a> From<&'a Finding> for FindingJson<'a> {
    fn from(finding: &'a Finding) -> Self {
        FindingJson {
            probe: finding.name.topic(),
            name: finding.name.to_string(),
            protocol: &finding.protocol,
            criterion: finding.criterion.as_deref(),
            estimand: finding.name.estimand(),
            scale: finding.scale,
            value: finding.figure.value,
            ci: finding.figure.ci,
            unbiased: finding.unbiased,
            items: finding.items,
            clusters: finding.clusters,
            failed: finding.failed,
            p: finding.p,
            adjusted_p: finding.adjusted_p,
            detectable: finding.detectable,
            biased: finding.biased,
            could_find: finding.could_find,
            note: finding.figure.note.as_deref(),
        }
    }
}

/// Returns a row for each finding; with those of slices behind the others where there are any.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn audit_csv(reports: &[AuditReport]) -> Result<String, csv::Error> {
    let whole = reports.iter().flat_map(|report| {
        let findings = report.findings.iter();
        findings.map(|finding| (report.judge.as_str(), finding, None))
    });
    let slices = reports.iter().flat_map(|report| {
        let slices = report.slices.iter().flat_map(|slices| &slices.parts);
        slices.flat_map(|slice| {
            let findings = slice.findings.iter();
            findings.map(|finding| (report.judge.as_str(), finding, Some(slice.value.as_str())))
        })
    });
    let columns: [Column<(&str, &Finding, Option<&str>)>; 15] = [
        ("judge", |(judge, ..)| judge.to_string()),
        ("probe", |(_, one, _)| one.name.topic().into()),
        ("name", |(_, one, _)| one.name.to_string()),
        ("protocol", |(_, one, _)| one.protocol.clone()),
        ("value", |(_, one, _)| optional_cell(one.figure.value)),
        ("ci_low", |(_, one, _)| end_cell(one.figure.ci, 0)),
        ("ci_high", |(_, one, _)| end_cell(one.figure.ci, 1)),
        ("unbiased", |(_, one, _)| optional_cell(one.unbiased)),
        ("items", |(_, one, _)| one.items.to_string()),
        ("failed", |(_, one, _)| one.failed.to_string()),
        ("p", |(_, one, _)| optional_cell(one.p)),
        ("adjusted_p", |(_, one, _)| optional_cell(one.adjusted_p)),
        ("detectable", |(_, one, _)| optional_cell(one.detectable)),
        ("biased", |(_, one, _)| one.biased.to_string()),
        ("clusters", |(_, one, _)| one.clusters.to_string()),
    ];
    let mut columns = Columns::new(&columns);
    if reports.iter().any(|report| report.slices.is_some()) {
        columns.push("slice", |(.., slice)| optional_cell(*slice));
    }
    columns.csv(whole.chain(slices))
}
