//! Reads filters.

use super::{FailureFilter, Filter, FilterError, PeopleFilter, Range, Sort};
use evenhand_core::{FailureKind, Side, did_you_mean, split_list};

type Result<T> = std::result::Result<T, FilterError>;

const FIELDS: [&str; 16] = [
    "system",
    "pair",
    "item",
    "category",
    "outcome",
    "winner",
    "flipped",
    "split",
    "people",
    "failure",
    "confidence",
    "cost",
    "text",
    "sort",
    "offset",
    "limit",
];

const SORTS: [(&str, Sort); 6] = [
    ("plan", Sort::Plan),
    ("confidence", Sort::Confidence),
    ("-confidence", Sort::ConfidenceDown),
    ("cost", Sort::Cost),
    ("-cost", Sort::CostDown),
    ("item", Sort::Item),
];

const OUTCOMES: [(&str, Option<Side>); 4] = [
    ("a", Some(Side::First)),
    ("b", Some(Side::Second)),
    ("tie", Some(Side::Tie)),
    ("none", None),
];

const PEOPLE: [(&str, PeopleFilter); 3] = [
    ("agree", PeopleFilter::Agree),
    ("disagree", PeopleFilter::Disagree),
    ("any", PeopleFilter::Any),
];

/// `flipped` alone says as much as `flipped=1`.
const FLAGS: [(&str, bool); 3] = [("1", true), ("0", false), ("", true)];

impl Filter {
    /// Reads a filter from the query of an address: `system=x&flipped=1`, percent-encoded. An empty
    /// text passes every row.
    ///
    /// # Errors
    /// A field that there is not, or that is given twice, and a value of another form, with what
    /// was expected.
    pub fn parse(query: &str) -> Result<Filter> {
        Filter::from_pairs(form_urlencoded::parse(query.as_bytes()))
    }

    /// Reads a filter from fields with their values, as they stand. A row passes all of them.
    ///
    /// # Errors
    /// Those of [`Filter::parse`].
    pub fn from_pairs<T: AsRef<str>>(pairs: impl IntoIterator<Item = (T, T)>) -> Result<Filter> {
        let mut filter = Filter::default();
        let mut given = Vec::new();
        for (field, value) in pairs {
            let field = field.as_ref().to_owned();
            if given.contains(&field) {
                return Err(FilterError::Twice { field });
            }
            filter.set(&field, value.as_ref())?;
            given.push(field);
        }
        Ok(filter)
    }

    /// Reads a filter from words such as `flipped` and `system=x`, each value as it stands.
    ///
    /// # Errors
    /// Those of [`Filter::parse`].
    pub fn from_words(words: &[String]) -> Result<Filter> {
        let pairs = words.iter();
        Filter::from_pairs(pairs.map(|word| word.split_once('=').unwrap_or((word, ""))))
    }

    fn set(&mut self, field: &str, value: &str) -> Result<()> {
        match field {
            "system" => self.system = read_name("system", value)?,
            "pair" => {
                // `A,B` too, as flags name two systems. Of several `~` some are letters of a name.
                let spelt = match &split_list(value)[..] {
                    [a, b] if !value.contains('~') => format!("{a}~{b}"),
                    _ => value.to_owned(),
                };
                let halves = spelt.split_once('~');
                if halves.is_none_or(|(a, b)| a.is_empty() || b.is_empty()) {
                    return Err(bad_value("pair", value, "two systems, as A~B"));
                }
                self.pair = Some(spelt);
            }
            "item" => self.item = read_name("item", value)?,
            "category" => self.category = read_name("category", value)?,
            "winner" => self.winner = read_name("winner", value)?,
            "text" => self.text = Some(value.to_owned()).filter(|text| !text.is_empty()),
            "offset" => self.offset = read_count("offset", value)?,
            "limit" => self.limit = Some(read_count("limit", value)?),
            "outcome" => self.outcome = Some(choose("outcome", value, &OUTCOMES)?),
            "flipped" => self.flipped = Some(choose("flipped", value, &FLAGS)?),
            "split" => self.split = Some(choose("split", value, &FLAGS)?),
            "people" => self.people = Some(choose("people", value, &PEOPLE)?),
            "failure" => self.failure = Some(read_failure(value)?),
            "confidence" => self.confidence = Some(read_range("confidence", value)?),
            "cost" => self.cost = Some(read_range("cost", value)?),
            "sort" => self.sort = choose("sort", value, &SORTS)?,
            _ => {
                return Err(FilterError::UnknownField {
                    field: field.into(),
                    known: FIELDS.join(", ") + &did_you_mean(field, FIELDS),
                });
            }
        }
        Ok(())
    }
}

fn bad_value(field: &'static str, found: &str, expected: impl Into<String>) -> FilterError {
    FilterError::BadValue {
        field,
        expected: expected.into(),
        found: found.into(),
    }
}

fn read_name(field: &'static str, value: &str) -> Result<Option<String>> {
    if value.is_empty() {
        return Err(bad_value(field, value, "a name"));
    }
    Ok(Some(value.into()))
}

fn read_count(field: &'static str, value: &str) -> Result<usize> {
    let count = value.parse();
    count.map_err(|_| bad_value(field, value, "a whole number"))
}

fn choose<T: Copy>(field: &'static str, value: &str, choices: &[(&str, T)]) -> Result<T> {
    if let Some((_, choice)) = choices.iter().find(|(name, _)| *name == value) {
        return Ok(*choice);
    }
    let names = choices.iter().map(|(name, _)| *name);
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    Err(bad_value(
        field,
        value,
        format!("one of {}", names.join(", ")),
    ))
}

fn read_failure(value: &str) -> Result<FailureFilter> {
    if value == "any" {
        return Ok(FailureFilter::Any);
    }
    match value.parse() {
        Ok(kind) => Ok(FailureFilter::Kind(kind)),
        Err(_) => {
            let names = FailureKind::NAMES.join(", ");
            Err(bad_value(
                "failure",
                value,
                format!("any, or one of {names}"),
            ))
        }
    }
}

fn read_range(field: &'static str, value: &str) -> Result<Range> {
    let expected = || bad_value(field, value, "a range LO..HI of numbers, such as 0..0.2");
    let (low, high) = value.split_once("..").ok_or_else(expected)?;
    let low = read_end(low, f64::NEG_INFINITY).ok_or_else(expected)?;
    let high = read_end(high, f64::INFINITY).ok_or_else(expected)?;
    Ok(Range { low, high })
}

/// Reads an end of a range; an empty one is open.
fn read_end(text: &str, open: f64) -> Option<f64> {
    if text.is_empty() {
        return Some(open);
    }
    text.parse().ok().filter(|end: &f64| end.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_decoded_and_read() {
        let read = Filter::parse(
            "system=a+b%26c&pair=x~y&flipped&split=0&confidence=..0.2&sort=-cost&limit=7",
        );
        let expected = Filter {
            system: Some("a b&c".into()),
            pair: Some("x~y".into()),
            flipped: Some(true),
            split: Some(false),
            confidence: Some(Range {
                low: f64::NEG_INFINITY,
                high: 0.2,
            }),
            sort: Sort::CostDown,
            limit: Some(7),
            ..Filter::default()
        };
        assert_eq!(read, Ok(expected));
        let pair = Filter::parse("pair=x,y").map(|filter| filter.pair);
        assert_eq!(pair, Ok(Some("x~y".into())), "as flags name two systems");
        assert_eq!(Filter::parse(""), Ok(Filter::default()));
    }

    #[test]
    fn errors_name_the_field_and_what_was_expected() {
        for (query, message) in [
            (
                "sytem=x",
                "sytem: there is no such filter; expected one of system, pair,",
            ),
            ("split=1&split=0", "split: given twice"),
            (
                "flipped=yes",
                "flipped: expected one of 1, 0, found \"yes\"",
            ),
            (
                "outcome=c",
                "outcome: expected one of a, b, tie, none, found \"c\"",
            ),
            (
                "failure=odd",
                "failure: expected any, or one of unparsed, refused",
            ),
            ("cost=1", "cost: expected a range LO..HI"),
            ("cost=nan..1", "cost: expected a range LO..HI"),
            ("pair=x", "pair: expected two systems, as A~B"),
            ("pair=x,", "pair: expected two systems, as A~B"),
            ("limit=-1", "limit: expected a whole number"),
            ("system=", "system: expected a name"),
        ] {
            let error = Filter::parse(query).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
