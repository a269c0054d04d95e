//! `evenhand meta fit`: a head on a local model, fitted to a user's own labels.

use crate::args::RunArgs;
use crate::args::help::{DATA, OUTPUT, STATISTICS};
use crate::commands::session::judge_plan;
use crate::job::{Prepared, prepare_with};
use crate::judges::{JudgeFile, resolve_judges};
use crate::{Done, Failed};
use clap::Args;
use evenhand_core::{Clusters, RequestKey, Side};
use evenhand_engine::files::labels_path;
use evenhand_engine::{EngineError, HeadFile, HeadLabels, JudgeSpec, question_digest};
use evenhand_formats::Dataset;
use evenhand_protocols::{HEAD_DEPTHS, HeadFeatures, read_head_features};
use evenhand_ranking::check_level;
use evenhand_report::json_text;
use evenhand_report::meta::{head_csv, head_table};
use evenhand_stats::Bootstrap;
use evenhand_store::Reader;
use evenhand_studies::head::{HeadData, HeadPair, check_label_counts, fit_head as fit_to_pairs};
use evenhand_studies::judge::LiveGames;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Which labels a head is fitted to, on which model.
#[derive(Debug, Args)]
pub(crate) struct MetaFitArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// People's labels or votes on pairs, beside those of the data
    #[arg(long, num_args = 1.., value_name = "FILE", help_heading = DATA)]
    pub(crate) labels: Vec<PathBuf>,
    /// The file to write the head to
    ///
    /// A small JSON file, for --judge head:FILE. It holds digests of the questions and the names of
    /// the systems, but no texts.
    #[arg(long, value_name = "HEAD.json", required = true, help_heading = OUTPUT)]
    pub(crate) out: PathBuf,
    /// Coverage of the intervals
    #[arg(long, default_value_t = 0.95, help_heading = STATISTICS)]
    pub(crate) level: f64,
}

/// The calls of each response that was read: by item and system.
type CallsOf = HashMap<[u32; 2], Vec<RequestKey>>;

/// Reads the labelled responses with the model, fits a head to the labels, and writes it with what
/// it is worth.
pub(super) fn fit_head(args: &MetaFitArgs) -> Result<Done, Failed> {
    check_level(args.level)?;
    let model = check_arguments(args)?;
    let mut run = args.run.clone();
    for path in &args.labels {
        run.data.data.push(labels_path(path)?);
    }
    run.ask.design = "labelled".into();
    // Only the responses of labelled pairs are read; pairs that lack one are left out and counted.
    run.data.allow_missing = true;
    let mut prepared = prepare_with(&run, None, Some(JudgeFile::GatheringHead))?;
    let mut games = LiveGames::new(&prepared.job)?;
    let winners = games.labelled_pairs();
    let winners: Vec<u32> = winners
        .filter(|pair| pair.label != Side::Tie)
        .map(|pair| pair.cluster)
        .collect();
    let questions: BTreeSet<&u32> = winners.iter().collect();
    check_label_counts(winners.len(), questions.len())?;
    let mut calls = CallsOf::new();
    let finished = judge_plan(&run, &mut prepared, |judgment, _, _| {
        games.add(judgment);
        if let ([system], Ok(_)) = (&judgment.trial.systems[..], &judgment.outcome) {
            calls.insert([judgment.trial.item, *system], judgment.calls.clone());
        }
    })?;
    let (data, labels) = gather_pairs(games, &calls, &prepared, &finished.dir, &model)?;
    let plan = Bootstrap {
        level: args.level,
        seed: run.ask.seed,
        threads: run.compute.threads.count(),
        ..Bootstrap::default()
    };
    let fitted = fit_to_pairs(&data, &plan)?;
    let report = fitted.report.clone();
    HeadFile::new(&fitted.weights, &model, &args.out, labels, fitted.report)?.write(&args.out)?;
    let out = args.out.display();
    run.output.quiet.say(&format!(
        "{out}: head written; to judge with it: --judge head:{out}"
    ));
    run.output.format.print(
        || head_table(&report, run.output.verbose.view()),
        || json_text(&report),
        || head_csv(&report),
    )
}

/// Refuses what a fit has no use for, and returns the file of the model.
fn check_arguments(args: &MetaFitArgs) -> Result<PathBuf, Failed> {
    let run = &args.run;
    let settings = [
        ("--protocol", run.ask.protocol.is_some()),
        ("--design", run.ask.design != "labelled"),
        ("--fail-if", run.output.fail_if.is_some()),
        ("--reviewed", run.reviewed.is_some()),
    ];
    if let Some((name, _)) = settings.iter().find(|(_, is_given)| *is_given) {
        return Err(Failed::Usage(format!(
            "{name}: a fit reads the labelled responses, each by itself; leave it out"
        )));
    }
    let place = args.out.display();
    if args.out.exists() && HeadFile::read(&args.out).is_err() {
        return Err(Failed::Usage(format!(
            "--out {place}: exists and is not a head, so it is left unchanged; choose another name"
        )));
    }
    let judges = resolve_judges(&run.judge, &run.judges)?;
    match judges.as_slice() {
        [judge @ JudgeSpec::Gguf(path)] if !judge.gives_rewards() => Ok(path.clone()),
        _ => Err(Failed::Usage(format!(
            "--judge {}: a head is fitted to the states of one generative model on this machine; \
             expected gguf:PATH or hf:OWNER/REPO",
            run.judge.join(" ")
        ))),
    }
}

/// Returns the labelled pairs with what the model made of their responses, and what the head's file
/// says of the labels.
fn gather_pairs(
    games: LiveGames,
    calls: &CallsOf,
    prepared: &Prepared,
    dir: &Path,
    model: &Path,
) -> Result<(HeadData, HeadLabels), Failed> {
    let job = &prepared.job;
    let reader = Reader::open(dir).map_err(EngineError::from)?;
    let mut features: HashMap<[u32; 2], Arc<HeadFeatures>> = HashMap::new();
    for (place, calls) in calls {
        if let Some(found) = read_features(&prepared.job.dataset, *place, calls, &reader)? {
            features.insert(*place, Arc::new(found));
        }
    }
    let items = job.dataset.items.iter().zip(0..);
    let items: HashMap<&str, u32> = items.map(|(item, at)| (item.id.as_str(), at)).collect();
    let systems = job.dataset.systems.iter().zip(0..);
    let systems: HashMap<&str, u32> = systems.map(|(system, at)| (&**system, at)).collect();

    // Two items of one text are one question to the head's file, and so to its cross-validation.
    let mut texts: HashMap<String, u32> = HashMap::new();
    let questions = (0..).zip(&job.dataset.items).map(|(at, item)| {
        let fresh = texts.len() as u32;
        let text = *texts.entry(question_digest(item)).or_insert(fresh);
        [job.clusters.of(at), text]
    });
    let questions = Clusters::of_both(questions);

    let judged = games.finish();
    let mut data = HeadData {
        model: model
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into(),
        systems: judged.systems.clone(),
        // Those of which a response is not there.
        failures: judged.unjudged,
        ..HeadData::default()
    };
    let (mut asked, mut known) = (BTreeSet::new(), BTreeSet::new());
    for pair in &judged.pairs {
        if pair.label == Side::Tie {
            data.ties += 1;
            continue;
        }
        let item = items.get(pair.name.as_str()).copied();
        let names = pair
            .systems
            .map(|both| both.map(|at| judged.systems.get(at as usize)));
        let of = |name: Option<&String>| {
            let system = systems.get(name?.as_str())?;
            features.get(&[item?, *system]).cloned()
        };
        let found = names.and_then(|[a, b]| Some([of(a)?, of(b)?]));
        let (Some(features), Some(systems)) = (found, pair.systems) else {
            data.failures += 1;
            continue;
        };
        data.pairs.push(HeadPair {
            question: item.map_or(pair.cluster, |item| questions.of(item)),
            systems,
            first: pair.label == Side::First,
            features,
        });
        asked.extend(item.map(|item| questions.of(item)));
        known.extend(names.into_iter().flatten().flatten().cloned());
    }
    // Items that ask the same in other words are of the question, too.
    let items = (0..).zip(&job.dataset.items);
    let items = items.filter(|(at, _)| asked.contains(&questions.of(*at)));
    let digests: BTreeSet<String> = items.map(|(_, item)| question_digest(item)).collect();
    let labels = HeadLabels {
        pairs: data.pairs.len() as u64,
        questions: digests.into_iter().collect(),
        systems: known.into_iter().collect(),
    };
    Ok((data, labels))
}

/// Returns the features of an item's response, from the replies that the run keeps; None where one
/// of them is missing.
fn read_features(
    data: &Dataset,
    [item, system]: [u32; 2],
    calls: &[RequestKey],
    reader: &Reader,
) -> Result<Option<HeadFeatures>, Failed> {
    let mut replies = Vec::new();
    for call in calls {
        match reader.result(call).map_err(EngineError::from)? {
            Some(Ok(reply)) => replies.push(reply),
            _ => return Ok(None),
        }
    }
    let response = data
        .response(item as usize, system as usize)
        .map_err(EngineError::from)?;
    let (Some(item), Some(response)) = (data.items.get(item as usize), response) else {
        return Ok(None);
    };
    Ok(read_head_features(item, &response.text, &replies, HEAD_DEPTHS.len()).ok())
}
