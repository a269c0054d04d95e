//! How much main memory there is, as Linux says it.

use std::path::Path;

/// Returns how many bytes of main memory and swap this process can have at most, whatever others
/// hold of it now; None where the system does not say. What is free at the moment says less: the
/// pages of files, which a model's weights are, are let go when memory is wanted.
pub(super) fn whole_memory() -> Option<u64> {
    let (memory, swap) = parse_machine(&read(Path::new("/proc/meminfo")))?;
    // A container, or a job of a cluster, may have less than its machine; so may what it is in.
    let groups = read(Path::new("/proc/self/cgroup"));
    let limits = groups.lines().flat_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, group) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        let (root, name) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|one| one == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => return Vec::new(),
        };
        let folder = Path::new(root).join(group.trim_start_matches('/'));
        let folders = folder.ancestors().take_while(|one| one.starts_with(root));
        folders
            .filter_map(|folder| read(&folder.join(name)).trim().parse::<u64>().ok())
            .collect::<Vec<u64>>()
    });
    let memory = limits.fold(memory, u64::min);
    Some(memory.saturating_add(swap))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// Reads /proc/meminfo: the machine's main memory and its swap.
fn parse_machine(meminfo: &str) -> Option<(u64, u64)> {
    let find = |name| {
        let rest = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
        let kib: u64 = rest.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kib.saturating_mul(1024))
    };
    Some((find("MemTotal:")?, find("SwapTotal:").unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_and_swap_are_read() {
        let meminfo = "MemTotal:       2000 kB\nMemFree:  100 kB\nSwapTotal:  1000 kB\n";
        assert_eq!(parse_machine(meminfo), Some((2000 * 1024, 1000 * 1024)));
        assert_eq!(parse_machine("MemTotal: 1 kB\n"), Some((1024, 0)));
        for unknown in ["", "MemFree: 100 kB\n", "MemTotal: many\n"] {
            assert_eq!(parse_machine(unknown), None, "{unknown}");
        }
    }
}
