//! `evenhand rank`.

use super::figure::{check_place, draw_first};
use super::report::{Reported, name_of};
use super::session::{conclude_run, keep_sums, run_session, sum_usage};
use super::stop_on_ctrl_c;
use super::verdicts::show_replies;
use crate::args::choices::{names, words};
use crate::args::help::{PROTOCOL, STATISTICS};
use crate::args::ranking::INTERVALS;
use crate::args::{FigureArgs, RankingArgs, ReportFileArgs, RunArgs, ShardArgs};
use crate::condition::end_by_gates;
use crate::job::{Prepared, judge_scale, prepare, rank_options};
use crate::{Done, Failed};
use clap::Args;
use evenhand_core::{Item, Judgment, Response, did_you_mean, split_list};
use evenhand_engine::{
    AdaptiveOptions, AdaptiveReport, CertainFor, Design, EngineError, Job, TournamentItems,
    TournamentReport, Until, check_repeats, item_weights,
};
use evenhand_formats::StyleCovariate;
use evenhand_protocols::Form;
use evenhand_ranking::{
    Ci, Collected, Covariate, ItemSlices, RankOptions, Report, Reviews, ScoreUnit, StepWeights,
    TurnRanking, rank_slices,
};
use evenhand_report::figures::figures_of_ranking;
use evenhand_report::{
    markdown_with_gates, ranking_csv, ranking_json, ranking_markdown, ranking_table,
};
use evenhand_stats::Cluster;
use std::collections::BTreeMap;
use std::mem::take;
use std::path::PathBuf;
use std::time::Instant;

/// Judged anew.
#[derive(Clone, Debug, Args)]
pub(crate) struct RankArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) shard: ShardArgs,
    #[command(flatten)]
    pub(crate) ranking: RankingArgs,
    /// Intervals
    ///
    /// [default: bootstrap; sandwich with --control]
    #[arg(long, value_parser = words(INTERVALS), help_heading = STATISTICS)]
    pub(crate) ci: Option<Ci>,
    /// How often to make each judgment
    ///
    /// For judges that sample their replies. Items are resampled with all their repeats.
    #[arg(
        long, value_name = "K", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..), help_heading = PROTOCOL
    )]
    pub(crate) repeats: u32,
    /// Units of the resampling: whole items, or single judgments
    #[arg(
        long, default_value = "item", help_heading = STATISTICS,
        value_parser = words(&[("item", Cluster::Item), ("none", Cluster::None)])
    )]
    pub(crate) cluster: Cluster,
    /// Weights of strong, slight and equal verdicts
    ///
    /// How much a strong, a slight and an equal verdict of pairwise-5point count, such as 3,1,1 or
    /// 6,2,2. [default: by their probabilities, 1 each]
    #[arg(
        long, value_delimiter = ',', num_args = 1, value_name = "STRONG,SLIGHT,EQUAL",
        help_heading = STATISTICS
    )]
    pub(crate) strength: Option<Vec<f64>>,
    /// With --design adaptive: what must be certain
    ///
    /// The order of all pairs (order), which K are the best (top:K), or the order of a share S of
    /// all pairs (share:S).
    #[arg(
        long, value_parser = parse_until, value_name = "order|top:K|share:S",
        default_value = "order", help_heading = PROTOCOL
    )]
    pub(crate) until: Until,
    /// With --design adaptive: which items the order must be certain for
    ///
    /// These items (items: what judging all of them would give), or all items such as these, of
    /// which these are a random sample (population). The second takes more items.
    #[arg(
        long, value_parser = names(["items", "population"], parse_certain_for),
        hide_possible_values = true, value_name = "items|population",
        default_value = "items", help_heading = PROTOCOL
    )]
    pub(crate) certain_for: CertainFor,
    /// With --design adaptive: the most comparisons (or scores) to make
    ///
    /// [default: as many as there are]
    #[arg(long, value_name = "N", help_heading = PROTOCOL)]
    pub(crate) budget: Option<u64>,
    /// With --design adaptive: weights of the items
    ///
    /// A table with the columns item and weight. Give more weight to items that you expect to tell
    /// more: they come early.
    #[arg(long, value_name = "FILE", help_heading = PROTOCOL)]
    pub(crate) item_weights: Option<PathBuf>,
    /// Take out the effect of the responses' style, order or another number
    ///
    /// Any of length (in tokens), headings, lists, bold; order, for which was shown first; or
    /// response.FIELD, for a number in that field of the responses' records.
    #[arg(
        long, value_parser = parse_covariates, value_name = "NAME,...", help_heading = STATISTICS
    )]
    pub(crate) control: Vec<Vec<Covariate>>,
    /// Also rank by value of the items' FIELD, and test whether the values differ
    ///
    /// category, turn, question, or another field of the items. For a run that is kept, no judge is
    /// asked again.
    #[arg(long, value_name = "FIELD", help_heading = STATISTICS)]
    pub(crate) by: Option<String>,
    #[command(flatten)]
    pub(crate) report: ReportFileArgs,
    #[command(flatten)]
    pub(crate) figure: FigureArgs,
}

fn parse_until(text: &str) -> Result<Until, String> {
    Until::parse(text)
        .ok_or_else(|| "expected order, top:K or share:S with S above 0 and up to 1".into())
}

fn parse_certain_for(text: &str) -> Result<CertainFor, String> {
    text.parse()
        .map_err(|_| "expected items or population".into())
}

fn parse_covariates(text: &str) -> Result<Vec<Covariate>, String> {
    let names = split_list(text).into_iter();
    let covariates = names.map(|name| {
        Covariate::from_name(&name).ok_or_else(|| {
            let known = StyleCovariate::NAMES.join(", ");
            let meant = did_you_mean(
                &name,
                StyleCovariate::NAMES.iter().copied().chain(["order"]),
            );
            format!("expected one of {known}, order, or response.FIELD{meant}")
        })
    });
    covariates.collect()
}

impl RankArgs {
    /// Returns the arguments of the run, with the fields that are covariates among what is read.
    pub(crate) fn run_with_covariates(&self) -> RunArgs {
        let fields = self.control.iter().flatten().filter_map(Covariate::field);
        let mut run = self.run.clone();
        run.data.covariates = fields.map(str::to_owned).collect();
        run
    }

    /// Returns a job with its repeats; of a shard, what is of it.
    pub(crate) fn repeated(&self, job: Job) -> Result<Job, EngineError> {
        let job = self.shard.of_job(job.repeated(self.repeats))?;
        check_repeats(&job)?;
        Ok(job)
    }
}

/// Plan, judge, aggregate, rank, report.
pub(crate) fn rank(args: &RankArgs) -> Result<Done, Failed> {
    let started = Instant::now();
    let (output, figure) = (&args.run.output, args.figure.path());
    check_place(figure)?;
    let mut prepared = prepare(&args.run_with_covariates(), judge_scale(args.ranking.scale))?;
    prepared.job = args.repeated(prepared.job)?;

    // How the ranking is made is checked before anything is judged.
    let options = rank_options(args, &prepared)?;
    let adaptive = adaptive_options(args, &prepared.job)?;
    let tournament = TournamentItems::of_job(&prepared.job).map_err(EngineError::from)?;
    if let Some(conditions) = &prepared.conditions {
        conditions.check(&prepared.job.dataset.systems)?;
        let aggregation = options.check(&prepared.job)?;
        let job = &prepared.job;
        let scores = job.protocol.score_range(job.dataset.items.iter());
        let unit = aggregation.unit(options.scale, ScoreUnit::FormPoints);
        conditions.check_unit(unit, scores)?;
    }
    args.report.check()?;

    // The whole plan is judged, or as much of it as the design chooses.
    let mut gather = Gather::new(args, &mut prepared, tournament.clone())?;
    let planned = match &tournament {
        Some(items) => items.most_trials(&prepared.job),
        None => prepared.job.plan.len(),
    };
    let stop = stop_on_ctrl_c()?;
    let ((finished, chosen), seen) = run_session(
        &args.run,
        &mut prepared,
        planned,
        &stop,
        |judgment, item, responses| gather.add(judgment, item, responses),
        |session, job| match (&adaptive, &tournament) {
            (Some(adaptive), _) => {
                let (finished, found) = session.run_adaptive(job, adaptive)?;
                Ok((finished, Chosen::Adaptive(found)))
            }
            (None, Some(items)) => {
                let (finished, found) = session.run_tournament(job, items)?;
                Ok((finished, Chosen::Tournament(found)))
            }
            (None, None) => Ok((session.run(job)?, Chosen::Nothing)),
        },
    )?;
    gather.collected.notes = seen.notes;

    let mut report = rank_gathered(&prepared.job, &gather, &options)?;
    report.first_failures = seen.tally.failures();
    report.readings = show_replies(seen.tally.readings(), &finished.dir);
    report = match chosen {
        Chosen::Nothing => report,
        Chosen::Adaptive(found) => report.with_adaptive(found),
        Chosen::Tournament(found) => report.with_tournament(found),
    };
    // Conditions may rest on differences that nobody asked to see.
    let gates = prepared.decide_gates(&report);
    args.ranking.drop_unasked(&mut report);
    let usage = sum_usage(&finished, &prepared.prices, started);
    let decided = gates.as_deref().unwrap_or_default();
    output.format.print_with(
        || markdown_with_gates(ranking_markdown(&report), decided),
        || ranking_table(&report, &usage, output.verbose.view()) + "\n",
        || ranking_json(&report, &usage, decided),
        || ranking_csv(&report),
    )?;
    let reported = Reported {
        command: "rank",
        title: name_of(&finished.dir),
        files: Vec::new(),
        json: ranking_json(&report, &usage, decided),
        figures: figures_of_ranking(&report),
        run: Some((&*finished.dir, &prepared.prices)),
    };
    args.report.publish(output.quiet, reported)?;
    // Verdicts that count otherwise have another noise.
    if args.strength.is_none() {
        keep_sums(&finished, &args.run, &mut prepared, &report);
    }
    conclude_run(&finished, &args.run, &seen.tally)?;
    draw_first(figure, || figures_of_ranking(&report))?;
    Ok(end_by_gates(&gates?))
}

/// Ranks the systems, by all judgments and by those of each turn and slice.
fn rank_gathered(job: &Job, gather: &Gather, options: &RankOptions) -> Result<Report, EngineError> {
    let mut report = evenhand_ranking::rank(job, &gather.collected, options)?;
    // Each turn alone, where turns are items of their own and more than one was judged.
    if gather.by_turn.len() > 1 {
        report.turns = Vec::new();
        for (turn, collected) in &gather.by_turn {
            let ranking = evenhand_ranking::rank(job, collected, options)?.ranking;
            report.turns.push(TurnRanking {
                turn: *turn,
                ranking,
            });
        }
    }
    match &gather.by {
        Some((field, _)) => rank_slices(report, job, field, &gather.by_slice, options),
        None => Ok(report),
    }
}

/// Returns what an adaptive design is to find out; None for the other designs, which take none of
/// its flags (`modes.rs`).
pub(crate) fn adaptive_options(
    args: &RankArgs,
    job: &Job,
) -> Result<Option<AdaptiveOptions>, Failed> {
    if job.design.chooses() && args.repeats > 1 {
        return Err(Failed::usage(format!(
            "--repeats is not for --design {}, which chooses what is judged next",
            job.design
        )));
    }
    if job.design != Design::Adaptive {
        return Ok(None);
    }
    let weights = match &args.item_weights {
        Some(file) => Some(item_weights(file, &job.dataset)?),
        None => None,
    };
    let options = AdaptiveOptions {
        until: args.until,
        certain_for: args.certain_for,
        certainty: args.ranking.resampling.level,
        budget: args.budget,
        weights,
    };
    options.check_population(job)?;
    Ok(Some(options))
}

/// Findings of a design that chooses as it goes on.
enum Chosen {
    /// It was fixed from the start.
    Nothing,
    Adaptive(AdaptiveReport),
    Tournament(TournamentReport),
}

/// Gathers judgments.
struct Gather {
    collected: Collected,
    /// The items of a tournament, some of which decide who meets whom: no ranking rests on them.
    tournament: Option<TournamentItems>,
    /// The judgments of each turn, where turns are items of their own.
    by_turn: BTreeMap<u32, Collected>,
    /// The field whose slices are ranked, and the slice of each item.
    by: Option<(String, ItemSlices)>,
    /// The judgments of each slice.
    by_slice: BTreeMap<String, Collected>,
    reviews: Reviews,
}

impl Gather {
    fn new(
        args: &RankArgs,
        prepared: &mut Prepared,
        tournament: Option<TournamentItems>,
    ) -> Result<Gather, Failed> {
        let job = &prepared.job;
        // Only a form with five steps has any weights of them.
        let form = job.protocol.form();
        if args.strength.is_some() && !matches!(form, Form::Pairwise5Point(_)) {
            return Err(Failed::usage(format!(
                "--strength: {form} has no steps; it is for pairwise-5point"
            )));
        }
        let collected = Collected {
            strength: args.strength.as_deref().map(StepWeights::new).transpose()?,
            ..Collected::default()
        };
        let by = match &args.by {
            None => None,
            Some(field) => {
                let options = args.run.data.options()?;
                let slices = ItemSlices::read(&job.dataset, &options, field)?;
                Some((field.clone(), slices))
            }
        };
        Ok(Gather {
            collected,
            tournament,
            by_turn: BTreeMap::new(),
            by,
            by_slice: BTreeMap::new(),
            reviews: take(&mut prepared.reviews),
        })
    }

    fn add(&mut self, judgment: &mut Judgment, item: &Item, responses: &[Response]) {
        self.reviews.apply(judgment, item, responses);
        let decides = |items: &TournamentItems| items.decides(judgment.trial.item);
        if self.tournament.as_ref().is_some_and(decides) {
            return;
        }
        self.collected.add(judgment, responses);
        let strength = self.collected.strength;
        let of_part = || Collected {
            strength,
            ..Collected::default()
        };
        if let Some(turn) = item.turn {
            self.by_turn
                .entry(turn)
                .or_insert_with(of_part)
                .add(judgment, responses);
        }
        if let Some((_, slices)) = &self.by {
            let slice = self.by_slice.entry(slices.of_item(item));
            slice.or_insert_with(of_part).add(judgment, responses);
        }
    }
}
