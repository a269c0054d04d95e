//! `evenhand migrate`.

use super::report::{Reported, check_file_place};
use super::session::{check_before_run, open_named_run};
use super::verdicts::check_coverage;
use super::{stop_on_ctrl_c, write_asked};
use crate::args::help::{DATA, GATE, JUDGE, LIMITS, RUN, STATISTICS};
use crate::args::{
    BenchArgs, ComputeArgs, LimitArgs, NameArgs, PackArgs, PlainOutputArgs, PriceArgs,
    ReportFileArgs, ReuseArgs, SeedArgs,
};
use crate::judges::Participants;
use crate::progress::Show;
use crate::{Done, Failed};
use clap::Args;
use evenhand_core::{Item, Judgment, Response, printable};
use evenhand_engine::{
    Bench, Design, Finished, Job, JudgeOptions, NamedJudges, Progress, Servers, Sink, Tally,
    hold_as_known, marks_warning, probe_servers, protocol_named, run_dir,
};
use evenhand_models::Model;
use evenhand_protocols::ProtocolOptions;
use evenhand_report::{migrate_csv, migrate_json, migrate_summary, migrate_table};
use evenhand_studies::judge::labels_of_files;
use evenhand_studies::migrate::{
    MigrationEnd, MigrationOptions, MigrationReport, OldRun, RankingFate, migrate as migrate_run,
};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Which run's judge is replaced, by whom, and how much may be asked.
#[derive(Debug, Args)]
pub(crate) struct MigrateArgs {
    /// The run of the old judge
    #[arg(value_name = "OLD_RUN")]
    pub(crate) old_run: PathBuf,
    /// The new judge; give several for a panel
    ///
    /// As for `rank`: openai:MODEL, anthropic:MODEL, gguf:PATH, simulated[:SPEC],
    /// recorded:RUN_DIR, or a name from the configuration.
    #[arg(long, required = true, help_heading = JUDGE)]
    pub(crate) judge: Vec<String>,
    /// The configuration's judges.
    #[arg(skip)]
    pub(crate) judges: NamedJudges,
    #[command(flatten)]
    pub(crate) bench: BenchArgs,
    #[command(flatten)]
    pub(crate) pack: PackArgs,
    /// Do not ask servers to hold replies to a JSON schema
    #[arg(long, help_heading = LIMITS)]
    pub(crate) free_replies: bool,
    /// Count a verdict as a failure if its probabilities contradict its text
    #[arg(long, help_heading = LIMITS)]
    pub(crate) strict_reading: bool,
    /// People's labels or votes on pairs, beside those of the run's data
    #[arg(long, num_args = 1.., value_name = "FILE", help_heading = DATA)]
    pub(crate) labels: Vec<PathBuf>,
    /// Judge everything again, even after the answer is certain
    #[arg(long, help_heading = LIMITS)]
    pub(crate) all: bool,
    /// How certain the answer must be
    ///
    /// 1 minus the largest chance of a wrong answer: that the ranking stays the same, or that a
    /// pair changes or does not.
    #[arg(long, default_value_t = 0.95, value_name = "LEVEL", help_heading = STATISTICS)]
    pub(crate) confidence: f64,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    /// How often the new judge makes each judgment
    #[arg(
        long, value_name = "K", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..), help_heading = STATISTICS
    )]
    pub(crate) repeats: u32,
    /// Where to keep the run of the new judge
    ///
    /// [default: a directory under runs/ named after the settings]
    #[arg(long, value_name = "DIR", help_heading = RUN)]
    pub(crate) run: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) name: NameArgs,
    #[command(flatten)]
    pub(crate) reuse: ReuseArgs,
    #[command(flatten)]
    pub(crate) compute: ComputeArgs,
    #[command(flatten)]
    pub(crate) prices: PriceArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Write a summary in Markdown, for a pull request
    #[arg(long, value_name = "FILE.md", help_heading = GATE)]
    pub(crate) summary: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) report: ReportFileArgs,
    #[command(flatten)]
    pub(crate) output: PlainOutputArgs,
}

/// Asks a new judge as much of a run as it takes to know what moves.
///
/// Exit codes: 0 the ranking stays the same, 3 it changes, 4 neither is certain.
// Long: the whole command in the order of its work; what is cheap to refuse comes before what is
// asked, and what is told after it.
pub(crate) fn migrate(args: &MigrateArgs) -> Result<Done, Failed> {
    // What is cheap to check comes first.
    if !(args.confidence > 0.0 && args.confidence < 1.0) {
        return Err(Failed::usage(format!(
            "--confidence {}: expected a number between 0 and 1, such as 0.95",
            args.confidence
        )));
    }
    if let Some(file) = &args.summary {
        check_file_place(file)?;
    }
    args.report.check()?;
    let prices = args.prices.table()?;
    let limits = args.limits.checked(&prices)?;
    let labels = labels_of_files(&args.labels)?;
    let old = OldRun::open(&args.old_run)?;
    let (mut job, mut model, unprobed) = job_of(args, &old)?;
    limits.check(&job.judges)?;
    // However the two are spelt, and whichever links lead there: the old run stays as it is.
    let place = run_dir(&job, args.run.as_deref())?;
    let resolved = |dir: &Path| dir.canonicalize().ok();
    if resolved(&place).is_some_and(|place| resolved(&args.old_run) == Some(place)) {
        return Err(Failed::usage(format!(
            "--run {}: this is the old run, {}; give the new judge another directory",
            place.display(),
            args.old_run.display()
        )));
    }
    if let Some(warning) = marks_warning(&job) {
        args.output.quiet.say(&warning);
    }

    // The new judge is asked in a run of its own.
    let mut gather = Gather {
        tally: Tally::default(),
        show: Show::new(args.output.quiet, job.plan.len()),
        notes: HashSet::new(),
    };
    let stop = stop_on_ctrl_c()?;
    probe_servers(&mut job, &unprobed, model.as_mut(), &mut gather, &stop)?;
    let run = args.run.as_deref();
    check_before_run(run, &args.reuse, &job, model.as_ref())?;
    let mut store = open_named_run(run, &args.name, &args.reuse, &job, model.as_ref())?;
    let dir = store.dir().to_path_buf();
    let options = MigrationOptions {
        confidence: args.confidence,
        seed: args.seed.seed,
        limits,
        all: args.all,
        labels,
    };
    let migrated = migrate_run(
        &job,
        &old,
        &options,
        model.as_mut(),
        &mut store,
        (&mut gather, &stop),
    );
    drop(store);
    gather.show.end();
    let (finished, mut report) = migrated.map_err(|error| Failed::of_run(error, &dir))?;
    report.new_run = dir.display().to_string();
    print_report(args, &report)?;
    // The new judge's run shows it, too.
    let reported = Reported {
        command: "migrate",
        title: format!(
            "{} for {}",
            printable(&report.new_judge),
            printable(&report.old_judge)
        ),
        files: vec![args.old_run.as_path()],
        json: migrate_json(&report),
        figures: Vec::new(),
        run: Some((&dir, &prices)),
    };
    args.report.publish(args.output.quiet, reported)?;
    say_where(args, &finished, &report);
    check_coverage(&gather.tally, None, &dir)?;
    // A judge that gave nothing before a limit ended it is a dead one, and not evidence in doubt.
    if let (MigrationEnd::Limit { limit }, 0) = (&report.ended, report.verdicts) {
        return Err(Failed::Judge(format!(
            "the new judge gave no verdict: {limit} stopped it before the first of {} judgments; \
             check whether it answers (models try), or raise the limit",
            report.judgments
        )));
    }
    Ok(match report.ranking {
        RankingFate::Same => Done::Fine,
        RankingFate::Changed => Done::Changed("the ranking changes: exit code 3".into()),
        RankingFate::Undecided | RankingFate::NothingToKeep => {
            Done::Undecided("whether it changes is not decided: exit code 4".into())
        }
    })
}

/// Makes the job of the old run again, with the new judge.
fn job_of(args: &MigrateArgs, old: &OldRun) -> Result<(Job, Box<dyn Model>, Servers), Failed> {
    let run = args.old_run.display();
    let setting = |key: &str| {
        old.setting(key).ok_or_else(|| {
            Failed::usage(format!(
                "{run}: its manifest does not say by which {key} it was judged; expected a run of \
                 rank or judge"
            ))
        })
    };
    if old.setting("shard").is_some() {
        return Err(Failed::usage(format!(
            "{run}: it is the run of a shard; merge the shards first, then migrate the merged run"
        )));
    }
    let design = Design::parse(setting("design")?)?;
    if design.chooses() {
        return Err(Failed::usage(format!(
            "{run}: its design {design} chose what to judge by the old judge's verdicts; judge the \
             data with all-pairs, sample:K or reference:SYSTEM first"
        )));
    }
    let seed = match old.setting("seed") {
        Some(seed) => seed.parse().unwrap_or_default(),
        None => 0,
    };
    let participants = Participants::resolve(&args.judge, &args.bench, &args.judges)?;
    let pack = args.pack.load()?;
    let pack = match args.strict_reading {
        true => pack.read_strictly(),
        false => pack,
    };
    let name = setting("protocol")?;
    let options = ProtocolOptions {
        pack,
        scale: None,
        panel: args.bench.panel.unwrap_or_default(),
        // A run's manifest says all parts.
        averages_orders: false,
    };
    let protocol = protocol_named(name, &options)?;
    let dataset = old.dataset(&protocol.shown_fields())?;
    let options = JudgeOptions {
        free_replies: args.free_replies,
        ..(args.compute).judge_options(args.bench.marks.raw_marks, args.bench.sampling.temperature)
    };
    let Bench {
        model,
        judges,
        servers,
    } = participants.bench(&dataset.systems, options)?;
    let mut job = Job::new(dataset, protocol, design, judges, seed)?.repeated(args.repeats);
    for key in ["protocol", "prompts"] {
        let made = job.manifest()?;
        let (then, now) = (old.setting(key), made.settings.get(key).map(String::as_str));
        if then != now {
            return Err(Failed::usage(format!(
                "{run}: its {key} were {}, and are {} now; give the settings that it was made \
                 with, such as --prompt-pack or --strict-reading, so that only the judge differs",
                then.unwrap_or("none"),
                now.unwrap_or("none")
            )));
        }
    }
    let unprobed = hold_as_known(&mut job, &servers, args.run.as_deref())?;
    Ok((job, model, unprobed))
}

fn print_report(args: &MigrateArgs, report: &MigrationReport) -> Result<(), Failed> {
    args.output.format.print_with(
        || migrate_summary(report),
        || migrate_table(report, args.output.verbose.view()) + "\n",
        || migrate_json(report),
        || migrate_csv(report),
    )?;
    if let Some(file) = &args.summary {
        write_asked(file, migrate_summary(report).as_bytes())?;
    }
    Ok(())
}

/// Says where the new judge's run is, and how to judge the rest.
fn say_where(args: &MigrateArgs, finished: &Finished, report: &MigrationReport) {
    let calls: u64 = finished.totals.iter().map(|judge| judge.calls).sum();
    let mut line = format!("run kept in {}: {calls} calls", finished.dir.display());
    if report.judgments_asked < report.judgments {
        line += "; the same command with --all judges the rest, and pays for nothing twice";
    }
    args.output.quiet.say(&line);
}

/// Counts verdicts and shows progress over all batches.
struct Gather {
    tally: Tally,
    show: Show,
    notes: HashSet<String>,
}

impl Sink for Gather {
    fn judgment(&mut self, judgment: Judgment, item: &Item, responses: &[Response]) {
        self.tally.add(&judgment, item, responses);
    }

    fn progress(&mut self, progress: Progress) {
        let judged = progress.judged.max(self.tally.coverage().trials);
        self.show.update(Progress { judged, ..progress });
    }

    fn note(&mut self, note: &str) {
        // Every batch has its notes.
        if self.notes.insert(note.to_owned()) {
            self.show.note(note);
        }
    }
}
