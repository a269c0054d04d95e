//! `evenhand meta bencher`.

use crate::args::BencherArgs;
use crate::condition::{Bound, NamedFigures, end_by_conditions};
use crate::{Done, Failed};
use evenhand_engine::{RecordedFormat, check_prior};
use evenhand_report::meta::{bencher_csv, bencher_json, bencher_table};
use evenhand_report::plot::tau_u_plot;
use evenhand_studies::bencher::{
    BencherOptions, BencherReport, BencherRow, BencherSource, Columns, JudgedOptions, Names,
    Reference, benchers,
};
use std::path::Path;

const FIGURES: [&str; 8] = [
    "spearman",
    "kendall_tau_b",
    "tau_u",
    "strict_agreement",
    "separability",
    "agreement_with_confidence",
    "brier",
    "log_loss",
];

/// Rankings against reference ratings, or against people's own judgments.
pub(crate) fn bencher(args: &BencherArgs) -> Result<Done, Failed> {
    let conditions = Bound::parse_all(args.fail_if.as_deref(), &FIGURES)?;
    let report = benchers(&bencher_options(args)?)?;
    if let Some(path) = &args.figure {
        draw_tau_u(&report, path)?;
    }
    args.format.print(
        || bencher_table(&report),
        || bencher_json(&report),
        || bencher_csv(&report),
    )?;
    end_by_conditions(&conditions, &report.benchers)
}

fn bencher_options(args: &BencherArgs) -> Result<BencherOptions, Failed> {
    let plan = args.resampling.plan(args.seed.seed, args.threads.count())?;
    args.prior.map_or(Ok(()), check_prior)?;
    let rankings: Result<Vec<BencherSource>, _> = args
        .ranking
        .iter()
        .map(|text| BencherSource::parse(text))
        .collect();
    Ok(BencherOptions {
        rankings: rankings?,
        system_column: args.system_column.clone(),
        score_columns: args.score_column.clone(),
        judged: judgment_options(args)?,
        reference: choose_reference(args),
        names: match &args.names {
            Some(file) => Names::read(file)?,
            None => Names::default(),
        },
        u: args.u.clone(),
        plan,
    })
}

/// Returns how judgments of a bencher become scores.
fn judgment_options(args: &BencherArgs) -> Result<JudgedOptions, Failed> {
    Ok(JudgedOptions {
        aggregates: args.aggregate.clone(),
        format: args
            .input_format
            .as_deref()
            .map(RecordedFormat::named)
            .transpose()?,
        systems: args.systems.clone(),
        baseline: args.judgments.baseline.clone(),
        both_games: args.judgments.both_games,
        strength: args.judgments.strength()?,
        prior: args.prior,
        equal: args.equal_scores.into(),
        filter: args.records.filter.parse()?,
        outcomes: args.records.parse_outcomes()?,
    })
}

fn choose_reference(args: &BencherArgs) -> Reference {
    let Some(path) = &args.ratings else {
        return Reference::Labels {
            paths: args.labels.clone(),
            votes: args.votes.into(),
        };
    };
    Reference::Ratings {
        path: path.clone(),
        columns: Columns {
            system: args.rating_system_column.clone(),
            score: args.rating_column.clone(),
            ..Columns::default()
        },
    }
}

fn draw_tau_u(report: &BencherReport, path: &Path) -> Result<(), Failed> {
    let shown = path.display();
    let svg = tau_u_plot(report)
        .svg()
        .map_err(|why| Failed::usage(format!("--figure {shown}: {why}")))?;
    if path.is_file() && !is_figure(path) {
        return Err(Failed::usage(format!(
            "--figure {shown}: exists and is not a figure, so it was left unchanged; choose another name"
        )));
    }
    std::fs::write(path, svg)
        .map_err(|e| Failed::usage(format!("--figure {shown}: cannot be written: {e}")))
}

/// Whether a file may be drawn over: it is empty, or looks like SVG.
fn is_figure(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|text| text.is_empty() || text.starts_with(b"<"))
}

impl NamedFigures for BencherRow {
    fn name(&self) -> &str {
        &self.bencher
    }

    fn figure(&self, name: &str) -> Option<f64> {
        if name == "tau_u" {
            let over_all_pairs = self.tau_u.iter().find(|tau| tau.share == Some(1.0))?;
            return over_all_pairs.tau.value;
        }
        let figures = self.figures.named();
        let (_, figure) = figures.iter().find(|(known, _)| *known == name)?;
        figure.value
    }
}
