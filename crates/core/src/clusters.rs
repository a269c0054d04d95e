//! Which items ask one question, and so count as one where uncertainty is measured.

use crate::{Item, Message};
use std::collections::HashMap;
use std::hash::Hash;

/// Items by the question that they ask: the independent units of every interval and test.
///
/// A judge that errs on one item errs easily on another of the same question, and a system that is
/// good at one is good at the other. So these are one cluster:
///
/// - items that name one question (`question_id`), and an item whose own id is that name;
/// - the turns of one conversation, which are named by it;
/// - items whose messages and shown fields are equal to the byte.
///
/// The rule is transitive. An item without any text is known by its name alone. Repeats of an item
/// are the item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clusters {
    /// The question of each item.
    numbers: Vec<u32>,
    count: u32,
}

/// A key that two items of one question share.
#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    Name(&'a str),
    Text(&'a [Message], Option<String>),
}

impl Clusters {
    /// Numbers the questions of items from 0, as they first come.
    pub fn of_items(items: &[Item]) -> Clusters {
        Clusters::join(items.iter().map(|item| {
            let name = Key::Name(item.question.as_deref().unwrap_or(&item.id));
            // An item that only recorded judgments name says nothing, and is known by its name.
            let says = item.messages.iter().any(|it| !it.content.trim().is_empty());
            let shown = (!item.fields.is_empty())
                .then(|| serde_json::to_string(&item.fields).unwrap_or_default());
            (name, says.then_some(Key::Text(&item.messages, shown)))
        }))
    }

    /// Numbers the questions of items of which only the ids and, where they have one, the names of
    /// their questions are known.
    pub fn of_names<'a>(items: impl Iterator<Item = (&'a str, Option<&'a str>)>) -> Clusters {
        Clusters::join(items.map(|(id, question)| (Key::Name(question.unwrap_or(id)), None)))
    }

    /// Joins two numberings of the same items: what either takes for one question is one.
    pub fn of_both(items: impl Iterator<Item = [u32; 2]>) -> Clusters {
        Clusters::join(items.map(|[one, other]| ((false, one), Some((true, other)))))
    }

    /// Joins what shares a key, whatever the order: each item points to an earlier one of its
    /// question, the first to itself.
    fn join<K: Eq + Hash>(items: impl Iterator<Item = (K, Option<K>)>) -> Clusters {
        let mut first: HashMap<K, u32> = HashMap::new();
        let mut parents: Vec<u32> = Vec::new();
        for (name, text) in items {
            let item = parents.len() as u32;
            parents.push(item);
            for key in [Some(name), text].into_iter().flatten() {
                let known = *first.entry(key).or_insert(item);
                let (one, other) = (root_of(&mut parents, known), root_of(&mut parents, item));
                parents[one.max(other) as usize] = one.min(other);
            }
        }
        let mut clusters = Clusters::default();
        for item in 0..parents.len() as u32 {
            let root = root_of(&mut parents, item);
            // A root is the first of its items, so that it has its number before the others ask.
            let number = match root == item {
                true => clusters.count,
                false => clusters.numbers[root as usize],
            };
            clusters.count += u32::from(root == item);
            clusters.numbers.push(number);
        }
        clusters
    }

    /// Returns the question of an item: a number below [`Clusters::count`].
    ///
    /// # Panics
    /// For an item that is not one of these.
    pub fn of(&self, item: u32) -> u32 {
        self.numbers[item as usize]
    }

    /// Returns the question of each item.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// Returns how many questions there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Whether some question has several items.
    pub fn are_shared(&self) -> bool {
        (self.count as usize) < self.numbers.len()
    }

    /// Returns the name of each question, for files that another program reads: the one that the
    /// data give it, or else, where several items ask it, a digest of what it says, which is the
    /// same in every file. None of a question that one item alone asks, and that has no name.
    ///
    /// `items` are those that were numbered.
    pub fn names(&self, items: &[Item]) -> Vec<Option<String>> {
        let mut names: Vec<Option<String>> = vec![None; self.count as usize];
        let mut firsts: Vec<Option<&Item>> = vec![None; self.count as usize];
        let mut are_shared = vec![false; self.count as usize];
        for (item, number) in items.iter().zip(&self.numbers) {
            let at = *number as usize;
            are_shared[at] |= firsts[at].is_some();
            firsts[at].get_or_insert(item);
            if names[at].is_none() {
                names[at].clone_from(&item.question);
            }
        }
        for ((name, first), is_shared) in names.iter_mut().zip(firsts).zip(are_shared) {
            if name.is_none()
                && is_shared
                && let Some(item) = first
            {
                *name = Some(digest_of(item));
            }
        }
        names
    }

    /// Returns the question of each item that shares it with another; None of one by itself.
    pub fn shared(&self) -> Vec<Option<u32>> {
        let mut sizes = vec![0_u32; self.count as usize];
        for number in &self.numbers {
            sizes[*number as usize] += 1;
        }
        let numbers = self.numbers.iter();
        numbers
            .map(|number| Some(*number).filter(|number| sizes[*number as usize] > 1))
            .collect()
    }
}

/// Returns a name for something that is known by its text only: the same text has the same name in
/// every file.
pub fn name_of_text(text: &str) -> String {
    let hash = blake3::hash(text.as_bytes()).to_hex();
    format!("text:{}", hash.get(..32).unwrap_or_default())
}

/// Names what an item says: an instruction by itself as readers name it, who see no more of it.
fn digest_of(item: &Item) -> String {
    match &item.messages[..] {
        [only] if item.fields.is_empty() => name_of_text(&only.content),
        messages => {
            let said = (messages, &item.fields);
            name_of_text(&serde_json::to_string(&said).unwrap_or_default())
        }
    }
}

/// Returns the first item of an item's question, and makes the way to it shorter.
fn root_of(parents: &mut [u32], mut item: u32) -> u32 {
    while parents[item as usize] != item {
        parents[item as usize] = parents[parents[item as usize] as usize];
        item = parents[item as usize];
    }
    item
}

/// Says how many items there are, and of how many questions where those are fewer: "90 items of 15
/// questions".
pub fn items_in_words(items: u64, questions: u64) -> String {
    let of = |count: u64, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    match questions < items {
        true => format!("{} of {}", of(items, "item"), of(questions, "question")),
        false => of(items, "item"),
    }
}

/// Tells what one of two systems has of the items on which both were judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemShares {
    /// Each item is won by one of them alone.
    Whole,
    /// Some are ties: half for each, as is an item of which either order prefers another.
    Halves,
    /// Some are parts: means of probabilities, or of several judgments.
    Parts,
}

impl ItemShares {
    /// Returns what these shares are, each in [0, 1]; parts, which claim least, where there are
    /// none.
    pub fn of(shares: impl IntoIterator<Item = f64>) -> ItemShares {
        let near = |x: f64, y: f64| (x - y).abs() <= 1e-9;
        let kinds = shares.into_iter().map(|share| match share {
            share if near(share, 0.0) || near(share, 1.0) => ItemShares::Whole,
            share if near(share, 0.5) => ItemShares::Halves,
            _ => ItemShares::Parts,
        });
        let all = kinds.reduce(|all, one| match (all, one) {
            (ItemShares::Whole, one) => one,
            (ItemShares::Halves, ItemShares::Parts) => one,
            _ => all,
        });
        all.unwrap_or(ItemShares::Parts)
    }

    /// Says how often one of two systems is preferred: `share` and `items` are texts. Without a
    /// name it begins with the verb, or with the share.
    ///
    /// ```
    /// use evenhand_core::ItemShares;
    /// let say = |shares: ItemShares, name| shares.in_words(name, "40 %", "30 items");
    /// assert_eq!(say(ItemShares::Whole, None), "preferred on 40 % of 30 items");
    /// assert_eq!(say(ItemShares::Whole, Some("it")), "it is preferred on 40 % of 30 items");
    /// assert_eq!(say(ItemShares::Halves, None), "wins 40 % of 30 items, ties as half");
    /// assert_eq!(say(ItemShares::Halves, Some("v2")), "v2 wins 40 % of 30 items, ties as half");
    /// assert_eq!(say(ItemShares::Parts, None), "a win share of 40 % over 30 items");
    /// assert_eq!(say(ItemShares::Parts, Some("v2")), "v2 has a win share of 40 % over 30 items");
    /// ```
    pub fn in_words(self, name: Option<&str>, share: &str, items: &str) -> String {
        match (self, name) {
            (ItemShares::Whole, None) => format!("preferred on {share} of {items}"),
            (ItemShares::Whole, Some(name)) => format!("{name} is preferred on {share} of {items}"),
            (ItemShares::Halves, None) => format!("wins {share} of {items}, ties as half"),
            (ItemShares::Halves, Some(name)) => {
                format!("{name} wins {share} of {items}, ties as half")
            }
            (ItemShares::Parts, None) => format!("a win share of {share} over {items}"),
            (ItemShares::Parts, Some(name)) => {
                format!("{name} has a win share of {share} over {items}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: &str, question: Option<&str>, text: &str) -> Item {
        Item {
            id: id.into(),
            question: question.map(Into::into),
            messages: vec![Message::user(text)],
            ..Item::default()
        }
    }

    #[test]
    fn a_name_a_text_or_an_id_makes_one_question_and_what_is_chained_is_one() {
        let items = [
            item("a", None, "one"),
            item("b", Some("q"), "two"),
            item("c", Some("r"), "three"),
            // The text of a.
            item("d", None, "one"),
            // An item that is called as the question of b.
            item("q", None, "four"),
            // The text of b and the question of c: all three are one.
            item("e", Some("r"), "two"),
            item("f", None, "five"),
        ];
        let found = Clusters::of_items(&items);
        assert_eq!(found.numbers(), [0, 1, 1, 0, 1, 1, 2]);
        assert_eq!((found.count(), found.are_shared()), (3, true));
    }

    #[test]
    fn two_numberings_are_joined_and_an_item_by_itself_has_none() {
        let found = Clusters::of_both([[0, 5], [1, 6], [1, 7], [2, 7], [3, 8]].into_iter());
        assert_eq!(found.numbers(), [0, 1, 1, 1, 2]);
        let shared = [None, Some(1), Some(1), Some(1), None];
        assert_eq!(found.shared(), shared);
    }

    #[test]
    fn a_question_is_called_as_the_data_call_it_or_by_what_it_says_where_it_is_shared() {
        let mut items = vec![
            item("a", None, "one"),
            item("b", Some("q"), "two"),
            item("c", None, "one"),
            item("d", None, "two"),
            item("e", None, "alone"),
            item("f", Some("r"), "alone, with a name"),
        ];
        let names = |items: &[Item]| Clusters::of_items(items).names(items);
        let expected = [
            Some(name_of_text("one")),
            Some("q".into()),
            None,
            Some("r".into()),
        ];
        assert_eq!(names(&items), expected);
        // The name does not depend on what else is there, nor on the ids.
        let other = [item("x", None, "one"), item("y", None, "one")];
        assert_eq!(names(&other), expected[..1]);
        // One text about two documents is two questions.
        for (at, document) in [(0, "x"), (1, "y"), (2, "x"), (3, "y")] {
            items[at] = item(&at.to_string(), None, "Sum it up.");
            items[at].fields.insert("document".into(), document.into());
        }
        let found = names(&items[..4]);
        assert!(
            found.iter().all(Option::is_some) && found[0] != found[1],
            "{found:?}"
        );
        // Files name them by what stands in them: these items are one each again.
        let named = ["0", "1", "2", "3"].into_iter().zip([0, 1, 0, 1]);
        let read = Clusters::of_names(named.map(|(id, at): (_, usize)| (id, found[at].as_deref())));
        assert_eq!(read.numbers(), [0, 1, 0, 1]);
        assert!(names(&[]).is_empty());
    }

    #[test]
    fn an_item_without_text_and_one_with_another_document_are_their_own() {
        let mut items = ["a", "b", "c", "d", "e"].map(|id| item(id, None, ""));
        for (item, document) in items[2..].iter_mut().zip(["x", "y", "x"]) {
            item.messages = vec![Message::user("Sum it up.")];
            item.fields.insert("document".into(), document.into());
        }
        assert_eq!(Clusters::of_items(&items).numbers(), [0, 1, 2, 3, 2]);
        assert!(!Clusters::of_items(&items[..4]).are_shared());
        assert_eq!(Clusters::of_items(&[]).count(), 0);
    }

    /// The slow twin: all pairs that share a key are joined until nothing moves.
    #[test]
    fn any_items_are_joined_as_the_slow_twin_joins_them() {
        let mut state = 7_u32;
        let mut draw = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for round in 0..200 {
            let count = 1 + draw(12);
            let items: Vec<Item> = (0..count)
                .map(|id| {
                    let question = (draw(2) == 0).then(|| draw(count).to_string());
                    item(&id.to_string(), question.as_deref(), &draw(8).to_string())
                })
                .collect();
            let name = |item: &Item| item.question.clone().unwrap_or(item.id.clone());
            let one = |x: &Item, y: &Item| name(x) == name(y) || x.messages == y.messages;
            let mut least: Vec<usize> = (0..items.len()).collect();
            for _ in 0..items.len() {
                for x in 0..items.len() {
                    for y in 0..items.len() {
                        if one(&items[x], &items[y]) {
                            least[x] = least[x].min(least[y]);
                        }
                    }
                }
            }
            let found = Clusters::of_items(&items);
            for x in 0..items.len() {
                for y in 0..items.len() {
                    let same = found.of(x as u32) == found.of(y as u32);
                    assert_eq!(same, least[x] == least[y], "round {round}: {items:?}");
                }
            }
            let mut numbers = found.numbers().to_vec();
            numbers.sort_unstable();
            numbers.dedup();
            assert_eq!(numbers, (0..found.count()).collect::<Vec<u32>>());
        }
    }

    #[test]
    fn a_part_is_no_tie() {
        let of = |shares: &[f64]| ItemShares::of(shares.iter().copied());
        assert_eq!(of(&[]), ItemShares::Parts);
        assert_eq!(of(&[1.0, 0.0, 1.0 - 1e-12]), ItemShares::Whole);
        assert_eq!(of(&[1.0, 0.5, 0.0]), ItemShares::Halves);
        for parts in [[0.71, 0.5, 1.0], [0.5, 1.0, 0.71], [1.0, 1.0, 2.0 / 3.0]] {
            assert_eq!(of(&parts), ItemShares::Parts);
        }
    }
}
