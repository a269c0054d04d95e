//! What a judge said, with people's labels where there are any.

use crate::judge::JudgedPairs;
use crate::recordings::files_given_once;
use crate::selective::{lean_of, margin_of};
use evenhand_core::{Cause, Clusters, Refusal, Setting, Side};
use evenhand_engine::files::label_files;
use evenhand_engine::{EngineError, open_buffered};
use evenhand_formats::judgments::{
    JudgmentReader, Options, RecordedComparison, RecordedJudgments, other_turn_name,
};
use evenhand_stats::mean_value;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

/// All judgments with a verdict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelledCases {
    /// Each once, in the order of items and systems.
    pub all: Vec<SaidCase>,
    /// Whether they are scores of single responses.
    pub are_scores: bool,
    /// Judgments without a verdict.
    pub failures: u64,
}

impl LabelledCases {
    /// Refuses a scale of people's scores that does not hold one of them.
    ///
    /// # Errors
    /// A score beyond it.
    pub fn check_scale(&self, [least, most]: [f64; 2]) -> Result<(), Refusal> {
        for case in &self.all {
            if let Some([_, label]) = case.said.scores()
                && !(least..=most).contains(&label)
            {
                let why = format!(
                    "people's score {label} of {}, {}, is beyond it; expected the ends of the \
                     scale that they used",
                    case.item,
                    case.systems.join(", ")
                );
                let refusal = Refusal::new(Setting::LabelScale, Cause::Data, why);
                return Err(refusal.with_value(format!("{least},{most}")));
            }
        }
        Ok(())
    }
}

/// One judgment.
#[derive(Clone, Debug, PartialEq)]
pub struct SaidCase {
    /// The item.
    pub item: String,
    /// The system, or two; none where they have no names.
    pub systems: Vec<String>,
    /// The question that it is on.
    pub cluster: u32,
    /// What was said.
    pub said: Said,
}

/// What the judge said, and people.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Said {
    /// Of one response.
    Score {
        /// The judge's mean score.
        judge: f64,
        /// People's mean score.
        label: Option<f64>,
    },
    /// Of two.
    Verdict {
        /// The judge's mean probability that the first is better less that of the second.
        lean: f64,
        /// The outcome with more votes than each other; a tie where none has.
        label: Option<Side>,
    },
}

impl Said {
    /// Whether people said anything.
    pub fn is_labelled(&self) -> bool {
        match self {
            Said::Score { label, .. } => label.is_some(),
            Said::Verdict { label, .. } => label.is_some(),
        }
    }

    /// The judge's score and people's.
    pub(super) fn scores(&self) -> Option<[f64; 2]> {
        match self {
            Said::Score { judge, label } => Some([*judge, (*label)?]),
            Said::Verdict { .. } => None,
        }
    }

    /// The judge's lean, and people's verdict: 0 (the first), 1 (a tie) or 2 (the second).
    pub(super) fn verdict(&self) -> Option<(f64, usize)> {
        match self {
            Said::Verdict { lean, label } => {
                let sides = [Side::First, Side::Tie, Side::Second];
                let label = (*label)?;
                Some((*lean, sides.iter().position(|side| *side == label)?))
            }
            Said::Score { .. } => None,
        }
    }
}

/// Returns the judgments of recordings that hold labels of their own. Scores of the two responses
/// of a pair count by their difference d as d / (1 + |d|).
pub fn cases_of_pairs(judged: &JudgedPairs) -> LabelledCases {
    let mut cases = LabelledCases::default();
    for pair in &judged.pairs {
        let has_verdict = pair.games.iter().flatten().any(|game| game.outcome.is_ok());
        if !has_verdict {
            cases.failures += 1;
            continue;
        }
        let name = |at: u32| judged.systems.get(at as usize).cloned().unwrap_or_default();
        cases.all.push(SaidCase {
            item: pair.name.clone(),
            systems: pair
                .systems
                .map_or(Vec::new(), |pair| pair.map(name).to_vec()),
            cluster: pair.cluster,
            said: Said::Verdict {
                lean: match margin_of(pair) {
                    Some(margin) => margin / (1.0 + margin.abs()),
                    None => lean_of(pair),
                },
                label: Some(pair.label),
            },
        });
    }
    cases
}

/// Reads a judge's files of judgments, scores or battles, and people's labels beside them, matched
/// by the names of items and systems.
///
/// # Errors
/// Files that cannot be read; verdicts and labels of different sorts; no judgment with a label.
pub fn cases_of_files(
    recorded: &[PathBuf],
    labels: &[PathBuf],
    reading: &Options,
) -> Result<LabelledCases, EngineError> {
    let reading = Options {
        battles: true,
        ..reading.clone()
    };
    let judged = read_all(&files_given_once(recorded)?, &reading)?;
    let people = read_all(&label_files(labels)?, &reading)?;
    if judged.are_scores != people.are_scores {
        let sort = |scores: bool| if scores { "scores" } else { "comparisons" };
        return Err(refuse(format!(
            "the judge gave {} and people {}; both must be of the same kind",
            sort(judged.are_scores),
            sort(people.are_scores)
        )));
    }
    let cases = match judged.are_scores {
        true => cases_of_scores(&judged, &people),
        false => cases_of_comparisons(&judged, &people),
    };
    if !cases.iter().any(|case| case.said.is_labelled()) {
        let labels = people.scores.len() + people.comparisons.len();
        return Err(refuse(format!(
            "none of {} judgments with a verdict has one of the {labels} labels; expected the same \
             names of items and systems in both",
            cases.len()
        )));
    }
    Ok(LabelledCases {
        all: cases,
        are_scores: judged.are_scores,
        failures: judged.failures.values().sum(),
    })
}

fn refuse(why: String) -> EngineError {
    Refusal::of_input(format!("{}: {why}", Setting::Labels)).into()
}

fn read_all(files: &[PathBuf], reading: &Options) -> Result<RecordedJudgments, EngineError> {
    let mut reader = JudgmentReader::new(reading);
    for file in files {
        reader.add_file(open_buffered(file)?, &file.display().to_string())?;
    }
    Ok(reader.finish()?)
}

fn cases_of_scores(judged: &RecordedJudgments, people: &RecordedJudgments) -> Vec<SaidCase> {
    let places = Places::new(judged, people);
    let mut labels: BTreeMap<(u32, u16), Vec<f64>> = BTreeMap::new();
    for row in &people.scores {
        if let Some(key) = places.item(row.item).zip(places.system(row.system)) {
            labels.entry(key).or_default().push(row.score);
        }
    }
    let mut said: BTreeMap<(u32, u16), Vec<f64>> = BTreeMap::new();
    for row in &judged.scores {
        said.entry((row.item, row.system))
            .or_default()
            .push(row.score);
    }
    let clusters = places.questions(judged, people);
    let cases = said.iter().filter_map(|(key, scores)| {
        let (item, system) = *key;
        Some(SaidCase {
            item: judged.items[item as usize].clone(),
            systems: vec![judged.systems[usize::from(system)].clone()],
            cluster: clusters.of(item),
            said: Said::Score {
                judge: mean_value(scores)?,
                label: labels.get(key).and_then(|labels| mean_value(labels)),
            },
        })
    });
    cases.collect()
}

fn cases_of_comparisons(judged: &RecordedJudgments, people: &RecordedJudgments) -> Vec<SaidCase> {
    let places = Places::new(judged, people);
    let mut labels: BTreeMap<(u32, u16, u16), [f64; 3]> = BTreeMap::new();
    for row in &people.comparisons {
        let systems = places.system(row.a).zip(places.system(row.b));
        if let Some((item, (a, b))) = places.item(row.item).zip(systems) {
            let (pair, votes) = in_order(a, b, row);
            let counts = labels.entry((item, pair[0], pair[1])).or_default();
            counts
                .iter_mut()
                .zip(votes)
                .for_each(|(count, vote)| *count += vote);
        }
    }
    let mut said: BTreeMap<(u32, u16, u16), Vec<f64>> = BTreeMap::new();
    for row in &judged.comparisons {
        let (pair, [first, _, second]) = in_order(row.a, row.b, row);
        let leans = said.entry((row.item, pair[0], pair[1])).or_default();
        leans.push(first - second);
    }
    let clusters = places.questions(judged, people);
    let cases = said.iter().filter_map(|(key, leans)| {
        let (item, a, b) = *key;
        Some(SaidCase {
            item: judged.items[item as usize].clone(),
            systems: [a, b]
                .map(|one| judged.systems[usize::from(one)].clone())
                .to_vec(),
            cluster: clusters.of(item),
            said: Said::Verdict {
                lean: mean_value(leans)?,
                label: labels.get(key).map(|votes| Side::plurality(*votes)),
            },
        })
    });
    cases.collect()
}

/// Two systems with the lower number first, and what was said of them in that order.
fn in_order(a: u16, b: u16, row: &RecordedComparison) -> ([u16; 2], [f64; 3]) {
    let ties = row.ties + row.both_bad;
    match a <= b {
        true => ([a, b], [row.wins_a, ties, row.wins_b]),
        false => ([b, a], [row.wins_b, ties, row.wins_a]),
    }
}

/// Where the items and systems of people's files stand among the judge's.
struct Places {
    items: Vec<Option<u32>>,
    systems: Vec<Option<u16>>,
}

impl Places {
    fn new(judged: &RecordedJudgments, people: &RecordedJudgments) -> Places {
        let items: HashMap<&str, u32> = judged.items.iter().map(String::as_str).zip(0..).collect();
        let systems: HashMap<&str, u16> =
            judged.systems.iter().map(String::as_str).zip(0..).collect();
        // A question without a turn is its first turn.
        let place = |name: &String| {
            let known = items.get(name.as_str()).copied();
            known.or_else(|| items.get(other_turn_name(name).as_str()).copied())
        };
        Places {
            items: people.items.iter().map(place).collect(),
            systems: (people.systems.iter())
                .map(|name| systems.get(name.as_str()).copied())
                .collect(),
        }
    }

    /// Which of the judge's items ask one question, as either file says.
    fn questions(&self, judged: &RecordedJudgments, people: &RecordedJudgments) -> Clusters {
        let (own, labelled) = (judged.clusters(), people.clusters());
        let placed = (0..).zip(&self.items);
        let placed = placed.filter_map(|(item, place)| Some(((*place)?, labelled.of(item))));
        let of_people: HashMap<u32, u32> = placed.collect();
        let both = (0..).zip(own.numbers()).map(|(item, number): (u32, _)| {
            // An item that people did not label shares a question with none that they did.
            let alone = labelled.count().saturating_add(item);
            [*number, of_people.get(&item).copied().unwrap_or(alone)]
        });
        Clusters::of_both(both)
    }

    fn item(&self, item: u32) -> Option<u32> {
        self.items[item as usize]
    }

    fn system(&self, system: u16) -> Option<u16> {
        self.systems[usize::from(system)]
    }
}
