//! Laws that every protocol keeps, whatever its form, reasoning and calibration.
//!
//! Calls and rounds of a trial of n responses, where every call is needed:
//!
//! | part | calls | rounds |
//! | --- | --- | --- |
//! | `+metrics` | 1 | 1, together with `+reference` |
//! | `+reference` | 1, or none where the item has a reference | 1 |
//! | `prepair` | n, for each sample of mec | 1 |
//! | `prepair-star` | 1 for each look | 1, for portia 1 for each step |
//! | `single`, `swap` | 1 | 1 |
//! | `swap:average`, `swap:tie`, `swap:none` | 2 | 1 |
//! | `order-free` | 1 | 1 |
//! | `swap-cot` | 2, or 4 where the orders disagree | 1 or 2 |
//! | `mec:k` | k | 1 |
//! | `mec+bpc:k` | 2k | 1 |
//! | `self-consistency:k` | k | 1 |
//! | `portia` | 2 for each step that is needed (and splits the responses in a way not yet asked) | 1 for each |
//! | `embedding`, for portia | 2, where the step by content is needed | 1 |
//! | `likelihood` | 2 in all | 1 |
//!
//! A panel multiplies the calls by its members and leaves the rounds as they are.

mod arrival;
mod judges;

use crate::common::{Played, play, reply};
use evenhand_core::{
    CallResult, Finish, Grade, Item, Outcome, Reply, Request, RequestKey, Response, Verdict, View,
    Wanted,
};
use evenhand_protocols::{
    Baseline, Cost, Form, JudgedProtocol, Judges, METHODS, Notes, PRESETS, Pass, Presentation,
    Protocol, REASONINGS, Slots, run,
};
use evenhand_testing::is_slow;
use judges::{by_hash, by_probability, consistent, failing, first};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

const FORMS: [&str; 13] = [
    "pairwise",
    "pairwise-tie",
    "pairwise-5point",
    "pairwise-score",
    "pairwise-likert",
    "listwise:3",
    "pointwise",
    "pointwise:0..1:0.1",
    "likelihood",
    "likelihood:given,sum",
    "likelihood:inverse",
    "likelihood:novel",
    "likelihood:novel,surprisal=0.1",
];
const ADDED: [&str; 4] = ["", "+metrics", "+reference", "+metrics+reference"];
/// Options of calibrations, beside every name in the list of methods.
const OPTIONS: [&str; 10] = [
    "swap-cot:tie",
    "swap-cot:none",
    "mec:1",
    "mec+bpc:1",
    "self-consistency:5,0.8",
    "portia:2,original-first,tie",
    "portia:3,no-length,average",
    "portia:3,original-first,no-semantic",
    "portia:3,embedding",
    "portia:2,no-length,embedding,tie",
];

/// Who replies.
type Script<'a> = &'a dyn Fn(&Request) -> CallResult;
/// The same, one of many.
type Salted<'a> = &'a dyn Fn(&Request, u64) -> CallResult;

/// Every combination of form, reasoning and calibration that has a meaning, with one of [`ADDED`]
/// in turn, so that each of these meets every form, reasoning and calibration; and every preset. All
/// of them together where EVENHAND_SLOW=1 is set.
fn protocols() -> &'static [Protocol] {
    static PROTOCOLS: LazyLock<Vec<Protocol>> = LazyLock::new(combinations);
    &PROTOCOLS
}

fn combinations() -> Vec<Protocol> {
    let mut names: Vec<String> = PRESETS
        .iter()
        .map(|preset| preset.name.to_string())
        .collect();
    for (turn, form) in FORMS.iter().enumerate() {
        for (kind_turn, kind) in REASONINGS.iter().enumerate() {
            for (calibration_turn, calibration) in calibrations().enumerate() {
                let name = |added: &str| format!("{form}/{}{added}/{calibration}", kind.name);
                let valid = ADDED.map(name).into_iter();
                let valid: Vec<String> =
                    valid.filter(|name| Protocol::parse(name).is_ok()).collect();
                let turn = turn + kind_turn + calibration_turn;
                let step = if is_slow() { 1 } else { valid.len().max(1) };
                names.extend(valid.into_iter().skip(turn % step).step_by(step));
            }
        }
    }
    let protocols: Vec<Protocol> = names
        .iter()
        .filter_map(|name| Protocol::parse(name).ok())
        .collect();
    let least = if is_slow() { 1000 } else { 500 };
    assert!(protocols.len() > least, "{} combinations", protocols.len());
    protocols
}

/// Every name in the list of methods, and more options.
fn calibrations() -> impl Iterator<Item = String> {
    let listed = METHODS.iter().flat_map(|method| method.names);
    let listed = listed.flat_map(|(names, _)| names.split(", "));
    let listed = listed.map(|name| name.replace(":K", ":3"));
    listed.chain(OPTIONS.map(String::from))
}

/// An item and its responses, long enough to be split and aligned.
struct Trial {
    item: Item,
    responses: Vec<Response>,
}

/// Like content stands at unlike places, so that parts of like length and of like content differ.
const TEXTS: [&str; 3] = [
    "Dogs bark at cars and at people all night long, wherever they are. Cats sleep. Fish swim. \
     Birds fly south.",
    "Dogs bark. Cats sleep on every warm sofa of the house, and they do so all day. Fish swim in \
     ponds and in the sea. Birds fly south.",
    "Fish swim. Birds fly at night. Cats hunt fish and birds. Dogs do not.",
];

impl Trial {
    fn new(protocol: &Protocol) -> Trial {
        let count = match protocol.form().slots() {
            Slots::One => 1,
            Slots::Two => 2,
            Slots::Many(count) => count.unwrap_or(3) as usize,
        };
        Trial {
            item: crate::common::item("What do animals do?"),
            responses: crate::common::responses(&TEXTS[..count]),
        }
    }

    fn swapped(mut self) -> Trial {
        self.responses.reverse();
        self
    }

    fn view(&self) -> View<'_> {
        View::alone(&self.item, &self.responses)
    }

    fn play(&self, protocol: &Protocol, script: Script) -> Played {
        play(protocol, &self.view(), &Judges::one("judge"), script)
    }
}

#[test]
fn every_protocol_ends_within_its_rounds() {
    let scripts: [(&str, Script); 7] = [
        ("first", &first),
        ("consistent", &consistent),
        ("random", &|request| by_hash(request, 1)),
        ("failing", &|request| failing(request, 2)),
        ("refusing", &|_| {
            Ok(Reply {
                finish: Finish::Refusal,
                ..reply("No.")
            })
        }),
        ("empty", &|_| Ok(reply(""))),
        ("garbage", &|_| {
            Ok(reply("\u{0}}{ lorem [[ipsum]] 99 Verdict:"))
        }),
    ];
    eprintln!("{} protocols, {} judges", protocols().len(), scripts.len());
    for protocol in protocols() {
        for (judge, script) in &scripts {
            let played = Trial::new(protocol).play(protocol, script);
            let (rounds, most) = (played.rounds.len(), protocol.rounds_at_most() as usize);
            assert!(
                rounds <= most,
                "{protocol}, {judge}: {rounds} rounds, at most {most} are stated"
            );
            let readable = ["first", "consistent", "random"].contains(judge);
            let decides =
                !matches!(&played.outcome, Err(failure) if failure.kind.name() != "inconsistent");
            assert!(
                !readable || decides,
                "{protocol}, {judge}: {:?}",
                played.outcome
            );
            let useless = ["refusing", "empty", "garbage"].contains(judge);
            assert!(
                !useless || played.outcome.is_err(),
                "{protocol}, {judge}: {:?}",
                played.outcome
            );
        }
    }
}

fn judged(protocol: &Protocol) -> &JudgedProtocol {
    match protocol {
        Protocol::Judged(judged) => judged,
        other => panic!("{other} is not made of form, reasoning and calibration"),
    }
}

/// Calls and rounds, by what the parts of a protocol state.
fn stated(
    protocol: &Protocol,
    count: usize,
    has_reference: bool,
    disagree: bool,
) -> (usize, usize) {
    if let Form::Likelihood(likely) = protocol.form() {
        let calls = if likely.baseline == Baseline::Nothing {
            1
        } else {
            2
        };
        return (calls, 1);
    }
    let reasoning = judged(protocol).reasoning();
    let context =
        usize::from(reasoning.metrics) + usize::from(reasoning.reference && !has_reference);
    let Cost {
        least,
        most,
        samples,
    } = judged(protocol).cost();
    let asked = if disagree { most } else { least };
    let (looks, steps) = (asked.verdicts as usize, asked.rounds as usize);
    let embeddings = usize::from(asked.embeddings);
    let (notes, note_rounds) = match reasoning.kind.notes {
        Notes::OfEachResponse => (count * samples as usize, 1),
        Notes::OfEachLook => (looks, steps),
        Notes::None => (0, 0),
    };
    (
        context + notes + looks + 2 * embeddings,
        usize::from(context > 0) + note_rounds + steps + embeddings,
    )
}

/// Whether embeddings are what is asked first.
fn embeds_first(protocol: &Protocol) -> bool {
    !matches!(protocol.form(), Form::Likelihood(_)) && judged(protocol).cost().least.embeddings
}

#[test]
fn calls_and_rounds_are_as_stated() {
    for protocol in protocols() {
        for has_reference in [false, true] {
            let mut trial = Trial::new(protocol);
            trial.item.reference = has_reference.then(|| "They eat.".into());
            let scripts: [(bool, Script); 2] = [(true, &first), (false, &consistent)];
            for (disagree, script) in scripts {
                let expected = stated(protocol, trial.responses.len(), has_reference, disagree);
                let played = trial.play(protocol, script);
                let found = (played.requests().count(), played.rounds.len());
                assert_eq!(
                    found, expected,
                    "{protocol}, reference {has_reference}, orders disagree {disagree}"
                );
                let asked: BTreeSet<RequestKey> = played.requests().map(Request::key).collect();
                let rests_on: BTreeSet<RequestKey> = played.calls.iter().copied().collect();
                assert!(
                    asked == rests_on && asked.len() == played.calls.len(),
                    "{protocol}: a call is lost or counted twice"
                );
            }
        }
    }
}

#[test]
fn a_panel_multiplies_the_calls_and_not_the_rounds() {
    let judges = Judges {
        panel: vec!["one".into(), "two".into(), "three".into()],
        ..Judges::one("")
    };
    for protocol in protocols() {
        let trial = Trial::new(protocol);
        for script in [&first as Script, &consistent] {
            let alone = trial.play(protocol, script);
            let panel = play(protocol, &trial.view(), &judges, script);
            let count = |played: &Played| (played.requests().count(), played.rounds.len());
            let (calls, rounds) = count(&alone);
            assert_eq!(count(&panel), (3 * calls, rounds), "{protocol}");
        }
    }
}

/// Whether a trial holds both orders in itself.
fn is_order_free(protocol: &Protocol) -> bool {
    protocol.presentation() == Presentation::BothWithinTrial
}

/// Every number of a verdict, in order.
fn numbers(verdict: &Verdict) -> Vec<f64> {
    match verdict {
        Verdict::Pointwise {
            score,
            distribution,
            outside,
            ..
        } => [&[*score, *outside][..], distribution].concat(),
        Verdict::Listwise { places, .. } => places.clone(),
        Verdict::Pairwise {
            first,
            tie,
            second,
            outside,
            grade,
            ..
        } => {
            let grade = match grade {
                Some(Grade::Steps(p)) => p.clone(),
                Some(Grade::Scores(scores)) => scores.to_vec(),
                None => Vec::new(),
            };
            [&[*first, *tie, *second, *outside][..], &grade].concat()
        }
    }
}

fn same(a: &Outcome, b: &Outcome) -> bool {
    match (a, b) {
        (Ok(a), Ok(b)) => {
            let (x, y) = (numbers(a), numbers(b));
            let near = x.iter().zip(&y).all(|(x, y)| (x - y).abs() <= 1e-12);
            x.len() == y.len() && near && a.source() == b.source()
        }
        (Err(a), Err(b)) => a.kind == b.kind,
        _ => false,
    }
}

#[test]
fn judging_the_swapped_item_gives_the_swapped_verdict() {
    let judges: [(&str, Salted); 3] = [
        ("text", &by_hash),
        ("probabilities", &by_probability),
        ("failing", &failing),
    ];
    let (mut checked, mut decided, mut wrong) = (0, 0, Vec::new());
    for protocol in protocols()
        .iter()
        .filter(|protocol| is_order_free(protocol))
    {
        for (name, judge) in &judges {
            for salt in 0..2 {
                let script = |request: &Request| judge(request, salt);
                let forward = Trial::new(protocol).play(protocol, &script).outcome;
                let swapped = Trial::new(protocol)
                    .swapped()
                    .play(protocol, &script)
                    .outcome
                    .map(Verdict::swapped);
                if !same(&forward, &swapped) {
                    wrong.push(format!(
                        "{protocol}, {name}, {salt}: {forward:?}, swapped {swapped:?}"
                    ));
                }
                checked += 1;
                decided += usize::from(forward.is_ok());
            }
        }
    }
    eprintln!("{checked} trials, {decided} decided");
    assert!(
        wrong.is_empty(),
        "{} of {checked}:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
    assert!(
        checked > 1000 && decided * 3 > checked,
        "{decided} of {checked} decided"
    );
}

#[test]
fn replicates_share_no_verdict() {
    for protocol in protocols()
        .iter()
        .filter(|protocol| !matches!(protocol.form(), Form::Likelihood(_)))
    {
        let trial = Trial::new(protocol);
        let keys = |replicate| match run(
            protocol,
            &trial.view(),
            &Judges::one("judge"),
            replicate,
            &|_| None,
        ) {
            Pass::Pending(missing) => missing
                .into_iter()
                .map(|missing| missing.key)
                .collect::<BTreeSet<_>>(),
            Pass::Done(done) => panic!("{protocol}: {done:?}"),
        };
        let reasoning = judged(protocol).reasoning();
        if !reasoning.metrics && !reasoning.reference && !embeds_first(protocol) {
            assert!(keys(0).is_disjoint(&keys(1)), "{protocol}");
        } else {
            assert_eq!(
                keys(0),
                keys(1),
                "{protocol}: what belongs to the item or to a response is asked once"
            );
        }
    }
}

/// n systems, m items, every pair in both orders.
#[test]
fn prepair_analyses_each_response_once() {
    const SYSTEMS: usize = 5;
    const ITEMS: usize = 4;
    for (name, own) in [
        ("pairwise/prepair/swap", 0),
        ("pairwise-tie/prepair+metrics/swap:tie", ITEMS),
        ("prepair-mt-bench", 0),
    ] {
        let protocol = Protocol::parse(name).unwrap();
        let mut asked: HashMap<RequestKey, Request> = HashMap::new();
        for at in 0..ITEMS {
            let item = Item {
                id: at.to_string(),
                ..crate::common::item(&format!("Instruction {at}."))
            };
            for (a, b) in (0..SYSTEMS * SYSTEMS)
                .map(|pair| (pair / SYSTEMS, pair % SYSTEMS))
                .filter(|(a, b)| a != b)
            {
                let texts = [a, b].map(|system| format!("System {system} on item {at}."));
                let responses = crate::common::responses(&[&texts[0], &texts[1]]);
                let view = View::alone(&item, &responses);
                let played = play(&protocol, &view, &Judges::one("judge"), &first);
                asked.extend(
                    played
                        .requests()
                        .map(|request| (request.key(), request.clone())),
                );
            }
        }
        let texts = asked
            .values()
            .filter(|request| request.about.wanted == Wanted::Text);
        assert_eq!(texts.count(), ITEMS * SYSTEMS + own, "{name}: m n analyses");
        assert_eq!(
            asked.len(),
            ITEMS * SYSTEMS + own + ITEMS * SYSTEMS * (SYSTEMS - 1),
            "{name}"
        );
    }
}
