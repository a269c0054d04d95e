//! Worlds in which the truth is known: people, and a judge that agrees with them as often as it
//! should and is biased otherwise. Rows of an item are alike; no draw depends on anything but the
//! seed and the replication.

use evenhand_stats::draw_clusters;
use evenhand_stats::prediction_powered::{Judged, JudgedPair, Labelled, LabelledPair};

/// True strengths of four systems, in log-odds with mean 0; the judge has the order reversed.
pub(crate) const STRENGTHS: [f64; 4] = [0.6, 0.2, -0.2, -0.6];
/// The true mean label.
pub(crate) const MEAN: f64 = 0.6;
/// What a judge that does not look says is right so often.
const LENIENT: f64 = 0.85;
const ROWS_PER_ITEM: u32 = 3;

/// How much is seen: numbers of items, and the share of rows on which the judge says what the human
/// says.
#[derive(Clone, Copy)]
pub(crate) struct World {
    pub(crate) labelled: u32,
    pub(crate) judged: u32,
    pub(crate) skill: f64,
}

fn uniform(seed: u64, replication: u64) -> impl FnMut() -> f64 {
    let mut draws = draw_clusters(seed, replication, 1 << 31);
    move || (f64::from(draws.next().unwrap()) + 0.5) / f64::from(1u32 << 31)
}

/// A number that half of the time is the item's own, so that rows of an item are correlated.
fn shared(own: f64, next: &mut impl FnMut() -> f64) -> f64 {
    let (coin, fresh) = (next(), next());
    if coin < 0.5 { own } else { fresh }
}

pub(crate) fn scores(world: World, seed: u64, replication: u64) -> (Vec<Labelled>, Vec<Judged>) {
    let mut next = uniform(seed, replication);
    let (mut labelled, mut judged) = (Vec::new(), Vec::new());
    for cluster in 0..world.labelled + world.judged {
        let own = next();
        for _ in 0..ROWS_PER_ITEM {
            let human = f64::from(shared(own, &mut next) < MEAN);
            let (looks, lenient) = (next() < world.skill, f64::from(next() < LENIENT));
            let judge = if looks { human } else { lenient };
            match cluster < world.labelled {
                true => labelled.push(Labelled {
                    cluster,
                    human,
                    judge,
                }),
                false => judged.push(Judged { cluster, judge }),
            }
        }
    }
    (labelled, judged)
}

pub(crate) fn pairs(
    world: World,
    seed: u64,
    replication: u64,
) -> (Vec<LabelledPair>, Vec<JudgedPair>) {
    let mut next = uniform(seed, replication);
    let (mut labelled, mut judged) = (Vec::new(), Vec::new());
    for cluster in 0..world.labelled + world.judged {
        let own = next();
        for _ in 0..ROWS_PER_ITEM {
            let a = (next() * 4.0) as u16;
            let b = (a + 1 + (next() * 3.0) as u16) % 4;
            let lead = STRENGTHS[usize::from(a)] - STRENGTHS[usize::from(b)];
            let wins = |lead: f64, draw: f64| f64::from(draw < 1.0 / (1.0 + (-lead).exp()));
            let human = wins(lead, shared(own, &mut next));
            let (looks, biased) = (next() < world.skill, wins(-lead, next()));
            let judge = if looks { human } else { biased };
            match cluster < world.labelled {
                true => labelled.push(LabelledPair {
                    cluster,
                    a,
                    b,
                    human,
                    judge,
                }),
                false => judged.push(JudgedPair {
                    cluster,
                    a,
                    b,
                    judge,
                }),
            }
        }
    }
    (labelled, judged)
}
