//! Whether this processor has what the program was compiled for: asked before anything else, so
//! that one which lacks some of it is told what. The question itself is compiled for that
//! processor: where it needs an instruction that is missing, as on processors without AVX, the
//! program ends with an illegal instruction and says nothing.

/// Lists features with whether the program was compiled for them: by the names of rustc and Linux.
macro_rules! features {
    ($($name:tt $linux:tt)*) => { &[$(($name, $linux, cfg!(target_feature = $name))),*] };
}

/// Lists what code can be compiled for, by the names of rustc and of Linux, and whether this program
/// was.
/// The Python package has the same list (`_processor.py`), and a test there compares them.
const FEATURES: &[(&str, &str, bool)] = features! {
    "sse3" "pni" "ssse3" "ssse3" "sse4.1" "sse4_1" "sse4.2" "sse4_2" "popcnt" "popcnt"
    "avx" "avx" "avx2" "avx2" "bmi1" "bmi1" "bmi2" "bmi2" "f16c" "f16c" "fma" "fma"
    "lzcnt" "abm" "movbe" "movbe" "avxvnni" "avx_vnni"
    "avx512f" "avx512f" "avx512bw" "avx512bw" "avx512cd" "avx512cd" "avx512dq" "avx512dq"
    "avx512vl" "avx512vl" "avx512bf16" "avx512_bf16" "avx512fp16" "avx512_fp16"
    "avx512vnni" "avx512_vnni" "avx512vbmi" "avx512vbmi" "avx512vbmi2" "avx512_vbmi2"
    "avx512bitalg" "avx512_bitalg" "avx512vpopcntdq" "avx512_vpopcntdq"
    "gfni" "gfni" "vaes" "vaes" "vpclmulqdq" "vpclmulqdq"
};

/// Returns what this processor lacks of what the program was compiled for, and what to do; None
/// where it lacks nothing, and where the system does not say what it has.
pub fn describe_older_processor() -> Option<String> {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let compiled = FEATURES.iter().filter(|(_, _, compiled)| *compiled);
    let missing = missing_features(compiled.map(|(name, linux, _)| (*name, *linux)), &cpuinfo);
    (!missing.is_empty()).then(|| {
        format!(
            "evenhand: this program was compiled for a processor with {}, which this one lacks; \
             the Python package runs on every x86-64-v2 processor, and `make build` compiles for \
             the one at hand",
            missing.join(", ")
        )
    })
}

/// Lists the features that the first processor of Linux's `/proc/cpuinfo` lacks.
fn missing_features<'a>(
    compiled: impl Iterator<Item = (&'a str, &'a str)>,
    cpuinfo: &str,
) -> Vec<&'a str> {
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags"));
    let Some((_, flags)) = flags.and_then(|line| line.split_once(':')) else {
        return Vec::new();
    };
    let lacks = |linux: &str| !flags.split_whitespace().any(|flag| flag == linux);
    let missing = compiled.filter(|(_, linux)| lacks(linux));
    missing.map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_processor_is_told_what_it_lacks() {
        let compiled = [("avx2", "avx2"), ("lzcnt", "abm"), ("fma", "fma")];
        let missing = |cpuinfo| missing_features(compiled.into_iter(), cpuinfo);
        let haswell = "model\t: Haswell\nflags\t\t: fpu abm avx avx2 fma\n";
        assert!(missing(haswell).is_empty());
        assert_eq!(missing("flags : fpu abm avx\n"), ["avx2", "fma"]);
        // A system that says nothing is not refused.
        assert!(missing("processor : 0\n").is_empty());
        assert!(missing("").is_empty());
    }

    #[test]
    fn this_program_runs_here() {
        assert_eq!(describe_older_processor(), None);
    }
}
