//! Does style hide what is broken?  Tripathi et al. 2025, section 3.2 and figure 3.
//!
//! Each item has three verifiable constraints, one answer that keeps all of them, and answers that
//! break one, two and three, every one verified. The judge should prefer the first; how often it
//! does is its accuracy, against plain answers and against the same rewritten.

use super::asks::{Asked, Asks, Duel, Seen};
use super::finding::{About, Finding};
use super::rows::Rows;
use evenhand_engine::EngineError;

/// The systems of the tweak set, best first.
pub const SYSTEMS: [&str; 4] = ["adherent", "severity-1", "severity-2", "severity-3"];

pub(super) fn severity(
    asks: &Asks<'_>,
    protocols: &[Asked],
    material: usize,
) -> Seen<Result<Vec<Finding>, EngineError>> {
    let rewrites = asks
        .materials
        .get(material)
        .map_or(0, |material| material.rewrites.len());
    let levels = || {
        (1..SYSTEMS.len() as u32)
            .flat_map(|level| (0..rewrites).map(move |rewrite| (level, rewrite)))
    };
    let cells: Vec<(&Asked, (u32, usize))> = protocols
        .iter()
        .flat_map(|asked| levels().map(move |cell| (asked, cell)))
        .collect();
    let seen: Vec<_> = cells
        .iter()
        .map(|(asked, cell)| right(asks, asked, material, *cell))
        .collect();
    let seen = seen.into_iter().collect::<Seen<Vec<_>>>()?;
    let found = cells
        .iter()
        .zip(seen)
        .map(|((asked, cell), seen)| findings(asks, asked, material, *cell, seen));
    Ok(found.collect::<Result<Vec<_>, _>>().map(|all| all.concat()))
}

/// For each item how right the judge is about a plain and a rewritten answer that breaks as many
/// constraints as `level`.
fn right(
    asks: &Asks<'_>,
    asked: &Asked,
    material: usize,
    (level, rewrite): (u32, usize),
) -> Seen<Rows<[f64; 2]>> {
    asks.over(material, |item| {
        let duel = Duel {
            material,
            item,
            a: 0,
            b: level,
        };
        let plain = asks.prefers(asked, duel, 0);
        let dressed = asks.prefers(
            asked,
            duel.against(asks.materials[material].rewritten(level, rewrite)),
            0,
        );
        // An equal verdict is not the right one: the paper counts what is ranked above.
        let right = |[share, _]: [f64; 2]| f64::from(u8::from(share > 0.5));
        Ok([right(plain?), right(dressed?)])
    })
}

fn findings(
    asks: &Asks<'_>,
    asked: &Asked,
    material: usize,
    (level, rewrite): (u32, usize),
    seen: Rows<[f64; 2]>,
) -> Result<Vec<Finding>, EngineError> {
    let rewrite = &asks.materials[material].rewrites[rewrite].name;
    let about = |name, estimand| About {
        probe: "severity",
        name,
        protocol: &asked.protocol,
        estimand,
    };
    let [plain, dressed] = [0, 1].map(|which| seen.map(|value| value[which]));
    let lost = seen.map(|[plain, dressed]| plain - dressed);
    let [first, second, third] = [
        format!("{level} broken: accuracy"),
        format!("{level} broken, {rewrite}: accuracy"),
        format!("{level} broken, {rewrite}: accuracy lost"),
    ];
    Ok(vec![
        about(
            &first,
            "how often the answer that keeps all constraints is preferred to one that \
                       breaks so many",
        )
        .share(&plain, None, asks.level)?,
        about(
            &second,
            "the same where the answer that breaks them is rewritten",
        )
        .share(&dressed, None, asks.level)?,
        about(
            &third,
            "accuracy against plain answers less that against rewritten ones",
        )
        .difference(&lost, asks.level)?,
    ])
}
