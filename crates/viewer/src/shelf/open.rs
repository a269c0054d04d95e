//! The runs that are in memory.

use super::place::NamedRun;
use crate::served::ServedRun;
use std::sync::Arc;

/// Runs that are open at the same time; for another, the one is closed that nobody asked for
/// longest.
const MOST_OPEN: usize = 4;

/// The runs that are in memory. Whoever is being answered keeps a run that is closed meanwhile.
#[derive(Debug, Default)]
pub(super) struct OpenRuns {
    /// Those that were asked for, the last one last.
    asked: Vec<Arc<ServedRun>>,
    /// Small ones beside them.
    small: Vec<Arc<ServedRun>>,
}

impl OpenRuns {
    /// Opens a run, or finds it open, and remembers that it was asked for.
    pub(super) fn take(
        &mut self,
        found: NamedRun,
        open: impl FnOnce(NamedRun) -> ServedRun,
    ) -> Arc<ServedRun> {
        let known = [&mut self.asked, &mut self.small]
            .into_iter()
            .find_map(|runs| {
                let at = runs.iter().position(|run| run.dir() == found.dir)?;
                Some(runs.remove(at))
            });
        let run = known.unwrap_or_else(|| Arc::new(open(found)));
        self.asked.push(run.clone());
        if self.asked.len() > MOST_OPEN {
            self.asked.remove(0);
        }
        run
    }

    /// Opens these small runs too, closes other small ones, and lists all that are open.
    pub(super) fn with_small(
        &mut self,
        mut small: Vec<NamedRun>,
        open: impl Fn(NamedRun) -> ServedRun,
    ) -> Vec<Arc<ServedRun>> {
        small.retain(|run| find(&self.asked, run).is_none());
        let beside = small
            .into_iter()
            .map(|run| find(&self.small, &run).unwrap_or_else(|| Arc::new(open(run))));
        self.small = beside.collect();
        self.asked.iter().chain(&self.small).cloned().collect()
    }
}

fn find(runs: &[Arc<ServedRun>], wanted: &NamedRun) -> Option<Arc<ServedRun>> {
    runs.iter().find(|run| run.dir() == wanted.dir).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> NamedRun {
        NamedRun {
            name: name.into(),
            dir: name.into(),
        }
    }

    fn open(run: NamedRun) -> ServedRun {
        ServedRun::new(run.name, run.dir, None)
    }

    fn names(runs: &[Arc<ServedRun>]) -> Vec<&str> {
        runs.iter().filter_map(|run| run.dir().to_str()).collect()
    }

    #[test]
    fn the_run_that_nobody_asked_for_longest_is_closed() {
        let mut runs = OpenRuns::default();
        for name in ["a", "b", "c", "d", "a", "e"] {
            runs.take(named(name), open);
        }
        assert_eq!(names(&runs.asked), ["c", "d", "a", "e"]);
        let first = runs.take(named("c"), open);
        assert!(Arc::ptr_eq(&first, &runs.take(named("c"), open)));
    }

    #[test]
    fn small_runs_stand_beside_those_that_were_asked_for() {
        let mut runs = OpenRuns::default();
        runs.take(named("a"), open);
        let all = runs.with_small(vec![named("a"), named("b")], open);
        assert_eq!(names(&all), ["a", "b"]);
        let again = runs.take(named("b"), open);
        assert!(Arc::ptr_eq(&all[1], &again));
        assert_eq!(
            names(&runs.with_small(vec![named("c")], open)),
            ["a", "b", "c"]
        );
    }
}
