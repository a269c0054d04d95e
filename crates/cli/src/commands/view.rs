//! `evenhand view`.

use super::{print, stop_on_ctrl_c};
use crate::args::choices::words;
use crate::args::help::{DATA, OUTPUT, RUN};
use crate::args::{PriceArgs, QuietArgs};
use crate::{Done, Failed};
use clap::Args;
use evenhand_pages::Filter;
use evenhand_viewer::{Ready, ReviewOptions, Sample, ViewOptions, read_labels, serve};
use std::path::PathBuf;

/// Names the runs to show in a browser, and where they are served.
#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    /// A run, or a folder of runs
    #[arg(value_name = "RUN|FOLDER", default_value = evenhand_engine::RUNS)]
    pub(crate) path: PathBuf,
    /// The port [default: a free one]
    #[arg(
        long, value_name = "PORT", default_value_t = 0, hide_default_value = true,
        help_heading = RUN
    )]
    pub(crate) port: u16,
    /// The address to listen on [default: this machine only]
    ///
    /// On a network address, anyone who can reach it and has the token can read the runs. Nothing
    /// is encrypted, so anyone on the way can see the token.
    #[arg(long, value_name = "ADDRESS", help_heading = RUN)]
    pub(crate) host: Option<String>,
    /// People's labels, shown beside the judgments
    ///
    /// Comparisons in any format of judgments, as for `leaderboard --labels`. If a pair has several
    /// labels, the majority counts.
    #[arg(long, num_args = 1.., value_name = "LABELS", help_heading = DATA)]
    pub(crate) labels: Vec<PathBuf>,
    /// Let people judge pairs, with systems hidden and sides drawn at random
    ///
    /// Labels are kept in `labels.jsonl` in the run; each is on disk before the page says that it
    /// is saved. `leaderboard --labels` and `meta people --labels` read them. For a single run, two
    /// addresses are printed: one shows everything, the other only the review, for those who judge.
    #[arg(long, help_heading = RUN)]
    pub(crate) review: bool,
    /// Which pairs --review begins with: random, uncertain or disagreed
    ///
    /// By default they are drawn at random. `uncertain`: those of which the judge is least certain.
    /// `disagreed`: those whose two orders or votes disagree. Only labels of pairs drawn at random
    /// can correct a ranking.
    #[arg(
        long, value_parser = words(SAMPLES), value_name = "SAMPLE", default_value = "random",
        requires = "review", hide_possible_values = true, hide_default_value = true,
        help_heading = RUN
    )]
    pub(crate) sample: Sample,
    /// How many pairs of the sample --review asks, from the first [default: all]
    #[arg(
        long, value_name = "N", requires = "review", help_heading = RUN,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub(crate) items: Option<u32>,
    /// Only pairs that match, as in `judgments --where`; all must match
    #[arg(
        id = "where", long = "where", value_name = "FILTER", requires = "review",
        help_heading = RUN
    )]
    pub(crate) filters: Vec<String>,
    /// Where to keep labels of --review [default: labels.jsonl in the run]
    #[arg(long, value_name = "FILE", requires = "review", help_heading = OUTPUT)]
    pub(crate) labels_out: Option<PathBuf>,
    /// Seed of the sides and of the order of --review
    ///
    /// Changes no label that was given; pairs that are shown are drawn anew.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "review", help_heading = RUN)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}

impl ViewArgs {
    /// Reads labels and prices.
    pub(crate) fn options(&self) -> Result<ViewOptions, Failed> {
        Ok(ViewOptions {
            path: self.path.clone(),
            port: self.port,
            host: self.host.clone(),
            prices: self.prices.table()?,
            labels: read_labels(&self.labels)?,
            review: match self.review {
                true => Some(self.review()?),
                false => None,
            },
        })
    }

    fn review(&self) -> Result<ReviewOptions, Failed> {
        let filter = Filter::from_words(&self.filters);
        let filter = filter.map_err(|error| Failed::usage(format!("--where {error}")))?;
        Ok(ReviewOptions {
            labels: self.labels_out.clone(),
            seed: self.seed,
            sample: self.sample,
            filter: (!self.filters.is_empty()).then_some(filter),
            items: self.items.map(|items| items as usize),
        })
    }
}

/// Which pairs people are asked first.
const SAMPLES: &[(&str, Sample)] = &[
    ("random", Sample::Random),
    ("uncertain", Sample::Uncertain),
    ("disagreed", Sample::Disagreed),
];

/// A run, or a folder of runs, in a browser until Ctrl-C.
pub(crate) fn view(args: &ViewArgs) -> Result<Done, Failed> {
    let options = args.options()?;
    let stop = stop_on_ctrl_c()?;
    let mut told = Ok(());
    let served = serve(options, &stop, |ready| told = tell(ready, args));
    served.map_err(|error| match error.is_usage() {
        true => Failed::Usage(error.to_string()),
        false => Failed::Run(error.to_string()),
    })?;
    told.map(|()| Done::Fine)
}

fn tell(ready: &Ready, args: &ViewArgs) -> Result<(), Failed> {
    match &ready.review {
        None => print(&format!("{}\n", ready.url))?,
        Some(alone) => print(&format!(
            "everything, for you: {}\nthe review alone, for those who judge: {}\nthe pairs on \
             which they disagree, for who decides: {}\n",
            ready.url, alone.annotators, alone.adjudicator
        ))?,
    }
    if !ready.address.ip().is_loopback() {
        let may = match ready.review {
            None => "has the address above can read the runs",
            Some(_) => {
                "has the first address can read the run, or with another can judge its pairs"
            }
        };
        args.quiet.say(&format!(
            "warning: listening on {}: anyone who can reach this machine and {may}; nothing is \
             encrypted on the way",
            ready.address
        ));
    }
    if args.review {
        let labels = match &args.labels_out {
            Some(path) => path.display().to_string(),
            None => "labels.jsonl in the run".into(),
        };
        args.quiet.say(&format!("labels are kept in {labels}"));
    }
    if args.review && ready.review.is_none() {
        args.quiet.say(
            "this address shows everything; for an address that shows the review alone, name one \
             run: `evenhand view RUN --review`",
        );
    }
    args.quiet.say(match ready.review {
        None => "open this address in a browser; Ctrl-C ends it",
        Some(_) => {
            "open the first address in a browser to see everything; give the second to those who \
             judge, and the third to who decides where they disagree; Ctrl-C ends it"
        }
    });
    Ok(())
}
