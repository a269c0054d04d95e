//! How many threads are of use.
//!
//! llama.cpp's threads wait for one another some hundred times per batch, without sleep. Where
//! another program takes the core of one of them, the rest wait for it each time, and two threads
//! are many times slower than one. Replies do not depend on the number of threads, so it can follow
//! what the machine has to give.

use std::collections::BTreeSet;

/// How many threads evaluate the next batch.
#[derive(Debug)]
pub(super) struct Threads {
    pub(super) most: usize,
    /// The processors of the machine, where the number of threads follows what they have to do.
    processors: Option<usize>,
    /// How many others wanted a processor, at each of the last looks.
    others: [usize; LOOKS],
    next: usize,
}

/// Someone who is there at each of so many looks stays.
const LOOKS: usize = 3;

impl Threads {
    /// Uses so many threads; fewer, if `yields`, while others need the processors.
    pub(super) fn new(most: usize, yields: bool) -> Threads {
        let processors = count_processors(&read_cpuinfo());
        let yields = yields && most > 1 && processors > 0 && count_runnable().is_some();
        Threads {
            most: most.max(1),
            processors: yields.then_some(processors),
            others: [0; LOOKS],
            next: 0,
        }
    }

    /// Returns how many threads are of use now. To be asked between batches, when only the thread
    /// that asks is at work.
    pub(super) fn current(&mut self) -> usize {
        let Some(processors) = self.processors else {
            return self.most;
        };
        self.others[self.next] = count_runnable().unwrap_or(1).saturating_sub(1);
        self.next = (self.next + 1) % LOOKS;
        let others = self.others.iter().min().copied().unwrap_or(0);
        processors.saturating_sub(others).clamp(1, self.most)
    }
}

/// Returns how many threads of all programs have a processor or wait for one.
fn count_runnable() -> Option<usize> {
    parse_runnable(&std::fs::read_to_string("/proc/loadavg").ok()?)
}

/// Returns the number before the slash in a text like "0.20 0.18 0.12 1/80 11206".
fn parse_runnable(loadavg: &str) -> Option<usize> {
    loadavg.split(' ').nth(3)?.split('/').next()?.parse().ok()
}

/// Returns the physical cores that this process may use: a second thread on a core only gets in the
/// first one's way.
pub(super) fn physical_cores() -> usize {
    let allowed = std::thread::available_parallelism().map_or(1, usize::from);
    match count_cores(&read_cpuinfo()) {
        0 => allowed,
        physical => allowed.min(physical),
    }
}

/// Returns what the system says of its processors, or nothing if it has no such file.
fn read_cpuinfo() -> String {
    std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default()
}

/// Returns the number of distinct pairs of socket and core in the text of /proc/cpuinfo; 0 if it
/// names none.
fn count_cores(cpuinfo: &str) -> usize {
    let mut cores = BTreeSet::new();
    for processor in cpuinfo.split("\n\n") {
        let socket = find_field(processor, "physical id");
        cores.extend(socket.zip(find_field(processor, "core id")));
    }
    cores.len()
}

fn count_processors(cpuinfo: &str) -> usize {
    cpuinfo
        .split("\n\n")
        .filter(|processor| find_field(processor, "processor").is_some())
        .count()
}

fn find_field<'a>(processor: &'a str, name: &str) -> Option<&'a str> {
    let fields = processor.lines().filter_map(|line| line.split_once(':'));
    let mut named = fields.filter(|(key, _)| key.trim() == name);
    named.next().map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_threads_of_a_core_are_one_core() {
        let processor = |socket, core| {
            format!("processor\t: 0\nphysical id\t: {socket}\ncore id\t\t: {core}\n\n")
        };
        let cpuinfo = [
            processor(0, 0),
            processor(0, 1),
            processor(0, 0),
            processor(1, 1),
        ]
        .concat();
        assert_eq!((count_cores(&cpuinfo), count_processors(&cpuinfo)), (3, 4));
        assert_eq!(count_cores("processor : 0\n"), 0);
    }

    #[test]
    fn what_is_asked_for_is_what_is_used() {
        assert_eq!(Threads::new(7, false).current(), 7);
        assert_eq!(Threads::new(0, true).current(), 1);
        assert!((1..=physical_cores()).contains(&Threads::new(physical_cores(), true).current()));
        assert_eq!(parse_runnable("0.20 0.18 0.12 3/80 11206\n"), Some(3));
        assert_eq!(parse_runnable("?"), None);
    }
}
