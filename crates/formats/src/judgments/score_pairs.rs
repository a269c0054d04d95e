//! Reviews that score both answers of a pair, as Vicuna's and FairEval's (Wang et al. 2023): two
//! numbers a record.

use super::builder::Builder;
use super::row::Row;
use super::{Compared, Error, Kind, Scored, UNPARSED, wrong};
use serde_json::Value;

const SCORES: &str = "two scores, as `score_1` and `score_2` or as a list `score`";

/// The two systems, in the order in which they were shown; None where the file does not name them.
pub(super) fn systems(row: Row<'_>) -> Result<Option<[String; 2]>, Error> {
    let names = [
        "answer_1_model|answer1_model",
        "answer_2_model|answer2_model",
    ];
    match names.iter().any(|name| row.has(name)) {
        true => Ok(Some([row.name(names[0])?, row.name(names[1])?])),
        false => Ok(None),
    }
}

/// The two scores; None where the reviewer gave none, which some files write as scores below 0.
pub(super) fn scores(row: Row<'_>) -> Result<Option<[f64; 2]>, Error> {
    let found = match row.find("score") {
        Some(Value::Array(both)) if both.len() == 2 => [both[0].as_f64(), both[1].as_f64()],
        Some(other) if !row.has("score_1") => return wrong(row, "score", SCORES, other),
        _ => [row.number("score_1")?, row.number("score_2")?],
    };
    let [Some(first), Some(second)] = found else {
        return Ok(None);
    };
    Ok((first >= 0.0 && second >= 0.0).then_some([first, second]))
}

/// A review, as the comparison that its scores make, or as two scores.
pub(super) fn review(row: Row<'_>, scored: bool, builder: &mut Builder) -> Result<(), Error> {
    let nameless = || Error::NoSystems {
        place: row.place.clone(),
        kind: Kind::ScorePairs,
    };
    let [a, b] = systems(row)?.ok_or_else(nameless)?;
    let pair = builder.pair(super::mt_bench::item(row)?, a, b, row.place)?;
    builder.judge(row.name_if_given("reviewer|judge")?);
    let Some([first, second]) = scores(row)? else {
        builder.fail(UNPARSED);
        return Ok(());
    };
    if scored {
        builder.score(Scored {
            item: pair.item,
            system: pair.a,
            score: first,
        });
        builder.score(Scored {
            item: pair.item,
            system: pair.b,
            score: second,
        });
        return Ok(());
    }
    let verdict = pair.verdict();
    builder.compare(match first.total_cmp(&second) {
        std::cmp::Ordering::Greater => Compared {
            wins_a: 1.0,
            ..verdict
        },
        std::cmp::Ordering::Less => Compared {
            wins_b: 1.0,
            ..verdict
        },
        std::cmp::Ordering::Equal => Compared {
            ties: 1.0,
            ..verdict
        },
    });
    Ok(())
}
