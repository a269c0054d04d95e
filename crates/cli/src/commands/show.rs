//! `evenhand show`.

use super::kept_run::{describe_unopened, describe_unread, open_kept};
use super::plan::{noise_of_report, noise_of_run};
use super::{print, print_data};
use crate::args::help::OUTPUT;
use crate::args::{PriceArgs, VerboseArgs};
use crate::host::current;
use crate::{Done, Failed};
use clap::{Args, ValueEnum};
use evenhand_core::shell_word;
use evenhand_engine::{PriceTable, spent};
use evenhand_pages::{OpenRun, Overview, RunSummary};
use evenhand_ranking::NoiseFloor;
use evenhand_report::{JudgmentPage, RunPage, Usage, View, json_text, judgment_page, run_page};
use evenhand_store::{Reader, Totals};
use std::path::{Path, PathBuf};

/// Names a run, and what to show of it.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The run's directory
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// The number of a judgment; without it, the run on one screen
    ///
    /// Its question, both answers, the verdicts in both orders and the judge's words.
    #[arg(value_name = "N", value_parser = parse_trial)]
    pub(crate) trial: Option<u64>,
    /// Also show the prompts, as they were sent
    #[arg(long, requires = "trial", help_heading = OUTPUT)]
    pub(crate) prompt: bool,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    /// Output format
    #[arg(long, value_enum, default_value = "table", help_heading = OUTPUT)]
    pub(crate) format: ShowFormat,
}

/// The forms in which a run or a judgment is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowFormat {
    Table,
    Json,
}

/// People know the names of items, not the numbers of judgments.
fn parse_trial(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        let condition = shell_word(&format!("item={text}"));
        format!(
            "expected the number of a judgment; those of an item: `evenhand judgments RUN --where \
             {condition}`"
        )
    })
}

/// A run in one screen, or one of its judgments in full.
pub(crate) fn show(args: &ShowArgs) -> Result<Done, Failed> {
    let prices = args.prices.table()?;
    if let Some(trial) = args.trial {
        return show_judgment(args, &open_kept(&args.run, prices)?, trial);
    }
    let (overview, totals, noise) = sums_of_run(&args.run, &prices)?;
    let calls = Usage::new(&spent(&totals, &prices), 0.0).total;
    let page = |view| {
        run_page(&RunPage {
            run: &overview,
            calls: &calls,
            noise: noise.as_ref(),
            view,
        })
    };
    print_form(args, page, || json_text(&overview))
}

/// Returns what is said of a run as a whole: from the sums that its last session kept, or else from
/// all its judgments.
fn sums_of_run(
    dir: &Path,
    prices: &PriceTable,
) -> Result<(Overview, Vec<Totals>, Option<NoiseFloor>), Failed> {
    let reader = Reader::open(dir).map_err(describe_unopened)?;
    if let Some(summary) = RunSummary::read(&reader).map_err(describe_unread)? {
        let overview = summary.overview(&reader).map_err(describe_unread)?;
        // Noise stands beside the ranking of the last report, in its unit.
        let ranked = noise_of_report(&overview.report).map(|noise| noise.unit);
        let unit = summary.noise.as_ref().map(|noise| noise.unit);
        if ranked.is_none() || ranked == unit {
            return Ok((overview, summary.totals, summary.noise));
        }
    }
    let run = open_kept(dir, prices.clone())?;
    let overview = run.overview();
    let totals = run.reader().totals().map_err(describe_unread)?;
    let noise = noise_of_run(&run, &overview.report);
    Ok((overview, totals, noise))
}

fn show_judgment(args: &ShowArgs, run: &OpenRun, trial: u64) -> Result<Done, Failed> {
    let asked = run.judgment(trial).map_err(describe_unread)?;
    let asked = asked.ok_or_else(|| describe_unknown_trial(run, trial))?;
    // The other order of the pair stands behind it, where there is one.
    let cells = [&asked.row.ab, &asked.row.ba].into_iter().flatten();
    let other = cells.map(|cell| cell.trial).find(|other| *other != trial);
    let mut orders = vec![asked];
    if let Some(other) = other {
        orders.extend(run.judgment(other).map_err(describe_unread)?);
    }
    let keeps_texts = run.reader().keeps_texts().map_err(describe_unread)?;
    let name = args.run.display().to_string();
    let page = |view| {
        judgment_page(&JudgmentPage {
            run: &name,
            orders: &orders,
            keeps_texts,
            shows_prompts: args.prompt,
            view,
        })
    };
    print_form(args, page, || json_text(&orders[0]))
}

/// Returns why there is no judgment of this number, and which there are.
fn describe_unknown_trial(run: &OpenRun, trial: u64) -> Failed {
    let (dir, index) = (run.reader().dir().display(), run.index());
    let first = index.first_trial().unwrap_or_default();
    let there_are = match (index.last_trial(), index.judgments() as u64) {
        (None, _) => "it keeps none: audits and studies keep only calls".into(),
        (Some(last), 1) => format!("there is one, number {last}"),
        (Some(last), count) if count == last - first + 1 => {
            format!("there are those from {first} to {last}")
        }
        (Some(last), count) => {
            format!("there are {count}, with numbers between {first} and {last}")
        }
    };
    Failed::usage(format!("{dir}: there is no judgment {trial}; {there_are}"))
}

/// Prints the form that was asked for; a host takes both.
fn print_form(
    args: &ShowArgs,
    page: impl Fn(View) -> String,
    json: impl Fn() -> Result<String, serde_json::Error>,
) -> Result<Done, Failed> {
    let view = VerboseArgs { verbose: false }.view();
    if let Some(host) = current() {
        host.keep_forms(page(view), None);
    }
    match args.format {
        ShowFormat::Table => print(&page(view)),
        ShowFormat::Json => print_data(&json().map_err(Failed::unprintable)?),
    }?;
    Ok(Done::Fine)
}
