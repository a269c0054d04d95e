//! `evenhand meta translations`.

use crate::args::help::DATA;
use crate::args::{JudgeScaleArgs, ResamplingArgs, RunArgs};
use crate::commands::session::{conclude_run, judge_plan};
use crate::job::{prepare, reject_adaptive};
use crate::progress::Show;
use crate::{Done, Failed};
use clap::Args;
use evenhand_core::{Clusters, Item, Judgment, Response};
use evenhand_engine::{DataOptions, Job, Progress, Sink, Tally, load};
use evenhand_protocols::Slots;
use evenhand_ranking::ItemSlices;
use evenhand_report::meta::{translations_csv, translations_json, translations_table};
use evenhand_studies::translations::TranslationCollector;
use std::collections::BTreeMap;

/// Whose verdicts on which translations are compared.
#[derive(Debug, Args)]
pub(crate) struct TranslationsArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) scale: JudgeScaleArgs,
    /// The field of the items that has their language
    #[arg(long, value_name = "FIELD", default_value = "language", help_heading = DATA)]
    pub(crate) across: String,
    /// The field that names the item of which an item is a translation
    ///
    /// An item without it is an original. [default: items of one question_id are translations of
    /// each other]
    #[arg(long, value_name = "FIELD", help_heading = DATA)]
    pub(crate) translation_of: Option<String>,
    #[command(flatten)]
    pub(crate) resampling: ResamplingArgs,
}

/// How far verdicts agree over the translations of one question, and flips by order by language.
pub(super) fn measure(args: &TranslationsArgs) -> Result<Done, Failed> {
    let plan = (args.resampling).plan(args.run.ask.seed, args.run.compute.threads.count())?;
    let mut prepared = prepare(&args.run, args.scale.scale)?;
    reject_adaptive(&prepared.job, "meta translations")?;
    if prepared.job.protocol.form().slots() != Slots::Two {
        return Err(Failed::usage(format!(
            "--protocol {}: verdicts on two responses are compared; use a pairwise form",
            prepared.job.protocol
        )));
    }
    let options = args.run.data.options()?;
    let languages = ItemSlices::read(&prepared.job.dataset, &options, &args.across)?;
    let questions = Questions::read(&prepared.job, options, args.translation_of.as_deref())?;
    let mut gather = Gather {
        collector: TranslationCollector::default(),
        languages,
        questions,
        tally: Tally::default(),
        show: Show::new(args.run.output.quiet, prepared.job.plan.len()),
    };
    let judged = judge_plan(&args.run, &mut prepared, &mut gather);
    gather.show.end();
    conclude_run(&judged?, &args.run, &gather.tally)?;
    let report = gather.collector.measure(&args.across, &plan);
    let report = report.map_err(|error| Failed::run(error.to_string()))?;
    let output = &args.run.output;
    output.format.print(
        || translations_table(&report, output.verbose.view()),
        || translations_json(&report),
        || translations_csv(&report),
    )
}

/// Which question each item is a translation of.
enum Questions {
    /// Items of one question.
    Shared(Clusters),
    /// The original that a field names, by the item's id.
    Named(BTreeMap<String, String>),
}

impl Questions {
    fn read(job: &Job, options: DataOptions, field: Option<&str>) -> Result<Questions, Failed> {
        let Some(field) = field else {
            return Ok(Questions::Shared(job.clusters.clone()));
        };
        let by = Some(field.to_owned());
        let data = load(&DataOptions { by, ..options })?;
        let named = data.items.iter().map(|item| {
            let id = item.id.to_string();
            let original = item.category.clone().filter(|name| !name.is_empty());
            (id.clone(), original.unwrap_or(id))
        });
        Ok(Questions::Named(named.collect()))
    }

    fn of(&self, number: u32, item: &Item) -> String {
        match self {
            Questions::Shared(clusters) => clusters.of(number).to_string(),
            Questions::Named(names) => {
                let id = item.id.to_string();
                names.get(&id).cloned().unwrap_or(id)
            }
        }
    }
}

/// Gathers verdicts and shows progress.
struct Gather {
    collector: TranslationCollector,
    languages: ItemSlices,
    questions: Questions,
    tally: Tally,
    show: Show,
}

impl Sink for Gather {
    fn judgment(&mut self, judgment: Judgment, item: &Item, responses: &[Response]) {
        self.tally.add(&judgment, item, responses);
        let question = self.questions.of(judgment.trial.item, item);
        self.collector
            .add(&judgment, question, self.languages.of_item(item));
    }

    fn progress(&mut self, progress: Progress) {
        self.show.update(progress);
    }

    fn note(&mut self, note: &str) {
        self.show.note(note);
    }
}
