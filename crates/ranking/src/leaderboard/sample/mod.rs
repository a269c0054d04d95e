//! Recorded judgments as a sample of items: ranked on the items that there are, and again on
//! every resample of them.

mod lengths;
mod resample;
#[cfg(test)]
mod tests;
mod votes;

pub use votes::Votes;

use super::files::{FileSort, sort_of_files};
use super::gather;
use super::gathered::{FileSummary, KeptSystems};
use super::options::{LeaderboardOptions, check_settings};
use super::recorded::{gather_recorded, read_judgments, summarise_recorded};
use crate::score::Evidence;
use crate::{Aggregation, Warning};
use evenhand_engine::{Coverage, EngineError};
use evenhand_stats::{Cluster, Comparisons, ItemScores};
use lengths::Lengths;
use std::collections::{BTreeSet, HashMap};

/// Judgments that can be ranked on any resample of their items.
#[derive(Debug)]
pub struct Sample {
    /// Names of the systems, by number.
    pub systems: Vec<String>,
    /// Names of the items that have a verdict; empty where the files name none (battles, counts).
    pub items: Vec<String>,
    /// Whether items are resampled, and not single comparisons.
    pub by_item: bool,
    /// Judgments, and those that have a verdict.
    pub coverage: Coverage,
    /// Warnings about the files.
    pub warnings: Vec<Warning>,
    /// Position in `items` by the number of an item in the data.
    places: HashMap<u32, usize>,
    data: Data,
}

/// The judgments that a sample holds.
#[derive(Clone, Copy, Debug)]
pub enum SampleData<'a> {
    /// Of pairs, under their items.
    Comparisons(&'a Comparisons),
    /// Of single responses.
    Scores(&'a ItemScores),
}

#[derive(Debug)]
enum Data {
    Evidence(Evidence, Cluster),
    Lengths(Lengths),
}

/// How equal scores of two responses to an item count, where scores are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EqualScores {
    /// A tie.
    #[default]
    Tie,
    /// No comparison.
    Nothing,
}

/// How a sample is ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SampleRanking {
    /// None: the mean for scores, else Bradley-Terry; of no effect with length control.
    pub aggregation: Option<Aggregation>,
    /// The weight of a ridge prior on Bradley-Terry strengths.
    pub prior: Option<f64>,
    /// How equal scores count where scores are compared.
    pub equal: EqualScores,
}

impl Sample {
    /// Reads the files of `options`; of `options.rank` only the aggregation and the prior matter,
    /// which may be given anew in [`Sample::rank`]. `votes` says how several verdicts on the same
    /// pair and item count.
    ///
    /// # Errors
    /// As [`crate::leaderboard`]; Elo ratings, which are of an order and not of a sample.
    pub fn read(options: &LeaderboardOptions, votes: Votes) -> Result<Sample, EngineError> {
        let options = &options.with_files()?;
        let sort = sort_of_files(options)?;
        check_settings(options, sort)?;
        if options.length_control {
            let (lengths, recorded) = Lengths::read(options, sort)?;
            let numbers: BTreeSet<u32> = recorded.comparisons.iter().map(|row| row.item).collect();
            let name = |item: &u32| recorded.items[*item as usize].clone();
            let files = summarise_recorded(&recorded, &KeptSystems::all(&recorded.systems));
            return Ok(Sample {
                items: numbers.iter().map(name).collect(),
                places: numbers.into_iter().zip(0..).collect(),
                ..Sample::of_files(files, Data::Lengths(lengths))
            });
        }
        if sort != FileSort::Recorded {
            // Battles and counts may have clusters, but not by names that other samples would
            // share.
            let found = gather(options, sort)?;
            let by_item = found.files.by_item;
            let data = Data::Evidence(found.evidence, found.cluster);
            return Ok(Sample {
                by_item,
                ..Sample::of_files(found.files, data)
            });
        }

        let recorded = votes.apply(read_judgments(&options.paths, options)?);
        let found = gather_recorded(&recorded, options)?;
        let clusters = recorded.clusters();
        // The questions with a verdict, and where each stands by its number in the evidence. Scores
        // number their items anew, in ascending order.
        let numbers: BTreeSet<u32>;
        let places: HashMap<u32, usize>;
        if let Evidence::Comparisons(data) = &found.evidence {
            numbers = data.rows().iter().map(|row| row.item).collect();
            places = numbers.iter().copied().zip(0..).collect();
        } else {
            let kept = &found.files.names;
            let is_kept = |system: u16| kept.contains(&recorded.systems[usize::from(system)]);
            let scores = recorded.scores.iter().filter(|row| is_kept(row.system));
            numbers = scores.map(|row| clusters.of(row.item)).collect();
            places = (0..numbers.len() as u32).zip(0..).collect();
        }
        // A question has the name that its first item has for it, or that item's own.
        let mut names: Vec<&str> = Vec::with_capacity(clusters.count() as usize);
        let items = recorded.items.iter().zip(&recorded.questions);
        for ((item, question), number) in items.zip(clusters.numbers()) {
            if *number as usize == names.len() {
                names.push(question.as_deref().unwrap_or(item));
            }
        }
        let named = numbers.iter().map(|number| names[*number as usize].into());
        Ok(Sample {
            items: named.collect(),
            places,
            ..Sample::of_files(found.files, Data::Evidence(found.evidence, found.cluster))
        })
    }

    /// Items are not named, and resampled.
    fn of_files(files: FileSummary, data: Data) -> Sample {
        Sample {
            systems: files.names,
            items: Vec::new(),
            by_item: true,
            coverage: files.coverage,
            warnings: files.warnings,
            places: HashMap::new(),
            data,
        }
    }

    /// Returns the judgments themselves; None where they are counts without items, or
    /// length-controlled.
    pub fn data(&self) -> Option<SampleData<'_>> {
        match &self.data {
            Data::Evidence(Evidence::Comparisons(pairs), _) => Some(SampleData::Comparisons(pairs)),
            Data::Evidence(Evidence::Scores(scores), _) => Some(SampleData::Scores(scores)),
            _ => None,
        }
    }

    /// Whether the files hold scores of single responses.
    pub fn has_scores(&self) -> bool {
        matches!(self.data, Data::Evidence(Evidence::Scores(_), _))
    }
}
