//! A judge's figures as a row of the atlas of judges (docs/atlas/figures.jsonl).

use crate::named_figures::FigureOf;
use evenhand_studies::Figure;
use evenhand_studies::judge::{Evaluation, Measures};
use serde_json::{Map, Value, json};

/// Whose labelled pairs a judge was measured on.
#[derive(Clone, Copy, Debug)]
pub struct AtlasSet<'a> {
    /// The name of the pairs, as the atlas has it where it has it.
    pub set: &'a str,
    /// Who made them.
    pub source: &'a str,
    /// Their licence.
    pub licence: &'a str,
}

/// The figures of the atlas, in its order: each is the value with both ends of its interval.
const FIGURES: [FigureOf<Measures>; 10] = [
    ("accuracy", |m| &m.accuracy),
    ("accuracy_forward", |m| &m.accuracy_forward),
    ("accuracy_swapped", |m| &m.accuracy_swapped),
    ("accuracy_both", |m| &m.accuracy_both),
    ("accuracy_length_balanced", |m| &m.accuracy_length_balanced),
    ("longer_wins", |m| &m.longer_wins),
    ("consistency", |m| &m.consistency),
    ("first_slot", |m| &m.first_slot),
    ("kappa", |m| &m.kappa),
    ("kappa_orders", |m| &m.kappa_orders),
];

/// Writes the rows of judges, a line of JSON each: names, counts and figures, and nothing of the
/// pairs, their labels or the judges' words. `cost_usd` is what all calls cost, if that is known.
pub fn atlas_rows(judges: &[Evaluation], of: AtlasSet<'_>, cost_usd: Option<f64>) -> String {
    let rows = judges.iter().map(|judge| {
        let measures = &judge.total.measures;
        let protocol = match judge.protocol.as_str() {
            "" => String::new(),
            protocol => format!(", {protocol}"),
        };
        let mut row = Map::new();
        for (key, value) in [
            (
                "judge",
                json!(format!("{}{protocol}", without_address(&judge.judge))),
            ),
            ("set", json!(of.set)),
            ("source", json!(of.source)),
            ("licence", json!(of.licence)),
            (
                "measured",
                json!(concat!("evenhand ", env!("CARGO_PKG_VERSION"))),
            ),
            ("pairs", json!(measures.n)),
            ("trials", json!(measures.coverage.trials)),
            ("verdicts", json!(measures.coverage.verdicts)),
            // What several cost together is no one's.
            ("cost_usd", json!(cost_usd.filter(|_| judges.len() == 1))),
        ] {
            row.insert(key.into(), value);
        }
        for (key, figure) in FIGURES {
            row.insert(key.into(), in_four_digits(figure(measures)));
        }
        format!("{}\n", Value::Object(row))
    });
    rows.collect()
}

/// Leaves out where each judge of a panel is served: `model@http://..` is the model.
fn without_address(judge: &str) -> String {
    let judges = judge.split(" + ").map(|one| {
        let at = one.find("@http://").or_else(|| one.find("@https://"));
        at.map_or(one, |at| &one[..at])
    });
    judges.collect::<Vec<_>>().join(" + ")
}

/// Returns the value and the ends of its interval; null where it is undefined.
fn in_four_digits(figure: &Figure) -> Value {
    let rounded = |number: f64| {
        let text = format!("{number:.4}");
        // No minus before a zero.
        text.parse::<f64>().unwrap_or(number) + 0.0
    };
    let Some(value) = figure.value else {
        return Value::Null;
    };
    let [low, high] = figure.ci.unwrap_or_default().map(|end| end.map(rounded));
    json!([rounded(value), low, high])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_four_digits_and_no_negative_zero() {
        let figure = |value, ci| Figure {
            value,
            ci,
            note: None,
        };
        let shown = in_four_digits(&figure(Some(-0.00001), Some([None, Some(0.123_45)])));
        assert_eq!(shown.to_string(), "[0.0,null,0.1235]");
        assert_eq!(in_four_digits(&figure(None, None)), Value::Null);
        assert_eq!(
            in_four_digits(&figure(Some(0.5), None)),
            json!([0.5, null, null])
        );
    }

    #[test]
    fn no_address_is_published() {
        for (judge, shown) in [
            ("openai:m@https://host.internal/v1", "openai:m"),
            ("decisions:m@http://10.0.0.1:80", "decisions:m"),
            ("gguf:a@b", "gguf:a@b"),
            (
                "openai:a@http://one/v1 + openai:b@https://two/v1",
                "openai:a + openai:b",
            ),
        ] {
            assert_eq!(without_address(judge), shown);
        }
    }
}
