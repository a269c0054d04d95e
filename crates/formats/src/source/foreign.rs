//! Files that no reader takes.

use evenhand_core::Setting;
use std::fmt;

/// A file that no reader takes. Its text says what it is and how to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// A zip file with the parts of a workbook.
    Workbook,
    /// An Inspect log in which no sample has ended.
    LogWithoutSamples,
    /// The events that OpenAI's `oaieval` logs.
    EvalsLog,
    /// Another zip file, which does not hold exactly one file of records.
    Zip {
        /// How many such files it holds.
        records: usize,
        /// The names of these; where there are none, of all.
        names: String,
    },
    /// A zip file that cannot be unpacked, and why.
    DamagedZip(String),
    /// Packed by a program that is not gzip.
    Packed(&'static str),
    /// A database of SQLite, as a run directory holds one.
    Sqlite,
    /// A table in the layout of Arrow's files (Feather).
    Arrow,
    /// Objects as Python's `pickle` keeps them.
    Pickle,
    /// A document.
    Pdf,
    /// Settings or records in YAML.
    Yaml,
}

/// Whether a file's name says that it is YAML.
pub(crate) fn is_yaml(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".yaml", ".yml"].iter().any(|end| name.ends_with(end))
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Foreign::Workbook => {
                "this is a workbook (a zip file of a spreadsheet); save its sheet as CSV"
            }
            Foreign::LogWithoutSamples => {
                "this is an Inspect log without samples (no entry `samples/*.json`); give the log \
                 of a run in which samples have ended"
            }
            Foreign::EvalsLog => {
                return write!(
                    f,
                    "this is a log of OpenAI's oaieval, whose lines are events; write the \
                     responses from it, with the system's name in the place of SYSTEM: `jq -c \
                     'select(.type == \"sampling\") | {{item: .sample_id, instruction: \
                     .data.prompt, system: \"SYSTEM\", output: .data.sampled[0]}}' FILE > \
                     FILE.jsonl`, and read that with {} instruction=instruction (in Python, \
                     evenhand.io.read_openai_evals reads the log as it is)",
                    Setting::Map
                );
            }
            Foreign::Zip { records: 0, names } => {
                let names = match names.as_str() {
                    "" => "nothing",
                    names => names,
                };
                return write!(
                    f,
                    "this is a zip file with no .json, .jsonl or .csv file in it; it holds {names}"
                );
            }
            Foreign::Zip { names, .. } => {
                return write!(
                    f,
                    "this is a zip file with several files of records, and which is meant is not \
                     known: {names}; unpack it, and give the one that is meant"
                );
            }
            Foreign::DamagedZip(why) => {
                return write!(f, "the zip file cannot be read: {why}");
            }
            Foreign::Packed(program) => {
                return write!(
                    f,
                    "this is packed by {program}; unpack it, or pack it with gzip"
                );
            }
            Foreign::Sqlite => {
                "this is an SQLite database; a run is named by its directory, and another database \
                 has to be written as CSV or JSON lines"
            }
            Foreign::Arrow => {
                "this is an Arrow (Feather) file; write it as Parquet, CSV or JSON lines"
            }
            Foreign::Pickle => {
                "this is a file of Python's pickle, which can run programs when it is read; write \
                 it as CSV, Parquet or JSON lines"
            }
            Foreign::Pdf => "this is a PDF document; expected CSV, JSON lines or Parquet",
            Foreign::Yaml => {
                "this is YAML, in which other tools keep their settings, such as promptfoo's \
                 promptfooconfig.yaml; give what they wrote as results (docs/coming-from.md says \
                 how), or write records as JSON lines or CSV"
            }
        };
        f.write_str(text)
    }
}
