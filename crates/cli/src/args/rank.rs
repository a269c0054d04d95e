//! The command line of `rank`.

use super::choices::{names, words};
use super::help::{PROTOCOL, STATISTICS};
use super::ranking::INTERVALS;
use super::{FigureArgs, RankingArgs, ReportFileArgs, RunArgs};
use clap::Args;
use evenhand_core::split_list;
use evenhand_engine::{CertainFor, Until};
use evenhand_formats::StyleCovariate;
use evenhand_ranking::{Ci, Covariate};
use evenhand_stats::Cluster;
use std::path::PathBuf;

/// Judged anew.
#[derive(Clone, Debug, Args)]
pub(crate) struct RankArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) ranking: RankingArgs,
    /// Intervals
    ///
    /// [default: bootstrap; sandwich with --control]
    #[arg(long, value_parser = words(INTERVALS), help_heading = STATISTICS)]
    pub(crate) ci: Option<Ci>,
    /// How often each judgment is made
    ///
    /// For judges that draw what they say. Items are resampled with all their repeats.
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
    /// How much a strong, a slight and an equal verdict of pairwise-5point count, as 3,1,1 or
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
    /// With --design adaptive: what a certain order is of
    ///
    /// Of these items (items: what judging all of them would give), or of all items such as these,
    /// of which these are a random sample (population), which takes more of them.
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
    /// A table with the columns item and weight: items that are expected to tell most come early.
    #[arg(long, value_name = "FILE", help_heading = PROTOCOL)]
    pub(crate) item_weights: Option<PathBuf>,
    /// Take out the effect of the responses' style, or of a number they have
    ///
    /// Any of length (in tokens), headings, lists, bold; or response.FIELD, a number in that field
    /// of the responses' records.
    #[arg(
        long, value_parser = parse_covariates, value_name = "NAME,...", help_heading = STATISTICS
    )]
    pub(crate) control: Vec<Vec<Covariate>>,
    /// Rank by each value of FIELD of the items too, and test whether they differ
    ///
    /// category, turn, question, or another field of the items. Given of a run that is kept, no
    /// judge is asked again.
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
    CertainFor::parse(text).ok_or_else(|| "expected items or population".into())
}

fn parse_covariates(text: &str) -> Result<Vec<Covariate>, String> {
    let names = split_list(text).into_iter();
    let covariates = names.map(|name| {
        Covariate::from_name(&name).ok_or_else(|| {
            let known = StyleCovariate::ALL.map(StyleCovariate::name).join(", ");
            format!("expected one of {known}, or response.FIELD")
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
}
