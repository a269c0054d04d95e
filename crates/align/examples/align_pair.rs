//! Cuts two answers into segments that belong together and prints them side by side:
//! `cargo run -p evenhand-align --example align_pair`.
#![allow(clippy::print_stdout, reason = "an example prints what it finds")]

use evenhand_align::{Segmentation, align_by_length, align_by_tokens, find_cuts};

const A: &str = "Cats sleep a lot. They hunt at night. Dogs bark at cars.";
const B: &str = "Dogs do bark. A cat will sleep all day. At night cats hunt mice. Dogs bark at \
                 all cars.";

/// How many segments each answer is cut into.
const SEGMENTS: usize = 3;

fn main() {
    let (cuts_a, cuts_b) = (
        find_cuts(A, Segmentation::Full),
        find_cuts(B, Segmentation::Full),
    );

    match align_by_length(&cuts_a, &cuts_b, SEGMENTS) {
        Some(alignment) => print_pairs("of comparable length", &alignment.segments(A, B)),
        None => println!("an answer cannot be cut into {SEGMENTS} segments"),
    }
    match align_by_tokens((A, &cuts_a), (B, &cuts_b), SEGMENTS) {
        Some(found) => {
            let heading = format!("that share the most tokens (sum {:.3})", found.score);
            print_pairs(&heading, &found.alignment.segments(A, B));
        }
        None => println!("no {SEGMENTS} segments have a token in common"),
    }
}

fn print_pairs(heading: &str, pairs: &[(&str, &str)]) {
    println!("Segments {heading}:");
    for (number, (a, b)) in pairs.iter().enumerate() {
        println!("  {}. {}\n     {}", number + 1, a.trim_end(), b.trim_end());
    }
}
