//! `evenhand report`, and the file of `--report`.

use crate::args::{QuietArgs, ReportArgs, ReportFileArgs};
use crate::{Done, Failed};
use evenhand_engine::{EngineError, PriceTable, is_address, local_path, write_whole_file};
use evenhand_pages::{FileReport, OpenRun, Overview};
use evenhand_ranking::{LeaderboardOptions, WholeFile, leaderboard, whole_file};
use evenhand_report::figures::{Figure, figures_of_ranking};
use evenhand_report::{Usage, progress_text, ranking_json};
use evenhand_store::keep_report;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The result of a command, for its run and for the file of `--report`.
pub(super) struct Reported<'a> {
    /// The command: `rank`, `meta judge`, ..
    pub(super) command: &'static str,
    /// The heading.
    pub(super) title: String,
    /// The result as the command prints it as JSON.
    pub(super) json: Result<String, serde_json::Error>,
    /// Its figures.
    pub(super) figures: Vec<Figure>,
    /// The files that it was made of: their folders are not published.
    pub(super) files: Vec<&'a Path>,
    /// The run that it is of, with the prices of its calls.
    pub(super) run: Option<(&'a Path, &'a PriceTable)>,
}

/// Puts a run, a board, battles or a result into one file.
pub(crate) fn report(args: &ReportArgs) -> Result<Done, Failed> {
    check_file_place(&args.out)?;
    let report = read_shown(&args.run, &args.prices.table()?)?;
    write_file(&report, &args.out, args.quiet)?;
    let progress = report.overview().progress;
    if let Some(progress) = progress.filter(|progress| progress.is_unfinished()) {
        let (run, text) = (args.run.display(), progress_text(&progress));
        args.quiet.say(&format!("{run}: {text}"));
    }
    Ok(Done::Fine)
}

impl ReportFileArgs {
    /// Refuses a place where no file can be, before anything is paid for.
    pub(super) fn check(&self) -> Result<(), Failed> {
        match &self.report {
            Some(path) => check_file_place(path),
            None => Ok(()),
        }
    }

    /// Keeps a result in its run, and writes the file where one is asked for.
    pub(super) fn publish(&self, quiet: QuietArgs, reported: Reported<'_>) -> Result<(), Failed> {
        let (run, files) = (reported.run, reported.files.clone());
        let result = KeptResult::of(reported)?;
        if let Some((dir, _)) = run {
            let figures = serde_json::to_string(&result.figures).map_err(Failed::unprintable)?;
            // One that cannot be kept is no failure of the command, which has printed it.
            if let Err(why) = keep_report(dir, result.command, &result.report, &figures) {
                quiet.say(&format!("the report is not kept in the run: {why}"));
            }
        }
        match &self.report {
            Some(path) => write_file(&result.into_file(run, &files)?, path, quiet),
            None => Ok(()),
        }
    }
}

/// Writes a result into a file, and keeps it in no run.
pub(super) fn write_report(
    reported: Reported<'_>,
    path: &Path,
    quiet: QuietArgs,
) -> Result<(), Failed> {
    let (run, files) = (reported.run, reported.files.clone());
    write_file(
        &KeptResult::of(reported)?.into_file(run, &files)?,
        path,
        quiet,
    )
}

/// A result that could be printed.
struct KeptResult {
    command: &'static str,
    title: String,
    report: String,
    figures: Vec<Value>,
}

impl KeptResult {
    fn of(reported: Reported<'_>) -> Result<KeptResult, Failed> {
        let figures = reported.figures.iter().map(serde_json::to_value);
        Ok(KeptResult {
            command: reported.command,
            title: reported.title,
            report: reported.json.map_err(Failed::unprintable)?,
            figures: figures
                .collect::<Result<_, _>>()
                .map_err(Failed::unprintable)?,
        })
    }

    fn into_file(
        self,
        run: Option<(&Path, &PriceTable)>,
        files: &[&Path],
    ) -> Result<FileReport, Failed> {
        let mut file = match run {
            Some((dir, prices)) => read_run(dir, prices)?,
            None => FileReport::of_overview(Overview::of_file()),
        };
        let overview = file.overview_mut();
        overview.command = self.command.into();
        overview.title = self.title;
        overview.figures = self.figures;
        overview.report = serde_json::from_str(&self.report).map_err(Failed::unprintable)?;
        name_after_report(overview);
        for place in files {
            file.hide_folder(place);
        }
        Ok(file)
    }
}

pub(super) fn read_run(dir: &Path, prices: &PriceTable) -> Result<FileReport, Failed> {
    let run = OpenRun::open(dir, prices.clone()).map_err(EngineError::from)?;
    let mut report = FileReport::of_run(&run).map_err(EngineError::from)?;
    report.overview_mut().title = name_of(dir);
    report.hide_folder(dir);
    Ok(report)
}

/// Reads what a page is made of: a run's directory, a result that a command printed as JSON, or a
/// board or battles, which are ranked as `leaderboard` ranks them by itself.
pub(super) fn read_shown(place: &Path, prices: &PriceTable) -> Result<FileReport, Failed> {
    if !place.is_file() {
        return read_run(place, prices);
    }
    let mut overview = Overview::of_file();
    overview.command = "leaderboard".into();
    overview.title = name_of_board(place);
    if whole_file(place) == Some(WholeFile::Ranking) {
        let read = std::fs::read(place).map_err(|why| Failed::unreadable(place.display(), why))?;
        overview.report = serde_json::from_slice(&read).map_err(Failed::unprintable)?;
        name_after_report(&mut overview);
        let mut report = FileReport::of_overview(overview);
        report.hide_folder(place);
        return Ok(report);
    }
    let ranked = leaderboard(&LeaderboardOptions {
        paths: vec![place.to_path_buf()],
        ..LeaderboardOptions::default()
    })?;
    KeptResult::of(Reported {
        command: "leaderboard",
        title: overview.title,
        json: ranking_json(&ranked, &Usage::default(), &[]),
        figures: figures_of_ranking(&ranked),
        files: Vec::new(),
        run: None,
    })?
    .into_file(None, &[place])
}

/// Calls a page what its user calls the ranking on it.
fn name_after_report(overview: &mut Overview) {
    if overview.command == "leaderboard"
        && let Some(label) = overview.report["label"].as_str()
    {
        overview.label = Some(label.into());
    }
}

pub(super) fn check_file_place(path: &Path) -> Result<(), Failed> {
    if is_address(path) {
        return match path.to_string_lossy().ends_with('/') {
            false => Ok(()),
            true => Err(Failed::unwritable(
                path.display(),
                "expected a file name after the folder",
            )),
        };
    }
    let path = &*local_path(path);
    let folder = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    if path.is_dir() || folder.is_some_and(|dir| !dir.is_dir()) {
        let expected = "expected the name of a file in an existing folder";
        return Err(Failed::unwritable(path.display(), expected));
    }
    Ok(())
}

/// Makes a directory of this machine.
pub(super) fn make_folder(dir: &Path) -> Result<(), Failed> {
    if is_address(dir) {
        let expected = "expected a directory on this machine; only whole files go to an address";
        return Err(Failed::unwritable(dir.display(), expected));
    }
    let path = local_path(dir);
    if path.is_file() {
        let expected = "it is a file; expected a folder, or a new name for one";
        return Err(Failed::unwritable(dir.display(), expected));
    }
    std::fs::create_dir_all(path).map_err(|why| Failed::unwritable(dir.display(), why))
}

fn write_file(report: &FileReport, path: &Path, quiet: QuietArgs) -> Result<(), Failed> {
    let mut page = Vec::new();
    let written = report.write(&mut page);
    let written = written.and_then(|()| write_whole_file(path, &page));
    written.map_err(|why| Failed::unwritable(path.display(), why))?;
    let (path, megabytes) = (path.display(), page.len() as f64 / 1e6);
    let mut said = format!("report written to {path} ({megabytes:.1} MB)");
    if let Some(sample) = &report.overview().sample {
        said = format!("{said}: {}", sample.how);
    }
    quiet.say(&said);
    Ok(())
}

/// Names the files that a result is of, without their folders, which are nobody's business where
/// the page goes; files of one name keep those that they were given with, but not those of the
/// machine.
pub(super) fn name_files(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|file| name_of(file)).collect();
    let is_shared = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
    let names = files.iter().zip(&names).map(|(file, name)| {
        match is_shared(name) && local_path(file).is_relative() {
            true => file.display().to_string(),
            false => name.clone(),
        }
    });
    names.collect::<Vec<_>>().join(", ")
}

/// The name of a board or a ranking in JSON that nobody named: that of its file.
pub(super) fn name_of_board(place: &Path) -> String {
    let name = name_of(place);
    name.strip_suffix(".json").unwrap_or(&name).into()
}

/// The name of a run or a file, without its folder.
pub(super) fn name_of(place: &Path) -> String {
    let last = place.file_name().unwrap_or(place.as_os_str());
    last.to_string_lossy().into_owned()
}
