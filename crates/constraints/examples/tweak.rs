//! Prints one item of every question, and how often each type is made: `cargo run --release -p
//! evenhand-constraints --example tweak`.
#![allow(clippy::print_stdout, reason = "an example prints")]

use evenhand_constraints::tweak::{questions, tweak};

fn main() {
    for (question, stream) in questions().iter().zip(0..) {
        let Some(item) = tweak(&question.question, &question.answer, 0, stream) else {
            continue;
        };
        println!("{}\n\n--- adherent\n{}\n", item.instruction, item.adherent);
        for (severity, broken) in (1..).zip(&item.broken) {
            println!("--- severity {severity}\n{broken}\n");
        }
        println!("==========");
    }
}
