//! Measures answers without a judge: how long they are, and how long the system took. The figures
//! of conditions on them, with intervals over questions.

use evenhand_core::Response;
use evenhand_formats::{StyleCovariate, count_covariates, read_latency};
use evenhand_stats::{ColumnFigure, clustered_mean, clustered_quantile};
use strum::{IntoStaticStr, VariantArray};

/// How long an answer is, and how long the system took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnswerSize {
    /// Its length in tokens, as style control counts them.
    pub length: u32,
    /// The seconds that the system took; None where the data do not say.
    pub latency: Option<f64>,
}

impl AnswerSize {
    /// Reads it of a response.
    pub fn of(response: &Response) -> AnswerSize {
        let counted = count_covariates(&response.text, &[StyleCovariate::Length]);
        AnswerSize {
            length: counted.first().map_or(0, |tokens| *tokens as u32),
            latency: read_latency(&response.fields),
        }
    }
}

/// A figure of a system's answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
pub enum AnswerFigure {
    /// The seconds that 95 of 100 answers do not exceed.
    #[strum(serialize = "p95_latency")]
    P95Latency,
    /// The mean length in tokens.
    #[strum(serialize = "answer_length")]
    Length,
}

/// The share of answers that a high latency is not exceeded by.
const P95: f64 = 0.95;

impl AnswerFigure {
    /// Returns the name that settings and files use.
    pub fn name(self) -> &'static str {
        self.into()
    }

    fn of(self, size: &AnswerSize) -> Option<f64> {
        match self {
            AnswerFigure::P95Latency => size.latency,
            AnswerFigure::Length => Some(f64::from(size.length)),
        }
    }

    fn unit(self) -> &'static str {
        match self {
            AnswerFigure::P95Latency => " s",
            AnswerFigure::Length => " tokens",
        }
    }

    /// Returns the figure of some answers, each with the number of its question; `level` is that of
    /// the interval.
    pub fn measure<'a>(
        self,
        answers: impl IntoIterator<Item = (u32, &'a AnswerSize)>,
        level: f64,
    ) -> Measured {
        let mut column = Column::default();
        for (question, size) in answers {
            column.push(question, self.of(size));
        }
        let figure = match self {
            AnswerFigure::P95Latency => {
                clustered_quantile(&column.values, &column.questions, P95, level)
            }
            AnswerFigure::Length => clustered_mean(&column.values, &column.questions, level),
        };
        column.measured(self, figure.ok())
    }

    /// Returns by how much the figure of the later of two answers to each item is above that of the
    /// earlier ones. Pairs are (question, earlier, later).
    pub fn measure_change<'a>(
        self,
        pairs: impl IntoIterator<Item = (u32, &'a AnswerSize, &'a AnswerSize)>,
        level: f64,
    ) -> Measured {
        let pairs: Vec<(u32, &AnswerSize, &AnswerSize)> = pairs.into_iter().collect();
        let mut column = Column::default();
        for (question, earlier, later) in &pairs {
            let both = self.of(earlier).zip(self.of(later));
            column.push(*question, both.map(|(earlier, later)| later - earlier));
        }
        let figure = match self {
            // A quantile of differences is no difference of quantiles.
            AnswerFigure::P95Latency => {
                let known = pairs.iter().filter(|(_, earlier, later)| {
                    earlier.latency.is_some() && later.latency.is_some()
                });
                let earlier = known
                    .clone()
                    .map(|(question, earlier, _)| (*question, *earlier));
                let later = known.map(|(question, _, later)| (*question, *later));
                let earlier = self.measure(earlier, level).figure;
                let later = self.measure(later, level).figure;
                later
                    .zip(earlier)
                    .map(|(later, earlier)| later.change_from(&earlier))
            }
            AnswerFigure::Length => clustered_mean(&column.values, &column.questions, level).ok(),
        };
        column.measured(self, figure)
    }
}

#[derive(Default)]
struct Column {
    values: Vec<f64>,
    questions: Vec<u32>,
    lacking: usize,
}

impl Column {
    fn push(&mut self, question: u32, value: Option<f64>) {
        match value {
            Some(value) => {
                self.values.push(value);
                self.questions.push(question);
            }
            None => self.lacking += 1,
        }
    }

    fn measured(self, of: AnswerFigure, figure: Option<ColumnFigure>) -> Measured {
        Measured {
            of,
            figure,
            answers: self.values.len(),
            lacking: self.lacking,
        }
    }
}

/// A figure of answers, and what it rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The kind of figure.
    pub of: AnswerFigure,
    /// The figure; None where no answer has what it is made of.
    pub figure: Option<ColumnFigure>,
    /// Answers, or pairs of them, that it is made of.
    pub answers: usize,
    /// Those that lack what it is made of.
    pub lacking: usize,
}

impl Measured {
    /// Returns the figure with its interval and what it rests on, in words.
    pub fn describe(&self) -> String {
        let Some(figure) = self.figure else {
            return self
                .describe_lacking()
                .unwrap_or_else(|| "there is no answer".into());
        };
        let number = |value: f64| format!("{}", (value * 1000.0).round() / 1000.0);
        let end = |value: Option<f64>| value.map_or_else(|| "?".into(), number);
        format!(
            "{}{} ({} to {}) of {} answers",
            number(figure.value),
            self.of.unit(),
            end(figure.low),
            end(figure.high),
            self.answers
        )
    }

    /// Says how many answers lack what it is made of; None where none does.
    pub fn describe_lacking(&self) -> Option<String> {
        let all = self.answers + self.lacking;
        (self.lacking > 0).then(|| match self.of {
            AnswerFigure::P95Latency => format!(
                "{} of {all} answers have no latency: expected a number of seconds in the field \
                 `latency` of each response, or of milliseconds in `latency_ms`",
                self.lacking
            ),
            AnswerFigure::Length => format!("{} of {all} answers have no text", self.lacking),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::sync::Arc;

    fn response(text: &str, field: &str, value: Value) -> Response {
        Response {
            fields: Arc::new([(field.to_string(), value)].into()),
            ..Response::new("a", text)
        }
    }

    #[test]
    fn latencies_are_read_in_seconds_and_lengths_in_tokens() {
        let latency =
            |field: &str, value: Value| AnswerSize::of(&response("", field, value)).latency;
        assert_eq!(latency("latency", 1.5.into()), Some(1.5));
        assert_eq!(latency("latency_ms", 1500.into()), Some(1.5));
        assert_eq!(latency("latency", " 2 ".into()), Some(2.0));
        for wrong in [
            Value::from("soon"),
            (-1).into(),
            Value::Null,
            vec![1].into(),
        ] {
            assert_eq!(latency("latency", wrong), None);
        }
        assert_eq!(latency("seconds", 1.into()), None);
        let size = AnswerSize::of(&Response::new("a", "Yes, it is."));
        assert_eq!((size.length, size.latency), (5, None));
    }

    #[test]
    fn a_figure_counts_what_lacks_it() {
        let size = |latency| AnswerSize {
            length: 10,
            latency,
        };
        let sizes = [size(Some(1.0)), size(None), size(Some(3.0))];
        let found = AnswerFigure::P95Latency.measure((0..).zip(&sizes), 0.95);
        assert_eq!((found.answers, found.lacking), (2, 1));
        assert_eq!(found.figure.unwrap().value, 3.0);
        assert!(
            found
                .describe_lacking()
                .unwrap()
                .starts_with("1 of 3 answers have no latency")
        );
        let none = AnswerFigure::P95Latency.measure([(0, &sizes[1])], 0.95);
        assert_eq!(none.figure, None);
        assert!(none.describe().contains("no latency"));
        let longer = AnswerSize {
            length: 14,
            ..sizes[0]
        };
        let pairs = [(0, &sizes[0], &longer), (1, &sizes[1], &longer)];
        let change = AnswerFigure::Length.measure_change(pairs, 0.95);
        let figure = change.figure.unwrap();
        assert_eq!(
            (figure.value, figure.low, figure.high),
            (4.0, Some(4.0), Some(4.0))
        );
        let change = AnswerFigure::P95Latency.measure_change(pairs, 0.95);
        assert_eq!((change.figure.unwrap().value, change.lacking), (0.0, 1));
    }
}
