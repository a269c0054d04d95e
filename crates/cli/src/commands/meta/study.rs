//! `evenhand meta study`.

use super::super::figure::{draw_all, make_figure_dir, write_file};
use super::super::report::Reported;
use super::super::stop_on_ctrl_c;
use crate::args::{QuietArgs, StudyArgs, read_prices};
use crate::host::keep_run_of_host;
use crate::job::list_reusable;
use crate::progress::Show;
use crate::{Done, Failed};
use evenhand_engine::{EngineError, Found, PriceTable, Progress};
use evenhand_report::figures::{figures_of_study, study_figures};
use evenhand_report::meta::{concordances_csv, study_csv, study_json, study_table};
use evenhand_studies::study::{Config, LiveOptions, StudyReport, Watch, study as run};
use std::path::Path;

/// A grid of benchers against people.
pub(crate) fn study(args: &StudyArgs) -> Result<Done, Failed> {
    let config = read_config(args)?;
    let options = live_options(args, &config)?;
    // A directory that cannot be made is refused before anything is paid for.
    make_figure_dir(args.figures.as_deref())?;
    args.report.check()?;
    let mut watch = ShownCells::new(args.quiet);
    let report = run(&config, &options, &mut watch).map_err(end_early)?;
    keep_run_of_host(report.run.as_deref());
    print_report(args, &report)?;
    publish_report(args, &report)?;
    draw_asked(args, &report)?;
    if let Some(dir) = &report.run {
        args.quiet.say(&describe_run(dir));
    }
    Ok(Done::Fine)
}

/// Reads the study's file. A judge of the command line is the user's own, and needs no trust.
fn read_config(args: &StudyArgs) -> Result<Config, Failed> {
    let mut config = Config::read(&args.file)?;
    match &args.judge {
        Some(judge) => config.set_judge(judge),
        None => config.check_trust(&args.file, &args.trust)?,
    }
    Ok(config)
}

fn live_options(args: &StudyArgs, config: &Config) -> Result<LiveOptions, Failed> {
    let prices = read_prices(config.prices.as_deref())?;
    Ok(LiveOptions {
        judge: (args.compute).judge_options(args.marks.raw_marks, args.sampling.temperature),
        limits: args.limits.checked(&prices)?,
        prices,
        reuse: list_reusable(&args.reuse, Found::All)?,
        stop: stop_on_ctrl_c()?,
    })
}

fn print_report(args: &StudyArgs, report: &StudyReport) -> Result<Done, Failed> {
    args.format.print(
        || study_table(report),
        || study_json(report),
        || study_csv(report),
    )
}

fn publish_report(args: &StudyArgs, report: &StudyReport) -> Result<(), Failed> {
    // A study's run keeps no judgments that would have a price.
    let no_prices = PriceTable::default();
    let reported = Reported {
        command: "meta study",
        title: args.file.display().to_string(),
        json: study_json(report),
        figures: figures_of_study(report),
        run: report.run.as_deref().map(|dir| (dir, &no_prices)),
    };
    args.report.publish(args.quiet, reported)
}

/// Draws the figures where they are asked for.
fn draw_asked(args: &StudyArgs, report: &StudyReport) -> Result<(), Failed> {
    if let Some(dir) = &args.figures {
        let count = draw_figures(report, dir)?;
        args.quiet.say(&format!("{count} figures drawn"));
    }
    Ok(())
}

fn describe_run(dir: &Path) -> String {
    let dir = dir.display();
    format!("calls kept in {dir}: the same command asks none of them again")
}

pub(in crate::commands) fn end_early(error: EngineError) -> Failed {
    match error {
        EngineError::Stopped { .. } | EngineError::Limit { .. } => {
            Failed::Stopped(error.to_string())
        }
        error => error.into(),
    }
}

/// Writes every figure, and beside that of the concordances its numbers.
fn draw_figures(report: &StudyReport, dir: &Path) -> Result<usize, Failed> {
    let figures = study_figures(report);
    let count = draw_all(&figures, dir, "")?;
    if figures.iter().any(|(name, _)| name == "concordance") {
        let numbers = concordances_csv(report).map_err(Failed::unprintable)?;
        write_file(&dir.join("concordance.csv"), numbers.as_bytes())?;
    }
    Ok(count)
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
