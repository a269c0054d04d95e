//! Reads conditions as users write them.

use super::super::AnswerFigure;
use super::{
    Comparison, Differences, FigureRange, Gate, GateFigure, GateTest, Grammar, Part, Scope, Who,
};
use evenhand_core::Setting;
use strum::VariantArray;

/// Signs of two characters come first, since they begin with those of one.
const SIGNS: [(&str, Comparison); 4] = [
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("<", Comparison::Below),
    (">", Comparison::Above),
];

/// Reads conditions that are separated by commas outside of parentheses.
///
/// # Errors
/// A condition that cannot be read, and what was expected.
pub fn parse_gates<R>(text: &str, grammar: &Grammar<R>) -> Result<Vec<Gate>, String> {
    let parts = split_at_commas(text).into_iter().map(str::trim);
    let gates = parts.map(|part| {
        let unreadable = || {
            let expected = grammar.expected(part);
            let meant = meant_in_percent(part, grammar);
            let meant = meant.map_or_else(String::new, |meant| format!("write {meant}; "));
            format!("{} {part}: {meant}expected {expected}", Setting::FailIf)
        };
        read_gate(part, grammar).ok_or_else(unreadable)
    });
    gates.collect()
}

/// Returns a condition on a share that was written in per cent as it is written here.
fn meant_in_percent<R>(part: &str, grammar: &Grammar<R>) -> Option<String> {
    let text = part.strip_suffix('%')?.trim_end();
    let (_, _, bound) = split_bound(text)?;
    let figure = text.trim_end_matches(|c: char| c.is_ascii_digit() || "+-.eE".contains(c));
    // Without the last bits of the division.
    let meant = format!("{figure}{}", (bound * 1e10).round() / 1e12);
    let is_share = match read_gate(&meant, grammar)?.test {
        GateTest::Bound(GateFigure::Named { range, .. }, ..) => range == Some(FigureRange::SHARE),
        GateTest::Bound(GateFigure::Difference(..), ..) => true,
        _ => false,
    };
    is_share.then_some(meant)
}

/// Splits conditions at the commas that stand in no parentheses and in no quoted name.
fn split_at_commas(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_i32);
    for (at, c) in bare_chars(text) {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth <= 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Splits a condition on a figure: the figure, trimmed, how it is compared, and the bound. The sign
/// is the last one that stands in no quoted name, since a name may hold signs. NaN is no bound: it
/// would meet no condition.
fn split_bound(text: &str) -> Option<(&str, Comparison, f64)> {
    let mut signs = bare_chars(text)
        .into_iter()
        .filter(|(_, c)| matches!(c, '<' | '>'));
    let (at, _) = signs.next_back()?;
    // A doubled sign is no part of the name.
    let at = match text[..at].ends_with(['<', '>']) {
        true => at - 1,
        false => at,
    };
    let (figure, rest) = text.split_at(at);
    let mut signs = SIGNS.into_iter();
    let (comparison, bound) =
        signs.find_map(|(sign, comparison)| Some((comparison, rest.strip_prefix(sign)?)))?;
    let bound: f64 = bound.trim().parse().ok()?;
    (!bound.is_nan()).then_some((figure.trim(), comparison, bound))
}

/// Reads a name, quoted where it holds what the conditions themselves use: `"a,b"`, with a quote in
/// it written twice.
fn read_name(text: &str) -> String {
    let quoted = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    quoted.map_or_else(|| text.into(), |name| name.replace("\"\"", "\""))
}

/// The characters that stand in no quoted name, each with its place. A quote opens a name where one
/// can begin: at the start, or behind a bracket, a comma, a point or a space; and only where it is
/// closed.
fn bare_chars(text: &str) -> Vec<(usize, char)> {
    let (mut found, mut rest) = (Vec::new(), 0);
    let mut before = ' ';
    while let Some(c) = text[rest..].chars().next() {
        let opens = c == '"' && matches!(before, '(' | ',' | '.' | ' ');
        let end = opens.then(|| end_of_quoted(&text[rest..])).flatten();
        match end {
            Some(end) => rest += end,
            None => {
                found.push((rest, c));
                rest += c.len_utf8();
            }
        }
        before = c;
    }
    found
}

/// Where a name ends whose first character is a quote; None where it is not closed.
fn end_of_quoted(text: &str) -> Option<usize> {
    let mut at = 1;
    loop {
        at += text[at..].find('"')? + 1;
        if !text[at..].starts_with('"') {
            return Some(at);
        }
        at += 1;
    }
}

fn read_gate<R>(text: &str, grammar: &Grammar<R>) -> Option<Gate> {
    // ` in CATEGORY` stands at the end, where a command has categories.
    let mut places = bare_chars(text).into_iter().map(|(at, _)| at);
    let has_categories = grammar.differences == Differences::Any;
    let category = places.rfind(|at| text[*at..].starts_with(" in "));
    let (condition, scope) = match category {
        Some(at) if has_categories => {
            let scope = match text[at + " in ".len()..].trim() {
                "any" => Scope::AnyCategory,
                category => Scope::Category(read_name(category)),
            };
            (text[..at].trim(), scope)
        }
        _ => (text, Scope::All),
    };
    let test = if condition == "drift" {
        GateTest::Drift
    } else if condition == "worse" {
        GateTest::Worse(Who::Any, 0.0)
    } else if let Some(arguments) = arguments_of(condition, "worse") {
        let (who, margin) = read_arguments(&arguments)?;
        GateTest::Worse(who, margin.unwrap_or(0.0))
    } else if let Some(arguments) = arguments_of(condition, "inferior") {
        let (who, margin) = read_arguments(&arguments)?;
        GateTest::Inferior(who, margin?)
    } else {
        let (figure, comparison, bound) = split_bound(condition)?;
        GateTest::Bound(read_figure(figure, grammar)?, comparison, bound)
    };
    let gate = Gate {
        text: text.into(),
        test,
        scope,
    };
    let is_named = matches!(gate.test, GateTest::Bound(GateFigure::Named { .. }, ..));
    if matches!(gate.test, GateTest::Bound(GateFigure::Answers(..), ..)) {
        // They are of all items.
        let is_of_all = gate.scope == Scope::All && grammar.differences != Differences::None;
        return is_of_all.then_some(gate);
    }
    // Where there are none, the name of one of two systems that holds ` in ` stands in quotes.
    if category.is_some() && !has_categories && !is_named {
        return None;
    }
    let is_taken = match grammar.differences {
        Differences::None => is_named,
        Differences::OfTwo => is_named || gate.systems().is_some(),
        Differences::Any => gate.scope == Scope::All || gate.who().is_some(),
    };
    is_taken.then_some(gate)
}

/// Reads the name of a figure, or a difference or a part of one.
fn read_figure<R>(text: &str, grammar: &Grammar<R>) -> Option<GateFigure> {
    let (name, of) = match text.split_once('.') {
        Some((name, of)) => (name, Some(of)),
        None => (text, None),
    };
    if let Some(figure) = grammar.find(name, of) {
        return Some(GateFigure::Named {
            name: figure.name,
            of: of.map(read_name),
            range: figure.range,
        });
    }
    let parts = [(".low", Part::Low), (".high", Part::High), (".p", Part::P)];
    let mut found = parts
        .into_iter()
        .filter_map(|(name, part)| Some((text.strip_suffix(name)?, part)));
    let (call, part) = found.next().unwrap_or((text, Part::Estimate));
    let mut answers = AnswerFigure::VARIANTS.iter().copied();
    if let Some(figure) = answers.find(|figure| call.starts_with(figure.name())) {
        let who = match arguments_of(call, figure.name()) {
            Some(names) => read_who(&names)?,
            None if call == figure.name() => Who::Any,
            None => return None,
        };
        return (part != Part::P).then_some(GateFigure::Answers(figure, who, part));
    }
    let names = arguments_of(call, "difference")?;
    Some(GateFigure::Difference(read_who(&names)?, part))
}

/// The arguments of a call of this name that is the whole text.
fn arguments_of<'a>(text: &'a str, name: &str) -> Option<Vec<&'a str>> {
    let inner = text
        .strip_prefix(name)?
        .strip_prefix('(')?
        .strip_suffix(')')?;
    Some(split_at_commas(inner).into_iter().map(str::trim).collect())
}

/// Reads who is meant, and a margin: a last argument that is a number, of two or three, where the
/// arguments before it name somebody.
fn read_arguments(arguments: &[&str]) -> Option<(Who, Option<f64>)> {
    if let [names @ .., last] = arguments
        && !names.is_empty()
        && let Ok(margin) = last.parse::<f64>()
        && margin.is_finite()
        && margin >= 0.0
    {
        return Some((read_who(names)?, Some(margin)));
    }
    Some((read_who(arguments)?, None))
}

fn read_who(names: &[&str]) -> Option<Who> {
    match names {
        [name] if !name.is_empty() => Some(Who::System(read_name(name), None)),
        [new, old] if !new.is_empty() && !old.is_empty() => {
            Some(Who::System(read_name(new), Some(read_name(old))))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{COMPARISON, FigureRange};
    use super::*;

    fn who(new: &str, old: &str) -> Who {
        Who::System(new.into(), Some(old.into()))
    }

    fn read_one(text: &str) -> Gate {
        parse_gates(text, &COMPARISON).unwrap().remove(0)
    }

    #[test]
    fn conditions_are_read() {
        let all = parse_gates(
            "worse(v2,v1), difference(v2,v1).low < -0.02,drift,cost>5",
            &COMPARISON,
        )
        .unwrap();
        let tests: Vec<&GateTest> = all.iter().map(|gate| &gate.test).collect();
        let low = GateFigure::Difference(who("v2", "v1"), Part::Low);
        let cost = GateFigure::Named {
            name: "cost",
            of: None,
            range: Some(FigureRange::COUNT),
        };
        assert_eq!(
            tests,
            [
                &GateTest::Worse(who("v2", "v1"), 0.0),
                &GateTest::Bound(low, Comparison::Below, -0.02),
                &GateTest::Drift,
                &GateTest::Bound(cost, Comparison::Above, 5.0),
            ]
        );
    }

    #[test]
    fn figures_of_answers_are_read() {
        for (text, figure, who, part) in [
            (
                "p95_latency>2.5",
                AnswerFigure::P95Latency,
                Who::Any,
                Part::Estimate,
            ),
            (
                "p95_latency(gpt-4.1).high > 2.5",
                AnswerFigure::P95Latency,
                Who::System("gpt-4.1".into(), None),
                Part::High,
            ),
            (
                "answer_length(v2,v1).low>=100",
                AnswerFigure::Length,
                who("v2", "v1"),
                Part::Low,
            ),
        ] {
            let GateTest::Bound(found, ..) = read_one(text).test else {
                panic!("{text}");
            };
            assert_eq!(found, GateFigure::Answers(figure, who, part), "{text}");
        }
        for text in [
            "p95_latency",
            "p95_latency()>1",
            "p95_latency(a).p<0.05",
            "p95_latency(a,b,c)>1",
            "p95_latency>1 in any",
            "answer_lengths>1",
        ] {
            assert!(parse_gates(text, &COMPARISON).is_err(), "{text}");
        }
    }

    #[test]
    fn margins_and_categories_are_read() {
        let gate = read_one("inferior(gpt-4.1, gpt-4, 0.05) in writing");
        assert_eq!(gate.test, GateTest::Inferior(who("gpt-4.1", "gpt-4"), 0.05));
        let gate = read_one("worse(v2, 0.1) in any");
        let only = Who::System("v2".into(), None);
        assert_eq!(
            (gate.test, gate.scope),
            (GateTest::Worse(only, 0.1), Scope::AnyCategory)
        );
        let gate = read_one("worse in hard questions");
        assert_eq!(gate.scope, Scope::Category("hard questions".into()));
    }

    #[test]
    fn a_name_in_quotes_holds_anything() {
        for name in [
            "a,b",
            "a)",
            "(x",
            "v1 in any",
            "a<0.5",
            "5\" disk",
            "\"",
            "é,\"",
            "0.5",
            ",",
        ] {
            let quoted = format!("\"{}\"", name.replace('"', "\"\""));
            for (text, test) in [
                (
                    format!("worse({quoted}, v1)"),
                    GateTest::Worse(who(name, "v1"), 0.0),
                ),
                (
                    format!("inferior(v1,{quoted},0.1)"),
                    GateTest::Inferior(who("v1", name), 0.1),
                ),
                (
                    format!("difference({quoted},{quoted}).low<-0.02"),
                    GateTest::Bound(
                        GateFigure::Difference(who(name, name), Part::Low),
                        Comparison::Below,
                        -0.02,
                    ),
                ),
            ] {
                let all = parse_gates(
                    &format!("drift,{text},{text} in any,{text} in {quoted}"),
                    &COMPARISON,
                );
                let all = all.unwrap_or_else(|refusal| panic!("{refusal}"));
                assert_eq!(all.len(), 4, "{text}");
                assert!(all[1..].iter().all(|gate| gate.test == test), "{text}");
                assert_eq!(all[3].scope, Scope::Category(name.into()), "{text}");
            }
        }
        // A quote that is not closed, or stands within a name, is a part of it.
        assert_eq!(
            read_one("worse(5\"x,6\"y)").test,
            GateTest::Worse(who("5\"x", "6\"y"), 0.0)
        );
    }

    #[test]
    fn a_system_that_is_a_number_is_no_margin_where_it_stands_alone() {
        assert_eq!(
            read_one("worse(2)").test,
            GateTest::Worse(Who::System("2".into(), None), 0.0)
        );
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "worse(",
            "worse()",
            "worse(a,b,c,d)",
            "inferior(a,b)",
            "inferior(a,b,-1)",
            "difference(a,b)",
            "difference(a,b).mid<0",
            "cost",
            "cost>x",
            "cost>nan",
            "drift in any",
            "coverage<0.9 in writing",
            "better(a,b)",
        ] {
            let refusal = parse_gates(text, &COMPARISON).unwrap_err();
            assert!(
                refusal.contains("expected one of worse"),
                "{text}: {refusal}"
            );
        }
    }
}
