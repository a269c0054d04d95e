//! `evenhand meta bencher`.

use crate::args::{BencherArgs, Format};
use crate::commands::{print, unprintable};
use crate::condition::Bound;
use crate::job::{MAX_THREADS, check_resampling};
use crate::{Done, Failed};
use evenhand_engine::RecordedFormat;
use evenhand_report::meta::{bencher_csv, bencher_json, bencher_table};
use evenhand_report::plot::tau_u_plot;
use evenhand_stats::Bootstrap;
use evenhand_studies::bencher::{
    BencherOptions, BencherReport, BencherRow, Columns, Judged, Names, Reference, Source, benchers,
};
use std::path::Path;

/// Rankings against reference ratings, or against people's own judgments.
pub(crate) fn bencher(args: &BencherArgs) -> Result<Done, Failed> {
    let conditions = Bound::parse_all(args.fail_if.as_deref(), &FIGURES)?;
    let report = benchers(&options(args)?)?;
    if let Some(path) = &args.figure {
        draw(&report, path)?;
    }
    print(&match args.format {
        Format::Table => bencher_table(&report),
        Format::Json => bencher_json(&report).map_err(unprintable)?,
        Format::Csv => bencher_csv(&report).map_err(unprintable)?,
    })?;
    met(&conditions, &report)
}

fn draw(report: &BencherReport, path: &Path) -> Result<(), Failed> {
    let shown = path.display();
    let svg = tau_u_plot(report)
        .svg()
        .map_err(|why| Failed::Usage(format!("--figure {shown}: {why}")))?;
    let drawn_before = |path: &Path| {
        std::fs::read(path).is_ok_and(|text| text.is_empty() || text.starts_with(b"<"))
    };
    if path.is_file() && !drawn_before(path) {
        return Err(Failed::Usage(format!(
            "--figure {shown}: is there and is no figure; it is left as it is: choose another name"
        )));
    }
    std::fs::write(path, svg)
        .map_err(|e| Failed::Usage(format!("--figure {shown}: cannot be written: {e}")))
}

fn options(args: &BencherArgs) -> Result<BencherOptions, Failed> {
    check_resampling(args.level, args.rounds, args.prior)?;
    let threads = args.threads.unwrap_or(0).min(MAX_THREADS);
    Ok(BencherOptions {
        rankings: args
            .ranking
            .iter()
            .map(|text| Source::parse(text))
            .collect::<Result<_, _>>()?,
        system_column: args.system_column.clone(),
        score_columns: args.score_column.clone(),
        judged: Judged {
            aggregates: args.aggregate.clone(),
            format: args
                .input_format
                .as_deref()
                .map(RecordedFormat::named)
                .transpose()?,
            systems: args.systems.clone(),
            baseline: args.baseline.clone(),
            both_games: args.both_games,
            strength: crate::job::strength(args.strength.as_deref())?,
            prior: args.prior,
            equal: args.equal_scores.into(),
            filter: args.records.filter.parse()?,
            outcomes: args.records.outcomes()?,
        },
        reference: reference(args),
        names: args
            .names
            .as_deref()
            .map(Names::read)
            .transpose()?
            .unwrap_or_default(),
        u: args.u.clone(),
        plan: Bootstrap {
            rounds: args.rounds,
            level: args.level,
            seed: args.seed,
            threads,
        },
    })
}

fn reference(args: &BencherArgs) -> Reference {
    match &args.ratings {
        Some(path) => {
            let columns = Columns {
                system: args.rating_system_column.clone(),
                score: args.rating_column.clone(),
                ..Columns::default()
            };
            Reference::Ratings {
                path: path.clone(),
                columns,
            }
        }
        None => Reference::Labels {
            paths: args.labels.clone(),
            votes: args.votes.into(),
        },
    }
}

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

/// The first condition that holds of any bencher. A figure that is not there meets none, and is an
/// error.
fn met(conditions: &[Bound], report: &BencherReport) -> Result<Done, Failed> {
    for condition in conditions {
        for row in &report.benchers {
            let missing = || {
                Failed::Usage(format!(
                    "--fail-if {}: {} has no such figure",
                    condition.text, row.bencher
                ))
            };
            let value = figure(row, &condition.figure).ok_or_else(missing)?;
            if condition.holds(value) {
                return Ok(Done::ConditionMet(format!(
                    "{} ({}: it is {value})",
                    condition.text, row.bencher
                )));
            }
        }
    }
    Ok(Done::Fine)
}

fn figure(row: &BencherRow, name: &str) -> Option<f64> {
    if name == "tau_u" {
        return row
            .tau_u
            .iter()
            .find(|tau| tau.share == Some(1.0))?
            .tau
            .value;
    }
    row.figures
        .named()
        .iter()
        .find(|(known, _)| *known == name)?
        .1
        .value
}
