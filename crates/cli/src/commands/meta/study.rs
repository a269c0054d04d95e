//! `evenhand meta study`.

use super::super::stop_on_ctrl_c;
use crate::args::{QuietArgs, StudyArgs, read_prices};
use crate::job::list_reusable;
use crate::progress::Show;
use crate::{Done, Failed};
use evenhand_engine::{EngineError, Found, Progress};
use evenhand_report::meta::{concordances_csv, study_csv, study_json, study_table};
use evenhand_report::plot::{concordance_grid, study_plots};
use evenhand_studies::study::{Config, LiveOptions, StudyReport, Watch, study as run};
use std::path::Path;

/// A grid of benchers against people.
pub(crate) fn study(args: &StudyArgs) -> Result<Done, Failed> {
    let config = Config::read(&args.file)?;
    config.check_trust(&args.file, &args.trust)?;
    let prices = read_prices(config.prices.as_deref())?;
    let limits = args.limits.checked(&prices)?;
    let judge = args.compute.judge_options(args.marks.raw_marks);
    let options = LiveOptions {
        judge,
        limits,
        prices,
        reuse: list_reusable(&args.reuse, Found::All)?,
        stop: stop_on_ctrl_c()?,
    };
    if let Some(dir) = &args.figures {
        std::fs::create_dir_all(dir).map_err(|e| {
            Failed::Usage(format!("--figures {}: cannot be made: {e}", dir.display()))
        })?;
    }
    let mut watch = ShownCells::new(args.quiet);
    let report = run(&config, &options, &mut watch).map_err(end_early)?;
    args.format.print(
        || study_table(&report),
        || study_json(&report),
        || study_csv(&report),
    )?;
    if let Some(dir) = &args.figures {
        let count = draw_figures(&report, dir)?;
        args.quiet.say(&format!("{count} figures drawn"));
    }
    if let Some(dir) = &report.run {
        args.quiet.say(&format!(
            "calls kept in {}: the same command asks none of them again",
            dir.display()
        ));
    }
    Ok(Done::Fine)
}

pub(in crate::commands) fn end_early(error: EngineError) -> Failed {
    match error {
        EngineError::Stopped { .. } | EngineError::Limit { .. } => Failed::Run(error.to_string()),
        error => error.into(),
    }
}

/// Writes every figure, and beside that of the concordances its numbers.
fn draw_figures(report: &StudyReport, dir: &Path) -> Result<usize, Failed> {
    let plots = study_plots(report);
    for (name, plot) in &plots {
        write_figure(&dir.join(format!("{name}.svg")), plot.svg())?;
    }
    let Some(grid) = concordance_grid(report) else {
        return Ok(plots.len());
    };
    write_figure(&dir.join("concordance.svg"), grid.svg())?;
    write_figure(
        &dir.join("concordance.csv"),
        concordances_csv(report).map_err(|e| e.to_string()),
    )?;
    Ok(plots.len() + 1)
}

fn write_figure(path: &Path, drawn: Result<String, String>) -> Result<(), Failed> {
    let unwritable =
        |why: String| Failed::Run(format!("{}: cannot be drawn: {why}", path.display()));
    std::fs::write(path, drawn.map_err(unwritable)?).map_err(|e| unwritable(e.to_string()))
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
