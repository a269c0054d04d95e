//! Counts the battles of each pair of systems and prints them:
//! `cargo run -p evenhand-formats --example read_battles`.
#![allow(clippy::print_stdout, reason = "an example prints what it finds")]

use evenhand_formats::DataError;
use evenhand_formats::battles::{BattleSource, Options, read_counts};
use std::io::Cursor;

const BATTLES: &str = "\
model_a,model_b,winner
gpt,llama,model_a
llama,gpt,tie
gpt,mistral,model_b
llama,mistral,both_bad
mistral,llama,model_a
";

fn main() -> Result<(), DataError> {
    // Any reader that can seek will do, such as an open file.
    let source = BattleSource::new("battles.csv", Cursor::new(BATTLES));
    let counts = read_counts(&mut [source], &Options::default())?;

    println!("{} battles", counts.rows);
    println!(
        "{:8} {:8} {:>5} {:>5} {:>6}",
        "a", "b", "a won", "ties", "b won"
    );
    for pair in &counts.pairs {
        let [a, b] = [pair.a, pair.b].map(|system| &counts.names[usize::from(system)]);
        let ties = pair.ties + pair.both_bad;
        println!(
            "{a:8} {b:8} {:>5} {ties:>5} {:>6}",
            pair.wins_a, pair.wins_b
        );
    }
    Ok(())
}
