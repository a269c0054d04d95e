//! How many threads are of use.

use std::collections::BTreeSet;

/// The physical cores that this process may use: a second thread on a core only gets in the first one's way.
pub(super) fn physical_cores() -> usize {
    let allowed = std::thread::available_parallelism().map_or(1, usize::from);
    let physical = std::fs::read_to_string("/proc/cpuinfo").map_or(0, |text| count_cores(&text));
    if physical == 0 { allowed } else { allowed.min(physical) }
}

/// The number of distinct pairs of socket and core in the text of /proc/cpuinfo; 0 if it names none.
fn count_cores(cpuinfo: &str) -> usize {
    let processors =
        cpuinfo.split("\n\n").filter_map(|processor| Some((field(processor, "physical id")?, field(processor, "core id")?)));
    processors.collect::<BTreeSet<_>>().len()
}

fn field<'a>(processor: &'a str, name: &str) -> Option<&'a str> {
    let line = processor.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name))?;
    line.split(':').nth(1).map(str::trim)
}

#[cfg(test)]
mod tests {
    #[test]
    fn two_threads_of_a_core_are_one_core() {
        let processor = |socket, core| format!("processor\t: 0\nphysical id\t: {socket}\ncore id\t\t: {core}\n\n");
        let cpuinfo = [processor(0, 0), processor(0, 1), processor(0, 0), processor(1, 1)].concat();
        assert_eq!(super::count_cores(&cpuinfo), 3);
        assert_eq!(super::count_cores("processor : 0\n"), 0);
    }
}
