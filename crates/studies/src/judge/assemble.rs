//! Puts labels and games together.

use super::pair::plurality;
use super::read::shares;
use super::{Game, Judged, Pair, Seen, scopes};
use evenhand_core::Side;
use evenhand_formats::judgments::games::{PairLabel, ShownPair};
use evenhand_formats::judgments::other_turn_name;
use evenhand_formats::records::Preference;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Labels of pairs, found by item and systems.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    labels: Vec<PairLabel>,
    by_item: HashMap<String, Vec<usize>>,
    /// The names under which the items of the file that is looked up may stand here: `NAME:ITEM`.
    scopes: Vec<String>,
}

impl Labels {
    /// Adds one; votes on a pair that is known already are added to its own.
    pub(super) fn add(&mut self, label: PairLabel) {
        let known = self
            .of_item(&label.item)
            .find(|(_, known)| same_pair(known, &label))
            .map(|(at, _)| at);
        match known.and_then(|at| self.labels.get_mut(at)) {
            Some(known) => {
                let reversed = known.systems != label.systems;
                known.preferred.extend(
                    label
                        .preferred
                        .into_iter()
                        .map(|vote| if reversed { mirrored(vote) } else { vote }),
                );
            }
            None => {
                self.by_item
                    .entry(label.item.clone())
                    .or_default()
                    .push(self.labels.len());
                self.labels.push(label);
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &PairLabel> {
        self.labels.iter()
    }

    /// For a file of this path.
    pub(super) fn seen_from(self, path: &Path) -> Labels {
        Labels {
            scopes: scopes::names(path),
            ..self
        }
    }

    /// Those of these items; without any, all.
    pub(super) fn only(self, items: Option<&HashSet<String>>) -> Labels {
        let Some(items) = items else { return self };
        let mut kept = Labels {
            scopes: self.scopes.clone(),
            ..Labels::default()
        };
        let picked = |label: &&PairLabel| self.ids(&label.item).any(|id| items.contains(&id));
        self.labels
            .iter()
            .filter(picked)
            .for_each(|label| kept.add(label.clone()));
        kept
    }

    /// The ids that an item of the file may have here.
    pub(super) fn ids(&self, item: &str) -> impl Iterator<Item = String> {
        let scoped = self
            .scopes
            .iter()
            .map(move |scope| format!("{scope}:{item}"));
        [item.to_owned(), other_turn_name(item)]
            .into_iter()
            .chain(scoped)
    }

    fn of_item<'a>(&'a self, item: &str) -> impl Iterator<Item = (usize, &'a PairLabel)> + use<'a> {
        let found = self
            .by_item
            .get(item)
            .map(Vec::as_slice)
            .unwrap_or_default();
        found
            .iter()
            .filter_map(|at| Some((*at, self.labels.get(*at)?)))
    }

    /// What else is known of the pairs of an item: their part of the input set and their lengths.
    pub(super) fn enrich(&mut self, from: &Labels) {
        for label in &mut self.labels {
            let mut ids = from.ids(&label.item);
            let known = ids
                .find_map(|id| from.of_item(&id).next())
                .map(|(_, known)| known);
            label.category = label.category.take().or_else(|| known?.category.clone());
            label.lengths = label.lengths.or_else(|| known?.lengths);
            label.cluster = label.cluster.take().or_else(|| known?.cluster.clone());
        }
    }

    /// The pair of a game, and whether its a was not the one in the first slot. A question without
    /// a turn is its first turn.
    fn find(&self, item: &str, shown: &ShownPair) -> Option<(usize, bool)> {
        self.ids(item).find_map(|id| self.find_as(&id, shown))
    }

    fn find_as(&self, item: &str, shown: &ShownPair) -> Option<(usize, bool)> {
        let mut of_item = self.of_item(item);
        match shown {
            // Without names it is the pair of its item, if that has one.
            ShownPair::Forward | ShownPair::Swapped => {
                let only = of_item.next().filter(|_| of_item.next().is_none());
                only.map(|(at, _)| (at, *shown == ShownPair::Swapped))
            }
            ShownPair::Systems([first, second]) | ShownPair::Unordered([first, second]) => of_item
                .find_map(|(at, label)| {
                    let [a, b] = label.systems.as_ref()?;
                    let reversed = (a, b) == (second, first);
                    ((a, b) == (first, second) || reversed).then_some((at, reversed))
                }),
        }
    }
}

fn same_pair(a: &PairLabel, b: &PairLabel) -> bool {
    match (&a.systems, &b.systems) {
        (Some([x, y]), Some([u, v])) => (x, y) == (u, v) || (x, y) == (v, u),
        (a, b) => a == b,
    }
}

fn mirrored(vote: Preference) -> Preference {
    match vote {
        Preference::A => Preference::B,
        Preference::B => Preference::A,
        Preference::Tie => Preference::Tie,
    }
}

/// A label's plurality.
pub(super) fn side(votes: &[Preference]) -> Side {
    let count = |wanted: Preference| votes.iter().filter(|vote| **vote == wanted).count() as u64;
    plurality([
        count(Preference::A),
        count(Preference::Tie),
        count(Preference::B),
    ])
}

/// What one file says of one judge.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    pub(super) games: Vec<(String, ShownPair, Game)>,
    /// Item, system, score.
    pub(super) grades: Vec<(String, String, Option<f64>)>,
}

impl Judged {
    /// Adds what a file says; `subset` names the part of pairs whose labels name none.
    pub(super) fn add(&mut self, labels: &Labels, said: Said, subset: &str) {
        let mut games: HashMap<usize, [Option<Game>; 2]> = HashMap::new();
        for (item, shown, game) in said.games {
            match labels.find(&item, &shown) {
                None => self.unlabelled += 1,
                Some((at, reversed)) => {
                    // Where the order is not known, the game stands as if a was shown first.
                    let order = usize::from(reversed && !matches!(shown, ShownPair::Unordered(_)));
                    let game = if reversed { turned(game) } else { game };
                    let place = games.entry(at).or_default().get_mut(order);
                    match place {
                        Some(empty @ None) => *empty = Some(game),
                        _ => self.repeated += 1,
                    }
                }
            }
            self.order_known &= !matches!(shown, ShownPair::Unordered(_));
        }
        self.grade(labels, &said.grades, &mut games);
        self.keep(labels, games, subset);
    }

    /// Two scores of a labelled pair make a game, the same in either order.
    fn grade(
        &mut self,
        labels: &Labels,
        grades: &[(String, String, Option<f64>)],
        games: &mut HashMap<usize, [Option<Game>; 2]>,
    ) {
        if grades.is_empty() {
            return;
        }
        let score = |(item, system, score): &'_ (String, String, Option<f64>)| {
            ((item.clone(), system.clone()), *score)
        };
        let scores: HashMap<(String, String), Option<f64>> = grades.iter().map(score).collect();
        for (at, label) in labels.iter().enumerate() {
            let Some([a, b]) = &label.systems else {
                continue;
            };
            let of = |system: &String| scores.get(&(label.item.clone(), system.clone()));
            let (Some(a), Some(b)) = (of(a), of(b)) else {
                continue;
            };
            let game = compared(*a, *b);
            games.insert(at, [Some(game.clone()), Some(game)]);
        }
    }

    fn keep(
        &mut self,
        labels: &Labels,
        mut games: HashMap<usize, [Option<Game>; 2]>,
        subset: &str,
    ) {
        let mut clusters: HashMap<&str, u32> = HashMap::new();
        let first = self
            .pairs
            .iter()
            .map(|pair| pair.cluster + 1)
            .max()
            .unwrap_or(0);
        for (at, label) in labels.iter().enumerate() {
            let Some(games) = games.remove(&at) else {
                self.unjudged += 1;
                continue;
            };
            let next = first + clusters.len() as u32;
            let cluster = *clusters
                .entry(label.cluster.as_deref().unwrap_or(&label.item))
                .or_insert(next);
            let subset = self.subset(label.category.as_deref().unwrap_or(subset));
            let systems = label
                .systems
                .as_ref()
                .map(|[a, b]| [self.system(a), self.system(b)]);
            let (name, lengths, label) =
                (label.item.clone(), label.lengths, side(&label.preferred));
            self.pairs.push(Pair {
                name,
                cluster,
                subset,
                label,
                systems,
                lengths,
                games,
                seen: Seen::Apart,
            });
        }
    }
}

/// A game in terms of the slots, turned to those of a pair whose b was shown first.
fn turned(game: Game) -> Game {
    let outcome = game
        .outcome
        .map(|[first, tie, second]| [second, tie, first]);
    Game {
        outcome,
        recorded: game.recorded.map(|side| side.map(Side::swapped)),
        why: game.why,
    }
}

fn compared(a: Option<f64>, b: Option<f64>) -> Game {
    let outcome = match (a, b) {
        (Some(a), Some(b)) if a > b => Ok(shares(Side::First)),
        (Some(a), Some(b)) if a < b => Ok(shares(Side::Second)),
        (Some(_), Some(_)) => Ok(shares(Side::Tie)),
        _ => Err("unparsed".to_string()),
    };
    Game {
        outcome,
        recorded: None,
        why: None,
    }
}

impl Labels {
    /// The same, with the parts of the input set forgotten.
    pub(super) fn without_category(mut self) -> Labels {
        self.labels
            .iter_mut()
            .for_each(|label| label.category = None);
        self
    }
}
