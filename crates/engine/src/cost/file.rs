//! Reads a file of prices.

use super::identity::{Identity, host_of_url, model_fit};
use super::{Electricity, Price, Rate, TokenPrices, USD_PER_KWH};
use crate::EngineError;
use evenhand_core::Refusal;
use serde::Deserialize;
use strum::IntoStaticStr;
use toml::Spanned;

/// Above any price, and far below what would overflow.
const MOST: f64 = 1e9;

/// A row of a price table, as a file gives it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PriceRow {
    /// The part of the identity before the colon.
    pub(super) provider: String,
    /// Host and port; None for the provider's own.
    pub(super) host: Option<String>,
    /// The model, or what it begins with and a `*`.
    pub(super) model: String,
    pub(super) price: Price,
}

impl PriceRow {
    /// Returns how well the row fits a judge, the more the greater; None where it is not about it.
    pub(super) fn fit(&self, judge: &Identity) -> Option<(usize, u8)> {
        if self.provider == judge.provider && self.host == judge.host {
            model_fit(&self.model, judge)
        } else {
            None
        }
    }

    /// Whether two rows price the same model of the same server.
    pub(super) fn prices_same_model(&self, other: &PriceRow) -> bool {
        self.provider == other.provider && self.host == other.host && self.model == other.model
    }
}

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

/// A number with its place in the file, where it is there.
type RawNumber = Option<Spanned<f64>>;

#[derive(Clone, Copy, Default, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum RateKind {
    #[default]
    Tokens,
    Electricity,
}

#[derive(Clone, Copy, Deserialize, PartialEq, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "kebab-case")]
enum Provider {
    Openai,
    Anthropic,
    Systemone,
    Decisions,
    Reward,
    Gguf,
    Simulated,
}

impl Provider {
    fn is_served(self) -> bool {
        !matches!(self, Provider::Gguf | Provider::Simulated)
    }
}

/// Reads the rows of a file; `path` names it in errors.
pub(super) fn read_rows(text: &str, path: &str) -> Result<Vec<PriceRow>, EngineError> {
    let source = PriceText { text, path };
    let file: RawFile = toml::from_str(text).map_err(|e| {
        let start = e.span().map_or(0, |span| span.start);
        source.refuse_at(start, e.message())
    })?;
    let date = file.date.get_ref();
    if !is_date(date) {
        let expected = "date: expected a day such as \"2026-11-22\"";
        return Err(source.refuse_at(file.date.span().start, expected).into());
    }
    let mut rows: Vec<PriceRow> = Vec::new();
    for raw in &file.price {
        let at = raw.span().start;
        let row = source.parse_row(at, raw.get_ref(), date)?;
        if rows.iter().any(|before| before.prices_same_model(&row)) {
            let why = format!("{}:{} is priced twice", row.provider, row.model);
            return Err(source.refuse_at(at, &why).into());
        }
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
        let before = self.text.bytes().take(at);
        let line = 1 + before.filter(|byte| *byte == b'\n').count();
        Refusal::of_input(format!("{}:{line}: {}", self.path, why.trim_end()))
    }

    fn parse_row(self, at: usize, row: &RawRow, date: &str) -> Result<PriceRow, Refusal> {
        if row.model.is_empty() {
            return Err(self.refuse_at(at, "model: expected a name, or * for any"));
        }
        if row.url.is_some() && !row.provider.is_served() {
            let why = "url goes with judges that are served; gguf and simulated are not";
            return Err(self.refuse_at(at, why));
        }
        let provider: &str = row.provider.into();
        let host = row
            .url
            .as_deref()
            .and_then(|url| host_of_url(provider, url));
        let rate = match row.kind {
            RateKind::Tokens => Rate::Tokens(self.parse_tokens(at, row)?),
            RateKind::Electricity => Rate::Electricity(self.parse_electricity(at, row)?),
        };
        Ok(PriceRow {
            provider: provider.into(),
            host,
            model: row.model.clone(),
            price: Price {
                rate,
                source: row.source.clone(),
                date: date.into(),
            },
        })
    }

    fn parse_tokens(self, at: usize, row: &RawRow) -> Result<TokenPrices, Refusal> {
        let others = [
            &row.watts,
            &row.devices,
            &row.tokens_per_second,
            &row.usd_per_kwh,
        ];
        self.refuse_any(others, NOT_OF_TOKENS)?;
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

    /// Returns USD for a million tokens.
    fn parse_electricity(self, at: usize, row: &RawRow) -> Result<f64, Refusal> {
        let others = [
            &row.input,
            &row.cached_input,
            &row.output,
            &row.batch_discount,
        ];
        self.refuse_any(others, NOT_OF_ELECTRICITY)?;
        let usd_per_kwh = self.optional("usd_per_kwh", &row.usd_per_kwh, MOST)?;
        let machines = Electricity {
            watts: self.required(at, "watts", &row.watts)?,
            devices: self.optional("devices", &row.devices, MOST)?.unwrap_or(1.0),
            tokens_per_second: self.required(at, "tokens_per_second", &row.tokens_per_second)?,
            usd_per_kwh: usd_per_kwh.unwrap_or(USD_PER_KWH),
        };
        let usd = machines.usd_per_million_tokens();
        usd.filter(|usd| *usd <= MOST)
            .ok_or_else(|| self.refuse_at(at, TOO_SLOW))
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
