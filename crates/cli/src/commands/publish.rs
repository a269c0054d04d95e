//! `evenhand publish` and `evenhand site`.

use super::kept_run::{describe_unread, open_kept};
use super::report::{check_file_place, read_run};
use crate::args::{PublishArgs, PublishForm, SiteArgs};
use crate::{Done, Failed};
use evenhand_engine::{runs_in, write_whole_file};
use evenhand_pages::{Detail, FileReport, OpenRun, Overview};
use evenhand_report::publish::{
    ComparatorExample, ComparatorFile, EveryEvalEver, SitePage, comparator_example, site_index,
};
use evenhand_store::Reader;
use serde::Serialize;
use std::fs::create_dir_all;
use std::path::{Path, PathBuf};

/// A run in the format of others.
pub(crate) fn publish(args: &PublishArgs) -> Result<Done, Failed> {
    let run = open_kept(&args.run, args.prices.table()?)?;
    match args.form {
        PublishForm::EveryEvalEver => publish_records(args, &run)?,
        PublishForm::LlmComparator => publish_pair(args, &run)?,
    }
    Ok(Done::Fine)
}

fn publish_records(args: &PublishArgs, run: &OpenRun) -> Result<(), Failed> {
    let mut overview = run.overview().map_err(describe_unread)?;
    overview.title = name_of(&args.run);
    let judged_at = run.reader().last_used().map_err(describe_unread)?;
    let publication = EveryEvalEver {
        run: &overview,
        judged_at: judged_at as u64,
        dataset: args.dataset.as_deref().unwrap_or(&overview.title),
        organization: &args.organization,
        relationship: args.relationship.into(),
    };
    let records = publication.records();
    if records.is_empty() {
        return Err(without_ranking(&args.run));
    }
    make_folder(&args.out)?;
    for (system, record) in &records {
        let file = args.out.join(format!("{}.json", file_name(system)));
        write_json(&file, record)?;
    }
    let (count, out) = (records.len(), args.out.display());
    args.quiet.say(&format!("{count} records written to {out}"));
    Ok(())
}

fn without_ranking(run: &Path) -> Failed {
    let run = run.display();
    Failed::usage(format!(
        "{run}: it keeps no ranking with scores; `evenhand rank … --run {run}` makes one"
    ))
}

/// The last part of a run's path.
fn name_of(run: &Path) -> String {
    let last = run.file_name().unwrap_or(run.as_os_str());
    last.to_string_lossy().into_owned()
}

/// A name as part of a path: nothing but letters, digits, dots and dashes, and never hidden.
fn file_name(name: &str) -> String {
    let plain = |c: char| {
        let keeps = c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if keeps { c } else { '-' }
    };
    let name: String = name.chars().map(plain).collect();
    let shown = name.trim_start_matches('.');
    if shown.is_empty() {
        "-".into()
    } else {
        shown.into()
    }
}

fn make_folder(dir: &Path) -> Result<(), Failed> {
    create_dir_all(dir).map_err(|why| Failed::unwritable(dir.display(), why))
}

fn write_json(file: &Path, value: &impl Serialize) -> Result<(), Failed> {
    let text = serde_json::to_string_pretty(value).map_err(Failed::unprintable)?;
    write_bytes(file, (text + "\n").as_bytes())
}

fn write_bytes(file: &Path, bytes: &[u8]) -> Result<(), Failed> {
    let written = write_whole_file(file, bytes);
    written.map_err(|why| Failed::unwritable(file.display(), why))
}

fn publish_pair(args: &PublishArgs, run: &OpenRun) -> Result<(), Failed> {
    check_file_place(&args.out)?;
    let models = choose_pair(args, run)?;
    let examples = examples_of(run, &models)?;
    if examples.is_empty() {
        let [a, b] = &models;
        return Err(Failed::usage(format!(
            "{}: no pair of {a} and {b} is judged in it",
            args.run.display()
        )));
    }
    let count = examples.len();
    let file = ComparatorFile::new(name_of(&args.run), models, examples);
    write_json(&args.out, &file)?;
    let out = args.out.display();
    args.quiet
        .say(&format!("{out}: {count} examples for LLM Comparator"));
    Ok(())
}

fn choose_pair(args: &PublishArgs, run: &OpenRun) -> Result<[String; 2], Failed> {
    let systems = run.index().systems();
    let names: Vec<&str> = systems.iter().collect();
    if let Some(pair) = &args.pair {
        return named_pair(pair, &names);
    }
    match names[..] {
        [a, b] => Ok([a.into(), b.into()]),
        _ => Err(Failed::usage(format!(
            "{}: say which two are shown side by side: --pair A,B; it has {}",
            args.run.display(),
            names.join(", ")
        ))),
    }
}

fn named_pair(pair: &str, names: &[&str]) -> Result<[String; 2], Failed> {
    let parts: Vec<&str> = pair.split(',').map(str::trim).collect();
    match parts[..] {
        [a, b] if a != b && names.contains(&a) && names.contains(&b) => Ok([a.into(), b.into()]),
        _ => Err(Failed::usage(format!(
            "--pair {pair}: expected two of the run's systems: {}",
            names.join(", ")
        ))),
    }
}

fn examples_of(run: &OpenRun, models: &[String; 2]) -> Result<Vec<ComparatorExample>, Failed> {
    let [a, b] = models.each_ref().map(String::as_str);
    let index = run.index();
    let mut examples = Vec::new();
    for row in 0..index.row_count() as u32 {
        let judgments = index.judgments_of(row).into_iter().flatten();
        let details: Result<Vec<Option<Detail>>, _> = judgments
            .map(|judgment| run.judgment(index.trial_of(judgment)))
            .collect();
        let details = details.map_err(describe_unread)?;
        let details: Vec<Detail> = details.into_iter().flatten().collect();
        if is_of(&details, [a, b]) {
            examples.extend(comparator_example(&details, [a, b]));
        }
    }
    Ok(examples)
}

fn is_of(details: &[Detail], models: [&str; 2]) -> bool {
    details.first().is_some_and(|first| {
        let mut systems = first
            .responses
            .iter()
            .map(|response| response.system.as_str());
        first.responses.len() == 2 && systems.all(|system| models.contains(&system))
    })
}

/// Runs as a folder of static pages.
pub(crate) fn site(args: &SiteArgs) -> Result<Done, Failed> {
    let runs = find_runs(&args.runs)?;
    let prices = args.prices.table()?;
    make_folder(&args.out)?;
    let mut pages: Vec<(String, String, String, Overview)> = Vec::new();
    for dir in &runs {
        let report = read_run(dir, &prices)?;
        let file = page_file(dir, &pages);
        write_page(&report, &args.out.join(&file))?;
        let judged_at = Reader::open(dir).and_then(|reader| reader.last_used_utc());
        let judged_at = judged_at.map_err(describe_unread)?;
        pages.push((file, name_of(dir), judged_at, report.overview().clone()));
    }
    pages.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| a.1.cmp(&b.1)));
    let rows: Vec<SitePage> = pages.iter().map(site_page).collect();
    let index = args.out.join("index.html");
    write_bytes(&index, site_index(&args.title, &rows).as_bytes())?;
    args.quiet
        .say(&format!("{}: {} runs", index.display(), rows.len()));
    Ok(Done::Fine)
}

fn site_page((file, name, judged_at, run): &(String, String, String, Overview)) -> SitePage<'_> {
    SitePage {
        file: file.clone(),
        name: name.clone(),
        judged_at: judged_at.clone(),
        run,
    }
}

/// The runs that are named, and those in folders that are.
fn find_runs(places: &[PathBuf]) -> Result<Vec<PathBuf>, Failed> {
    let mut runs = Vec::new();
    for place in places {
        let found = runs_in(place);
        if found.is_empty() {
            runs.push(place.clone());
        }
        runs.extend(found);
    }
    Ok(runs)
}

/// The file of a run's report; a second run of the same name has a number.
fn page_file(dir: &Path, pages: &[(String, String, String, Overview)]) -> String {
    let name = file_name(&name_of(dir));
    let taken = |file: &str| file == "index.html" || pages.iter().any(|page| page.0 == file);
    let plain = format!("{name}.html");
    let numbered = (2..).map(|number| format!("{name}-{number}.html"));
    let mut files = std::iter::once(plain).chain(numbered);
    files.find(|file| !taken(file)).unwrap_or_default()
}

fn write_page(report: &FileReport, file: &Path) -> Result<(), Failed> {
    let mut page = Vec::new();
    let written = report.write(&mut page);
    written.map_err(|why| Failed::unwritable(file.display(), why))?;
    write_bytes(file, &page)
}
