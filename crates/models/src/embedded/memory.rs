//! How much main memory is free, as Linux says it.

use std::path::Path;

/// Returns how many bytes of main memory this process can still take, swap included; None where the
/// system does not say.
pub(super) fn free_memory() -> Option<u64> {
    let machine = parse_machine(&read(Path::new("/proc/meminfo")))?;
    // A container, or a job of a cluster, may have less than its machine; so may what it is in.
    let groups = read(Path::new("/proc/self/cgroup"));
    let group = groups.lines().find_map(|line| line.strip_prefix("0::/"));
    let folder = Path::new("/sys/fs/cgroup").join(group.unwrap_or_default());
    let limits = folder
        .ancestors()
        .take_while(|folder| folder.starts_with("/sys/fs/cgroup"));
    let free = limits.filter_map(|folder| {
        let file = |name| read(&folder.join(name));
        parse_group(
            &file("memory.max"),
            &file("memory.current"),
            &file("memory.stat"),
        )
    });
    Some(free.fold(machine, u64::min))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// Reads /proc/meminfo: what programs can have without others losing it, and free swap.
fn parse_machine(meminfo: &str) -> Option<u64> {
    let find = |name| {
        let rest = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
        let kib: u64 = rest.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kib.saturating_mul(1024))
    };
    Some(find("MemAvailable:")?.saturating_add(find("SwapFree:").unwrap_or(0)))
}

/// Reads the files of a control group; None where it has no limit. The pages of files that it holds
/// count as free: they are let go when memory is wanted.
fn parse_group(limit: &str, used: &str, parts: &str) -> Option<u64> {
    let limit: u64 = limit.trim().parse().ok()?;
    let used: u64 = used.trim().parse().ok()?;
    let find = |name: &str| -> u64 {
        let mut lines = parts.lines().filter_map(|line| line.split_once(' '));
        let found = lines.find(|(key, _)| *key == name);
        found
            .and_then(|(_, bytes)| bytes.trim().parse().ok())
            .unwrap_or(0)
    };
    let files = find("inactive_file").saturating_add(find("active_file"));
    Some(limit.saturating_sub(used.saturating_sub(files)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_can_spare_is_free() {
        let meminfo = "MemTotal:       16000000 kB\nMemFree:  100 kB\nMemAvailable:    2000 kB\n\
                       SwapTotal:  9 kB\nSwapFree:   1000 kB\n";
        assert_eq!(parse_machine(meminfo), Some(3000 * 1024));
        assert_eq!(parse_machine("MemAvailable: 1 kB\n"), Some(1024));
        for unknown in ["", "MemFree: 100 kB\n", "MemAvailable: many\n"] {
            assert_eq!(parse_machine(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn a_group_has_its_limit_less_what_it_cannot_let_go() {
        let parts = "anon 60\nfile 30\ninactive_file 20\nactive_file 10\n";
        assert_eq!(parse_group("100\n", "90\n", parts), Some(40));
        assert_eq!(parse_group("100\n", "200\n", ""), Some(0));
        assert_eq!(parse_group("max\n", "90\n", parts), None);
        assert_eq!(parse_group("", "", ""), None);
    }
}
