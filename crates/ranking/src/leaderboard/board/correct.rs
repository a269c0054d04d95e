//! Takes an edition of a board back: the board is then as if its files had never been added, or the
//! files that take their place had been added instead.

use super::{Board, Edition, check_date, check_new_files, refuse_unwritten};
use crate::leaderboard::LeaderboardOptions;
use crate::{Report, WarningKind};
use evenhand_core::{Refusal, Setting, list_names};
use evenhand_engine::EngineError;
use evenhand_store::FileLock;
use std::path::Path;

/// What a correction of a board changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corrected {
    /// The files whose battles are no longer counted.
    pub removed: Vec<String>,
    /// The editions that were ranked again without them, by their days.
    pub ranked_again: Vec<String>,
}

/// Takes back the edition of a day, with the battles of its files; the options' files take their
/// place. Editions that counted these battles are ranked again, by these options and what the board
/// keeps; those of before stay as they are. Returns the ranking of all that the board then counts,
/// with its history.
///
/// # Errors
/// A day without an edition; a board that would have no battles left, or that does not say which
/// battles came with which file; and what [`update_board`](super::update_board) refuses.
pub fn correct_board(
    path: &Path,
    day: &str,
    options: &LeaderboardOptions,
    say: &mut dyn FnMut(&str),
) -> Result<(Report, Corrected), EngineError> {
    check_date(Setting::Remove, day)?;
    let options = &options.with_files()?;
    check_new_files(options)?;
    let _own = FileLock::wait(path).map_err(|error| refuse_unwritten(path, &error))?;
    let before = Board::read(path)?;
    let refuse = |why: &str| Refusal::of_value(Setting::Remove, day, why);
    if !before.history.iter().any(|edition| edition.date == day) {
        let days = before.history.iter().map(|edition| edition.date.clone());
        let days = match before.history.len() {
            0 => "the board has no edition".into(),
            _ => format!("the board has the editions of {}", list_names(days)),
        };
        return Err(refuse(&days).into());
    }
    let (report, ranked_again) = rebuild(path, &before, day, true, options, say)?;
    let removed = before.files.iter().filter(|file| file.date == day);
    let corrected = Corrected {
        removed: removed.map(|file| file.name.clone()).collect(),
        ranked_again,
    };
    Ok((report, corrected))
}

/// Makes a board anew with these files for a day, in the place of those of that day or beside them,
/// and writes it: the editions that count other battles then are ranked again. Returns the ranking
/// of all that the board then counts, with its history, and the days that were ranked again.
pub(super) fn rebuild(
    path: &Path,
    before: &Board,
    day: &str,
    takes_back: bool,
    options: &LeaderboardOptions,
    say: &mut dyn FnMut(&str),
) -> Result<(Report, Vec<String>), EngineError> {
    before.check_files(path)?;
    // Without the files that are taken back, and with the new ones behind all others: they are held
    // against each of these.
    let places = 0..before.files.len();
    let (removed, kept): (Vec<usize>, Vec<usize>) =
        places.partition(|place| takes_back && before.files[*place].date == day);
    // Where files of that day stand: the first of those that are removed, or behind earlier days.
    let place = removed.first().copied();
    let place = place.unwrap_or_else(|| before.place_of(day).map_or(0, |last| last + 1));
    let mut board = before.arrange(&kept);
    let options = &board.settle(path, options)?;
    let repeats = board.add_files(day, options, say)?;
    if board.files.is_empty() {
        let why = "nothing would be left of the board; delete its file, or begin it again";
        return Err(Refusal::of_value(Setting::Remove, day, why).into());
    }
    let added = kept.len()..board.files.len();
    let has_new = !added.is_empty();
    let order: Vec<usize> = (0..place).chain(added).chain(place..kept.len()).collect();
    let mut board = board.arrange(&order);

    let mut ranked_again = Vec::new();
    board.history.clear();
    let mut editions: Vec<(&str, Option<&Edition>)> = before
        .history
        .iter()
        .map(|old| (&*old.date, Some(old)))
        .collect();
    let own = editions.partition_point(|(date, _)| *date < day);
    if editions.get(own).is_none_or(|(date, _)| *date != day) {
        editions.insert(own, (day, None));
    }
    for (date, old) in editions {
        let is_own = date == day;
        let counts_removed = !removed.is_empty() && before.place_of(date) >= Some(place);
        let counts_new = has_new && board.place_of(date) >= Some(place);
        if is_own && takes_back && !has_new {
            continue;
        }
        if let Some(old) = old.filter(|_| !is_own && !counts_removed && !counts_new) {
            board.history.push(old.clone());
            continue;
        }
        // One that only ranked again what is now removed has nothing left.
        if let Some(last) = board.place_of(date) {
            let then = board.arrange(&(0..=last).collect::<Vec<usize>>());
            board.history.push(then.edition(date, &then.rank(options)?));
            ranked_again.extend((!is_own).then(|| date.to_owned()));
        }
    }
    let mut report = board.rank(options)?;
    let repeats = repeats.into_iter();
    report
        .warnings
        .extend(repeats.map(|text| WarningKind::Repeats.says(text)));
    board.write(path)?;
    report.history = board.history;
    Ok((report, ranked_again))
}

impl Board {
    /// Returns the place of the last file that the edition of a day counts: the last of that day,
    /// or, where it brought none, of the days before.
    fn place_of(&self, day: &str) -> Option<usize> {
        let of_day = self.files.iter().rposition(|file| file.date == day);
        of_day.or_else(|| self.files.iter().rposition(|file| *file.date < *day))
    }

    /// Refuses a board that does not say of each file which battles came with it.
    fn check_files(&self, path: &Path) -> Result<(), Refusal> {
        let is_known = match &self.keeps {
            Some(_) => {
                let mut battles = self.files.iter().map(|file| file.battles);
                let sum = battles.try_fold(0_u64, u64::checked_add);
                sum == Some(self.rows.len() as u64)
            }
            None => {
                let sums = self.arrange(&(0..self.files.len()).collect::<Vec<usize>>());
                let is_same = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
                let mut pairs = sums.counts.iter().zip(&self.counts);
                sums.counts.len() == self.counts.len()
                    && pairs.all(|(one, other)| {
                        (&one.0, &one.1) == (&other.0, &other.1)
                            && is_same(one.2, other.2)
                            && is_same(one.3, other.3)
                            && is_same(one.4, other.4)
                            && is_same(one.5, other.5)
                    })
            }
        };
        match is_known {
            true => Ok(()),
            false => Err(Refusal::of_input(format!(
                "{}: it does not say which battles came with which file: it was begun by an earlier \
                 version, which kept their sum alone. Take the board of the edition before it, such \
                 as from version control, and add the right files to that",
                path.display()
            ))),
        }
    }

    /// Returns the board of the files at these places, in this order, with the same history.
    fn arrange(&self, places: &[usize]) -> Board {
        let mut board = Board {
            files: Vec::new(),
            systems: Vec::new(),
            counts: Vec::new(),
            rows: Vec::new(),
            ..self.clone()
        };
        let starts = self.files.iter().scan(0, |next, file| {
            let start = *next;
            *next += file.battles as usize;
            Some(start)
        });
        let starts: Vec<usize> = starts.collect();
        for place in places {
            let file = &self.files[*place];
            if self.keeps.is_some() {
                let own = self.rows[starts[*place]..].iter();
                board.rows.extend(own.take(file.battles as usize).cloned());
            } else if let Some(counts) = &file.counts {
                board.add_counts(counts);
            }
            board.files.push(file.clone());
        }
        board
    }
}
