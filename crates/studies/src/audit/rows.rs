//! A value of each item, and the question that each is about.
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
    /// Items that have none, because what is counted cannot happen there.
    pub(super) set_aside: u64,
}

pub(super) use crate::figure::mean;

impl<T> Rows<T> {
    pub(super) fn new(values: Vec<(Question, T)>, failed: u64) -> Rows<T> {
        Rows {
            values,
            failed,
            set_aside: 0,
        }
    }

    /// Returns how many items have a value.
    pub(super) fn item_count(&self) -> u64 {
        self.values.len() as u64
    }

    /// Returns how many questions have one.
    pub(super) fn question_count(&self) -> u64 {
        self.by_question(|_| ()).len() as u64
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &T> {
        self.values.iter().map(|(_, value)| value)
    }

    /// Returns another value of each item.
    pub(super) fn map<U>(&self, value: impl Fn(&T) -> U) -> Rows<U> {
        let values = self.values.iter();
        Rows {
            values: values
                .map(|(question, of)| (*question, value(of)))
                .collect(),
            failed: self.failed,
            set_aside: self.set_aside,
        }
    }

    /// Returns the items in the order of this number, in so many parts of the same size.
    pub(super) fn parts(&self, number: impl Fn(&T) -> f64, parts: usize) -> Vec<Rows<&T>> {
        let rows = self.values.iter();
        let mut sorted: Vec<(Question, &T)> = rows.map(|(question, of)| (*question, of)).collect();
        sorted.sort_by(|(_, x), (_, y)| number(x).total_cmp(&number(y)));
        let all = sorted.len().max(1);
        let mut found: Vec<Vec<(Question, &T)>> = vec![Vec::new(); parts];
        for (at, row) in sorted.into_iter().enumerate() {
            found[parts * at / all].push(row);
        }
        found.into_iter().map(|part| Rows::new(part, 0)).collect()
    }

    /// Returns the values by question, in the order of their numbers.
    fn by_question<U>(&self, value: impl Fn(&T) -> U) -> BTreeMap<Question, Vec<U>> {
        let mut found: BTreeMap<Question, Vec<U>> = BTreeMap::new();
        for (question, of) in &self.values {
            found.entry(*question).or_default().push(value(of));
        }
        found
    }
}

impl<T: Copy> Rows<T> {
    /// Puts the values of several rows together; a question counts once in all of them.
    pub(super) fn joined<'a>(all: impl IntoIterator<Item = &'a Rows<T>>) -> Rows<T>
    where
        T: 'a,
    {
        let mut joined = Rows::new(Vec::new(), 0);
        for rows in all {
            joined.values.extend(&rows.values);
            joined.failed += rows.failed;
            joined.set_aside += rows.set_aside;
        }
        joined
    }
}

impl<T> Rows<Option<T>> {
    /// Keeps those that have something; the others have not failed.
    pub(super) fn known(self) -> Rows<T> {
        let all = self.item_count();
        let values = self.values.into_iter();
        let known = values.filter_map(|(question, value)| Some((question, value?)));
        let mut known = Rows::new(known.collect(), self.failed);
        known.set_aside = all - known.item_count();
        known
    }
}

impl Rows<f64> {
    /// Returns the mean of each question.
    pub(super) fn question_means(&self) -> Vec<f64> {
        let questions = self.by_question(|value| *value);
        questions
            .into_values()
            .filter_map(|values| mean(&values))
            .collect()
    }

    /// Returns the first item of each question that has one here and there, with the one there.
    pub(super) fn firsts_beside(&self, others: &Rows<f64>) -> Vec<(f64, f64)> {
        let others = others.by_question(|value| *value);
        let own = self.by_question(|value| *value).into_iter();
        own.filter_map(|(question, values)| {
            let other = others.get(&question)?;
            Some((*values.first()?, *other.first()?))
        })
        .collect()
    }

    /// Returns one item of each question, the first. For tests against a chance that each item has:
    /// a mean has another distribution.
    pub(super) fn first_of_each_question(&self) -> Vec<f64> {
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
        assert_eq!(
            (rows.item_count(), rows.question_count(), rows.failed),
            (5, 3, 2)
        );
        assert_eq!(
            (rows.question_means(), rows.first_of_each_question()),
            (vec![0.5, 0.5, 1.0], vec![0.5, 1.0, 1.0])
        );
    }

    #[test]
    fn rows_keep_their_questions() {
        let high = rows().map(|value| (*value > 0.4).then_some(*value)).known();
        assert_eq!(
            (
                high.item_count(),
                high.question_count(),
                high.question_means()[1]
            ),
            (4, 3, 0.75)
        );
        let rows = rows();
        let halves = rows.parts(|value| *value, 2);
        assert_eq!(
            halves.iter().map(Rows::item_count).collect::<Vec<_>>(),
            [3, 2]
        );
        assert_eq!(halves[1].values().collect::<Vec<_>>(), [&&1.0, &&1.0]);
        assert_eq!(Rows::<f64>::default().parts(|value| *value, 3).len(), 3);
    }
}
