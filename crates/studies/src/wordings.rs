//! One judge's scores of the same responses under several wordings of its prompt: how each wording
//! measures, and how much of the spread of scores is the responses'.
//! `evenhand_stats::graded_response` has the model.

use crate::recordings::read_by_name;
use evenhand_core::{Clusters, Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_formats::judgments::{Options, RecordedJudgments};
use evenhand_stats::graded_response::{
    Contrast, GradedResponse, Wording, WordingDifference, WordingFit, graded_response,
};
use evenhand_stats::{Error, Undefined};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The most different scores: with more they are no grades.
pub const MOST_GRADES: usize = 25;

/// Whose scores are read.
#[derive(Clone, Debug)]
pub struct WordingOptions {
    /// Files of recorded scores of the same responses, or directories of files. Those of one name
    /// are one wording's, which has that name.
    pub recorded: Vec<PathBuf>,
    /// How files are understood.
    pub reading: Options,
    /// Coverage of the intervals.
    pub level: f64,
}

/// How a judge measures under several wordings of its prompt.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WordingReport {
    /// The wordings, in the order of their files.
    pub wordings: Vec<WordingRow>,
    /// How each two wordings differ; none where there are too few questions for tests.
    pub differences: Vec<DifferenceRow>,
    /// Marginal reliability, from 0 to 1: how much of the spread of the qualities is not noise
    /// (Choi et al. 2026, who ask for at least 0.70).
    pub reliability: f64,
    /// How unlike each other the wordings measure: the coefficient of variation over wordings of
    /// the mean variance of the qualities behind one score (Choi et al. 2026, who ask for at most
    /// 0.10); null where no score occurs twice.
    pub variation: Option<f64>,
    /// Whether the fit converged.
    pub converged: bool,
    /// The scores that occur, in ascending order.
    pub grades: Vec<f64>,
    /// How many questions the responses answer: what the intervals count.
    pub questions: usize,
    /// Coverage of the intervals.
    pub level: f64,
    /// The latent quality of each response.
    pub responses: Vec<QualityRow>,
}

/// One wording of the prompt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct WordingRow {
    /// Its name: that of its files.
    pub wording: String,
    /// Responses that have a score under it.
    pub scores: usize,
    /// How much a score says: the slope of the log-odds of a higher score in the quality.
    pub discrimination: Option<Parameter>,
    /// The mean of its thresholds: how good a response must be for a middling score.
    pub severity: Option<Parameter>,
    /// From which quality on each score is likelier than a lower one.
    pub thresholds: Vec<ThresholdRow>,
    /// Scores of others that it never gave, and that have no threshold here.
    pub never: Vec<f64>,
    /// Why it has no parameters, or why these have no intervals.
    pub note: Option<String>,
}

/// How two wordings differ.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DifferenceRow {
    /// The two.
    pub wordings: [String; 2],
    /// By how much the first is stricter: its severity less that of the second; null where they
    /// gave different scores.
    pub severity: Option<Difference>,
    /// The discrimination of the first over that of the second: below 1 where its scores say less.
    pub discrimination_ratio: Difference,
}

/// A difference of two wordings, and whether it is more than chance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Difference {
    /// The difference, or the ratio.
    pub value: f64,
    /// Its interval, of this one alone.
    pub ci: [f64; 2],
    /// Its p-value, adjusted for all pairs of wordings (Holm 1979).
    pub p_adjusted: f64,
    /// Whether the two are told apart by it.
    pub differs: bool,
}

/// A parameter of a wording.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Parameter {
    /// The estimate.
    pub value: f64,
    /// Its standard error; null where it rests on too few questions.
    pub standard_error: Option<f64>,
    /// Its interval.
    pub ci: Option<[f64; 2]>,
}

/// A threshold of a wording.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ThresholdRow {
    /// The score from which on it counts.
    pub score: f64,
    /// The quality, in standard deviations of all responses.
    #[serde(flatten)]
    pub quality: Parameter,
}

/// The latent quality of a response.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct QualityRow {
    /// Its item.
    pub item: String,
    /// Its system.
    pub system: String,
    /// The mean given its scores, in standard deviations of all responses.
    pub quality: f64,
    /// The standard deviation given its scores.
    pub deviation: f64,
}

/// Scores of responses under all wordings.
struct Sheet {
    /// Each response: item and system.
    responses: Vec<(String, String)>,
    /// For each response its score under each wording.
    scores: Vec<Vec<Option<f64>>>,
    /// The question of each response.
    questions: Vec<u32>,
}

/// Reads the scores and fits the model.
///
/// # Errors
/// Files that cannot be read, or that hold comparisons; scores that are no grades; fewer than two
/// wordings whose scores vary.
pub fn measure_wordings(options: &WordingOptions) -> Result<WordingReport, EngineError> {
    let read = read_by_name(&options.recorded, &options.reading)?;
    if let [(name, _)] = read.as_slice() {
        return Err(Refusal::of_input(format!(
            "{}: there is one wording, {name}, and wordings are compared with each other; expected \
             files of at least two names, one for each wording",
            Setting::Recorded
        ))
        .into());
    }
    let sheet = Sheet::of(&read)?;
    sheet.check_copies(&read)?;
    let grades = grades_of(&sheet)?;
    let category = |score: f64| grades.iter().position(|grade| *grade == score);
    let categories =
        |row: &Vec<Option<f64>>| row.iter().map(|one| one.and_then(category)).collect();
    let rows: Vec<Vec<Option<usize>>> = sheet.scores.iter().map(categories).collect();
    let model = match graded_response(&rows, &sheet.questions, options.level) {
        Err(Error::Undefined(Undefined::TooFewPoints { points })) => {
            let why = format!(
                "{}: wordings are compared with each other, but only {points} of {} have scores \
                 that vary on responses that another wording scored too; expected at least 2",
                Setting::Recorded,
                read.len()
            );
            return Err(Refusal::of_input(why).into());
        }
        model => model?,
    };
    let names: Vec<String> = read.iter().map(|(name, _)| name.clone()).collect();
    let differences = model.differences.iter().flatten();
    let differences = differences.map(|one| difference_row(&names, one, options.level));
    let differences = differences.collect();
    let wordings = names.into_iter().zip(&model.wordings).enumerate();
    let wordings = wordings.map(|(at, (name, fitted))| {
        let scores = sheet.scores.iter().filter(|row| row[at].is_some()).count();
        wording_row(name, scores, fitted, &grades)
    });
    Ok(WordingReport {
        wordings: wordings.collect(),
        differences,
        reliability: model.reliability,
        variation: model.variation,
        converged: model.fit.converged,
        questions: model.clusters,
        level: options.level,
        responses: quality_rows(&sheet, &model),
        grades,
    })
}

impl Sheet {
    fn of(read: &[(String, RecordedJudgments)]) -> Result<Sheet, Refusal> {
        let mut numbers: BTreeMap<(String, String), usize> = BTreeMap::new();
        let mut question_of: BTreeMap<String, Option<String>> = BTreeMap::new();
        let mut sheet = Sheet {
            responses: Vec::new(),
            scores: Vec::new(),
            questions: Vec::new(),
        };
        for (at, (name, recorded)) in read.iter().enumerate() {
            if !recorded.are_scores {
                return Err(Refusal::of_input(format!(
                    "{name}: these are comparisons of two responses; the model is of scores of \
                     single ones (a pointwise protocol)"
                )));
            }
            for row in &recorded.scores {
                let item = recorded.items[row.item as usize].clone();
                let question = recorded.questions[row.item as usize].clone();
                let known = question_of.entry(item.clone()).or_default();
                *known = known.take().or(question);
                let key = (item, recorded.systems[usize::from(row.system)].clone());
                let number = *numbers.entry(key.clone()).or_insert_with(|| {
                    sheet.responses.push(key);
                    sheet.scores.push(vec![None; read.len()]);
                    sheet.scores.len() - 1
                });
                // Of several scores of a response under one wording the first counts.
                sheet.scores[number][at].get_or_insert(row.score);
            }
        }
        let named = sheet.responses.iter().map(|(item, _)| {
            let question = question_of.get(item).and_then(Option::as_deref);
            (item.as_str(), question)
        });
        let clusters = Clusters::of_names(named);
        sheet.questions = (0..sheet.responses.len() as u32)
            .map(|one| clusters.of(one))
            .collect();
        Ok(sheet)
    }

    /// Refuses two wordings that gave every response the same score, and another than the response
    /// before it at least once: the file of one was given twice. The two would hide how much a
    /// judge's scores vary, and a third would seem to differ.
    fn check_copies(&self, read: &[(String, RecordedJudgments)]) -> Result<(), Refusal> {
        let column = |at: usize| self.scores.iter().map(move |row| row[at]);
        for second in 1..read.len() {
            let is_same = |first: &usize| {
                let varies = column(*first).flatten().collect::<Vec<_>>();
                varies.windows(2).any(|two| two[0] != two[1]) && column(*first).eq(column(second))
            };
            if let Some(first) = (0..second).find(is_same) {
                return Err(Refusal::of_input(format!(
                    "{}: {} and {} have the same scores throughout: give one of them; two copies \
                     of one wording would make another seem to differ",
                    Setting::Recorded,
                    read[first].0,
                    read[second].0
                )));
            }
        }
        Ok(())
    }
}

/// Returns the different scores.
///
/// # Errors
/// More than [`MOST_GRADES`].
fn grades_of(sheet: &Sheet) -> Result<Vec<f64>, Refusal> {
    let mut grades: Vec<f64> = sheet.scores.iter().flatten().flatten().copied().collect();
    grades.sort_by(f64::total_cmp);
    // -0 and 0 are one grade.
    grades.dedup_by(|a, b| a == b);
    if grades.len() > MOST_GRADES {
        let why = format!(
            "there are {} different scores, and the model is of at most {MOST_GRADES} grades; \
             scores that are means of probabilities are none: judge with the most probable score \
             (`,mode`)",
            grades.len()
        );
        return Err(Refusal::of_input(why));
    }
    Ok(grades)
}

fn wording_row(
    wording: String,
    scores: usize,
    fitted: &Result<Wording, Undefined>,
    grades: &[f64],
) -> WordingRow {
    let row = WordingRow {
        wording,
        scores,
        ..WordingRow::default()
    };
    let fitted = match fitted {
        Ok(fitted) => fitted,
        Err(why) => {
            let note = match why {
                Undefined::Constant => "it gave all responses one score".into(),
                Undefined::NoData => "it has no scores".into(),
                why => why.to_string(),
            };
            return WordingRow {
                note: Some(note),
                ..row
            };
        }
    };
    let thresholds = fitted.thresholds.iter().zip(&fitted.used[1..]);
    let unused = grades
        .iter()
        .enumerate()
        .filter(|(grade, _)| !fitted.used.contains(grade));
    WordingRow {
        discrimination: Some(parameter(&fitted.discrimination)),
        severity: Some(parameter(&fitted.severity)),
        thresholds: thresholds
            .map(|(fit, grade)| ThresholdRow {
                score: grades[*grade],
                quality: parameter(fit),
            })
            .collect(),
        never: unused.map(|(_, score)| *score).collect(),
        note: fitted.severity.interval.err().map(|why| why.to_string()),
        ..row
    }
}

fn difference_row(names: &[String], found: &WordingDifference, level: f64) -> DifferenceRow {
    let tested = |contrast: &Contrast, shown: fn(f64) -> f64| Difference {
        value: shown(contrast.value),
        ci: contrast.interval.map(shown),
        p_adjusted: contrast.p_adjusted,
        differs: contrast.p_adjusted <= 1.0 - level,
    };
    let (first, second) = found.pair;
    DifferenceRow {
        wordings: [names[first].clone(), names[second].clone()],
        severity: found.severity.as_ref().map(|one| tested(one, |x| x)),
        discrimination_ratio: tested(&found.log_discrimination, f64::exp),
    }
}

fn parameter(fit: &WordingFit) -> Parameter {
    Parameter {
        value: fit.value,
        standard_error: fit.standard_error.ok(),
        ci: fit.interval.ok(),
    }
}

fn quality_rows(sheet: &Sheet, model: &GradedResponse) -> Vec<QualityRow> {
    let responses = sheet.responses.iter().zip(&model.qualities);
    let rows = responses.map(|((item, system), quality)| QualityRow {
        item: item.clone(),
        system: system.clone(),
        quality: quality.mean,
        deviation: quality.deviation,
    });
    rows.collect()
}
