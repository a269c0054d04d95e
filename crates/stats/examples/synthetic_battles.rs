//! Writes battles between systems of known strength as CSV, for benchmarks: the same arguments give
//! the same bytes.
//!
//! `synthetic_battles ROWS SYSTEMS SEED BATTLES.csv STRENGTHS.csv [question_id] [style]`
//!
//! Strengths are normal with standard deviation 0.8 in log-odds (139 Elo points). System i (from 0)
//! is drawn with a probability proportional to 1 / (i + 1), so pairs are met unevenly. With p the
//! Bradley-Terry probability that `model_a` is better, a tie has probability t = 4 c p (1 - p), a
//! win p - t / 2 and a loss 1 - p - t / 2; c makes 20 % of all battles ties. The expected points of
//! a battle, a tie counting half, are then exactly p, so Bradley-Terry with half ties is the true
//! model and recovers the strengths. Half of the ties are written `tie`, half `tie (bothbad)`.
//!
//! `question_id` adds a column with one of ROWS / 20 questions. `style` adds four columns of
//! standard normal differences (a minus b), which add their coefficients 0.4, 0.2, 0.1 and 0.05 to
//! the log-odds; ties are then a little fewer.

// A program for benchmarks, outside of the fence that keeps the library pure.
#![allow(clippy::disallowed_methods)]

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};

const TIES: f64 = 0.2;
const SPREAD: f64 = 0.8;
const COEFFICIENTS: [f64; 4] = [0.4, 0.2, 0.1, 0.05];
const STYLE: [&str; 4] = ["style_length", "style_headers", "style_lists", "style_bold"];
const WHOLE: f64 = 4_294_967_296.0;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rows, systems, seed, battles, strengths, options @ ..] = &arguments[..] else {
        return Err(
            "usage: synthetic_battles ROWS SYSTEMS SEED BATTLES.csv STRENGTHS.csv \
                    [question_id] [style]"
                .into(),
        );
    };
    let world = World::new(systems.parse()?, seed.parse()?)?;
    world.write_strengths(File::create(strengths)?)?;
    let options = Options::new(rows.parse()?, options)?;
    world.write_battles(
        &options,
        BufWriter::with_capacity(1 << 20, File::create(battles)?),
    )?;
    Ok(())
}

/// Which rows and columns to write.
struct Options {
    rows: u64,
    question_id: bool,
    style: bool,
}

impl Options {
    fn new(rows: u64, names: &[String]) -> Result<Options, String> {
        let unknown = names
            .iter()
            .find(|name| !["question_id", "style"].contains(&name.as_str()));
        match unknown {
            Some(name) => Err(format!(
                "unknown option {name}: expected question_id or style"
            )),
            None => {
                let has = |wanted: &str| names.iter().any(|name| name == wanted);
                Ok(Options {
                    rows,
                    question_id: has("question_id"),
                    style: has("style"),
                })
            }
        }
    }
}

/// The systems, and how their battles go.
struct World {
    seed: u64,
    names: Vec<String>,
    strengths: Vec<f64>,
    /// Cumulative shares of the systems, times 2^32.
    popularity: Vec<u64>,
    /// c of the module's comment.
    ties: f64,
    /// For each pair of systems, row-major: the outcomes' shares.
    outcomes: Vec<Outcome>,
}

/// Below `won`, of 2^32 equally likely draws, `model_a` won; below `decided`, somebody did; else it
/// is a tie.
#[derive(Clone, Copy)]
struct Outcome {
    won: u64,
    decided: u64,
}

impl Outcome {
    fn new(p: f64, ties: f64) -> Outcome {
        let tie = 4.0 * ties * p * (1.0 - p);
        Outcome {
            won: ((p - tie / 2.0) * WHOLE) as u64,
            decided: ((1.0 - tie) * WHOLE) as u64,
        }
    }

    fn name(self, draw: u32) -> &'static [u8] {
        match u64::from(draw) {
            draw if draw < self.won => b"model_a",
            draw if draw < self.decided => b"model_b",
            draw if draw % 2 == 0 => b"tie",
            _ => b"tie (bothbad)",
        }
    }
}

impl World {
    fn new(systems: usize, seed: u64) -> Result<World, String> {
        if !(2..=4096).contains(&systems) {
            return Err(format!("{systems} systems: expected 2 to 4096"));
        }
        let mut draws = generator(seed, 0);
        let strengths: Vec<f64> = (0..systems).map(|_| SPREAD * normal(&mut draws)).collect();
        let popularity = popularity(systems);
        let ties = TIES / mean_closeness(&strengths);
        let pairs = strengths
            .iter()
            .flat_map(|a| strengths.iter().map(move |b| sigmoid(a - b)));
        let outcomes = pairs.map(|p| Outcome::new(p, ties)).collect();
        Ok(World {
            seed,
            names: (0..systems).map(name).collect(),
            strengths,
            popularity,
            ties,
            outcomes,
        })
    }

    fn write_strengths(&self, mut out: File) -> std::io::Result<()> {
        let mut text = String::from("system,log_odds\n");
        for (name, strength) in self.names.iter().zip(&self.strengths) {
            text += &format!("{name},{strength}\n");
        }
        out.write_all(text.as_bytes())
    }

    fn write_battles(&self, options: &Options, mut out: impl Write) -> std::io::Result<()> {
        out.write_all(header(options).as_bytes())?;
        let (mut draws, mut style) = (generator(self.seed, 1), generator(self.seed, 2));
        for _ in 0..options.rows {
            if options.question_id {
                write!(out, "q{},", below(&mut draws, (options.rows / 20).max(1)))?;
            }
            self.write_battle(&mut draws, options.style.then_some(&mut style), &mut out)?;
        }
        out.flush()
    }

    fn write_battle(
        &self,
        draws: &mut ChaCha8Rng,
        style: Option<&mut ChaCha8Rng>,
        out: &mut impl Write,
    ) -> std::io::Result<()> {
        let (a, b) = self.pair(draws);
        let differences = style.map(|style| COEFFICIENTS.map(|_| normal(style)));
        let outcome = differences.map_or(self.outcomes[a * self.names.len() + b], |x| {
            self.styled(a, b, &x)
        });
        out.write_all(self.names[a].as_bytes())?;
        out.write_all(b",")?;
        out.write_all(self.names[b].as_bytes())?;
        out.write_all(b",")?;
        out.write_all(outcome.name(draws.next_u32()))?;
        for difference in differences.iter().flatten() {
            write!(out, ",{difference:.4}")?;
        }
        out.write_all(b"\n")
    }

    fn styled(&self, a: usize, b: usize, differences: &[f64; 4]) -> Outcome {
        let style: f64 = differences
            .iter()
            .zip(COEFFICIENTS)
            .map(|(x, coefficient)| x * coefficient)
            .sum();
        Outcome::new(
            sigmoid(self.strengths[a] - self.strengths[b] + style),
            self.ties,
        )
    }

    /// Two different systems.
    fn pair(&self, draws: &mut ChaCha8Rng) -> (usize, usize) {
        let a = self.system(draws);
        loop {
            let b = self.system(draws);
            if a != b {
                return (a, b);
            }
        }
    }

    fn system(&self, draws: &mut ChaCha8Rng) -> usize {
        let draw = u64::from(draws.next_u32());
        self.popularity.partition_point(|&below| below <= draw)
    }
}

fn header(options: &Options) -> String {
    let first = if options.question_id {
        "question_id,"
    } else {
        ""
    };
    let last = if options.style {
        format!(",{}", STYLE.join(","))
    } else {
        String::new()
    };
    format!("{first}model_a,model_b,winner{last}\n")
}

/// Names of uneven length, as they are: 14 to 31 bytes.
fn name(system: usize) -> String {
    let families = [
        "alder",
        "birch",
        "cottonwood",
        "elm",
        "hornbeam",
        "larch",
        "mountain-ash",
        "oak",
        "pine",
        "sycamore",
        "yew",
    ];
    let kinds = ["chat", "instruct", "preview", "it"];
    format!(
        "{}-{}b-{}-{system:04}",
        families[system % 11],
        [3, 7, 13, 34, 70, 405][system % 6],
        kinds[system % 4]
    )
}

fn popularity(systems: usize) -> Vec<u64> {
    let shares = shares(systems);
    let cumulative = shares.iter().scan(0.0, |sum, share| {
        *sum += share;
        Some(((*sum * WHOLE).round() as u64).min(WHOLE as u64))
    });
    let mut popularity: Vec<u64> = cumulative.collect();
    popularity[systems - 1] = WHOLE as u64;
    popularity
}

fn shares(systems: usize) -> Vec<f64> {
    let total: f64 = (1..=systems).map(|rank| 1.0 / rank as f64).sum();
    (1..=systems)
        .map(|rank| 1.0 / rank as f64 / total)
        .collect()
}

/// The mean of 4 p (1 - p) over battles: 1 where all are equally strong.
fn mean_closeness(strengths: &[f64]) -> f64 {
    let shares = shares(strengths.len());
    let (mut sum, mut weight) = (0.0, 0.0);
    for (i, a) in strengths.iter().enumerate() {
        for (j, b) in strengths.iter().enumerate().filter(|&(j, _)| j != i) {
            let p = sigmoid(a - b);
            let share = shares[i] * shares[j] / (1.0 - shares[i]);
            sum += share * 4.0 * p * (1.0 - p);
            weight += share;
        }
    }
    sum / weight
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn generator(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    generator.set_stream(stream);
    generator
}

/// A number below `limit`, as even as 64 bits are.
fn below(draws: &mut ChaCha8Rng, limit: u64) -> u64 {
    ((u128::from(draws.next_u64()) * u128::from(limit)) >> 64) as u64
}

/// A standard normal number (Box and Muller 1958), the sine thrown away.
fn normal(draws: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * ((f64::from(draws.next_u32()) + 1.0) / WHOLE).ln()).sqrt();
    radius * (std::f64::consts::TAU * f64::from(draws.next_u32()) / WHOLE).cos()
}
