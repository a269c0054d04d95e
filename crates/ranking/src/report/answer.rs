//! The answer of a ranking in one sentence: who leads, who cannot be separated from the leader, and
//! who is worse.
//!
//! It decides nothing by itself: two systems are apart where the ranking's own test says so.

use super::data::{Cluster, Intervals, MissingItems, RankingRow, Report};
use crate::score::Scored;
use crate::{Aggregation, Duel, Warning, WarningKind};
use evenhand_core::{ItemShares, name_in_words, p_value_or_bound_text};
use evenhand_engine::{AdaptiveReport, CertainFor, CertifiedPair};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// Names that a sentence lists; of more it says how many.
const NAMES: usize = 3;

/// The answer of a ranking.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Answer {
    /// It in one sentence, without a full stop.
    pub text: String,
    /// What sort of answer it is.
    pub kind: AnswerKind,
    /// The systems at the top that no other is better than and apart from, in rank order, down to
    /// the first that some other is better than; none where the ranking does not say who is apart.
    pub leaders: Vec<String>,
    /// The systems that are apart from every leader, and worse.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub worse: Vec<String>,
    /// The systems that are worse than some leader, and not apart from another.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub between: Vec<String>,
    /// The systems that no other is better than and apart from, and that still rank below one that
    /// is beaten: too little is known of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unplaced: Vec<String>,
    /// The largest p-value of a leader against one that is worse, adjusted for all pairs; None
    /// where nobody is worse, there is no test, or an adaptive design chose what was judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// The p-value as the sentence has it.
    #[serde(skip)]
    p_text: Option<String>,
    /// Of two systems: how often the first in rank order is preferred. None where comparisons have
    /// unlike weights, which this share does not know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferred: Option<Preferred>,
    /// The kinds of warnings that it says already: no reader needs them again.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub says: BTreeSet<&'static str>,
}

/// What sort of answer a ranking has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerKind {
    /// No system has a score.
    #[default]
    Nothing,
    /// The judge keeps its verdict no more often than a coin: the order is not supported.
    JudgeDecidesNothing,
    /// There is one system.
    Alone,
    /// There is an order, and no test of who is apart.
    NotTested,
    /// One system leads.
    Leader,
    /// Several lead, and cannot be separated.
    SharedLead,
    /// No system can be separated from another.
    AllOpen,
}

/// How often one of two systems is preferred.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Preferred {
    /// The one.
    pub system: String,
    /// The other.
    pub over: String,
    /// The share of comparisons won, ties half.
    pub share: f64,
    /// Its interval, by the inversion of an exact test over items.
    pub ci: Option<[f64; 2]>,
    /// On so many items, questions or comparisons.
    pub n: usize,
    /// Whether these are won by one of the two alone, are ties, or are shared.
    #[serde(skip)]
    pub item_shares: ItemShares,
}

/// How two systems stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Better,
    Worse,
    Open,
    /// They were not compared.
    Unknown,
}

/// Who leads, as places in rank order.
#[derive(Debug, Default)]
struct Lead {
    leaders: Vec<usize>,
    worse: Vec<usize>,
    between: Vec<usize>,
    /// The leaders that each of `between` is worse than; empty where they are not the same for all.
    above_between: Vec<usize>,
    /// Not apart from any leader, though worse than somebody.
    beside: Vec<usize>,
    /// Worse than nobody, and below some who are: a newcomer with few judgments, say.
    unplaced: Vec<usize>,
    /// Compared with nobody, or with too few for a word on them.
    unknown: Vec<usize>,
    /// Whether some two of the leaders were not compared.
    is_untested: bool,
}

impl Lead {
    /// Sorts so many systems by how each two stand to each other.
    fn of(systems: usize, standing: impl Fn(usize, usize) -> Standing) -> Lead {
        let is_known = |one: &usize| {
            (0..systems).any(|other| other != *one && standing(*one, other) != Standing::Unknown)
        };
        let (known, unknown): (Vec<usize>, Vec<usize>) = (0..systems).partition(is_known);
        let is_beaten = |one: usize| {
            known
                .iter()
                .any(|other| *other != one && standing(one, *other) == Standing::Worse)
        };
        let (beaten, unbeaten): (Vec<usize>, Vec<usize>) =
            known.iter().partition(|one| is_beaten(**one));
        let is_above = |one: &usize| beaten.first().is_none_or(|first| one < first);
        let (leaders, unplaced): (Vec<usize>, Vec<usize>) =
            unbeaten.into_iter().partition(is_above);
        let untested = |one: &usize, other: &usize| {
            one != other && standing(*one, *other) == Standing::Unknown
        };
        let mut lead = Lead {
            is_untested: leaders
                .iter()
                .any(|one| leaders.iter().any(|other| untested(one, other))),
            leaders,
            unplaced,
            unknown,
            ..Lead::default()
        };
        for one in beaten {
            let worse_than = lead.leaders.iter();
            let worse_than = worse_than.filter(|best| standing(one, **best) == Standing::Worse);
            let worse_than: Vec<usize> = worse_than.copied().collect();
            match worse_than.len() {
                0 if lead.leaders.iter().any(|best| untested(best, &one)) => {
                    lead.unknown.push(one);
                }
                0 => lead.beside.push(one),
                all if all == lead.leaders.len() => lead.worse.push(one),
                _ => {
                    if lead.between.is_empty() {
                        lead.above_between = worse_than;
                    } else if lead.above_between != worse_than {
                        lead.above_between.clear();
                    }
                    lead.between.push(one);
                }
            }
        }
        lead
    }
}

impl Answer {
    /// Returns the answer of a ranking whose rows and warnings are made.
    // Long: a case holds only where none before it does, so that their order is the rule.
    pub(super) fn of(report: &Report, scored: &Scored) -> Answer {
        let (rows, duel) = (&report.ranking, report.two.as_ref());
        if rows
            .iter()
            .all(|row| row.score.is_none() && row.rank.is_none() && row.n == 0)
        {
            return Answer::nothing(report);
        }
        let says = |kind: WarningKind| BTreeSet::from([kind.name()]);
        let is_coin = report
            .warnings
            .iter()
            .any(|one| one.kind == WarningKind::Position);
        // Where the mean of both orders tells systems apart all the same, that is the answer, and
        // the warning stays beside it.
        let tells_apart = scored
            .joint
            .as_ref()
            .is_some_and(|joint| !joint.apart.is_empty());
        let share = report.consistency.as_ref();
        if let Some(share) = share.filter(|_| is_coin && !tells_apart) {
            return Answer {
                text: format!(
                    "The judge decides nothing: when the two responses change places it keeps its \
                     verdict on {:.0} % of pairs, and a coin would on 50 %; it does not support \
                     the order below",
                    100.0 * share.value
                ),
                kind: AnswerKind::JudgeDecidesNothing,
                says: says(WarningKind::Position),
                ..Answer::default()
            };
        }
        if let [row] = &rows[..] {
            return Answer {
                text: format!(
                    "{} is the only system: there is nothing to compare",
                    name_in_words(&row.system)
                ),
                kind: AnswerKind::Alone,
                ..Answer::default()
            };
        }
        let Some(joint) = &scored.joint else {
            return Answer::not_tested(report, scored);
        };
        let order = scored.rank_order();
        let apart: BTreeSet<(usize, usize)> = joint.apart.iter().copied().collect();
        let standing = |one: usize, other: usize| {
            let (one, other) = (order[one], order[other]);
            if apart.contains(&(one, other)) {
                Standing::Better
            } else if apart.contains(&(other, one)) {
                Standing::Worse
            } else if joint.p_adjusted(one, other).is_some() {
                Standing::Open
            } else {
                Standing::Unknown
            }
        };
        let lead = Lead::of(rows.len(), standing);
        if lead.leaders.is_empty() {
            return Answer::not_tested(report, scored);
        }
        let named = |places: &[usize]| -> Vec<String> {
            places
                .iter()
                .map(|place| rows[*place].system.clone())
                .collect()
        };
        let pairs = lead
            .leaders
            .iter()
            .flat_map(|best| lead.worse.iter().map(move |one| (*best, *one)));
        let p = pairs
            .filter_map(|(best, one)| joint.p_adjusted(order[best], order[one]))
            .reduce(f64::max);
        let is_bound = p
            .zip(joint.least)
            .is_some_and(|(p, least)| p <= least * (1.0 + 1e-9));
        let p_text = p.map(|p| format!("p {}", p_value_or_bound_text(p, is_bound)));
        // What the reader of the neighbours' warning would learn beside this sentence.
        let leads = |place: usize| lead.leaders.contains(&place);
        let are_named = lead.leaders.len() <= NAMES || lead.leaders.len() == rows.len();
        let open = (1..rows.len()).filter(|at| standing(at - 1, *at) == Standing::Open);
        let open = Vec::from_iter(open);
        let is_told =
            are_named && !open.is_empty() && open.iter().all(|at| leads(at - 1) && leads(*at));
        let preferred = duel.and_then(|duel| Preferred::of(duel, rows));
        let kind = match (lead.leaders.len(), rows.len()) {
            (1, _) => AnswerKind::Leader,
            (leaders, all) if leaders == all => AnswerKind::AllOpen,
            _ => AnswerKind::SharedLead,
        };
        let text = match (&preferred, rows.len()) {
            (Some(found), 2) if found.agrees(lead.leaders.len() == 1) => {
                found.sentence(report, lead.leaders.len() == 1)
            }
            _ => lead_in_words(&lead, &named, kind, p_text.as_deref()),
        };
        // Where scores of hard items are not there, a mean is higher, and that is no lead.
        let missing = report.missing.as_deref().unwrap_or_default();
        let aggregation = report.aggregation.parse::<Aggregation>();
        let is_of_scores = aggregation.is_ok_and(Aggregation::needs_scores);
        let text = match missing {
            [first, others @ ..] if is_of_scores => {
                let MissingItems { system, items, of } = first;
                let system = name_in_words(system);
                let more = match others.len() {
                    0 => String::new(),
                    more => format!(" ({more} more lack some)"),
                };
                format!(
                    "{text}; {system} has no score on {items} of {of} items{more}, so the means are \
                     not of the same items"
                )
            }
            _ => text,
        };
        let is_like_a_coin = report
            .warnings
            .iter()
            .any(|one| one.kind == WarningKind::Coin);
        let text = match is_like_a_coin {
            true => {
                format!("{text}; these verdicts do not show that the judge is better than a coin")
            }
            false => text,
        };
        Answer {
            text,
            kind,
            leaders: named(&lead.leaders),
            worse: named(&lead.worse),
            between: named(&lead.between),
            unplaced: named(&lead.unplaced),
            p,
            p_text,
            preferred,
            says: match is_told {
                true => says(WarningKind::NotToldApart),
                false => BTreeSet::new(),
            },
        }
    }

    /// Says in place of the p-value, which ignores that verdicts chose what was judged, how much of
    /// who is worse than the leaders is certified.
    pub(super) fn with_certified(mut self, found: &AdaptiveReport) -> Answer {
        self.p = None;
        let p_text = self.p_text.take().map(|p| format!(" ({p})"));
        let pairs = self.leaders.len() * self.worse.len();
        if pairs == 0 {
            return self;
        }
        let is_headline = |pair: &&CertifiedPair| {
            self.leaders.contains(&pair.above) && self.worse.contains(&pair.below)
        };
        let level = (1e4 * found.certainty).round() / 100.0;
        let of = match found.certain_for {
            CertainFor::Items => " on these very items",
            CertainFor::Population => "",
        };
        let certified = match found.certified.iter().filter(is_headline).count() {
            all if all == pairs => format!("certified at {level} %{of}"),
            0 => format!("not certified at {level} %"),
            some => format!("{some} of these {pairs} orders certified at {level} %{of}"),
        };
        self.text = match p_text.filter(|p| self.text.contains(p.as_str())) {
            Some(p) => self.text.replacen(&p, &format!(" ({certified})"), 1),
            None => format!("{}; {certified}", self.text),
        };
        self
    }

    fn nothing(report: &Report) -> Answer {
        let text = match (report.coverage.trials, report.coverage.verdicts) {
            (0, _) => "No system has a score: nothing was judged".into(),
            (trials, 0) => format!("No system has a score: none of {trials} trials has a verdict"),
            _ => "No system has a score".into(),
        };
        Answer {
            text,
            ..Answer::default()
        }
    }

    /// Says who is first where there is no test of who is apart, and why there is none.
    fn not_tested(report: &Report, scored: &Scored) -> Answer {
        let (rows, duel) = (&report.ranking, report.two.as_ref());
        let best = rows.iter().filter_map(|row| row.rank).min();
        let first = rows
            .iter()
            .filter(|row| row.rank.is_some() && row.rank == best);
        let first: Vec<String> = first.map(|row| row.system.clone()).collect();
        let why = if report.components.len() > 1 {
            "no chain of comparisons links all systems"
        } else if report.ci.method == Intervals::None {
            "there are no intervals"
        } else if scored.no_ranks.is_some() {
            "the data allow no test of it"
        } else if report.labels.is_some() && report.aggregation == Aggregation::WinRatio.name() {
            "win ratios with labels have no test of it; Bradley-Terry with labels has one"
        } else {
            "there is no test of it here"
        };
        let who = match &first[..] {
            [] => {
                return Answer {
                    text: format!("Nobody can be ranked first: {why}"),
                    kind: AnswerKind::NotTested,
                    ..Answer::default()
                };
            }
            [one] => format!("{} has the best score", name_in_words(one)),
            several => format!("{} share the best score", list_in_words(several)),
        };
        let preferred = duel.and_then(|duel| Preferred::of(duel, rows));
        let share = preferred.as_ref().map(|found| {
            let share = format!("{:.0} %", 100.0 * found.share);
            format!(" ({})", found.in_words(report, true, &share))
        });
        let share = share.unwrap_or_default();
        Answer {
            text: format!("{who}{share}; whether that is more than noise is not known: {why}"),
            kind: AnswerKind::NotTested,
            preferred,
            ..Answer::default()
        }
    }
}

impl Report {
    /// Returns the warnings that its answer does not say already.
    pub fn unsaid_warnings(&self) -> Vec<Warning> {
        let is_said = |kind: WarningKind| {
            let answer = self.answer.as_ref();
            answer.is_some_and(|answer| answer.says.contains(kind.name()))
        };
        let warnings = self.warnings.iter();
        warnings.filter(|one| !is_said(one.kind)).cloned().collect()
    }
}

impl Preferred {
    /// Returns what a comparison of two systems item by item says of the first in rank order; None
    /// where it is one of scores.
    fn of(duel: &Duel, rows: &[RankingRow]) -> Option<Preferred> {
        let [first, second] = rows else { return None };
        let turned = duel.new != first.system;
        let share = |difference: f64| 0.5 + if turned { -difference } else { difference };
        duel.as_share.then(|| Preferred {
            system: first.system.clone(),
            over: second.system.clone(),
            share: share(duel.change.difference),
            ci: duel.change.interval.map(|ends| {
                let [low, high] = ends.map(share);
                if turned { [high, low] } else { [low, high] }
            }),
            n: duel.items,
            item_shares: duel.item_shares,
        })
    }

    /// Says how often the first is preferred, and of what, by its name or without it.
    fn in_words(&self, report: &Report, is_named: bool, share: &str) -> String {
        let unit = match report.ci.cluster {
            Cluster::None => "comparison",
            Cluster::Item if report.ci.column.is_some() => "cluster",
            Cluster::Item if report.questions < report.items => "question",
            Cluster::Item => "item",
        };
        let plural = if self.n == 1 { "" } else { "s" };
        let n = format!("{} {unit}{plural}", self.n);
        let name = is_named.then(|| name_in_words(&self.system));
        self.item_shares.in_words(name.as_deref(), share, &n)
    }

    /// Returns whether the share says what the ranking does, of who is ahead and of whether that is
    /// more than noise: the two rest on other estimates, and at the brink, or where items weigh
    /// unlike, they may differ.
    fn agrees(&self, is_better: bool) -> bool {
        let [low, high] = self.ci.unwrap_or([self.share; 2]);
        match is_better {
            true => low > 0.5,
            false => self.share >= 0.5 && (self.ci.is_none() || (low <= 0.5 && high >= 0.5)),
        }
    }

    /// Says whether the first is better, as the ranking's test found it.
    fn sentence(&self, report: &Report, is_better: bool) -> String {
        let Preferred {
            system,
            over,
            share,
            ci,
            ..
        } = self;
        let [system, over] = [system, over].map(|name| name_in_words(name));
        let nearest = ci.map_or(*share, |[low, _]| low);
        let decimals = usize::from(is_better && format!("{:.0}", 100.0 * nearest) == "50");
        let range = ci.map(|ends| {
            let [low, high] = ends.map(|end| 100.0 * end);
            format!(" ({low:.decimals$} to {high:.decimals$})")
        });
        // The interval stands beside its number, before what the number is of.
        let share = format!(
            "{:.decimals$} %{}",
            100.0 * share,
            range.unwrap_or_default()
        );
        let figures = self.in_words(report, !is_better, &share);
        match is_better {
            true => format!("{system} is better than {over}: {figures}"),
            false => format!("{system} and {over} cannot be separated: {figures}"),
        }
    }
}

/// Says who leads and who is worse.
// Long, and flat: a clause for each kind of standing, in the order of the sentence.
fn lead_in_words(
    lead: &Lead,
    named: &impl Fn(&[usize]) -> Vec<String>,
    kind: AnswerKind,
    p: Option<&str>,
) -> String {
    let p = p.map(|p| format!(" ({p})")).unwrap_or_default();
    let leaders = named(&lead.leaders);
    let is = |count: usize| if count == 1 { "is" } else { "are" };
    // Those of which nothing can be said may be better.
    let among = match lead.unknown.is_empty() {
        true => "",
        false => "Of those that can be compared, ",
    };
    let mut text = String::from(among);
    text += &match kind {
        AnswerKind::Leader => format!("{} leads", name_in_words(&leaders[0])),
        _ if lead.is_untested => format!(
            "{} lead, and were not all compared with each other",
            list_in_words(&leaders)
        ),
        AnswerKind::AllOpen if leaders.len() > NAMES => {
            format!(
                "None of the {} systems can be separated from another",
                leaders.len()
            )
        }
        AnswerKind::AllOpen => format!("{} cannot be separated", list_in_words(&leaders)),
        _ => format!("{} lead and cannot be separated", list_in_words(&leaders)),
    };
    let all = match leaders.len() {
        1 => "it",
        2 => "both",
        _ => "all of them",
    };
    let worse = named(&lead.worse);
    let rest = lead.between.len() + lead.beside.len() + lead.unplaced.len() + lead.unknown.len();
    text += &match worse.len() {
        0 => String::new(),
        count if count > NAMES && rest == 0 => {
            format!("; the other {count} are worse than {all}{p}")
        }
        count => format!(
            "; {} {} worse than {all}{p}",
            list_in_words(&worse),
            is(count)
        ),
    };
    if !lead.between.is_empty() {
        let between = named(&lead.between);
        let above = match &named(&lead.above_between)[..] {
            [] if leaders.len() == 2 => "one of them".to_owned(),
            [] => "some of them".to_owned(),
            above => list_in_words(above),
        };
        text += &format!(
            "; {} {} worse than {above}",
            list_in_words(&between),
            is(between.len())
        );
    }
    if !lead.beside.is_empty() {
        text += &format!(
            "; {} cannot be separated from {all}",
            list_in_words(&named(&lead.beside))
        );
    }
    if !lead.unplaced.is_empty() {
        text += &format!(
            "; {} cannot be placed and may be as good",
            list_in_words(&named(&lead.unplaced))
        );
    }
    if !lead.unknown.is_empty() {
        text += &format!(
            "; of {} nothing can be said",
            list_in_words(&named(&lead.unknown))
        );
    }
    text
}

/// Lists names, the first few of many.
pub fn list_in_words(names: &[String]) -> String {
    let named = |names: &[String]| -> Vec<String> {
        names.iter().map(|name| name_in_words(name)).collect()
    };
    match names {
        [] => String::new(),
        [one] => name_in_words(one),
        [most @ .., last] if names.len() <= NAMES => {
            format!("{} and {}", named(most).join(", "), name_in_words(last))
        }
        _ => format!(
            "{} and {} others",
            named(&names[..NAMES - 1]).join(", "),
            names.len() + 1 - NAMES
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duels::duel_of_two;
    use crate::score::{Evidence, score};
    use crate::{Aggregation, RankOptions, RankScale};
    use evenhand_stats::{Comparison, Comparisons};
    use proptest::prelude::*;

    /// Ranks systems by who won on each item: -1 and 1 are a win of either, 0 a tie, of each pair
    /// in order.
    fn rank_outcomes(systems: u16, items: &[Vec<i8>]) -> (Report, Scored) {
        let pairs: Vec<(u16, u16)> = (0..systems)
            .flat_map(|a| (a + 1..systems).map(move |b| (a, b)))
            .collect();
        let rows = (0..).zip(items).flat_map(|(item, outcomes)| {
            pairs
                .iter()
                .zip(outcomes)
                .map(move |((a, b), outcome)| Comparison {
                    item,
                    a: *a,
                    b: *b,
                    wins_a: f64::from(u8::from(*outcome > 0)),
                    ties: f64::from(u8::from(*outcome == 0)),
                    wins_b: f64::from(u8::from(*outcome < 0)),
                })
        });
        let rows: Vec<Comparison> = rows.collect();
        let evidence = Evidence::Comparisons(Comparisons::new(systems.into(), rows).unwrap());
        let method = RankOptions::default()
            .method(Aggregation::BradleyTerry)
            .unwrap();
        let names: Vec<String> = (0..systems).map(|system| format!("s{system}")).collect();
        let report = Report {
            two: duel_of_two(&names, &evidence, &method),
            items: items.len() as u64,
            questions: items.len() as u64,
            ci: super::super::data::IntervalMethod::new(
                method.rank.ci,
                &method.rank.bootstrap,
                true,
            ),
            ..Report::default()
        };
        let scored = score(&evidence, &method).unwrap();
        let kept = scored.clone();
        (
            report.with_scores(&names, scored, &method, RankScale::Elo),
            kept,
        )
    }

    fn number(name: &str) -> usize {
        name[1..].parse().unwrap()
    }

    /// What the answer must be, pair by pair, from who is apart alone.
    fn check_against_pairs(report: &Report, scored: &Scored) -> Result<(), TestCaseError> {
        let answer = report.answer.as_ref().unwrap();
        let Some(joint) = &scored.joint else {
            prop_assert_eq!(answer.kind, AnswerKind::NotTested);
            prop_assert!(!answer.text.contains("better") && !answer.text.contains("separated"));
            return Ok(());
        };
        let is_better = |a: usize, b: usize| joint.apart.contains(&(a, b));
        let numbers =
            |names: &[String]| -> Vec<usize> { names.iter().map(|n| number(n)).collect() };
        let [leaders, worse, between, unplaced] = [
            &answer.leaders,
            &answer.worse,
            &answer.between,
            &answer.unplaced,
        ]
        .map(|names| numbers(names));
        // They are the first of the table, and whoever else is beaten by nobody cannot be placed.
        let order = scored.rank_order();
        if !leaders.is_empty() {
            prop_assert_eq!(&leaders[..], &order[..leaders.len()], "{}", &answer.text);
        }
        for &one in &unplaced {
            prop_assert!(!leaders.contains(&one));
            prop_assert!((0..scored.systems.len()).all(|other| !is_better(other, one)));
        }
        for &one in &leaders {
            for other in 0..scored.systems.len() {
                prop_assert!(!is_better(other, one), "{}", answer.text);
            }
            prop_assert!(
                worse.iter().all(|other| is_better(one, *other)),
                "{}",
                answer.text
            );
        }
        for &one in &between {
            prop_assert!(leaders.iter().any(|best| is_better(*best, one)));
            prop_assert!(!leaders.iter().all(|best| is_better(*best, one)));
        }
        for one in 0..scored.systems.len() {
            let is_worse = !leaders.is_empty() && leaders.iter().all(|best| is_better(*best, one));
            prop_assert_eq!(worse.contains(&one), is_worse, "{}", &answer.text);
        }
        let p = worse.iter().flat_map(|one| {
            leaders
                .iter()
                .filter_map(|best| joint.p_adjusted(*best, *one))
        });
        prop_assert_eq!(answer.p, p.reduce(f64::max));
        if scored.systems.len() == 2 && !leaders.is_empty() {
            // Where the share says otherwise, it is left out.
            let is_said = ["is better than", "leads; "].map(|words| answer.text.contains(words));
            prop_assert_eq!(is_said.contains(&true), joint.apart.len() == 1);
            prop_assert_eq!(
                answer.text.contains("cannot be separated"),
                joint.apart.is_empty()
            );
        }
        prop_assert_eq!(
            answer.text.contains("lead and cannot be separated"),
            answer.kind == AnswerKind::SharedLead
        );
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// It says better of pairs that are apart, and inseparable of those that are not.
        #[test]
        fn it_says_of_each_pair_what_the_ranking_decided(
            (systems, items) in (2_u16..6).prop_flat_map(|systems| {
                let pairs = usize::from(systems * (systems - 1) / 2);
                let lean = prop_oneof![Just(0_i8), Just(1), Just(-1)];
                // Each pair leans to a side on most items, so that some are apart.
                (proptest::collection::vec(lean, pairs), 2_usize..30).prop_flat_map(
                    move |(leans, items)| {
                        let outcomes = leans.into_iter().map(|lean| {
                            prop_oneof![3 => Just(lean), 1 => -1_i8..=1]
                        });
                        let outcomes: Vec<_> = outcomes.collect();
                        (Just(systems), proptest::collection::vec(outcomes, items))
                    },
                )
            }),
        ) {
            let (report, scored) = rank_outcomes(systems, &items);
            check_against_pairs(&report, &scored)?;
        }
    }

    #[test]
    fn those_between_are_below_the_leaders_that_beat_them_all() {
        // Two lead; `beaten` says who is worse than which of them.
        let lead = |systems, beaten: &[(usize, usize)]| {
            Lead::of(systems, |one, other| {
                if beaten.contains(&(one, other)) {
                    Standing::Worse
                } else if beaten.contains(&(other, one)) {
                    Standing::Better
                } else {
                    Standing::Open
                }
            })
        };
        let one = lead(3, &[(2, 0)]);
        assert_eq!((one.leaders, one.between), (vec![0, 1], vec![2]));
        assert_eq!(one.above_between, [0]);
        assert_eq!(lead(4, &[(2, 0), (3, 0)]).above_between, [0]);
        // The last is beaten by nobody, and is no leader for that.
        let newcomer = lead(4, &[(1, 0), (2, 0)]);
        assert_eq!((newcomer.leaders, newcomer.worse), (vec![0], vec![1, 2]));
        assert_eq!(newcomer.unplaced, [3]);
        let differ = lead(5, &[(2, 0), (3, 1), (4, 1)]);
        assert_eq!(differ.between, [2, 3, 4]);
        assert!(differ.above_between.is_empty());
    }

    #[test]
    fn a_lead_is_put_into_words() {
        let names = ["a", "b", "c", "d", "e", "f"].map(String::from);
        let named = |places: &[usize]| places.iter().map(|at| names[*at].clone()).collect();
        let say = |lead: &Lead, kind| lead_in_words(lead, &named, kind, Some("p 0.004"));
        let mut lead = Lead {
            leaders: vec![0, 1],
            worse: vec![2],
            ..Lead::default()
        };
        assert_eq!(
            say(&lead, AnswerKind::SharedLead),
            "a and b lead and cannot be separated; c is worse than both (p 0.004)"
        );
        lead.between = vec![3, 4];
        lead.unknown = vec![5];
        assert_eq!(
            say(&lead, AnswerKind::SharedLead),
            "Of those that can be compared, a and b lead and cannot be separated; c is worse than \
             both (p 0.004); d and e are worse than one of them; of f nothing can be said"
        );
        lead.above_between = vec![1];
        assert!(say(&lead, AnswerKind::SharedLead).contains("; d and e are worse than b; of f"));
        let newcomer = Lead {
            leaders: vec![0],
            worse: vec![1, 2, 3],
            unplaced: vec![4],
            ..Lead::default()
        };
        assert_eq!(
            say(&newcomer, AnswerKind::Leader),
            "a leads; b, c and d are worse than it (p 0.004); e cannot be placed and may be as good"
        );
        lead.is_untested = true;
        assert!(
            say(&lead, AnswerKind::SharedLead)
                .contains("a and b lead, and were not all compared with each other; c is worse")
        );
        let one = Lead {
            leaders: vec![0],
            worse: vec![1, 2, 3, 4, 5],
            ..Lead::default()
        };
        let said = "a leads; the other 5 are worse than it (p 0.004)";
        assert_eq!(say(&one, AnswerKind::Leader), said);
        let open = Lead {
            leaders: vec![0, 1, 2, 3],
            ..Lead::default()
        };
        assert_eq!(
            say(&open, AnswerKind::AllOpen),
            "None of the 4 systems can be separated from another"
        );
    }

    #[test]
    fn a_name_with_a_comma_stands_in_quotes() {
        let names = ["v1, alt", "v2", "org/v3"].map(String::from);
        assert_eq!(list_in_words(&names[..2]), "\"v1, alt\" and v2");
        assert_eq!(list_in_words(&names), "\"v1, alt\", v2 and org/v3");
        // They are for the eye: quotes within are as they are.
        let quoted = ["a \"b\", c".to_string()];
        assert_eq!(list_in_words(&quoted), "\"a \"b\", c\"");
        let named = |places: &[usize]| places.iter().map(|at| names[*at].clone()).collect();
        let lead = Lead {
            leaders: vec![0],
            worse: vec![1, 2],
            ..Lead::default()
        };
        assert_eq!(
            lead_in_words(&lead, &named, AnswerKind::Leader, None),
            "\"v1, alt\" leads; v2 and org/v3 are worse than it"
        );
    }

    #[test]
    fn an_order_without_upsets_is_told() {
        let items = vec![vec![1, 1, 1]; 12];
        let (report, scored) = rank_outcomes(3, &items);
        let text = &report.answer.as_ref().unwrap().text;
        assert!(
            text.starts_with("s0 leads; s1 and s2 are worse than it (p "),
            "{text}"
        );
        check_against_pairs(&report, &scored).unwrap();
        let intervals = report.ranking.iter().map(|row| row.rank_ci);
        assert_eq!(
            intervals.collect::<Vec<_>>(),
            [Some([1, 1]), Some([2, 2]), Some([3, 3])]
        );
    }

    #[test]
    fn two_systems_answer_in_a_share() {
        let won = |won: usize, of: usize| -> Vec<Vec<i8>> {
            (0..of)
                .map(|item| vec![if item < won { 1 } else { -1 }])
                .collect()
        };
        let text = |items: &[Vec<i8>]| rank_outcomes(2, items).0.answer.unwrap().text;
        assert_eq!(
            text(&won(24, 30)),
            "s0 is better than s1: preferred on 80 % (61 to 92) of 30 items"
        );
        assert_eq!(
            text(&won(14, 30)),
            "s1 and s0 cannot be separated: s1 is preferred on 53 % (34 to 72) of 30 items"
        );
        // A tie is no preference of either.
        let mut tied = won(18, 30);
        tied.extend(vec![vec![0]; 20]);
        let tied = text(&tied);
        let said = "s0 and s1 cannot be separated: s0 wins 56 % (";
        assert!(tied.starts_with(said), "{tied}");
        assert!(tied.ends_with(") of 50 items, ties as half"), "{tied}");
        let few = text(&won(3, 4));
        assert!(
            few.starts_with("s0 has the best score (s0 is preferred on 75 % of 4 items)"),
            "{few}"
        );
    }
}
