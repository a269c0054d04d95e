//! Checks a response against three constraints and prints the verdicts:
//! `cargo run -p evenhand-constraints --example check_response`.
#![allow(clippy::print_stdout, reason = "an example prints what it finds")]

use evenhand_constraints::{ConstraintError, Constraints};
use serde_json::json;

const RESPONSE: &str = "\
Sure, here are two rivers:
* The Nile
* The Rhine";

fn main() -> Result<(), ConstraintError> {
    let list = json!([
        {"id": "punctuation:no_comma"},
        {"id": "detectable_format:number_bullet_lists", "num_bullets": 2},
        {"id": "length_constraints:number_words", "relation": "at least", "num_words": 50},
    ]);
    let constraints = Constraints::parse(&list, "Name two rivers.")?;
    let checked = constraints.check(RESPONSE);

    println!("{RESPONSE}\n");
    let verdicts = checked.strict.iter().zip(&checked.loose);
    for (constraint, (strict, loose)) in constraints.list().iter().zip(verdicts) {
        // Loosely, the first and the last line may break a constraint.
        println!(
            "strict {strict:5} loose {loose:5} {}",
            constraint.describe()
        );
    }
    Ok(())
}
