//! Does style hide what is broken? Tripathi et al. 2025, section 3.2 and figure 3.
//!
//! Each item has three verifiable constraints, one answer that keeps all of them, and answers that
//! break one, two and three, every one verified. The judge should prefer the first; how often it
//! does is its accuracy, against plain answers and against the same rewritten.

use super::asks::{Asked, Asks, Duel, Seen};
use super::finding::Finding;
use super::finding_name::FindingName;
use super::probing::{Probed, findings_of_each};
use super::rows::Rows;
use crate::figure::indicator;
use evenhand_engine::EngineError;

/// The systems of the tweak set, best first.
pub const SYSTEMS: [&str; 4] = ["adherent", "severity-1", "severity-2", "severity-3"];

/// One comparison of the answer that keeps all constraints with one that breaks some.
#[derive(Clone, Copy)]
struct Case<'a> {
    asked: &'a Asked,
    material: usize,
    /// How many constraints the other breaks; also the number of its system.
    broken: u32,
    /// The rewrite in which it is shown too.
    rewrite: usize,
}

/// Whether the judge is right about an item, as 0 or 1.
struct Rightness {
    plain: f64,
    rewritten: f64,
}

pub(super) fn probe_severity(asks: &Asks<'_>, protocols: &[Asked], material: usize) -> Probed {
    let rewrites = asks.rewrite_count(material);
    let mut cases = Vec::new();
    for asked in protocols {
        for broken in 1..SYSTEMS.len() as u32 {
            cases.extend((0..rewrites).map(|rewrite| Case {
                asked,
                material,
                broken,
                rewrite,
            }));
        }
    }
    findings_of_each(
        &cases,
        |case| asks.over(case.material, |item| rightness_on(asks, case, item)),
        |case, seen| severity_findings(asks, case, &seen),
    )
}

fn rightness_on(asks: &Asks<'_>, case: Case<'_>, item: u32) -> Seen<Rightness> {
    let duel = Duel {
        material: case.material,
        item,
        a: 0,
        b: case.broken,
    };
    let rewritten = asks.materials[case.material].rewritten(case.broken, case.rewrite);
    let plain = asks.prefers(case.asked, duel, 0);
    let dressed = asks.prefers(case.asked, duel.against(rewritten), 0);
    // An equal verdict is not the right one: the paper counts what is ranked above.
    let right = |[share, _]: [f64; 2]| indicator(share > 0.5);
    Ok(Rightness {
        plain: right(plain?),
        rewritten: right(dressed?),
    })
}

fn severity_findings(
    asks: &Asks<'_>,
    case: Case<'_>,
    seen: &Rows<Rightness>,
) -> Result<Vec<Finding>, EngineError> {
    let about = |name: FindingName| name.under(&case.asked.protocol);
    let rewrite = || asks.rewrite_name(case.material, case.rewrite);
    let broken = case.broken;
    let plain = seen.map(|right| right.plain);
    let rewritten = seen.map(|right| right.rewritten);
    let [rewritten_name, lost_name] = [
        FindingName::RewrittenAccuracy {
            broken,
            rewrite: rewrite(),
        },
        FindingName::AccuracyLost {
            broken,
            rewrite: rewrite(),
        },
    ];
    Ok(vec![
        about(FindingName::BrokenAccuracy { broken }).untested_share(&plain, asks.level)?,
        about(rewritten_name).untested_share(&rewritten, asks.level)?,
        about(lost_name).tested_difference(&plain.less(&rewritten), asks.level)?,
    ])
}
