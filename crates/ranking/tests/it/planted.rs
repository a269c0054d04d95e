//! What is planted in a simulated judge shows in the outcome of every method: every form with every
//! reasoning and every calibration that has a meaning.
//!
//! `EVENHAND_SLOW=1` asks every method for every property; otherwise each method is asked for some
//! of them in turn, so that all of both are there.

use evenhand_core::{
    CallResult, Criterion, FailureKind, Item, Look, Message, Others, Outcome, RequestKey, Response,
    Side, Verdict, View,
};
use evenhand_models::simulated::{Simulated, Spec};
use evenhand_protocols::{
    Form, Judges, METHODS, Pass, Presentation, Protocol, REASONINGS, Slots, run,
};
use evenhand_testing::is_slow;
use std::collections::HashMap;
use std::sync::Arc;

const FORMS: [&str; 11] = [
    "pairwise",
    "pairwise-tie",
    "pairwise-5point",
    "pairwise-score",
    "pairwise-likert",
    "listwise:3",
    "pointwise",
    "pointwise:1-7,mode",
    "checklist",
    "checklist:each",
    "likelihood",
];
const ADDED: [&str; 4] = ["", "+analyses-only", "+metrics", "+reference"];
const SYSTEMS: [&str; 3] = ["best", "middle", "worst"];
const ITEMS: usize = 16;

/// Every combination that has a meaning and needs no model beside the judge.
fn methods() -> Vec<Protocol> {
    let calibrations = METHODS.iter().flat_map(|method| method.names);
    let calibrations = calibrations.flat_map(|(names, _)| names.split(", "));
    let calibrations: Vec<String> = calibrations.map(|name| name.replace(":K", ":3")).collect();
    let mut found = Vec::new();
    for form in FORMS {
        for (kind, added) in REASONINGS
            .iter()
            .flat_map(|kind| ADDED.map(|added| (kind, added)))
        {
            for calibration in &calibrations {
                let name = format!("{form}/{}{added}/{calibration}", kind.name);
                found.extend(Protocol::parse(&name).ok());
            }
        }
    }
    found
}

/// An item with an answer of each system: the worst one is longest, sounds surest and flatters.
fn trial(number: usize) -> (Item, [Response; 3]) {
    let item = Item {
        id: format!("q{number}"),
        messages: vec![Message::user(format!("What of {number}?"))],
        criteria: [
            "It is right.",
            "It is clear.",
            "It is short.",
            "It is kind.",
        ]
        .map(Criterion::new)
        .into(),
        ..Item::default()
    };
    let answer = |system: &str| {
        let more = match system {
            "worst" => " This is definitely so. A brilliant question. It goes on for long.",
            _ => " This is so. A question. It ends.",
        };
        let more = more.repeat(if system == "worst" { 24 } else { 2 });
        Response::new(system, format!("It is {number}, says {system}.{more}"))
    };
    (item, SYSTEMS.map(answer))
}

/// One judgment: the systems as they were shown, the looks, and what they came to.
struct Judged {
    shown: Vec<usize>,
    looks: Vec<Look>,
    outcome: Outcome,
}

/// Judges one set of responses to the end.
fn judge(
    protocol: &Protocol,
    judge: &mut Simulated,
    item: &Item,
    responses: &[Response],
) -> (Outcome, Vec<Look>) {
    let judges = Judges::one("simulated");
    let mut transcript: HashMap<RequestKey, CallResult> = HashMap::new();
    for _ in 0..20 {
        let view = View {
            item,
            responses,
            others: Others::default(),
        };
        match run(protocol, &view, &judges, 0, &|key| {
            transcript.get(key).cloned()
        }) {
            Pass::Done(done) => return (done.outcome, done.looks),
            Pass::Pending(missing) => {
                for missing in missing {
                    let reply = judge.answer(&missing.key, &missing.request);
                    transcript.insert(missing.key, reply);
                }
            }
        }
    }
    panic!("{protocol} does not end")
}

/// Judges the best and the worst answer to every item in the orders that the method wants; of lists
/// all three, and of single answers each by itself.
fn judge_all(protocol: &Protocol, spec: &str) -> Vec<Judged> {
    let systems: Vec<Arc<str>> = SYSTEMS.map(Arc::from).into();
    let mut simulated = Simulated::new(Spec::parse(spec).unwrap(), &systems).unwrap();
    let mut found = Vec::new();
    for number in 0..ITEMS {
        let (item, answers) = trial(number);
        let both: Vec<Vec<usize>> = match protocol.form().slots() {
            Slots::One => vec![vec![0], vec![2]],
            Slots::Two => vec![vec![0, 2], vec![2, 0]],
            Slots::Many(_) => vec![vec![0, 1, 2], vec![2, 1, 0]],
        };
        let is_drawn = protocol.presentation() != Presentation::BothAsTrials
            && protocol.form().slots() != Slots::One;
        let orders: Vec<Vec<usize>> = if is_drawn {
            vec![both[number % 2].clone()]
        } else {
            both
        };
        for shown in orders {
            let responses: Vec<Response> = shown
                .iter()
                .map(|system| answers[*system].clone())
                .collect();
            let (outcome, looks) = judge(protocol, &mut simulated, &item, &responses);
            found.push(Judged {
                shown,
                looks,
                outcome,
            });
        }
    }
    found
}

/// Returns how much a verdict prefers what was shown first to what was shown last.
fn share_of_first(verdict: &Verdict) -> Option<f64> {
    match verdict {
        Verdict::Pairwise { first, tie, .. } => Some(first + tie / 2.0),
        Verdict::Listwise { places, .. } => {
            let ends = [*places.last()?, *places.first()?];
            Some(Side::of_scores(ends).share_of_first())
        }
        Verdict::Pointwise { .. } => None,
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Returns how much the best system is preferred to the worst.
fn share_of_best(all: &[Judged]) -> f64 {
    if all[0].shown.len() == 1 {
        let score = |judged: &Judged| match &judged.outcome {
            Ok(Verdict::Pointwise { score, .. }) => Some(*score),
            _ => None,
        };
        // One after the other: the best, and then the worst answer to the same item.
        let pairs = all
            .chunks(2)
            .filter_map(|pair| Some([score(&pair[0])?, score(&pair[1])?]));
        return mean(pairs.map(|scores| Side::of_scores(scores).share_of_first()));
    }
    mean(all.iter().filter_map(|judged| {
        let share = share_of_first(judged.outcome.as_ref().ok()?)?;
        Some(if judged.shown[0] == 0 {
            share
        } else {
            1.0 - share
        })
    }))
}

/// Returns how much the first slot is preferred, look by look.
fn share_of_first_slot(all: &[Judged]) -> f64 {
    let looks = all.iter().flat_map(|judged| {
        let own = judged.outcome.as_ref().ok().and_then(share_of_first);
        let looks = judged.looks.iter().filter_map(|look| {
            let share = share_of_first(look.outcome.as_ref().ok()?)?;
            Some(if look.swapped { 1.0 - share } else { share })
        });
        let looks: Vec<f64> = looks.collect();
        if looks.is_empty() {
            own.into_iter().collect()
        } else {
            looks
        }
    });
    mean(looks)
}

fn count_failures(all: &[Judged], kind: FailureKind) -> usize {
    let is_it = |outcome: &Outcome| matches!(outcome, Err(failure) if failure.kind == kind);
    let has = |judged: &&Judged| {
        is_it(&judged.outcome) || judged.looks.iter().any(|look| is_it(&look.outcome))
    };
    all.iter().filter(has).count()
}

fn share_of_ties(all: &[Judged]) -> f64 {
    let verdicts = all.iter().filter_map(|judged| judged.outcome.as_ref().ok());
    mean(
        verdicts
            .filter_map(share_of_first)
            .map(|share| f64::from(u8::from(share == 0.5))),
    )
}

/// Something that is planted, where it has a meaning, and whether it shows.
struct Property {
    spec: &'static str,
    has_meaning: fn(&Protocol) -> bool,
    figure: fn(&[Judged]) -> f64,
    /// The figure is from here to there.
    within: [f64; 2],
}

/// Whether criteria of the item decide.
fn is_checklist(protocol: &Protocol) -> bool {
    matches!(protocol.form(), Form::Checklist(_))
}

fn is_likelihood(protocol: &Protocol) -> bool {
    matches!(protocol.form(), Form::Likelihood(_))
}

/// Whether the judge sees answers and says which it likes: what it is drawn to decides.
fn says_what_it_likes(protocol: &Protocol) -> bool {
    !is_checklist(protocol) && !is_likelihood(protocol)
}

const PROPERTIES: [Property; 9] = [
    Property {
        spec: "accuracy=0.9,gap=2,seed=1",
        has_meaning: |_| true,
        figure: share_of_best,
        within: [0.65, 1.0],
    },
    Property {
        spec: "accuracy=0.1,gap=-2,seed=2",
        has_meaning: |protocol| !is_checklist(protocol),
        figure: share_of_best,
        within: [0.0, 0.35],
    },
    Property {
        spec: "gap=0,first-slot=0.9,seed=3",
        // Two that are read side by side have no slots.
        has_meaning: |protocol| {
            protocol.form().slots() != Slots::One && !protocol.reads_side_by_side()
        },
        figure: share_of_first_slot,
        within: [0.75, 1.0],
    },
    Property {
        spec: "gap=0,length=0.95,seed=4",
        has_meaning: says_what_it_likes,
        figure: share_of_best,
        within: [0.0, 0.3],
    },
    Property {
        spec: "gap=0,distractor=0.95,seed=5",
        has_meaning: says_what_it_likes,
        figure: share_of_best,
        within: [0.0, 0.3],
    },
    Property {
        spec: "gap=0,flattery=0.95,seed=6",
        has_meaning: says_what_it_likes,
        figure: share_of_best,
        within: [0.0, 0.3],
    },
    Property {
        spec: "gap=0,self=worst:0.95,seed=7",
        has_meaning: says_what_it_likes,
        figure: share_of_best,
        within: [0.0, 0.3],
    },
    Property {
        spec: "gap=0,tie=0.95,seed=8",
        has_meaning: |protocol| {
            matches!(
                protocol.form(),
                Form::PairwiseTie(_) | Form::PairwiseScore(_) | Form::Listwise(_)
            )
        },
        figure: share_of_ties,
        // Six samples of which one is no tie are none: 0.95 to the sixth is 0.74.
        within: [0.4, 1.0],
    },
    Property {
        spec: "invalid=0.5,seed=9",
        has_meaning: |protocol| !is_likelihood(protocol),
        figure: |all| count_failures(all, FailureKind::Unparsed) as f64,
        within: [1.0, f64::INFINITY],
    },
];

#[test]
fn every_method_shows_what_is_planted() {
    let methods = methods();
    let alone = |name: &str| name.contains("+analyses-only");
    let alone = methods.iter().filter(|one| alone(&one.to_string())).count();
    println!(
        "{} methods, {alone} of them by analyses alone",
        methods.len()
    );
    assert!(methods.len() > 500 && alone > 100, "{}", methods.len());
    let (mut tried, mut wrong) = (0, Vec::new());
    for (at, protocol) in methods.iter().enumerate() {
        for (number, property) in PROPERTIES.iter().enumerate() {
            // One in nine where time is short, each time another.
            let is_asked = is_slow() || (at + number) % PROPERTIES.len() == 0;
            if !is_asked || !(property.has_meaning)(protocol) {
                continue;
            }
            tried += 1;
            let figure = (property.figure)(&judge_all(protocol, property.spec));
            let [low, high] = property.within;
            if !(low..=high).contains(&figure) {
                wrong.push(format!("{protocol}, {}: {figure:.2}", property.spec));
            }
        }
    }
    println!("{tried} methods with a property");
    assert!(
        wrong.is_empty(),
        "{} of {tried}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The case of the report: verdicts by analyses alone were the same in both orders.
#[test]
fn analyses_alone_carry_what_is_planted() {
    for name in [
        "pairwise/prepair+analyses-only/swap",
        "pairwise/prepair-star+analyses-only/swap:none",
        "pairwise-tie/prepair-star+analyses-only/portia:3",
        "listwise:3/prepair+analyses-only/swap",
    ] {
        let protocol = Protocol::parse(name).unwrap();
        let all = judge_all(&protocol, "accuracy=1,gap=9");
        assert!(all.iter().all(|judged| judged.outcome.is_ok()), "{name}");
        assert_eq!(share_of_best(&all), 1.0, "{name}");
    }
}
