//! From arguments to a job and the judge that answers it.

use crate::Failed;
use crate::args::{DataArgs, ReuseArgs, RunArgs, Scale};
use crate::commands::rank::RankArgs;
use crate::commands::verdicts::check_min_coverage;
use crate::condition::Conditions;
use crate::data::load_dataset;
use crate::judges::{
    JudgeFile, Participants, build_protocol, check_embedder, describe_idle_pack, read_judge_file,
};
use evenhand_compare::gate::GateResult;
use evenhand_core::shell_word;
use evenhand_engine::{
    Bench, Design, EngineError, Found, Job, JudgeOptions, JudgeSpec, Limits, PriceTable, Servers,
    empty_responses_warning, hold_as_known, marks_warning, reusable_runs,
};
use evenhand_models::Model;
use evenhand_pages::Summing;
use evenhand_protocols::{Protocol, Scale as JudgeScale};
use evenhand_ranking::{Ci, RankOptions, Report, Reviews};
use std::path::PathBuf;
use std::slice::from_ref;

/// A job with the judge that is to answer it.
pub(crate) struct Prepared {
    pub(crate) job: Job,
    pub(crate) model: Box<dyn Model>,
    pub(crate) conditions: Option<Conditions>,
    pub(crate) reviews: Reviews,
    pub(crate) limits: Limits,
    pub(crate) prices: PriceTable,
    /// The judges of which a probe is to say whether their servers hold replies to a schema.
    pub(crate) unprobed: Servers,
    /// The sums of what was judged, once a session is at its end.
    pub(crate) summing: Option<Summing>,
}

impl Prepared {
    /// Decides the conditions of `--fail-if`; none where there are none.
    pub(crate) fn decide_gates(&self, report: &Report) -> Result<Vec<GateResult>, Failed> {
        match &self.conditions {
            Some(conditions) => conditions.decide(report, Some(&self.job)),
            None => Ok(Vec::new()),
        }
    }

    /// Refuses conditions that name a system, for a command that ranks none.
    pub(crate) fn check_conditions_without_systems(&self) -> Result<(), Failed> {
        match &self.conditions {
            Some(conditions) => conditions.check(&[]),
            None => Ok(()),
        }
    }
}

/// Reads settings and data, and opens the judge.
///
/// # Errors
/// Any setting that cannot be used, and a calibrated panel that is not fitted.
pub(crate) fn prepare(args: &RunArgs, scale: Option<JudgeScale>) -> Result<Prepared, Failed> {
    let file = read_judge_file(args)?;
    if let Some(JudgeFile::Panel(panel)) = &file
        && panel.weights().is_none()
    {
        let (name, terms) = (args.judge.concat(), panel.terms().len());
        return Err(Failed::Usage(format!(
            "--judge {name}: the panel is not fitted, and its {terms} terms have no weights; fit \
             it with `evenhand meta judge --judge {} --fit FILE`",
            shell_word(&name)
        )));
    }
    prepare_with(args, scale, file)
}

/// Like [`prepare`], for a file in place of the judge that is named: a head, or a calibrated panel,
/// fitted or not.
// Long: the order in which all that a job needs is read, each with its refusal.
pub(crate) fn prepare_with(
    args: &RunArgs,
    scale: Option<JudgeScale>,
    file: Option<JudgeFile>,
) -> Result<Prepared, Failed> {
    // What is cheap to check comes first; the judge, which may take minutes to load, comes last.
    check_min_coverage(args.output.min_coverage)?;
    let conditions =
        Conditions::parse_option(args.output.fail_if.as_deref(), args.data.allow_missing)?;
    let members = file.as_ref().and_then(JudgeFile::judges);
    let judges = members.as_ref().unwrap_or(&args.judge);
    let participants = Participants::resolve(judges, &args.bench, &args.judges)?;
    let prices = args.prices.table()?;
    let design = Design::parse(&args.ask.design)?;
    // A file says how its judges are asked. Else the protocol is built of the options, and of the
    // judges where the user asks for nothing.
    let protocol = match &file {
        Some(file) => file.protocol(&args.ask.load_pack()?)?,
        None => {
            let (panel, judges) = (
                args.bench.panel.unwrap_or_default(),
                &participants.panel[..],
            );
            let protocol = build_protocol(&args.ask, scale, panel, judges)?;
            if let Some(idle) = describe_idle_pack(&args.ask, scale, panel, judges, &protocol) {
                args.output.quiet.say(&idle);
            }
            protocol
        }
    };
    check_protocol(&protocol, args, &participants.panel)?;
    let reviews = match &args.reviewed {
        Some(file) => Reviews::read(file)?,
        None => Reviews::default(),
    };

    let loaded = load_dataset(&args.data, protocol.shown_fields(), args.output.quiet);
    if let (Some(JudgeFile::Head(head)), Err(_)) = (&file, &loaded) {
        // Systems that the head knows are refused first: missing answers would not help them.
        let lenient = DataArgs {
            allow_missing: true,
            ..args.data.clone()
        };
        if let Ok(mut data) = load_dataset(&lenient, protocol.shown_fields(), args.output.quiet) {
            head.check_data(&mut data, args.output.quiet)?;
        }
    }
    let mut dataset = loaded?;
    if let Some(JudgeFile::Head(head)) = &file {
        head.check_data(&mut dataset, args.output.quiet)?;
    }
    let (marks, sampling) = (&args.bench.marks, &args.bench.sampling);
    let options = JudgeOptions {
        free_replies: args.free_replies,
        ..(args.compute).judge_options(marks.raw_marks, sampling.temperature)
    };
    let Bench {
        model,
        judges,
        servers,
    } = participants.bench(&dataset.systems, options)?;
    let mut job = Job::new(dataset, protocol, design, judges, args.ask.seed)?;
    if let Some(JudgeFile::Head(head)) = &file {
        job.judge_limits = head.limits();
    }
    let unprobed = hold_as_known(&mut job, &servers, args.run.as_deref())?;
    reviews.check(&job)?;
    let limits = args.limits.checked(&prices)?;
    limits.check(&job.judges)?;
    let warnings = [empty_responses_warning(&job), marks_warning(&job)];
    for warning in warnings.iter().flatten() {
        args.output.quiet.say(warning);
    }
    Ok(Prepared {
        job,
        model,
        conditions,
        reviews,
        limits,
        prices,
        unprobed,
        summing: None,
    })
}

/// Refuses participants that the protocol has no use for, or that cannot do what it asks.
fn check_protocol(protocol: &Protocol, args: &RunArgs, judges: &[JudgeSpec]) -> Result<(), Failed> {
    check_embedder(args.bench.embedder.as_deref(), from_ref(protocol))?;
    // Where nothing is written, it is not written at a temperature.
    let mut members = 0..args.judge.len().max(1);
    if args.bench.sampling.temperature != 0.0 {
        if judges.iter().all(JudgeSpec::writes_nothing) {
            return Err(Failed::usage(
                "--temperature: this judge answers with numbers alone and writes nothing; leave \
                 the temperature out",
            ));
        }
        if members.all(|one| protocol.scores_texts(one)) {
            return Err(Failed::usage(format!(
                "--temperature: {protocol} scores the responses and writes nothing; leave the \
                 temperature out, or ask for verdicts, as pairwise/direct/swap does"
            )));
        }
    }
    for (number, judge) in judges.iter().enumerate() {
        if protocol.scores_texts(number) && !protocol.wants_rewards(number) {
            judge.check_scores()?;
        }
    }
    Ok(())
}

/// Lists the other runs whose replies are reused: those named, and of those under `runs/` the
/// ones that asked the same judges. A recording is replayed from its own replies alone.
pub(crate) fn reusable_for(
    args: &ReuseArgs,
    job: &Job,
    model: &dyn Model,
) -> Result<Vec<PathBuf>, EngineError> {
    let found = match model.is_live() {
        true => Found::that_asked(&job.judges),
        false => Found::None,
    };
    list_reusable(args, found)
}

/// Lists the runs named, and those that are found unless `--no-reuse` switches that off.
pub(crate) fn list_reusable(args: &ReuseArgs, found: Found) -> Result<Vec<PathBuf>, EngineError> {
    let found = if args.no_reuse { Found::None } else { found };
    reusable_runs(&args.reuse, &found)
}

/// Refuses a design that chooses as it goes on for a command that needs the whole plan from the
/// start.
pub(crate) fn reject_adaptive(job: &Job, command: &str) -> Result<(), Failed> {
    if !job.design.chooses() {
        return Ok(());
    }
    Err(Failed::usage(format!(
        "--design {}: {command} asks everything; it is for rank",
        job.design
    )))
}

/// Returns the judge's scale, where `--scale` names one.
pub(crate) fn judge_scale(scale: Scale) -> Option<JudgeScale> {
    match scale {
        Scale::Judge(scale) => Some(scale),
        Scale::Elo | Scale::LogOdds => None,
    }
}

/// Returns how a run's ranking is made; bad numbers are refused before anything is judged.
pub(crate) fn rank_options(args: &RankArgs, prepared: &Prepared) -> Result<RankOptions, Failed> {
    let usual = match args.control.is_empty() {
        true => Ci::Bootstrap,
        false => Ci::Sandwich,
    };
    let threads = args.run.compute.threads.count();
    let mut options = RankOptions {
        ci: args.ci.unwrap_or(usual),
        cluster: args.cluster,
        control: args.control.iter().flatten().cloned().collect(),
        ..args.ranking.options(args.run.ask.seed, threads)?
    };
    if let Some(conditions) = &prepared.conditions {
        conditions.ask_for_pairs(&mut options);
    }
    options.check(&prepared.job)?;
    Ok(options)
}
