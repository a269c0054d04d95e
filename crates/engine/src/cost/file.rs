//! Reads a file of prices.

use super::identity::host_of_url;
use super::price_row::PriceRow;
use super::{Electricity, Price, Rate, TokenPrices, USD_PER_KWH};
use crate::EngineError;
use evenhand_core::Refusal;
use serde::Deserialize;
use toml::Spanned;

/// Above any price, and far below what would overflow.
const MOST: f64 = 1e9;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    date: Spanned<String>,
    #[serde(default)]
    price: Vec<Spanned<RawRow>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRow {
    #[serde(default)]
    kind: RateKind,
    provider: Provider,
    url: Option<String>,
    model: String,
    #[serde(default)]
    source: String,
    input: RawNumber,
    cached_input: RawNumber,
    output: RawNumber,
    batch_discount: RawNumber,
    watts: RawNumber,
    devices: RawNumber,
    tokens_per_second: RawNumber,
    usd_per_kwh: RawNumber,
}

const NOT_OF_TOKENS: &str =
    "watts, devices, tokens_per_second and usd_per_kwh go with kind = \"electricity\"";
const NOT_OF_ELECTRICITY: &str = "input, cached_input, output and batch_discount go with prices \
                                  for tokens, not electricity";
const TOO_SLOW: &str = "tokens_per_second: expected a number above 0, and not so small that no \
                        price is left";

impl RawRow {
    fn host(&self) -> Option<String> {
        let url = self.url.as_deref()?;
        host_of_url(self.provider.name(), url)
    }

    fn numbers_of_tokens(&self) -> [&RawNumber; 4] {
        [
            &self.input,
            &self.cached_input,
            &self.output,
            &self.batch_discount,
        ]
    }

    fn numbers_of_electricity(&self) -> [&RawNumber; 4] {
        [
            &self.watts,
            &self.devices,
            &self.tokens_per_second,
            &self.usd_per_kwh,
        ]
    }
}

/// A number with its place in the file, where it is there.
type RawNumber = Option<Spanned<f64>>;

#[derive(Clone, Copy, Default, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum RateKind {
    #[default]
    Tokens,
    Electricity,
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
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

    fn is_served(self) -> bool {
        matches!(self, Provider::Openai | Provider::Anthropic)
    }
}

/// Reads the rows of a file; `path` names it in errors.
pub(super) fn read_rows(text: &str, path: &str) -> Result<Vec<PriceRow>, EngineError> {
    let source = PriceText { text, path };
    let file = source.parse_file()?;
    let mut rows = Vec::new();
    for raw in &file.price {
        let row = source.parse_row(raw, file.date.get_ref())?;
        source.check_priced_once(raw, &row, &rows)?;
        rows.push(row);
    }
    Ok(rows)
}

/// Whether a text has the form `YYYY-MM-DD`.
fn is_date(text: &str) -> bool {
    let mut bytes = text.bytes().enumerate();
    text.len() == 10
        && bytes.all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// A file's text and name, for errors with their line.
#[derive(Clone, Copy)]
struct PriceText<'a> {
    text: &'a str,
    path: &'a str,
}

impl PriceText<'_> {
    /// A refusal of what stands at a byte of the file.
    fn refuse_at(self, at: usize, why: &str) -> Refusal {
        let (line, why) = (self.line_of(at), why.trim_end());
        Refusal::of_input(format!("{}:{line}: {why}", self.path))
    }

    fn line_of(self, at: usize) -> usize {
        let before = self.text.bytes().take(at);
        1 + before.filter(|byte| *byte == b'\n').count()
    }

    fn parse_file(self) -> Result<RawFile, Refusal> {
        let file = toml::from_str(self.text);
        let file: RawFile = file.map_err(|e| self.refuse_toml(&e))?;
        self.check_date(&file.date)?;
        Ok(file)
    }

    fn check_date(self, date: &Spanned<String>) -> Result<(), Refusal> {
        if is_date(date.get_ref()) {
            return Ok(());
        }
        let expected = "date: expected a day such as \"2026-11-22\"";
        Err(self.refuse_at(date.span().start, expected))
    }

    fn refuse_toml(self, error: &toml::de::Error) -> Refusal {
        let start = error.span().map_or(0, |span| span.start);
        self.refuse_at(start, error.message())
    }

    fn check_priced_once(
        self,
        raw: &Spanned<RawRow>,
        row: &PriceRow,
        before: &[PriceRow],
    ) -> Result<(), Refusal> {
        if before.iter().any(|before| before.prices_same_model(row)) {
            let why = format!("{}:{} is priced twice", row.provider, row.model);
            return Err(self.refuse_at(raw.span().start, &why));
        }
        Ok(())
    }

    fn parse_row(self, raw: &Spanned<RawRow>, date: &str) -> Result<PriceRow, Refusal> {
        let (at, row) = (raw.span().start, raw.get_ref());
        self.check_row(at, row)?;
        Ok(PriceRow {
            provider: row.provider.name().into(),
            host: row.host(),
            model: row.model.clone(),
            price: Price {
                rate: self.parse_rate(at, row)?,
                source: row.source.clone(),
                date: date.into(),
            },
        })
    }

    fn parse_rate(self, at: usize, row: &RawRow) -> Result<Rate, Refusal> {
        match row.kind {
            RateKind::Tokens => Ok(Rate::Tokens(self.parse_tokens(at, row)?)),
            RateKind::Electricity => Ok(Rate::Electricity(self.parse_electricity(at, row)?)),
        }
    }

    fn check_row(self, at: usize, row: &RawRow) -> Result<(), Refusal> {
        if row.model.is_empty() {
            return Err(self.refuse_at(at, "model: expected a name, or * for any"));
        }
        self.check_url(at, row)
    }

    fn check_url(self, at: usize, row: &RawRow) -> Result<(), Refusal> {
        if row.url.is_some() && !row.provider.is_served() {
            let why = "url goes with openai and anthropic; the others are not served";
            return Err(self.refuse_at(at, why));
        }
        Ok(())
    }

    fn parse_tokens(self, at: usize, row: &RawRow) -> Result<TokenPrices, Refusal> {
        self.refuse_any(row.numbers_of_electricity(), NOT_OF_TOKENS)?;
        let input = self.required(at, "input", &row.input)?;
        let output = self.required(at, "output", &row.output)?;
        let cached_input = self.optional("cached_input", &row.cached_input, MOST)?;
        Ok(TokenPrices {
            input,
            cached_input: cached_input.unwrap_or(input),
            output,
            batch_discount: self.optional("batch_discount", &row.batch_discount, 1.0)?,
        })
    }

    fn parse_electricity(self, at: usize, row: &RawRow) -> Result<f64, Refusal> {
        self.refuse_any(row.numbers_of_tokens(), NOT_OF_ELECTRICITY)?;
        let electricity = self.parse_machines(at, row)?;
        let usd = electricity.usd_per_million_tokens();
        usd.filter(|usd| *usd <= MOST)
            .ok_or_else(|| self.refuse_at(at, TOO_SLOW))
    }

    fn parse_machines(self, at: usize, row: &RawRow) -> Result<Electricity, Refusal> {
        let usd_per_kwh = self.optional("usd_per_kwh", &row.usd_per_kwh, MOST)?;
        Ok(Electricity {
            watts: self.required(at, "watts", &row.watts)?,
            devices: self.optional("devices", &row.devices, MOST)?.unwrap_or(1.0),
            tokens_per_second: self.required(at, "tokens_per_second", &row.tokens_per_second)?,
            usd_per_kwh: usd_per_kwh.unwrap_or(USD_PER_KWH),
        })
    }

    fn refuse_any(self, numbers: [&RawNumber; 4], why: &str) -> Result<(), Refusal> {
        match numbers.into_iter().flatten().next() {
            Some(number) => Err(self.refuse_at(number.span().start, why)),
            None => Ok(()),
        }
    }

    fn required(self, at: usize, key: &str, number: &RawNumber) -> Result<f64, Refusal> {
        let number = self.optional(key, number, MOST)?;
        number.ok_or_else(|| self.refuse_at(at, &format!("{key} is missing; expected a number")))
    }

    /// Returns a number from 0 to `most`, where it is there.
    fn optional(self, key: &str, number: &RawNumber, most: f64) -> Result<Option<f64>, Refusal> {
        let Some(number) = number else {
            return Ok(None);
        };
        let value = *number.get_ref();
        if (0.0..=most).contains(&value) {
            return Ok(Some(value));
        }
        let why = format!("{key}: expected a number from 0 to {most}, found {value}");
        Err(self.refuse_at(number.span().start, &why))
    }
}
