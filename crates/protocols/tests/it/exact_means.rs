//! A mean over samples decides as exact fractions do: no tie is broken by rounding, and no
//! difference is lost. The twin adds whole tenths and compares by cross-multiplication.

use crate::common::{hash, item, play, reply, responses};
use evenhand_core::{Others, Request, Side, Verdict, View, Wanted};
use evenhand_protocols::{Judges, Protocol};
use evenhand_testing::is_slow;

/// Which scores a judge draws from, in tenths.
#[derive(Clone, Copy, Debug)]
enum Scores {
    /// 7, 8 and 9, as judges like to give: ties are frequent.
    Common,
    /// 1 to 10.
    Whole,
    /// 1 to 10 in halves.
    Halves,
    /// 1.0 to 10.0 in tenths, of which most have no exact binary form.
    Tenths,
}

const ALL: [Scores; 4] = [
    Scores::Common,
    Scores::Whole,
    Scores::Halves,
    Scores::Tenths,
];

impl Scores {
    fn draw(self, draw: u64) -> i128 {
        let draw = i128::from(draw);
        match self {
            Scores::Common => 70 + 10 * (draw % 3),
            Scores::Whole => 10 + 10 * (draw % 10),
            Scores::Halves => 10 + 5 * (draw % 19),
            Scores::Tenths => 10 + draw % 91,
        }
    }
}

/// One world: what every judge would say in every order and sample.
#[derive(Clone, Copy)]
struct World {
    seed: u64,
    scores: Scores,
    /// How many of a hundred samples have no verdict.
    missing: u64,
}

impl World {
    /// Returns the scores in tenths of what stands first and second, or nothing.
    fn say(self, judge: &str, swapped: bool, sample: u32) -> Option<[i128; 2]> {
        let draw = |what: &str| {
            let seed = self.seed;
            hash(&format!("{seed} {judge} {swapped} {sample} {what}"))
        };
        let is_there = draw("there") % 100 >= self.missing;
        is_there.then(|| ["first", "second"].map(|slot| self.scores.draw(draw(slot))))
    }

    fn answer(self, request: &Request) -> String {
        let Wanted::Scores { after, .. } = &request.about.wanted else {
            panic!("{:?}", request.about.wanted)
        };
        let swapped = &*request.about.responses[0].system == "s1";
        match self.say(&request.judge, swapped, request.sample) {
            Some([a, b]) => format!("So be it.\n{after} {} {}", tenths(a), tenths(b)),
            None => "I cannot say.".into(),
        }
    }
}

fn tenths(score: i128) -> String {
    format!("{}.{}", score / 10, score % 10)
}

/// A difference of means as a fraction of whole numbers; the denominator is above 0.
#[derive(Clone, Copy)]
struct Fraction(i128, i128);

impl Fraction {
    fn add(self, other: Fraction) -> Fraction {
        Fraction(self.0 * other.1 + other.0 * self.1, self.1 * other.1)
    }

    fn side(self) -> Side {
        match self.0.signum() {
            1 => Side::First,
            0 => Side::Tie,
            _ => Side::Second,
        }
    }
}

/// Returns the mean lead of the pair's first over the samples of an order that are there.
fn lead(world: World, judge: &str, swapped: bool, k: u32) -> Option<Fraction> {
    let samples = (0..k).filter_map(|sample| world.say(judge, swapped, sample));
    let leads: Vec<i128> = samples
        .map(|[a, b]| if swapped { b - a } else { a - b })
        .collect();
    let count = leads.len() as i128;
    (count > 0).then(|| Fraction(leads.iter().sum(), count))
}

/// Returns the side that a method comes to; None where it must fail.
fn exact_side(world: World, judges: &[&str], both_orders: bool, k: u32) -> Option<Side> {
    let of_judge = |judge: &&str| {
        let forward = lead(world, judge, false, k);
        if both_orders {
            // Both orders weigh the same, however many samples of each are there.
            Some(forward?.add(lead(world, judge, true, k)?))
        } else {
            forward
        }
    };
    let leads = judges.iter().filter_map(of_judge);
    leads.reduce(Fraction::add).map(Fraction::side)
}

fn check(world: World, judges: &[&str], both_orders: bool, k: u32) -> Option<Side> {
    let name = if both_orders { "mec+bpc" } else { "mec" };
    let protocol = Protocol::parse(&format!("pairwise-score/cot/{name}:{k}")).unwrap();
    let panel = Judges {
        panel: judges.iter().map(|judge| (*judge).into()).collect(),
        ..Judges::one("a")
    };
    let (item, shown) = (item("Name a prime."), responses(&["7", "9"]));
    let view = View {
        item: &item,
        responses: &shown,
        others: Others::default(),
    };
    let played = play(&protocol, &view, &panel, &|request| {
        Ok(reply(world.answer(request)))
    });
    let expected = exact_side(world, judges, both_orders, k);
    let context = format!("{protocol}, {judges:?}, seed {}", world.seed);
    match (played.outcome, expected) {
        (Ok(verdict), Some(expected)) => {
            assert_eq!(verdict.side(), Some(expected), "{context}: {verdict:?}");
            let Verdict::Pairwise { grade, .. } = &verdict else {
                panic!("{verdict:?}")
            };
            let strength = grade.as_ref().unwrap().strength();
            // A tie has no strength, not even in the last bit.
            assert_eq!(strength == 0.0, expected == Side::Tie, "{context}");
        }
        (outcome, expected) => assert!(outcome.is_err() && expected.is_none(), "{context}"),
    }
    expected
}

#[test]
fn means_of_samples_decide_as_fractions_do() {
    let seeds = if is_slow() { 60 } else { 15 };
    let (mut ties, mut failures, mut all) = (0, 0, 0);
    for scores in ALL {
        for k in 1..=7 {
            for (both_orders, judges) in [
                (false, &["a"][..]),
                (true, &["a"]),
                (true, &["a", "b", "c"]),
            ] {
                for missing in [0, 20] {
                    for seed in 0..seeds {
                        let world = World {
                            seed,
                            scores,
                            missing,
                        };
                        let side = check(world, judges, both_orders, k);
                        all += 1;
                        ties += usize::from(side == Some(Side::Tie));
                        failures += usize::from(side.is_none());
                    }
                }
            }
        }
    }
    println!("{all} judgments, {ties} exact ties, {failures} without a verdict");
    // About one in twenty is an exact tie, and one in fifty has no verdict.
    assert!(
        ties * 25 > all && failures * 150 > all,
        "{ties}, {failures}"
    );
}

/// What a report named: 28 : 28 over six samples, decided by rounding.
#[test]
fn equal_sums_of_six_samples_are_a_tie() {
    let first = [[7, 6], [8, 2], [1, 2]];
    let swapped = [[7, 8], [7, 2], [4, 2]];
    let protocol = Protocol::parse("pairwise-score/cot/mec+bpc:3").unwrap();
    let (item, shown) = (item("Name a prime."), responses(&["7", "9"]));
    let view = View {
        item: &item,
        responses: &shown,
        others: Others::default(),
    };
    let played = play(&protocol, &view, &Judges::one("a"), &|request| {
        let scores = if &*request.about.responses[0].system == "s1" {
            swapped
        } else {
            first
        };
        let [a, b] = scores[request.sample as usize];
        let Wanted::Scores { after, .. } = &request.about.wanted else {
            panic!("{:?}", request.about.wanted)
        };
        Ok(reply(format!("So.\n{after} {a} {b}")))
    });
    let verdict = played.outcome.unwrap();
    assert_eq!(verdict.preference(), Some([0.0, 1.0, 0.0]), "{verdict:?}");
}
