//! What a judge prefers beyond what people prefer: the longer answer, and its own.
//!
//! On pairs that people compared: how often the judge prefers the longer of two (or the judge's
//! own), less how often people do.

use super::asks::{Asked, Asks, Seen, Stop};
use super::duels::{duel, people};
use super::finding::{About, Finding};
use super::rows::Rows;
use evenhand_engine::EngineError;

/// Which of two responses is looked for.
#[derive(Clone, Copy)]
enum Trait {
    Longer,
    Of(u32),
}

pub(super) fn beyond_people(
    asks: &Asks<'_>,
    protocols: &[Asked],
    own: Option<u32>,
) -> Seen<Result<Vec<Finding>, EngineError>> {
    if asks
        .materials
        .first()
        .is_none_or(|material| material.labels.is_empty())
    {
        return Ok(Ok(Vec::new()));
    }
    let traits: Vec<Trait> = [Some(Trait::Longer), own.map(Trait::Of)]
        .into_iter()
        .flatten()
        .collect();
    let cells: Vec<(&Asked, Trait)> = protocols
        .iter()
        .flat_map(|asked| traits.iter().map(move |of| (asked, *of)))
        .collect();
    let seen: Vec<_> = cells
        .iter()
        .map(|(asked, of)| asks.over(0, |item| excess(asks, asked, *of, item)))
        .collect();
    let seen = seen.into_iter().collect::<Seen<Vec<_>>>()?;
    let found = cells
        .iter()
        .zip(seen)
        .map(|((asked, of), rows)| findings(asks, asked, *of, &rows.known()));
    Ok(found.collect::<Result<Vec<_>, _>>().map(|all| all.concat()))
}

/// How much judge and people prefer the response with the trait, and whether people and judge
/// agree; none where both or neither have it.
fn excess(asks: &Asks<'_>, asked: &Asked, of: Trait, item: u32) -> Seen<Option<[f64; 3]>> {
    let duel = duel(asks, 0, item).ok_or(Stop::Failed)?;
    let label = people(asks, duel).ok_or(Stop::Failed)?;
    let [share, _] = asks.prefers(asked, duel, 0)?;
    let first = match of {
        Trait::Of(own) => (duel.a == own).cmp(&(duel.b == own)),
        Trait::Longer => asks.materials[0]
            .length(duel.a, item)
            .cmp(&asks.materials[0].length(duel.b, item)),
    };
    let right = if label == 0.5 {
        share == 0.5
    } else {
        (share - 0.5) * (label - 0.5) > 0.0
    };
    let right = f64::from(u8::from(right));
    Ok(match first {
        std::cmp::Ordering::Greater => Some([share, label, right]),
        std::cmp::Ordering::Less => Some([1.0 - share, 1.0 - label, right]),
        std::cmp::Ordering::Equal => None,
    })
}

fn findings(
    asks: &Asks<'_>,
    asked: &Asked,
    of: Trait,
    rows: &Rows<[f64; 3]>,
) -> Result<Vec<Finding>, EngineError> {
    let (probe, who) = match of {
        Trait::Longer => ("length preference", "longer"),
        Trait::Of(_) => ("self-preference", "own"),
    };
    let about = |name, estimand| About {
        probe,
        name,
        protocol: &asked.protocol,
        estimand,
    };
    let all = |value: fn(&[f64; 3]) -> f64| rows.map(value);
    let (judge, public, beyond) = (all(|v| v[0]), all(|v| v[1]), all(|v| v[0] - v[1]));
    let names = [
        format!("{who}, by the judge"),
        format!("{who}, by people"),
        format!("{who}, beyond people"),
    ];
    let mut found = vec![
        about(
            &names[0],
            "how often the judge prefers it, over both orders",
        )
        .share(&judge, None, asks.level)?,
        about(&names[1], "how often people do").share(&public, None, asks.level)?,
        about(
            &names[2],
            "how often the judge prefers it less how often people do",
        )
        .difference(&beyond, asks.level)?,
    ];
    if let Trait::Longer = of {
        let right = all(|v| v[2]);
        let about = About {
            probe: "accuracy",
            name: "agrees with people",
            ..about(
                "",
                "how often judge and people prefer the same, both orders together",
            )
        };
        found.push(about.share(&right, None, asks.level)?);
    }
    Ok(found)
}
