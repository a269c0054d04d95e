//! `evenhand meta bencher`.

use crate::args::{BencherArgs, ListedNames};
use crate::commands::figure::{check_place, draw_first};
use crate::commands::report::Reported;
use crate::condition::{Bound, NamedFigures, end_by_conditions};
use crate::{Done, Failed};
use evenhand_compare::gate::FigureRange;
use evenhand_ranking::{RecordedFormat, check_prior};
use evenhand_report::figures::{figures_of_benchers, tau_u_figure};
use evenhand_report::meta::{bencher_csv, bencher_json, bencher_table};
use evenhand_studies::bencher::{
    BencherOptions, BencherRow, BencherSource, Columns, JudgedOptions, Names, Reference, benchers,
};

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
    args.format.print(
        || bencher_table(&report),
        || bencher_json(&report),
        || bencher_csv(&report),
    )?;
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

fn bencher_options(args: &BencherArgs) -> Result<BencherOptions, Failed> {
    let plan = args.resampling.plan(args.seed.seed, args.threads.count())?;
    args.prior.map_or(Ok(()), check_prior)?;
    let mut rankings = Vec::new();
    for text in &args.ranking {
        rankings.push(BencherSource::parse(text)?);
    }
    let format = args.input_format.as_deref().map(RecordedFormat::named);
    // How judgments of a bencher become scores.
    let judged = JudgedOptions {
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
    };
    let reference = match &args.ratings {
        Some(path) => Reference::Ratings {
            path: path.clone(),
            columns: Columns {
                system: args.rating_system_column.clone(),
                score: args.rating_column.clone(),
                ..Columns::default()
            },
        },
        None => Reference::Labels {
            paths: args.labels.clone(),
            votes: args.votes,
        },
    };
    let names = match &args.names {
        Some(file) => Names::read(file)?,
        None => Names::default(),
    };
    Ok(BencherOptions {
        rankings,
        system_column: args.system_column.clone(),
        score_columns: ListedNames::join(&args.score_column),
        judged,
        reference,
        names,
        u: args.u.clone(),
        plan,
    })
}

impl NamedFigures for BencherRow {
    fn name(&self) -> &str {
        &self.bencher
    }

    fn figure(&self, name: &str) -> Option<f64> {
        if name == "tau_u" {
            // Over all pairs that differ.
            let all = self.tau_u.iter().find(|tau| tau.share == Some(1.0))?;
            return all.tau.value;
        }
        let mut figures = self.figures.named().into_iter();
        let (_, figure) = figures.find(|(known, _)| *known == name)?;
        figure.value
    }
}
