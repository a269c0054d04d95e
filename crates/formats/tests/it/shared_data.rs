//! Every kind of file in the shared data is read: the ecosystem's own formats by recognition, the
//! normalised ones by a mapping.
#![allow(clippy::disallowed_methods, reason = "a test may open files")]

use evenhand_core::Side;
use evenhand_formats::records::{
    FileContents, Format, Input, Mapping, Place, RecordKind, Shape, Unshown, inspect_file,
    read_records,
};
use evenhand_formats::{Dataset, DatasetBuilder};
use evenhand_testing::shared_data;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

macro_rules! shared_or_return {
    () => {
        match shared_data() {
            Some(path) => path,
            None => return,
        }
    };
}

struct Files {
    root: PathBuf,
    builder: DatasetBuilder,
}

impl Files {
    fn under(root: &Path) -> Self {
        Files {
            root: root.to_owned(),
            builder: DatasetBuilder::default(),
        }
    }

    fn read(&mut self, name: &str, shape: Shape<'_>) -> FileContents {
        let file = BufReader::new(File::open(self.root.join(name)).unwrap());
        // An answer of the recordings is FastChat's mark of a failed call.
        let input = Input {
            shape,
            allow_missing: true,
            ..Input::new(name)
        };
        read_records(file, &input, &mut |record, place: &Place| {
            self.builder.add_record(record, place)
        })
        .unwrap()
    }

    fn mapped(mut self, name: &str, map: &str) -> Self {
        let mapping = Mapping::parse(map).unwrap();
        self.read(name, Shape::Mapped(&mapping));
        self
    }

    /// Every file of a folder.
    fn all_mapped(mut self, folder: &str, map: &str) -> Self {
        let mut names: Vec<_> = std::fs::read_dir(self.root.join(folder))
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        names.sort();
        let mapping = Mapping::parse(map).unwrap();
        for name in names {
            self.read(
                &format!("{folder}/{}", name.to_str().unwrap()),
                Shape::Mapped(&mapping),
            );
        }
        self
    }

    fn finish(self) -> Dataset {
        self.builder.finish(false).unwrap()
    }
}

fn sizes(dataset: &Dataset) -> (usize, usize, usize) {
    (
        dataset.items.len(),
        dataset.systems.len(),
        dataset.response_count(),
    )
}

#[test]
fn the_ecosystems_own_files_are_recognised() {
    let root = shared_or_return!().join("formats");
    for (name, format, kind, records) in [
        (
            "alpaca_eval.model_outputs.json",
            Format::AlpacaEvalOutputs,
            RecordKind::Responses,
            20,
        ),
        (
            "arena_hard_v0.1.question.jsonl",
            Format::ArenaHardQuestions,
            RecordKind::Items,
            8,
        ),
        (
            "arena_hard_v2.question.jsonl",
            Format::ArenaHardQuestions,
            RecordKind::Items,
            8,
        ),
        (
            "arena_hard_v0.1.model_answer.jsonl",
            Format::ArenaHardAnswers,
            RecordKind::Responses,
            8,
        ),
        (
            "mt_bench.question.jsonl",
            Format::MtBenchQuestions,
            RecordKind::Items,
            8,
        ),
        ("llmbar.dataset.json", Format::LlmBar, RecordKind::Pairs, 12),
        (
            "judgebench.pairs.jsonl",
            Format::JudgeBench,
            RecordKind::Pairs,
            5,
        ),
    ] {
        let file = || BufReader::new(File::open(root.join(name)).unwrap());
        let found = read_records(file(), &Input::new(name), &mut |_, _| Ok(())).unwrap();
        assert_eq!(
            found,
            FileContents {
                format: Some(format),
                kind,
                records,
                kept: records,
                passed_over: 0,
                too_short: 0,
                cut_short: 0,
                unshown: Unshown::default(),
                lone_surrogates: 0,
                skipped: Vec::new(),
                further_responses: None,
            },
            "{name}"
        );
        assert_eq!(
            inspect_file(file(), &Input::new(name)).unwrap(),
            FileContents {
                records: 1,
                kept: 1,
                ..found
            }
        );
    }
}

#[test]
fn what_is_judged_already_is_no_data_set() {
    let root = shared_or_return!().join("formats");
    let results = ["Metrics_Reference", "Rating", "Swap_CoT", "Vanilla"]
        .map(|name| format!("llmbar.GPT-4.{name}.result.json"));
    let others = [
        "alpaca_eval.annotations.json",
        "alpaca_eval.leaderboard.csv",
        "judgebench.outputs.jsonl",
    ]
    .map(str::to_owned);
    for name in results.iter().chain(&others) {
        let file = BufReader::new(File::open(root.join(name)).unwrap());
        let error = inspect_file(file, &Input::new(name))
            .unwrap_err()
            .to_string();
        assert!(error.contains("the format is not known"), "{name}: {error}");
    }
}

#[test]
fn the_fields_of_the_ecosystems_files_are_where_they_belong() {
    let root = shared_or_return!();
    let mut files = Files::under(&root.join("formats"));
    files.read("arena_hard_v0.1.question.jsonl", Shape::Recognise);
    files.read("mt_bench.question.jsonl", Shape::Recognise);
    files.read("llmbar.dataset.json", Shape::Recognise);
    let dataset = files.builder.finish(true).unwrap();
    let item = |id: &str| dataset.items.iter().find(|item| item.id == id).unwrap();
    let tune = item("328c149ed45a41c0b9d6f14659e63599");
    assert_eq!(
        tune.instruction(),
        "Use ABC notation to write a melody in the style of a folk tune."
    );
    assert_eq!(
        tune.category.as_deref(),
        Some("ABC Sequence Puzzles & Groups")
    );
    assert!(
        item("81")
            .instruction()
            .starts_with("Compose an engaging travel blog post")
    );
    assert!(item("81").history().is_empty());
    assert_eq!(
        item("0").instruction(),
        "What is the programing language lua used for?"
    );
    assert_eq!(dataset.labels[0].preferred, Side::Second);
    let mut answers = Files::under(&root);
    answers.read("arena_hard/questions.jsonl.gz", Shape::Recognise);
    answers.read(
        "formats/arena_hard_v0.1.model_answer.jsonl",
        Shape::Recognise,
    );
    let dataset = answers.builder.finish(true).unwrap();
    assert_eq!(sizes(&dataset), (500, 1, 8));
    assert_eq!(&*dataset.systems[0], "gpt-3.5-turbo-0125");
    let scim = dataset
        .items
        .iter()
        .position(|item| item.id == "0122ab60646b4961bc39e9c03bdf6bcc")
        .unwrap();
    let text = dataset.response(scim, 0).unwrap().unwrap().text;
    assert!(text.starts_with("To implement a SCIM server in PHP using Slim as a router"));
}

#[test]
fn alpaca_eval() {
    let root = shared_or_return!().join("alpaca_eval");
    // One mapping serves both the items and the responses.
    let map = "item=instruction_id,instruction=instruction,category=dataset,reference=reference_output,system=model,output=output";
    let dataset = Files::under(&root)
        .mapped("instructions.jsonl.gz", map)
        .all_mapped("outputs", map)
        .finish();
    assert_eq!(sizes(&dataset), (805, 14, 805 * 14));
    assert_eq!(&*dataset.items[804].id, "804");
    assert_eq!(&*dataset.systems[0], "Mixtral-8x7B-Instruct-v0.1");
    assert!(
        dataset
            .items
            .iter()
            .all(|item| item.reference.is_some() && item.category.is_some())
    );
    // The same instructions in AlpacaEval's own file are the same items, wherever they stand in it.
    let mut files = Files::under(&root).mapped("instructions.jsonl.gz", map);
    files.read(
        "../formats/alpaca_eval.model_outputs.json",
        Shape::Recognise,
    );
    let dataset = files.builder.finish(true).unwrap();
    assert_eq!(sizes(&dataset), (805, 1, 20));
}

#[test]
fn arena_hard() {
    let root = shared_or_return!().join("arena_hard");
    let map = "item=question_id,instruction=prompt,category=cluster,system=model,output=answer";
    let dataset = Files::under(&root)
        .mapped("questions.jsonl.gz", map)
        .all_mapped("answers", map)
        .builder
        .finish(true)
        .unwrap();
    // Nine answers are FastChat's mark of a call that failed.
    assert_eq!(sizes(&dataset), (500, 14, 500 * 14 - 9));
}

#[test]
fn arena_bench() {
    let root = shared_or_return!().join("arena_bench");
    let map = "item=question_id,instruction=prompt,category=cluster,reference=reference_answer,system=model,output=answer";
    let dataset = Files::under(&root)
        .mapped("questions.jsonl.gz", map)
        .all_mapped("answers", map)
        .finish();
    assert_eq!(sizes(&dataset), (300, 12, 300 * 12));
    assert!(dataset.items.iter().all(|item| item.reference.is_some()));
}

#[test]
fn mt_bench() {
    let root = shared_or_return!().join("mt_bench");
    let questions = "item=question_id,instruction=turns.0,reference=reference_answer_gpt4.0";
    let answers = "item=question_id,system=model,output=turns.0";
    let dataset = Files::under(&root)
        .mapped("questions.jsonl", questions)
        .all_mapped("answers", answers)
        .finish();
    assert_eq!(sizes(&dataset), (80, 26, 80 * 26));
    let mut categories = BTreeMap::new();
    dataset
        .items
        .iter()
        .for_each(|item| *categories.entry(item.category.clone()).or_insert(0) += 1);
    assert_eq!(categories.into_values().collect::<Vec<_>>(), [10; 8]);
    assert_eq!(
        dataset
            .items
            .iter()
            .filter(|item| item.reference.is_some())
            .count(),
        30
    );
}

#[test]
fn vicuna_bench() {
    let root = shared_or_return!().join("vicuna_bench");
    let map = "item=question_id,instruction=question,reference=reference_answer_gpt4,system=model,output=answer";
    let dataset = Files::under(&root)
        .mapped("questions.jsonl", map)
        .all_mapped("answers", map)
        .finish();
    assert_eq!(sizes(&dataset), (80, 8, 80 * 8));
}

#[test]
fn human_winners_of_fair_eval_are_labels() {
    let root = shared_or_return!();
    let map = "item=question_id,instruction=question,system=model,output=answer";
    let labels = "item=question_id,label=winner,system_1:=gpt-3.5-turbo,system_2:=vicuna-13b";
    let dataset = Files::under(&root)
        .mapped("vicuna_bench/questions.jsonl", map)
        .mapped("vicuna_bench/answers/gpt-3.5-turbo.jsonl.gz", map)
        .mapped("vicuna_bench/answers/vicuna-13b.jsonl.gz", map)
        .mapped("faireval/human_gpt35_vs_vicuna13b.csv", labels)
        .finish();
    assert_eq!(preferences(&dataset), [41, 25, 14]);
}

#[test]
fn arena_ratings() {
    let root = shared_or_return!().join("arena");
    let map = "system=model,rating=rating,ci_low=ci_lower,ci_high=ci_upper";
    let dataset = Files::under(&root)
        .mapped("ratings_20240731.csv", map)
        .finish();
    assert_eq!(dataset.ratings.len(), 117);
    let anchor = dataset
        .ratings
        .iter()
        .find(|rating| rating.system == "Mixtral-8x7b-Instruct-v0.1")
        .unwrap();
    assert_eq!(anchor.rating, 1114.0);
    assert_eq!(anchor.ci_low, Some(1114.0));
    assert_eq!(anchor.ci_high, Some(1114.0));
}

#[test]
fn llmbar() {
    let root = shared_or_return!();
    let mut pairs = 0;
    for (name, n) in [
        ("llmbar/natural", 100),
        ("llmbar/manual", 46),
        ("llmbar/gptinst", 92),
        ("llmbar_processed/mt_bench", 200),
        ("llmbar_processed/faireval", 66),
    ] {
        let mut recognised = Files::under(&root);
        let path = format!("{name}/dataset.jsonl");
        assert_eq!(
            recognised.read(&path, Shape::Recognise).format,
            Some(Format::LlmBar)
        );
        let recognised = recognised.finish();
        assert_eq!(
            (sizes(&recognised), recognised.labels.len()),
            ((n, 2, 2 * n), n),
            "{name}"
        );
        let map = "item=index,instruction=input,output_1=output_1,output_2=output_2,label=label";
        let mapped = Files::under(&root).mapped(&path, map).finish();
        assert_eq!(
            mapped.fingerprint().unwrap(),
            recognised.fingerprint().unwrap()
        );
        pairs += n;
    }
    assert_eq!(pairs, 238 + 266);
}

#[test]
fn pandalm() {
    let root = shared_or_return!().join("pandalm");
    let map = "item=idx,instruction=instruction+input,output_1=response_1,output_2=response_2,\
               system_1=model_1,system_2=model_2,label=human";
    let dataset = Files::under(&root)
        .mapped("pairs.jsonl.gz", map)
        .builder
        .finish(true)
        .unwrap();
    assert_eq!(
        (sizes(&dataset), dataset.missing.len()),
        ((999, 5, 2 * 999), 999)
    );
    assert_eq!(dataset.labels.len(), 3 * 999);
    assert_eq!(
        dataset
            .labels
            .iter()
            .filter(|label| label.annotator.as_deref() == Some("3"))
            .count(),
        999
    );
    let human = majorities(&dataset);
    assert_eq!(human, [422, 472, 105]);
}

/// Of how many items most annotators prefer the first, the second, neither.
fn majorities(dataset: &Dataset) -> [usize; 3] {
    let mut votes = BTreeMap::<u32, [usize; 3]>::new();
    dataset
        .labels
        .iter()
        .for_each(|label| votes.entry(label.item).or_default()[slot(label.preferred)] += 1);
    let mut counts = [0; 3];
    for votes in votes.values() {
        if let Some(most) = votes.iter().position(|&n| n >= 2) {
            counts[most] += 1;
        }
    }
    counts
}

#[test]
fn judgebench() {
    let root = shared_or_return!().join("judgebench");
    let name = "pairs_gpt-4o-2024-05-13.jsonl.gz";
    let map = "item=pair_id,instruction=question,category=source,output_1=response_A,output_2=response_B,label=label";
    let mapped = Files::under(&root).mapped(name, map).finish();
    assert_eq!((sizes(&mapped), mapped.labels.len()), ((350, 2, 700), 350));
    let mut recognised = Files::under(&root);
    recognised.read(name, Shape::Recognise);
    assert_eq!(
        recognised.finish().fingerprint().unwrap(),
        mapped.fingerprint().unwrap()
    );
}

#[test]
fn ifeval() {
    let mut files = Files::under(&shared_or_return!().join("ifeval"));
    assert_eq!(
        files.read("prompts.jsonl.gz", Shape::Recognise).format,
        Some(Format::IfEval)
    );
    let dataset = files.finish();
    assert_eq!(dataset.items.len(), 421);
    let constraints = dataset.items[0].constraints.as_ref().unwrap();
    assert_eq!(
        constraints["instruction_id_list"][0],
        "punctuation:no_comma"
    );
    assert_eq!(constraints["kwargs"][1]["num_highlights"], 3);
}

fn slot(preferred: Side) -> usize {
    match preferred {
        Side::First => 0,
        Side::Second => 1,
        Side::Tie => 2,
    }
}

fn preferences(dataset: &Dataset) -> [usize; 3] {
    let mut counts = [0; 3];
    dataset
        .labels
        .iter()
        .for_each(|label| counts[slot(label.preferred)] += 1);
    counts
}
