//! Does a third response change the order of two?  Tripathi et al. 2025, appendix A.5, table 5.
//!
//! A and B stand in a list with C, and in the same places with D; the third last, or first. A
//! reversal is a change of their order with the third. A judge that repeats itself may change it
//! with any change of the prompt, so the list is also shown with C in a rewrite that no reader
//! sees, and what is tested is the difference. The same list asked again is shown beside it.

use super::asks::{Asks, Duel, Seen, Stop};
use super::duels::group;
use super::finding::{About, Finding};
use super::rows::Rows;
use evenhand_engine::EngineError;

/// How lists are asked about.
pub(super) const PROTOCOL: &str = "listwise:3/direct/single:fixed/rules";

pub(super) fn choice(asks: &Asks<'_>) -> Seen<Result<Vec<Finding>, EngineError>> {
    let seen = [false, true].map(|first| asks.over(0, |item| reversed(asks, item, first)));
    let [last, first] = seen;
    let (last, first) = (last?, first?);
    let found = [
        ("third response last", last),
        ("third response first", first),
    ]
    .map(|(layout, seen)| findings(asks, layout, seen));
    Ok(found
        .into_iter()
        .collect::<Result<Vec<_>, _>>()
        .map(|all| all.concat()))
}

/// Whether A and B change order with the third, when the same is asked again, and when the third
/// has spaces that no reader sees.
fn reversed(asks: &Asks<'_>, item: u32, first: bool) -> Seen<[f64; 3]> {
    let four = group(asks, 0, item, 4).ok_or(Stop::Failed)?;
    let (a, b) = (four[0], four[1]);
    let duel = Duel {
        material: 0,
        item,
        a,
        b,
    };
    let ahead = |third: u32, replicate: u32| -> Seen<f64> {
        let shown = if first {
            vec![third, a, b]
        } else {
            vec![a, b, third]
        };
        let places = asks.places(PROTOCOL, duel, shown, replicate)?;
        let at = usize::from(first);
        Ok(places[at + 1] - places[at])
    };
    let (with_c, with_d, again) = (ahead(four[2], 0), ahead(four[3], 0), ahead(four[2], 1));
    let neutral = ahead(asks.materials[0].neutrally(four[2]), 0);
    let (with_c, with_d, again, neutral) = (with_c?, with_d?, again?, neutral?);
    Ok([with_d, again, neutral].map(|other| f64::from(u8::from(with_c * other < 0.0))))
}

fn findings(
    asks: &Asks<'_>,
    layout: &str,
    seen: Rows<[f64; 3]>,
) -> Result<Vec<Finding>, EngineError> {
    let names = [
        "reversals",
        "reversals beyond repetition",
        "reversals beyond neutral",
    ];
    let names = names.map(|name| format!("{name}, {layout}"));
    let about = |name, estimand| About {
        probe: "choice set",
        name,
        protocol: PROTOCOL,
        estimand,
    };
    let rate = seen.map(|[changed, ..]| *changed);
    let beyond = |placebo: usize| seen.map(|seen| seen[0] - seen[placebo]);
    Ok(vec![
        about(
            &names[0],
            "how often the order of two changes with the third of a list",
        )
        .share(&rate, None, asks.level)?,
        about(
            &names[1],
            "those reversals less the reversals when the same list is asked again",
        )
        .untested_difference(&beyond(1), asks.level)?,
        about(
            &names[2],
            "those reversals less the reversals when the third has spaces that no reader sees",
        )
        .difference(&beyond(2), asks.level)?,
    ])
}
