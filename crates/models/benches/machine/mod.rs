//! Measures what the processor and the memory can do at most.
//!
//! Loops that compilers vectorise reach half of a processor's rate and less, so the kernels are
//! written with its own instructions, each behind a check that it has them. Elsewhere plain loops
//! are measured, and the name says so. Tiles (AMX) have no stable intrinsics in Rust and are not
//! measured; llama.cpp has them only where a build asks for it (docs/design/embedded-engine.md).

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

/// The most that so many threads do at once, each figure a second.
pub(crate) struct Machine {
    pub(crate) threads: usize,
    /// Multiplications and additions of 32-bit floats.
    pub(crate) floats: f64,
    /// Multiplications and additions of 8-bit integers that are summed in 32 bits.
    pub(crate) integers: f64,
    /// Bytes read from main memory, each thread its own.
    pub(crate) memory: f64,
    /// Bytes read where every thread reads the same ones again and again, as many as the model has:
    /// what caches hold of them comes from there.
    pub(crate) weights: f64,
}

/// A loop without memory, whose operations are known.
#[derive(Clone, Copy)]
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    /// Multiplications and additions of one round.
    operations: u64,
    /// Rounds that take some 0.1 seconds; fewer of a compiled loop, which may be many times slower.
    rounds: u64,
    run: fn(u64),
}

/// Several times what the caches of a processor hold.
const MEMORY: usize = 512 << 20;
/// The best of so many tries counts: whatever else runs only slows them.
const TRIES: usize = 5;
#[cfg(target_arch = "x86_64")]
const ROUNDS: u64 = 8_000_000;
const COMPILED_ROUNDS: u64 = 500_000;
/// Sums that do not wait for one another: a multiplication and addition takes 4 or 5 cycles, and
/// two begin in each.
#[cfg(target_arch = "x86_64")]
const SUMS: usize = 12;
/// Sums of a compiled loop.
const COMPILED_SUMS: usize = 128;

impl Machine {
    /// Measures so many threads, with a model of so many bytes.
    pub(crate) fn measure(threads: usize, model_bytes: usize) -> Machine {
        let numbers = vec![1_u64; MEMORY.max(model_bytes) / 8];
        let share = &numbers[..MEMORY / 8];
        let model = &numbers[..model_bytes / 8];
        let own = |worker: usize| sum(share.chunks(share.len().div_ceil(threads)).nth(worker));
        Machine {
            threads,
            floats: peak(threads, float_kernel()),
            integers: peak(threads, integer_kernel()),
            memory: rate(threads, MEMORY as f64, own),
            weights: rate(threads, (threads * model_bytes) as f64, |_| {
                sum(Some(model))
            }),
        }
    }
}

/// Returns the operations a second of a kernel on so many threads.
fn peak(threads: usize, kernel: Kernel) -> f64 {
    let work = threads as f64 * kernel.rounds as f64 * kernel.operations as f64;
    rate(threads, work, |_| (kernel.run)(kernel.rounds))
}

/// Returns how much of some work so many threads do in a second: they begin together, and it is
/// done when the last of them is.
fn rate(threads: usize, work: f64, run: impl Fn(usize) + Sync) -> f64 {
    let (run, barrier) = (&run, &Barrier::new(threads));
    let mut least = f64::INFINITY;
    for _ in 0..TRIES {
        let seconds = thread::scope(|scope| {
            let begin = |worker| {
                scope.spawn(move || {
                    barrier.wait();
                    let started = Instant::now();
                    run(worker);
                    started.elapsed().as_secs_f64()
                })
            };
            let workers: Vec<_> = (0..threads).map(begin).collect();
            let ended = workers.into_iter().filter_map(|worker| worker.join().ok());
            ended.fold(0.0, f64::max)
        });
        least = least.min(seconds);
    }
    work / least
}

fn sum(numbers: Option<&[u64]>) {
    let add = |sum: u64, number: &u64| sum.wrapping_add(*number);
    black_box(numbers.unwrap_or_default().iter().fold(0, add));
}

/// The name of loops as the compiler makes them.
const COMPILED: &str = "compiled loops";

/// Chooses the fastest loop over 32-bit floats that the processor has instructions for.
pub(crate) fn float_kernel() -> Kernel {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        return Kernel {
            name: "AVX-512",
            operations: (SUMS * 16 * 2) as u64,
            rounds: ROUNDS,
            // SAFETY: the processor has AVX-512.
            run: |rounds| unsafe { x86::floats_512(rounds) },
        };
    } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        return Kernel {
            name: "AVX2 and FMA",
            operations: (SUMS * 8 * 2) as u64,
            rounds: ROUNDS,
            // SAFETY: the processor has AVX2 and FMA.
            run: |rounds| unsafe { x86::floats_256(rounds) },
        };
    }
    Kernel {
        name: COMPILED,
        operations: (COMPILED_SUMS * 2) as u64,
        rounds: COMPILED_ROUNDS,
        run: |rounds| {
            let (factor, term) = (black_box(0.999_f32), black_box(0.001_f32));
            let mut sums = [1.0_f32; COMPILED_SUMS];
            for _ in 0..rounds {
                for sum in &mut sums {
                    *sum = *sum * factor + term;
                }
            }
            black_box(sums);
        },
    }
}

/// Chooses the fastest loop over 8-bit integers that the processor has instructions for.
pub(crate) fn integer_kernel() -> Kernel {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512vnni") {
        return Kernel {
            name: "AVX-512 VNNI",
            operations: (SUMS * 64 * 2) as u64,
            rounds: ROUNDS,
            // SAFETY: the processor has AVX-512 with VNNI.
            run: |rounds| unsafe { x86::integers_512(rounds) },
        };
    } else if is_x86_feature_detected!("avxvnni") {
        return Kernel {
            name: "AVX-VNNI",
            operations: (SUMS * 32 * 2) as u64,
            rounds: ROUNDS,
            // SAFETY: the processor has AVX-VNNI.
            run: |rounds| unsafe { x86::integers_vnni(rounds) },
        };
    } else if is_x86_feature_detected!("avx2") {
        return Kernel {
            name: "AVX2",
            operations: (SUMS * 32 * 2) as u64,
            rounds: ROUNDS,
            // SAFETY: the processor has AVX2.
            run: |rounds| unsafe { x86::integers_256(rounds) },
        };
    }
    Kernel {
        name: COMPILED,
        operations: (COMPILED_SUMS * 2) as u64,
        rounds: COMPILED_ROUNDS,
        run: |rounds| {
            let (one, other) = ([1_i8; COMPILED_SUMS], [3_i8; COMPILED_SUMS]);
            let mut sum = 0_i32;
            for _ in 0..rounds {
                let (one, other) = (black_box(&one), black_box(&other));
                let products = one.iter().zip(other);
                let products = products.map(|(one, other)| i32::from(*one) * i32::from(*other));
                sum = sum.wrapping_add(products.sum());
            }
            black_box(sum);
        },
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{SUMS, black_box};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx512f")]
    pub(super) fn floats_512(rounds: u64) {
        let factor = _mm512_set1_ps(black_box(0.999));
        let term = _mm512_set1_ps(black_box(0.001));
        let mut sums = [_mm512_set1_ps(1.0); SUMS];
        for _ in 0..rounds {
            for sum in &mut sums {
                *sum = _mm512_fmadd_ps(*sum, factor, term);
            }
        }
        black_box(sums);
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn floats_256(rounds: u64) {
        let factor = _mm256_set1_ps(black_box(0.999));
        let term = _mm256_set1_ps(black_box(0.001));
        let mut sums = [_mm256_set1_ps(1.0); SUMS];
        for _ in 0..rounds {
            for sum in &mut sums {
                *sum = _mm256_fmadd_ps(*sum, factor, term);
            }
        }
        black_box(sums);
    }

    #[target_feature(enable = "avx512f,avx512vnni")]
    pub(super) fn integers_512(rounds: u64) {
        let one = _mm512_set1_epi8(black_box(1));
        let other = _mm512_set1_epi8(black_box(3));
        let mut sums = [_mm512_setzero_si512(); SUMS];
        for _ in 0..rounds {
            for sum in &mut sums {
                *sum = _mm512_dpbusd_epi32(*sum, one, other);
            }
        }
        black_box(sums);
    }

    #[target_feature(enable = "avx2,avxvnni")]
    pub(super) fn integers_vnni(rounds: u64) {
        let one = _mm256_set1_epi8(black_box(1));
        let other = _mm256_set1_epi8(black_box(3));
        let mut sums = [_mm256_setzero_si256(); SUMS];
        for _ in 0..rounds {
            for sum in &mut sums {
                *sum = _mm256_dpbusd_avx_epi32(*sum, one, other);
            }
        }
        black_box(sums);
    }

    /// Multiplies the sums themselves: products of what stays the same would be worked out once.
    #[target_feature(enable = "avx2")]
    pub(super) fn integers_256(rounds: u64) {
        let other = _mm256_set1_epi8(black_box(3));
        let ones = _mm256_set1_epi16(black_box(1));
        let mut sums = [_mm256_set1_epi8(black_box(1)); SUMS];
        for _ in 0..rounds {
            for sum in &mut sums {
                let pairs = _mm256_maddubs_epi16(*sum, other);
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
            }
        }
        black_box(sums);
    }
}
