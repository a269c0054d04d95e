//! What the items show, a value each, and the question that each is about.
//!
//! Items of one question are not independent: a judge that is wrong of one of them is easily wrong
//! of the next. So a question counts once, with the mean of its items, in every interval and every
//! test.

use std::collections::BTreeMap;

/// The number of a material, or 0, and that of the question within it.
pub(super) type Question = (usize, u32);

/// The values of items, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rows<T> {
    values: Vec<(Question, T)>,
    /// Items that have none, because a verdict failed or a response is not there.
    pub(super) failed: u64,
}

impl<T> Rows<T> {
    pub(super) fn new(values: Vec<(Question, T)>, failed: u64) -> Rows<T> {
        Rows { values, failed }
    }

    /// How many items have a value.
    pub(super) fn items(&self) -> u64 {
        self.values.len() as u64
    }

    /// How many questions have one.
    pub(super) fn questions(&self) -> u64 {
        self.by_question(|_| ()).len() as u64
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &T> {
        self.values.iter().map(|(_, value)| value)
    }

    pub(super) fn map<U>(&self, value: impl Fn(&T) -> U) -> Rows<U> {
        let values = self
            .values
            .iter()
            .map(|(question, of)| (*question, value(of)))
            .collect();
        Rows {
            values,
            failed: self.failed,
        }
    }

    /// In the order of this number, in so many parts of the same size.
    pub(super) fn parts(&self, number: impl Fn(&T) -> f64, parts: usize) -> Vec<Rows<&T>> {
        let mut sorted: Vec<(Question, &T)> = self
            .values
            .iter()
            .map(|(question, value)| (*question, value))
            .collect();
        sorted.sort_by(|(_, x), (_, y)| number(x).total_cmp(&number(y)));
        let all = sorted.len().max(1);
        let mut found: Vec<Vec<(Question, &T)>> = (0..parts).map(|_| Vec::new()).collect();
        sorted
            .into_iter()
            .enumerate()
            .for_each(|(at, row)| found[parts * at / all].push(row));
        found
            .into_iter()
            .map(|values| Rows::new(values, 0))
            .collect()
    }

    /// By question, in the order of their numbers.
    fn by_question<U>(&self, value: impl Fn(&T) -> U) -> BTreeMap<Question, Vec<U>> {
        let mut found: BTreeMap<Question, Vec<U>> = BTreeMap::new();
        self.values
            .iter()
            .for_each(|(question, of)| found.entry(*question).or_default().push(value(of)));
        found
    }
}

impl<T> Rows<Option<T>> {
    /// Those that have something; the others have not failed.
    pub(super) fn known(self) -> Rows<T> {
        let values = self
            .values
            .into_iter()
            .filter_map(|(question, value)| Some((question, value?)))
            .collect();
        Rows {
            values,
            failed: self.failed,
        }
    }

    /// Those that have something; the others have failed.
    pub(super) fn or_failed(self) -> Rows<T> {
        let all = self.items() + self.failed;
        let known = self.known();
        Rows {
            failed: all - known.items(),
            ..known
        }
    }
}

impl Rows<f64> {
    /// The mean of each question.
    pub(super) fn means(&self) -> Vec<f64> {
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        self.by_question(|value| *value)
            .into_values()
            .map(mean)
            .collect()
    }

    /// One item of each question, the first. For tests against a chance that each item has: a mean
    /// has another distribution.
    pub(super) fn firsts(&self) -> Vec<f64> {
        self.by_question(|value| *value)
            .into_values()
            .filter_map(|values| values.first().copied())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Rows<f64> {
        Rows::new(
            [(1, 1.0), (0, 0.5), (1, 0.0), (2, 1.0), (1, 0.5)]
                .map(|(question, value)| ((0, question), value))
                .into(),
            2,
        )
    }

    #[test]
    fn a_question_counts_once() {
        let rows = rows();
        assert_eq!((rows.items(), rows.questions(), rows.failed), (5, 3, 2));
        assert_eq!(
            (rows.means(), rows.firsts()),
            (vec![0.5, 0.5, 1.0], vec![0.5, 1.0, 1.0])
        );
    }

    #[test]
    fn rows_keep_their_questions() {
        let high = rows().map(|value| (*value > 0.4).then_some(*value)).known();
        assert_eq!(
            (high.items(), high.questions(), high.means()[1]),
            (4, 3, 0.75)
        );
        let rows = rows();
        let halves = rows.parts(|value| *value, 2);
        assert_eq!(halves.iter().map(Rows::items).collect::<Vec<_>>(), [3, 2]);
        assert_eq!(halves[1].values().collect::<Vec<_>>(), [&&1.0, &&1.0]);
        assert_eq!(Rows::<f64>::default().parts(|value| *value, 3).len(), 3);
    }
}
