//! What pilot runs say: by how much each pair of systems differs, judgment by judgment.

use super::super::kept_run::describe_unread;
use crate::Failed;
use evenhand_core::{Clusters, Stage, Verdict, did_you_mean, quote, split_list, whole_pairs};
use evenhand_pages::{OpenRun, RunIndex};
use evenhand_ranking::DifferenceUnit;
use evenhand_stats::{LeadKind, PairLead, PairOutcome};
use std::collections::{BTreeMap, BTreeSet};

/// The share of judgments in which each member of a panel has a verdict; of fewer, such as where a
/// judge is asked only of what another is not sure of, the panel counts as one judge.
const OF_EACH_MEMBER: f64 = 0.9;

/// The outcomes of runs, each by a judge, or by the members of a panel.
#[derive(Default)]
pub(super) struct Outcomes {
    pub(super) rows: Vec<PairOutcome>,
    /// Whether they are differences of scores.
    are_scores: bool,
    are_pairs: bool,
    /// The lowest and the highest score; None of comparisons.
    pub(super) scores: Option<[f64; 2]>,
    /// Verdicts by single judges: those of members count apart.
    pub(super) judged: u64,
    systems: Numbers,
    items: Numbers,
    judges: u32,
    /// The numbers among all runs of the systems and items of the run that is read.
    system_of: Vec<u32>,
    item_of: Vec<u32>,
    /// The first item that asks the question of each item, by their numbers among all runs.
    question_of: BTreeMap<u32, u32>,
}

/// Numbers of names, in the order in which they come.
#[derive(Default)]
struct Numbers(BTreeMap<String, u32>);

impl Numbers {
    fn of(&mut self, name: &str) -> u32 {
        if let Some(number) = self.0.get(name) {
            return *number;
        }
        let next = self.0.len() as u32;
        self.0.insert(name.into(), next);
        next
    }
}

impl Outcomes {
    /// Reads runs, each a judge's or a panel's, of all pairs of systems or of one. What the members
    /// of a panel said counts apart.
    pub(super) fn read(runs: &[OpenRun], pair: Option<&str>) -> Result<Outcomes, Failed> {
        let mut found = Outcomes::default();
        for run in runs {
            let only = pair.map(|pair| find_pair(run.index(), pair)).transpose()?;
            found.add_run(run, only, read_members(run)?)?;
        }
        if found.are_scores && found.are_pairs {
            return Err(Failed::usage(
                "some runs hold comparisons and others scores, which have no common unit; give \
                 runs of one kind",
            ));
        }
        Ok(found)
    }

    /// Reads a run whose panel, if it has one, is one judge.
    pub(super) fn of_whole(run: &OpenRun) -> Result<Outcomes, Failed> {
        let mut found = Outcomes::default();
        found.add_run(run, None, None)?;
        Ok(found)
    }

    fn add_run(
        &mut self,
        run: &OpenRun,
        only: Option<[u32; 2]>,
        members: Option<Members>,
    ) -> Result<(), Failed> {
        let (index, before) = (run.index(), self.rows.len());
        self.system_of = index
            .systems()
            .iter()
            .map(|name| self.systems.of(name))
            .collect();
        self.item_of = index
            .items()
            .iter()
            .map(|name| self.items.of(name))
            .collect();
        // Which items ask one question. A run from before the texts were kept has none, and each of
        // its items is taken to ask one of its own.
        let items = run.reader().items().map_err(describe_unread)?;
        let clusters = Clusters::of_items(&items);
        let mut firsts: Vec<u32> = Vec::with_capacity(clusters.count() as usize);
        for (item, question) in items.iter().zip(clusters.numbers()) {
            let number = self.items.of(&item.id);
            if *question as usize == firsts.len() {
                firsts.push(number);
            }
            let first = firsts[*question as usize];
            self.question_of.entry(number).or_insert(first);
        }
        let halves = half_pairs(index, members.as_ref());
        for row in 0..index.row_count() as u32 {
            self.add_row(index, row, only, members.as_ref(), &halves);
        }
        // A run without a verdict on a pair has scores.
        if self.rows.len() == before {
            self.add_scores(index, only);
        } else {
            self.are_pairs = true;
        }
        let judges = members.map_or(1, |members| members.count);
        self.judges += judges;
        // A call that failed leaves no judgment to pay for.
        let compared = (0..index.judgments() as u32).filter(|one| index.chances_of(*one).is_some());
        let scored = (0..index.row_count() as u32).filter(|row| index.facts(*row).score.is_some());
        self.judged += (compared.count() + scored.count()) as u64 * u64::from(judges);
        Ok(())
    }

    fn question_of(&self, item: u32) -> u32 {
        self.question_of.get(&item).copied().unwrap_or(item)
    }

    /// Returns the outcomes of questions: of each repeat, the mean over the items that ask one.
    /// Those are what is independent, as `compare` counts them.
    pub(super) fn of_questions(&self) -> Vec<PairOutcome> {
        if self.count_items() == self.count_questions() {
            return self.rows.clone();
        }
        let mut repeats: BTreeMap<(u32, u32, u32, bool), u32> = BTreeMap::new();
        // By pair, question, judge, order and repeat: the sum of the leads, and how many there are.
        type Place = (u32, u32, u32, bool, u32);
        let mut sums: BTreeMap<Place, [f64; 2]> = BTreeMap::new();
        for row in &self.rows {
            let repeat = repeats.entry((row.pair, row.item, row.judge, row.swapped));
            let repeat = repeat.or_default();
            let question = self.question_of(row.item);
            let place = (row.pair, question, row.judge, row.swapped, *repeat);
            let [sum, count] = sums.entry(place).or_default();
            (*sum, *count) = (*sum + row.lead, *count + 1.0);
            *repeat += 1;
        }
        let outcomes = sums.into_iter().map(|(place, [sum, count])| PairOutcome {
            pair: place.0,
            item: place.1,
            judge: place.2,
            swapped: place.3,
            lead: sum / count,
        });
        outcomes.collect()
    }

    /// Counts the items that say something of a pair.
    pub(super) fn count_items(&self) -> usize {
        self.count(|row| row.item)
    }

    /// Counts the questions that these ask.
    pub(super) fn count_questions(&self) -> usize {
        self.count(|row| self.question_of(row.item))
    }

    /// Adds the verdicts on a pair, in either order, but for those of `halves`.
    fn add_row(
        &mut self,
        index: &RunIndex,
        row: u32,
        only: Option<[u32; 2]>,
        members: Option<&Members>,
        halves: &BTreeSet<(u32, bool)>,
    ) {
        let facts = index.facts(row);
        let Some(b) = facts.b else { return };
        if only.is_some_and(|pair| pair != [facts.a, b]) {
            return;
        }
        let cells = index.judgments_of(row).into_iter().zip([false, true]);
        for (judgment, swapped) in cells {
            let Some(judgment) = judgment else { continue };
            if halves.contains(&(row, swapped)) {
                continue;
            }
            for (judge, lead) in verdicts_of(index, judgment, members) {
                let lead = if swapped { -lead } else { lead };
                self.push([facts.a, b], facts.item, judge, swapped, lead);
            }
        }
    }

    /// Adds what a judge says on a pair, all by their numbers in the run that is read; `lead` is by
    /// how much the first system won.
    fn push(&mut self, systems: [u32; 2], item: u32, judge: u32, swapped: bool, lead: f64) {
        let [a, b] = systems.map(|system| self.system_of[system as usize]);
        // Of several runs, one may name the systems in the other order.
        let turned = a > b;
        self.rows.push(PairOutcome {
            pair: a.min(b) << 16 | (a.max(b) & 0xffff),
            item: self.item_of[item as usize],
            judge: self.judges + judge,
            // Scores have no order.
            swapped: !self.are_scores && swapped != turned,
            lead: if turned { -lead } else { lead },
        });
    }

    /// Adds the differences of scores of each pair of systems, repeat by repeat.
    fn add_scores(&mut self, index: &RunIndex, only: Option<[u32; 2]>) {
        for ((item, _), scores) in scores_by_item(index) {
            for (at, (a, one)) in scores.iter().enumerate() {
                let [low, high] = self.scores.unwrap_or([*one, *one]);
                self.scores = Some([low.min(*one), high.max(*one)]);
                for (b, other) in &scores[at + 1..] {
                    if only.is_some_and(|pair| pair != [*a, *b]) {
                        continue;
                    }
                    self.are_scores = true;
                    self.push([*a, *b], item, 0, false, one - other);
                }
            }
        }
    }

    pub(super) fn unit(&self) -> DifferenceUnit {
        match self.are_scores {
            true => DifferenceUnit::Score,
            false => DifferenceUnit::WinRate,
        }
    }

    /// Returns each verdict by its pair and item alone.
    pub(super) fn leads(&self) -> impl Iterator<Item = PairLead> {
        self.rows.iter().map(|row| PairLead {
            pair: row.pair,
            item: row.item,
            question: self.question_of(row.item),
            lead: row.lead,
        })
    }

    /// Returns what a judgment says: of questions of several items, the mean of theirs.
    pub(super) fn lead_kind(&self) -> LeadKind {
        let mut sizes = self.rows.iter().map(|row| row.lead.abs());
        let are_whole = sizes.all(|size| size == 0.0 || size == 1.0);
        let are_tied = self.rows.iter().any(|row| row.lead == 0.0);
        match (are_whole, are_tied) {
            _ if self.are_scores || self.count_questions() < self.count_items() => LeadKind::Graded,
            (false, _) => LeadKind::Graded,
            (true, true) => LeadKind::WonTiedOrLost,
            (true, false) => LeadKind::WonOrLost,
        }
    }

    /// Counts pairs of systems.
    pub(super) fn count_pairs(&self) -> usize {
        self.count(|row| row.pair)
    }

    /// Counts the different numbers that rows have.
    fn count(&self, of: impl Fn(&PairOutcome) -> u32) -> usize {
        self.rows.iter().map(of).collect::<BTreeSet<u32>>().len()
    }

    /// Counts the systems of these pairs.
    pub(super) fn count_systems(&self) -> usize {
        let pairs = self.rows.iter().map(|row| row.pair);
        let systems = pairs.flat_map(|pair| [pair >> 16, pair & 0xffff]);
        systems.collect::<BTreeSet<u32>>().len()
    }

    /// Whether any item was judged in both orders.
    pub(super) fn has_both_orders(&self) -> bool {
        let mut orders: BTreeMap<(u32, u32), [bool; 2]> = BTreeMap::new();
        for row in &self.rows {
            orders.entry((row.pair, row.item)).or_default()[usize::from(row.swapped)] = true;
        }
        orders
            .values()
            .any(|orders| orders.iter().all(|seen| *seen))
    }
}

/// The verdicts, by row and order, of pairs whose judgment in the other order failed: half a pair
/// says nothing of systems ([`whole_pairs`]).
fn half_pairs(index: &RunIndex, members: Option<&Members>) -> BTreeSet<(u32, bool)> {
    let (mut cells, mut shown, mut failed) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..index.row_count() as u32 {
        let facts = index.facts(row);
        let Some(b) = facts.b else { continue };
        let orders = [(false, [facts.a, b]), (true, [b, facts.a])];
        for (judgment, (swapped, systems)) in index.judgments_of(row).into_iter().zip(orders) {
            let Some(judgment) = judgment else { continue };
            if verdicts_of(index, judgment, members).is_empty() {
                failed.push((facts.item, systems));
            } else {
                cells.push((row, swapped));
                shown.push((facts.item, systems));
            }
        }
    }
    let counts = whole_pairs(shown.into_iter(), failed.into_iter()).unwrap_or_default();
    let halves = cells.into_iter().zip(counts).filter(|(_, counts)| !counts);
    halves.map(|(cell, _)| cell).collect()
}

/// The scores of each item and repeat, by system.
fn scores_by_item(index: &RunIndex) -> BTreeMap<(u32, u32), Vec<(u32, f64)>> {
    let mut repeats: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut found: BTreeMap<(u32, u32), Vec<(u32, f64)>> = BTreeMap::new();
    for row in 0..index.row_count() as u32 {
        let facts = index.facts(row);
        let repeat = repeats.entry((facts.item, facts.a)).or_default();
        if let Some(score) = facts.score {
            found
                .entry((facts.item, *repeat))
                .or_default()
                .push((facts.a, score));
        }
        *repeat += 1;
    }
    found
        .values_mut()
        .for_each(|scores| scores.sort_by_key(|(system, _)| *system));
    found
}

/// The judges of a judgment, by numbers, and by how much its first slot won by each.
fn verdicts_of(index: &RunIndex, judgment: u32, members: Option<&Members>) -> Vec<(u32, f64)> {
    if let Some(members) = members {
        let trial = index.trial_of(judgment);
        return members.leads.get(&trial).cloned().unwrap_or_default();
    }
    // A judge that is no panel has the number 0.
    match index.chances_of(judgment) {
        Some([first, _, second]) => vec![(0, first - second)],
        None => Vec::new(),
    }
}

/// What the members of a panel said.
struct Members {
    count: u32,
    /// Of each trial: a member, and by how much the first slot won by it.
    leads: BTreeMap<u64, Vec<(u32, f64)>>,
}

/// Reads what the members of a panel said; None where there is no panel, or its members were not
/// all asked.
fn read_members(run: &OpenRun) -> Result<Option<Members>, Failed> {
    let reader = run.reader();
    if reader.judges().map_err(describe_unread)?.len() < 2 {
        return Ok(None);
    }
    let index = run.index();
    let mut leads: BTreeMap<u64, Vec<(u32, f64)>> = BTreeMap::new();
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for judgment in 0..index.judgments() as u32 {
        let trial = index.trial_of(judgment);
        let looks = reader.looks(trial).map_err(describe_unread)?;
        let mut of_members = Vec::new();
        for look in looks.iter().filter(|look| look.stage == Stage::Member) {
            let verdict = look.outcome.as_ref().ok();
            if let Some([first, _, second]) = verdict.and_then(Verdict::preference) {
                of_members.push((look.judge, first - second));
                *counts.entry(look.judge).or_default() += 1;
            }
        }
        leads.insert(trial, of_members);
    }
    let enough = OF_EACH_MEMBER * (index.judgments() - index.failures()) as f64;
    let are_all_asked = counts.values().all(|count| *count as f64 >= enough);
    let count = counts.len() as u32;
    Ok((count > 1 && are_all_asked).then_some(Members { count, leads }))
}

/// The numbers of two systems.
fn find_pair(index: &RunIndex, pair: &str) -> Result<[u32; 2], Failed> {
    let systems = index.systems();
    let given = split_list(pair);
    let numbers: Vec<u32> = given.iter().filter_map(|name| systems.find(name)).collect();
    match numbers[..] {
        [a, b] if a != b => Ok([a.min(b), a.max(b)]),
        _ => {
            let unknown = given.iter().find(|name| systems.find(name).is_none());
            let meant = unknown.map(|name| did_you_mean(name, systems.iter()));
            Err(Failed::usage(format!(
                "--pair {pair}: expected two systems of the run, as A,B: {}{}",
                systems.iter().map(quote).collect::<Vec<_>>().join(", "),
                meant.unwrap_or_default()
            )))
        }
    }
}
