//! What the test files share: the shared data, and the texts that record_ifeval.py made, made again
//! by its rules.
#![allow(
    clippy::disallowed_methods,
    reason = "the purity fence is for the crate, and these tests read files"
)]

pub(crate) mod aim;

use flate2::read::GzDecoder;
use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Answers taken as they are, and answers turned for each constraint.
const PLAIN: usize = 54;
const TAKES: usize = 5;

pub(crate) fn case_file(name: &str) -> String {
    std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/cases")
            .join(name),
    )
    .unwrap()
}

fn rows(path: &Path) -> Vec<Value> {
    let mut text = String::new();
    GzDecoder::new(File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    text.split('\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn sorted_files(folder: PathBuf) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

fn string(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// The prompts of IFEval, and the answers that texts are made of.
pub(crate) struct Data {
    pub(crate) prompts: Vec<Value>,
    files: Vec<Vec<String>>,
}

impl Data {
    pub(crate) fn read(folder: &Path) -> Data {
        let alpaca = sorted_files(folder.join("alpaca_eval/outputs"));
        let bench = sorted_files(folder.join("mt_bench/answers"));
        let hard = sorted_files(folder.join("arena_hard/answers"));
        let outputs = alpaca.iter().map(|path| {
            rows(path)
                .iter()
                .map(|row| string(&row["output"]))
                .collect()
        });
        let turns = |row: &Value| {
            row["turns"]
                .as_array()
                .unwrap()
                .iter()
                .map(string)
                .collect::<Vec<_>>()
        };
        let turns = bench
            .iter()
            .map(|path| rows(path).iter().flat_map(turns).collect());
        let answers = hard.iter().map(|path| {
            rows(path)
                .iter()
                .map(|row| string(&row["answer"]))
                .collect()
        });
        let files = outputs.chain(turns).chain(answers).collect();
        Data {
            prompts: rows(&folder.join("ifeval/prompts.jsonl.gz")),
            files,
        }
    }

    fn answer(&self, i: usize, k: usize) -> &str {
        let file = &self.files[(i + k) % self.files.len()];
        &file[(31 * i + 17 * k) % file.len()]
    }

    /// The texts of prompt i, in the order recorded.
    pub(crate) fn texts(&self, i: usize) -> Vec<String> {
        let mut texts: Vec<String> = (0..PLAIN).map(|k| self.answer(i, k).to_owned()).collect();
        let prompt = &self.prompts[i];
        let ids = prompt["instruction_id_list"].as_array().unwrap();
        for (j, (id, args)) in ids
            .iter()
            .zip(prompt["kwargs"].as_array().unwrap())
            .enumerate()
        {
            for (t, v) in (0..TAKES).flat_map(|t| (0..4).map(move |v| (t, v))) {
                let text = aim::aim(id.as_str().unwrap(), args, self.answer(i, 8 * j + 7 * t), v);
                let framed = aim::framed(&text, v);
                texts.extend([text, framed]);
            }
        }
        texts
    }
}
