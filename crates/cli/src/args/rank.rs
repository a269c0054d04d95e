//! The command line of `rank`.

use super::{Ci, ClusterBy, FigureArgs, RankingArgs, ReportFileArgs, RunArgs};
use clap::Args;
use evenhand_core::split_list;
use evenhand_engine::{CertainFor, Covariate, Until};
use evenhand_formats::StyleCovariate;
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
    #[arg(long, value_enum)]
    pub(crate) ci: Option<Ci>,
    /// How often each judgment is made
    ///
    /// For judges that draw what they say. Items are resampled with all their repeats.
    #[arg(
        long,
        value_name = "K",
        default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub(crate) repeats: u32,
    /// Units of the resampling: whole items, or single judgments
    #[arg(long, value_enum, default_value = "item")]
    pub(crate) cluster: ClusterBy,
    /// Weights of strong, slight and equal verdicts
    ///
    /// How much a strong, a slight and an equal verdict of pairwise-5point count, as 3,1,1 or
    /// 6,2,2. [default: by their probabilities, 1 each]
    #[arg(
        long,
        value_delimiter = ',',
        num_args = 1,
        value_name = "STRONG,SLIGHT,EQUAL"
    )]
    pub(crate) strength: Option<Vec<f64>>,
    /// With --design adaptive: what must be certain
    ///
    /// The order of all pairs (order), which K are the best (top:K), or the order of a share S of
    /// all pairs (share:S).
    #[arg(long, value_parser = parse_until, value_name = "order|top:K|share:S", default_value = "order")]
    pub(crate) until: Until,
    /// With --design adaptive: what a certain order is of
    ///
    /// Of these items (items: what judging all of them would give), or of all items such as these,
    /// of which these are a random sample (population), which takes more of them.
    #[arg(long, value_parser = parse_certain_for, value_name = "items|population", default_value = "items")]
    pub(crate) certain_for: CertainFor,
    /// With --design adaptive: the most comparisons (or scores) to make
    ///
    /// [default: as many as there are]
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<u64>,
    /// With --design adaptive: weights of the items
    ///
    /// A table with the columns item and weight: items that are expected to tell most come early.
    #[arg(long, value_name = "FILE")]
    pub(crate) item_weights: Option<PathBuf>,
    /// Take out the effect of the responses' style, or of a number they have
    ///
    /// Any of length (in tokens), headings, lists, bold; or response.FIELD, a number in that field
    /// of the responses' records.
    #[arg(long, value_parser = parse_covariates, value_name = "NAME,...")]
    pub(crate) control: Vec<Vec<Covariate>>,
    /// Rank by each value of FIELD of the items too, and test whether they differ
    ///
    /// category, turn, question, or another field of the items. Given of a run that is kept, no
    /// judge is asked again.
    #[arg(long, value_name = "FIELD")]
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
    names.map(|name| parse_covariate(&name)).collect()
}

fn parse_covariate(name: &str) -> Result<Covariate, String> {
    let names = StyleCovariate::ALL.map(StyleCovariate::name).join(", ");
    Covariate::from_name(name).ok_or_else(|| format!("expected one of {names}, or response.FIELD"))
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
