//! `evenhand meta study`.

use super::super::figure::FigureDir;
use super::super::report::{Reported, name_of};
use super::super::stop_on_ctrl_c;
use crate::args::choices::words;
use crate::args::help::{JUDGE, LIMITS, STATISTICS};
use crate::args::{
    ComputeArgs, FiguresArgs, FormatArgs, LimitArgs, MachineArgs, MarkArgs, QuietArgs,
    ReportFileArgs, ReuseArgs, SamplingArgs, read_prices,
};
use crate::host::keep_run_of_host;
use crate::job::list_reusable;
use crate::judges::describe_simulated;
use crate::progress::Show;
use crate::{Done, Failed};
use clap::Args;
use evenhand_engine::{Found, PriceTable, Progress};
use evenhand_report::figures::{figures_of_study, study_figures};
use evenhand_report::meta::{concordances_csv, study_csv, study_json, study_table};
use evenhand_studies::judge::Votes;
use evenhand_studies::study::{Config, LiveOptions, Watch, study as run};
use std::path::PathBuf;

/// Which study is run.
#[derive(Debug, Args)]
pub(crate) struct StudyArgs {
    /// The study: input sets, judges, evaluation types, aggregations, references
    ///
    /// See docs/meta-evaluation.md.
    #[arg(value_name = "STUDY.toml")]
    pub(crate) file: PathBuf,
    /// A judge to use instead of those in the study's file
    ///
    /// As `rank --judge` takes it; in the tables it is called `judge`.
    #[arg(long, value_name = "JUDGE", help_heading = JUDGE)]
    pub(crate) judge: Option<String>,
    /// How several labels of one pair count: the most frequent once, or each of them
    ///
    /// Overrides what the file says.
    #[arg(
        long, value_name = "WHICH", help_heading = STATISTICS,
        value_parser = words(&[("majority", Votes::Majority), ("each", Votes::Each)])
    )]
    pub(crate) votes: Option<Votes>,
    /// Files whose judges may name addresses and keys
    ///
    /// The study's own file, if its judges name any; a file that came with data may not.
    #[arg(long, value_name = "FILE", help_heading = LIMITS)]
    pub(crate) trust: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) sampling: SamplingArgs,
    #[command(flatten)]
    pub(crate) marks: MarkArgs,
    #[command(flatten)]
    pub(crate) figures: FiguresArgs,
    #[command(flatten)]
    pub(crate) reuse: ReuseArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    #[command(flatten)]
    pub(crate) compute: ComputeArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) report: ReportFileArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}

/// A grid of benchers against people.
pub(crate) fn study(args: &StudyArgs) -> Result<Done, Failed> {
    let mut config = Config::read(&args.file, args.judge.as_deref())?;
    // A judge of the command line is the user's own, and needs no trust.
    if args.judge.is_none() {
        config.check_trust(&args.file, &args.trust)?;
    }
    if let Some(votes) = args.votes {
        config.set_votes(votes);
    }
    let prices = read_prices(config.prices.as_deref())?;
    let options = LiveOptions {
        judge: (args.compute).judge_options(args.marks.raw_marks, args.sampling.temperature),
        limits: args.limits.checked(&prices)?,
        prices,
        machine: args.machine.machine(),
        reuse: list_reusable(&args.reuse, Found::All)?,
        shared: args.reuse.shared_place()?,
        stop: stop_on_ctrl_c()?,
    };
    let name = config.name.as_deref().unwrap_or_default();
    let by = args.judge.as_ref();
    let by = by.map_or(String::new(), |judge| format!(", judge {judge}"));
    let figure_dir = FigureDir::open(&args.figures, format!("meta study {name}{by}"))?;
    args.report.check()?;
    let mut watch = ShownCells::new(args.quiet);
    let report = run(&config, &options, &mut watch)?;
    let specs = config.judges.values().map(|judge| judge.spec.as_str());
    if let Some(text) = describe_simulated(specs).filter(|_| !config.labelled.is_empty()) {
        args.quiet.say(text);
    }
    keep_run_of_host(report.run.as_deref());
    args.format.print(
        || study_table(&report),
        || study_json(&report),
        || study_csv(&report),
    )?;
    // A study's run keeps no judgments that would have a price.
    let no_prices = PriceTable::default();
    let reported = Reported {
        command: "meta study",
        title: name_of(&args.file),
        files: vec![args.file.as_path()],
        json: study_json(&report),
        figures: figures_of_study(&report),
        run: report.run.as_deref().map(|dir| (dir, &no_prices)),
    };
    args.report.publish(args.quiet, reported)?;
    if let Some(mut dir) = figure_dir {
        let figures = study_figures(&report);
        dir.draw(&figures, "")?;
        // Beside the figure of the concordances stand its numbers.
        if figures.iter().any(|(name, _)| name == "concordance") {
            let numbers = concordances_csv(&report).map_err(Failed::unprintable)?;
            dir.write("concordance.csv", numbers.as_bytes())?;
        }
        args.quiet.say(&dir.close()?);
    }
    if let Some(dir) = &report.run {
        let dir = dir.display();
        args.quiet.say(&format!(
            "calls kept in {dir}; the same command does not repeat them"
        ));
    }
    Ok(Done::Fine)
}

/// Shows the cells one after the other.
pub(in crate::commands) struct ShownCells {
    quiet: QuietArgs,
    show: Option<Show>,
}

impl ShownCells {
    pub(in crate::commands) fn new(quiet: QuietArgs) -> ShownCells {
        ShownCells { quiet, show: None }
    }
}

impl Watch for ShownCells {
    fn begin(&mut self, cell: &str, trials: u64) {
        self.quiet.say(&format!("{cell}: {trials} trials"));
        self.show = Some(Show::new(self.quiet, trials));
    }

    fn progress(&mut self, progress: Progress) {
        if let Some(show) = &self.show {
            show.update(progress);
        }
    }

    fn note(&mut self, note: &str) {
        if let Some(show) = &self.show {
            show.note(note);
        }
    }

    fn end(&mut self) {
        if let Some(mut show) = self.show.take() {
            show.end();
        }
    }
}
