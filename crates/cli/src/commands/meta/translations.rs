//! `evenhand meta translations`.

use crate::args::help::DATA;
use crate::args::{JudgeScaleArgs, ResamplingArgs, RunArgs};
use crate::commands::session::{judge_plan, report_judgments};
use crate::condition::end_by_gates;
use crate::job::{prepare, reject_adaptive};
use crate::{Done, Failed};
use clap::Args;
use evenhand_core::{Clusters, Item, Setting};
use evenhand_engine::{DataOptions, Job, load};
use evenhand_protocols::Slots;
use evenhand_ranking::{Collected, ItemSlices};
use evenhand_report::meta::{translations_csv, translations_json, translations_table};
use evenhand_studies::translations::TranslationCollector;
use std::collections::{BTreeMap, BTreeSet};

/// Whose verdicts on which translations are compared.
#[derive(Debug, Args)]
pub(crate) struct TranslationsArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) scale: JudgeScaleArgs,
    /// The items' field with their language
    #[arg(long, value_name = "FIELD", default_value = "language", help_heading = DATA)]
    pub(crate) across: String,
    /// The field with the id of the item that an item translates
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
    let of_languages = DataOptions {
        by_setting: Some(Setting::Across),
        ..options.clone()
    };
    let languages = ItemSlices::read(&prepared.job.dataset, &of_languages, &args.across)?;
    let questions = Questions::read(&prepared.job, options, args.translation_of.as_deref())?;
    check_translations(&prepared.job.dataset.items, &languages, &questions)?;
    prepared.check_conditions_without_systems()?;
    let mut collector = TranslationCollector::default();
    let mut collected = Collected::default();
    judge_plan(&args.run, &mut prepared, |judgment, item, responses| {
        collected.add(judgment, responses);
        let question = questions.of(judgment.trial.item, item);
        collector.add(judgment, responses, question, languages.of_item(item));
    })?;
    let report = collector.measure(&args.across, &plan);
    let report = report.map_err(|error| Failed::run(error.to_string()))?;
    let judged = report_judgments(&args.run, &prepared, &collected)?;
    let gates = prepared.decide_gates(&judged);
    let output = &args.run.output;
    let decided = gates.as_deref().unwrap_or_default();
    output.format.print_gated(
        decided,
        || translations_table(&report, output.verbose.view()),
        || translations_json(&report, decided),
        || translations_csv(&report),
    )?;
    Ok(end_by_gates(&gates?))
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
        let data = load(&DataOptions {
            by: Some(field.to_owned()),
            by_setting: Some(Setting::TranslationOf),
            ..options
        })?;
        let named = data.items.iter().filter_map(|item| {
            let original = item.category.clone().filter(|name| !name.is_empty())?;
            Some((item.id.to_string(), original))
        });
        let named: BTreeMap<String, String> = named.collect();
        let ids: BTreeSet<String> = data.items.iter().map(|item| item.id.to_string()).collect();
        if let Some((item, original)) = named.iter().next()
            && !named.values().any(|original| ids.contains(original))
        {
            return Err(Failed::Usage(format!(
                "--translation-of {field}: the ids in it are not those of items, such as \
                 `{original}` of item {item}; expected the ids of the originals"
            )));
        }
        Ok(Questions::Named(named))
    }

    fn of(&self, number: u32, item: &Item) -> String {
        match self {
            Questions::Shared(clusters) => clusters.of(number).to_string(),
            Questions::Named(names) => original_of(&item.id.to_string(), names).to_owned(),
        }
    }
}

/// Follows translations of translations to their original; the names of a circle lead to the least
/// of them.
fn original_of<'a>(id: &'a str, names: &'a BTreeMap<String, String>) -> &'a str {
    let mut seen = BTreeSet::from([id]);
    let mut last = id;
    while let Some(next) = names.get(last) {
        if !seen.insert(next) {
            return seen.into_iter().next().unwrap_or(id);
        }
        last = next;
    }
    last
}

/// Refuses two items of one question in one language: which of them is the translation is not
/// known.
fn check_translations(
    items: &[Item],
    languages: &ItemSlices,
    questions: &Questions,
) -> Result<(), Failed> {
    let mut seen: BTreeMap<(String, String), &Item> = BTreeMap::new();
    for (number, item) in (0..).zip(items) {
        let language = languages.of_item(item);
        let key = (questions.of(number, item), language.clone());
        if let Some(first) = seen.insert(key, item) {
            return Err(Failed::Usage(format!(
                "items {} and {} are of the same question in the same language ({language}); \
                 expected one item per language",
                first.id, item.id
            )));
        }
    }
    Ok(())
}
