//! Reads a file of prices.

use super::identity::host;
use super::table::Row;
use super::{Electricity, Price, Rate, TokenPrices, USD_PER_KWH};
use crate::EngineError;
use serde::Deserialize;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    date: Spanned<String>,
    #[serde(default)]
    price: Vec<Spanned<RawRow>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRow {
    #[serde(default)]
    kind: Kind,
    provider: Provider,
    url: Option<String>,
    model: String,
    #[serde(default)]
    source: String,
    input: Option<Spanned<f64>>,
    cached_input: Option<Spanned<f64>>,
    output: Option<Spanned<f64>>,
    batch_discount: Option<Spanned<f64>>,
    watts: Option<Spanned<f64>>,
    devices: Option<Spanned<f64>>,
    tokens_per_second: Option<Spanned<f64>>,
    usd_per_kwh: Option<Spanned<f64>>,
}

#[derive(Clone, Copy, Default, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    #[default]
    Tokens,
    Electricity,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Provider {
    Openai,
    Anthropic,
    Gguf,
    Simulated,
}

impl Provider {
    fn name(self) -> &'static str {
        match self {
            Provider::Openai => "openai",
            Provider::Anthropic => "anthropic",
            Provider::Gguf => "gguf",
            Provider::Simulated => "simulated",
        }
    }
}

/// The rows of a file.
pub(super) fn rows(text: &str, path: &str) -> Result<Vec<Row>, EngineError> {
    let source = Source { text, path };
    let file: File = toml::from_str(text)
        .map_err(|e| source.error(e.span().map_or(0, |span| span.start), e.message()))?;
    if !is_date(file.date.get_ref()) {
        return Err(source.error(
            file.date.span().start,
            "date: expected a day such as \"2026-11-22\"",
        ));
    }
    let mut rows: Vec<Row> = Vec::new();
    for raw in &file.price {
        let row = source.row(raw, file.date.get_ref())?;
        if rows.iter().any(|before| before.is_for_the_same(&row)) {
            return Err(source.error(
                raw.span().start,
                &format!("{}:{} is priced twice", row.provider, row.model),
            ));
        }
        rows.push(row);
    }
    Ok(rows)
}

fn is_date(text: &str) -> bool {
    let fits = |(at, byte): (usize, u8)| {
        if at == 4 || at == 7 {
            byte == b'-'
        } else {
            byte.is_ascii_digit()
        }
    };
    text.len() == 10 && text.bytes().enumerate().all(fits)
}

/// A file's text and name, for what is said of it.
#[derive(Clone, Copy)]
struct Source<'a> {
    text: &'a str,
    path: &'a str,
}

/// Above any price, and far below what would overflow.
const MOST: f64 = 1e9;

impl Source<'_> {
    /// An error at a byte of the file.
    fn error(self, at: usize, why: &str) -> EngineError {
        let line = 1 + self
            .text
            .bytes()
            .take(at)
            .filter(|byte| *byte == b'\n')
            .count();
        EngineError::Setting(format!("{}:{line}: {}", self.path, why.trim_end()))
    }

    fn row(self, raw: &Spanned<RawRow>, date: &str) -> Result<Row, EngineError> {
        let (at, row) = (raw.span().start, raw.get_ref());
        if row.model.is_empty() {
            return Err(self.error(at, "model: expected a name, or * for any"));
        }
        if row.url.is_some() && matches!(row.provider, Provider::Gguf | Provider::Simulated) {
            return Err(self.error(
                at,
                "url goes with openai and anthropic; the others are not served",
            ));
        }
        let rate = match row.kind {
            Kind::Tokens => Rate::Tokens(self.tokens(at, row)?),
            Kind::Electricity => Rate::Electricity(self.electricity(at, row)?),
        };
        let provider = row.provider.name();
        let host = row.url.as_deref().and_then(|url| host(provider, url));
        let price = Price {
            rate,
            source: row.source.clone(),
            date: date.into(),
        };
        Ok(Row {
            provider: provider.into(),
            host,
            model: row.model.clone(),
            price,
        })
    }

    fn tokens(self, at: usize, row: &RawRow) -> Result<TokenPrices, EngineError> {
        let foreign = [
            &row.watts,
            &row.devices,
            &row.tokens_per_second,
            &row.usd_per_kwh,
        ];
        self.none_of(
            &foreign,
            "watts, devices, tokens_per_second and usd_per_kwh go with kind = \"electricity\"",
        )?;
        let input = self.needed(at, "input", &row.input)?;
        let output = self.needed(at, "output", &row.output)?;
        let cached_input = self
            .number("cached_input", &row.cached_input, MOST)?
            .unwrap_or(input);
        let batch_discount = self.number("batch_discount", &row.batch_discount, 1.0)?;
        Ok(TokenPrices {
            input,
            cached_input,
            output,
            batch_discount,
        })
    }

    fn electricity(self, at: usize, row: &RawRow) -> Result<f64, EngineError> {
        let foreign = [
            &row.input,
            &row.cached_input,
            &row.output,
            &row.batch_discount,
        ];
        self.none_of(
            &foreign,
            "input, cached_input, output and batch_discount go with prices for \
                                tokens, not electricity",
        )?;
        let electricity = Electricity {
            watts: self.needed(at, "watts", &row.watts)?,
            devices: self.number("devices", &row.devices, MOST)?.unwrap_or(1.0),
            tokens_per_second: self.needed(at, "tokens_per_second", &row.tokens_per_second)?,
            usd_per_kwh: self
                .number("usd_per_kwh", &row.usd_per_kwh, MOST)?
                .unwrap_or(USD_PER_KWH),
        };
        let usd = electricity
            .usd_per_million_tokens()
            .filter(|usd| *usd <= MOST);
        usd.ok_or_else(|| {
            self.error(
                at,
                "tokens_per_second: expected a number above 0, and not so \
                                          small that no price is left",
            )
        })
    }

    fn none_of(self, numbers: &[&Option<Spanned<f64>>], why: &str) -> Result<(), EngineError> {
        let first = numbers.iter().find_map(|number| number.as_ref());
        first.map_or(Ok(()), |number| Err(self.error(number.span().start, why)))
    }

    fn needed(
        self,
        at: usize,
        key: &str,
        number: &Option<Spanned<f64>>,
    ) -> Result<f64, EngineError> {
        self.number(key, number, MOST)?
            .ok_or_else(|| self.error(at, &format!("{key} is missing; expected a number")))
    }

    /// A number from 0 to `most`.
    fn number(
        self,
        key: &str,
        number: &Option<Spanned<f64>>,
        most: f64,
    ) -> Result<Option<f64>, EngineError> {
        let Some(number) = number else {
            return Ok(None);
        };
        match number.get_ref() {
            value if (0.0..=most).contains(value) => Ok(Some(*value)),
            value => Err(self.error(
                number.span().start,
                &format!("{key}: expected a number from 0 to {most}, found {value}"),
            )),
        }
    }
}
