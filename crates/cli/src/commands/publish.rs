//! `evenhand publish` and `evenhand site`.

use super::kept_run::{describe_unread, open_judged};
use super::report::{check_file_place, make_folder, name_of, read_shown};
use super::write_asked;
use crate::args::choices::words;
use crate::args::help::{DATA, OUTPUT};
use crate::args::{PriceArgs, QuietArgs};
use crate::{Done, Failed};
use clap::{Args, ValueEnum};
use evenhand_core::{quote, shell_word, split_list};
use evenhand_engine::{is_address, runs_in};
use evenhand_pages::{Detail, OpenRun, Overview, without_addresses};
use evenhand_ranking::WarningKind;
use evenhand_report::publish::{
    ComparatorExample, ComparatorFile, EveryEvalEver, Relationship, SitePage, comparator_example,
    preference_pair, site_index,
};
use evenhand_report::{day_number, progress_text};
use evenhand_store::Reader;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Which run is published, and in which format.
#[derive(Debug, Args)]
pub(crate) struct PublishArgs {
    /// The run's directory
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// The format: every-eval-ever, llm-comparator or preference-pairs
    ///
    /// Every Eval Ever: a record for each system. LLM Comparator: two systems side by side, with
    /// all texts. Preference pairs: prompt, chosen, rejected and margin, to train on (DPO).
    #[arg(
        long = "as", id = "as", value_enum, value_name = "FORMAT", hide_possible_values = true,
        help_heading = OUTPUT
    )]
    pub(crate) form: PublishForm,
    /// The folder (every-eval-ever) or the file (the others) to write
    #[arg(long, value_name = "PATH", help_heading = OUTPUT)]
    pub(crate) out: PathBuf,
    /// The two systems, for llm-comparator [default: the only two]
    #[arg(long, value_name = "A,B", help_heading = DATA)]
    pub(crate) pair: Option<String>,
    /// The smallest margin of a preference pair, from 0 to 1
    ///
    /// By how much the better response's share of the verdicts is ahead, over both orders.
    #[arg(long, default_value_t = 0.9, value_name = "MARGIN", help_heading = OUTPUT)]
    pub(crate) confidence: f64,
    /// Who evaluated, for every-eval-ever
    #[arg(long, value_name = "NAME", default_value = "unknown", help_heading = OUTPUT)]
    pub(crate) organization: String,
    /// The evaluator's relation to the systems, for every-eval-ever
    ///
    /// first-party (the evaluator made them), third-party, collaborative or other.
    #[arg(
        long, default_value = "other", hide_default_value = true, hide_possible_values = true,
        value_name = "WHO", value_parser = words(RELATIONSHIPS), help_heading = OUTPUT
    )]
    pub(crate) relationship: Relationship,
    /// The name of the input set, for every-eval-ever
    ///
    /// [default: the run's name]
    #[arg(long, value_name = "NAME", help_heading = OUTPUT)]
    pub(crate) dataset: Option<String>,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}

/// The formats of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PublishForm {
    EveryEvalEver,
    LlmComparator,
    PreferencePairs,
}

/// How an evaluator may stand to what is evaluated.
const RELATIONSHIPS: &[(&str, Relationship)] = &[
    ("first-party", Relationship::FirstParty),
    ("third-party", Relationship::ThirdParty),
    ("collaborative", Relationship::Collaborative),
    ("other", Relationship::Other),
];

/// Which runs are a site, and where.
#[derive(Debug, Args)]
pub(crate) struct SiteArgs {
    /// Runs, folders of runs, boards, battles, or rankings in JSON
    #[arg(value_name = "RUN", required = true)]
    pub(crate) runs: Vec<PathBuf>,
    /// Also take runs that are not finished, failed or keep no result
    #[arg(long, help_heading = DATA)]
    pub(crate) all: bool,
    /// Show the addresses of judges on this machine or in a private network
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) addresses: bool,
    /// The folder to write
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub(crate) out: PathBuf,
    /// The heading of the first page
    #[arg(long, value_name = "TEXT", default_value = "Rankings", help_heading = OUTPUT)]
    pub(crate) title: String,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}

/// A run in the format of others; a board or battles as records.
pub(crate) fn publish(args: &PublishArgs) -> Result<Done, Failed> {
    let prices = args.prices.table()?;
    if args.run.is_file() && args.form == PublishForm::EveryEvalEver {
        let shown = read_shown(&args.run, &prices)?;
        // A board is of the day of its last edition; of what else is in a file, nobody knows more
        // than when it was written.
        let edition = last_edition(shown.overview()).and_then(|day| {
            let days = day_number(&day)? - day_number("1970-01-01")?;
            Some(86_400.0 * days as f64)
        });
        let changed = args.run.metadata().and_then(|about| about.modified());
        let since = changed.map(|at| at.duration_since(SystemTime::UNIX_EPOCH));
        let seconds = since.map_or(0.0, |since| since.map_or(0.0, |since| since.as_secs_f64()));
        publish_records(args, shown.overview().clone(), edition.unwrap_or(seconds))?;
        return Ok(Done::Fine);
    }
    let run = open_judged(&args.run, prices)?;
    match args.form {
        PublishForm::EveryEvalEver => {
            let overview = run.overview();
            let judged_at = run.reader().last_used().map_err(describe_unread)?;
            publish_records(args, overview, judged_at)?;
        }
        PublishForm::LlmComparator => publish_pair(args, &run)?,
        PublishForm::PreferencePairs => publish_preferences(args, &run)?,
    }
    Ok(Done::Fine)
}

/// Returns the day of a board's last edition; None for what is no board.
fn last_edition(overview: &Overview) -> Option<String> {
    let editions = overview.report["history"].as_array()?;
    editions.last()?["date"].as_str().map(Into::into)
}

fn publish_records(
    args: &PublishArgs,
    mut overview: Overview,
    judged_at: f64,
) -> Result<(), Failed> {
    // What its user calls it, where that is known.
    let label = overview.label.clone();
    overview.title = label.unwrap_or_else(|| name_of(&args.run));
    let publication = EveryEvalEver {
        run: &overview,
        judged_at: judged_at as u64,
        dataset: args.dataset.as_deref().unwrap_or(&overview.title),
        organization: &args.organization,
        relationship: args.relationship,
    };
    let records = publication.records();
    if records.is_empty() {
        let run = args.run.display();
        return Err(Failed::usage(format!(
            "{run}: it keeps no ranking with scores; `evenhand rank … --run {}` makes one",
            shell_word(&run.to_string())
        )));
    }
    // Objects need no folder.
    if !is_address(&args.out) {
        make_folder(&args.out)?;
    }
    for (system, record) in &records {
        let file = args.out.join(format!("{}.json", file_name(system)));
        let text = serde_json::to_string_pretty(record).map_err(Failed::unprintable)?;
        let text = without_addresses(&overview, (text + "\n").into_bytes());
        write_asked(&file, &text)?;
    }
    let (count, out) = (records.len(), args.out.display());
    args.quiet.say(&format!("{count} records written to {out}"));
    // That neighbours are close is no warning beside the answer, which says so.
    let kinds = overview.report["warning_kinds"].as_array();
    let close = WarningKind::NotToldApart.name();
    if let Some(answer) = overview.report["answer"]["text"].as_str()
        && kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind != close))
    {
        args.quiet.say(&format!(
            "this ranking has warnings, which the records repeat; its answer: {answer}"
        ));
    }
    Ok(())
}

/// A name as part of a path: nothing but letters, digits, dots and dashes, and never hidden.
fn file_name(name: &str) -> String {
    let plain = |c: char| {
        let keeps = c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if keeps { c } else { '-' }
    };
    let name: String = name.chars().map(plain).collect();
    match name.trim_start_matches('.') {
        "" => "-".into(),
        shown => shown.into(),
    }
}

fn write_json(file: &Path, value: &impl Serialize) -> Result<(), Failed> {
    let text = serde_json::to_string_pretty(value).map_err(Failed::unprintable)?;
    write_asked(file, (text + "\n").as_bytes())
}

fn publish_pair(args: &PublishArgs, run: &OpenRun) -> Result<(), Failed> {
    check_file_place(&args.out)?;
    let models = choose_pair(args, run)?;
    let examples = examples_of(run, &models)?;
    if examples.is_empty() {
        let [a, b] = &models;
        return Err(Failed::usage(format!(
            "{}: it has no judgment of {a} against {b}",
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

/// Writes the pairs of which the judge is sure, a line each.
fn publish_preferences(args: &PublishArgs, run: &OpenRun) -> Result<(), Failed> {
    if !(0.0..=1.0).contains(&args.confidence) {
        return Err(Failed::usage(format!(
            "--confidence {}: expected a margin from 0 to 1",
            args.confidence
        )));
    }
    if args.pair.is_some() {
        return Err(Failed::usage(
            "--pair: preference-pairs are of all systems; it is for llm-comparator",
        ));
    }
    check_file_place(&args.out)?;
    let index = run.index();
    // The rows of two responses to an item: one for each repetition.
    let mut rows: BTreeMap<(u32, [u32; 2]), Vec<u32>> = BTreeMap::new();
    for row in 0..index.row_count() as u32 {
        if let Some((item, systems)) = index.pair_of(row) {
            rows.entry((item, systems)).or_default().push(row);
        }
    }
    let (mut lines, mut written) = (String::new(), 0);
    for of_pair in rows.values() {
        let mut details = Vec::new();
        for row in of_pair {
            for judgment in index.judgments_of(*row).into_iter().flatten() {
                let judgment = run.judgment(index.trial_of(judgment));
                details.extend(judgment.map_err(describe_unread)?);
            }
        }
        let pair = preference_pair(&details).filter(|pair| pair.margin >= args.confidence);
        if let Some(pair) = pair {
            lines += &serde_json::to_string(&pair).map_err(Failed::unprintable)?;
            lines.push('\n');
            written += 1;
        }
    }
    if written == 0 {
        let why = match rows.len() {
            0 => "it has no judgments of pairs".to_string(),
            all => format!(
                "none of its {all} pairs has texts, and verdicts that put one response ahead by {} \
                 or more",
                args.confidence
            ),
        };
        return Err(Failed::usage(format!("{}: {why}", args.run.display())));
    }
    write_asked(&args.out, lines.as_bytes())?;
    let (all, out) = (rows.len(), args.out.display());
    args.quiet.say(&format!(
        "{out}: {written} of {all} pairs, with a margin of {} or more",
        args.confidence
    ));
    Ok(())
}

fn choose_pair(args: &PublishArgs, run: &OpenRun) -> Result<[String; 2], Failed> {
    let names: Vec<&str> = run.index().systems().iter().collect();
    let quoted: Vec<String> = names.iter().map(|name| quote(name)).collect();
    let all = quoted.join(", ");
    if let Some(pair) = &args.pair {
        return match &split_list(pair)[..] {
            [a, b] if a != b && [a, b].iter().all(|one| names.contains(&one.as_str())) => {
                Ok([a.clone(), b.clone()])
            }
            _ => Err(Failed::usage(format!(
                "--pair {pair}: expected two of the run's systems: {all}"
            ))),
        };
    }
    match names[..] {
        [a, b] => Ok([a.into(), b.into()]),
        _ => Err(Failed::usage(format!(
            "{}: say which two are shown side by side: --pair A,B; it has {all}",
            args.run.display()
        ))),
    }
}

fn examples_of(run: &OpenRun, models: &[String; 2]) -> Result<Vec<ComparatorExample>, Failed> {
    let [a, b] = models.each_ref().map(String::as_str);
    let index = run.index();
    let mut examples = Vec::new();
    for row in 0..index.row_count() as u32 {
        let mut details: Vec<Detail> = Vec::new();
        for judgment in index.judgments_of(row).into_iter().flatten() {
            details.extend(
                run.judgment(index.trial_of(judgment))
                    .map_err(describe_unread)?,
            );
        }
        let is_of_pair = details.first().is_some_and(|first| {
            let mut systems = first
                .responses
                .iter()
                .map(|response| response.system.as_str());
            first.responses.len() == 2 && systems.all(|system| [a, b].contains(&system))
        });
        if is_of_pair {
            examples.extend(comparator_example(&details, [a, b]));
        }
    }
    Ok(examples)
}

/// Runs and leaderboards as a folder of static pages.
// Long: the whole command in the order of its work; the names and days of pages are decided where
// a page is written.
pub(crate) fn site(args: &SiteArgs) -> Result<Done, Failed> {
    // The runs that are named, and those in folders that are.
    let mut runs: Vec<PathBuf> = Vec::new();
    for place in &args.runs {
        match runs_in(place) {
            found if found.is_empty() => runs.push(place.clone()),
            found => runs.extend(found),
        }
    }
    let prices = args.prices.table()?;
    make_folder(&args.out)?;
    let (mut pages, mut left_out): (Vec<SitePage>, usize) = (Vec::new(), 0);
    // Written once all are read: what cannot be shown leaves no half of a site behind.
    let mut texts: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for dir in &runs {
        let mut report = read_shown(dir, &prices)?;
        if !args.addresses {
            report.hide_addresses();
        }
        let progress = report.overview().progress.as_ref();
        let undone = progress.filter(|progress| !progress.is_done());
        if !args.all && (undone.is_some() || report.overview().report.is_null()) {
            left_out += 1;
            let why = match undone {
                Some(progress) => progress_text(progress),
                None => "it keeps no result".into(),
            };
            let dir = dir.display();
            args.quiet
                .say(&format!("{dir}: left out ({why}); --all includes it"));
            continue;
        }
        // A second run of the same name has a number.
        let name = file_name(&name_of(dir));
        let taken = |file: &str| file == "index.html" || pages.iter().any(|page| page.file == file);
        let (mut file, mut number) = (format!("{name}.html"), 1);
        while taken(&file) {
            number += 1;
            file = format!("{name}-{number}.html");
        }
        let path = args.out.join(&file);
        report.overview_mut().site = true;
        let mut text = Vec::new();
        let written = report.write(&mut text);
        written.map_err(|why| Failed::unwritable(path.display(), why))?;
        texts.push((path, text));
        let judged_at = match dir.is_file() {
            // The day of a board's last edition; what else is in a file has no day.
            true => last_edition(report.overview()).unwrap_or_default(),
            false => {
                let used = Reader::open(dir).and_then(|reader| reader.last_used_utc());
                used.map_err(describe_unread)?
            }
        };
        pages.push(SitePage {
            file,
            name: (report.overview().label.as_ref())
                .unwrap_or(&report.overview().title)
                .clone(),
            judged_at,
            run: report.overview().clone(),
        });
    }
    pages.sort_by(|a, b| {
        b.judged_at
            .cmp(&a.judged_at)
            .then_with(|| a.name.cmp(&b.name))
    });
    let index = args.out.join("index.html");
    if pages.is_empty() {
        return Err(Failed::usage(match left_out {
            1 => {
                "the only run is not finished, failed, or keeps no result; --all includes it anyway"
                    .into()
            }
            _ => format!(
                "none of {left_out} runs is finished, has verdicts and keeps a result; --all includes \
                 them anyway"
            ),
        }));
    }
    for (path, text) in &texts {
        write_asked(path, text)?;
    }
    let mut text = site_index(&args.title, &pages).into_bytes();
    for page in pages.iter().filter(|_| !args.addresses) {
        text = without_addresses(&page.run, text);
    }
    write_asked(&index, &text)?;
    let written = match pages.len() {
        1 => "1 page".into(),
        count => format!("{count} pages"),
    };
    args.quiet.say(&format!("{}: {written}", index.display()));
    let others = other_pages(&args.out, &pages);
    if !others.is_empty() {
        args.quiet.say(&format!(
            "{}: other pages stay in this folder, and anyone it is served to can see them: {}",
            args.out.display(),
            others.join(", ")
        ));
    }
    Ok(Done::Fine)
}

/// The pages of a folder that are not among those that were written, such as of a run that is no
/// longer part of the site.
fn other_pages(folder: &Path, pages: &[SitePage]) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let is_other = |name: &String| {
        name.ends_with(".html")
            && name != "index.html"
            && pages.iter().all(|page| page.file != *name)
    };
    let mut others: Vec<String> = names.filter(is_other).collect();
    others.sort_unstable();
    others
}
