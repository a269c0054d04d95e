//! `evenhand meta bencher`.

use crate::args::{BencherArgs, ListedNames};
use crate::commands::figure::{check_place, draw_first};
use crate::commands::report::Reported;
use crate::condition::{Bound, NamedFigures, end_by_conditions};
use crate::{Done, Failed};
use evenhand_engine::{EngineError, RecordedFormat, check_prior};
use evenhand_report::figures::{figures_of_benchers, tau_u_figure};
use evenhand_report::meta::{bencher_csv, bencher_json, bencher_table};
use evenhand_studies::bencher::{
    BencherOptions, BencherReport, BencherRow, BencherSource, Columns, JudgedOptions, Names,
    Reference, benchers,
};
use evenhand_studies::compare::gate::FigureRange;
use std::path::Path;

const FIGURES: [(&str, FigureRange); 8] = [
    ("spearman", FigureRange::COEFFICIENT),
    ("kendall_tau_b", FigureRange::COEFFICIENT),
    ("tau_u", FigureRange::COEFFICIENT),
    ("strict_agreement", FigureRange::SHARE),
    ("separability", FigureRange::SHARE),
    ("agreement_with_confidence", FigureRange::COEFFICIENT),
    ("brier", FigureRange::SHARE),
    ("log_loss", FigureRange::COUNT),
];

/// Rankings against reference ratings, or against people's own judgments.
pub(crate) fn bencher(args: &BencherArgs) -> Result<Done, Failed> {
    let conditions = Bound::parse_all(args.fail_if.as_deref(), &FIGURES)?;
    args.report.check()?;
    check_place(args.figure.as_deref())?;
    let report = benchers(&bencher_options(args)?)?;
    draw_first(args.figure.as_deref(), || {
        Vec::from_iter(tau_u_figure(&report))
    })?;
    print_report(args, &report)?;
    let reported = Reported {
        command: "meta bencher",
        title: "benchers against people".into(),
        json: bencher_json(&report),
        figures: figures_of_benchers(&report),
        run: None,
    };
    args.report.publish(args.quiet, reported)?;
    end_by_conditions(&conditions, &report.benchers)
}

fn print_report(args: &BencherArgs, report: &BencherReport) -> Result<Done, Failed> {
    args.format.print(
        || bencher_table(report),
        || bencher_json(report),
        || bencher_csv(report),
    )
}

fn bencher_options(args: &BencherArgs) -> Result<BencherOptions, Failed> {
    let plan = args.resampling.plan(args.seed.seed, args.threads.count())?;
    args.prior.map_or(Ok(()), check_prior)?;
    Ok(BencherOptions {
        rankings: parse_rankings(&args.ranking)?,
        system_column: args.system_column.clone(),
        score_columns: ListedNames::join(&args.score_column),
        judged: judgment_options(args)?,
        reference: choose_reference(args),
        names: read_names(args.names.as_deref())?,
        u: args.u.clone(),
        plan,
    })
}

fn parse_rankings(texts: &[String]) -> Result<Vec<BencherSource>, EngineError> {
    texts
        .iter()
        .map(|text| BencherSource::parse(text))
        .collect()
}

fn read_names(file: Option<&Path>) -> Result<Names, EngineError> {
    match file {
        Some(file) => Ok(Names::read(file)?),
        None => Ok(Names::default()),
    }
}

/// Returns how judgments of a bencher become scores.
fn judgment_options(args: &BencherArgs) -> Result<JudgedOptions, Failed> {
    let format = args.input_format.as_deref().map(RecordedFormat::named);
    Ok(JudgedOptions {
        aggregates: args.aggregate.clone(),
        format: format.transpose()?,
        systems: args.systems.as_deref().map(ListedNames::join),
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
    match &args.ratings {
        Some(path) => Reference::Ratings {
            path: path.clone(),
            columns: rating_columns(args),
        },
        None => Reference::Labels {
            paths: args.labels.clone(),
            votes: args.votes.into(),
        },
    }
}

fn rating_columns(args: &BencherArgs) -> Columns {
    Columns {
        system: args.rating_system_column.clone(),
        score: args.rating_column.clone(),
        ..Columns::default()
    }
}

impl NamedFigures for BencherRow {
    fn name(&self) -> &str {
        &self.bencher
    }

    fn figure(&self, name: &str) -> Option<f64> {
        if name == "tau_u" {
            return tau_over_all_pairs(self);
        }
        let mut figures = self.figures.named().into_iter();
        let (_, figure) = figures.find(|(known, _)| *known == name)?;
        figure.value
    }
}

fn tau_over_all_pairs(row: &BencherRow) -> Option<f64> {
    let mut curve = row.tau_u.iter();
    let all = curve.find(|tau| tau.share == Some(1.0))?;
    all.tau.value
}
