//! `evenhand leaderboard` on what it cannot rank: exact words, exit code 2, and never a panic.

mod broken;
mod options;

use crate::common::Desk;
use std::io::Write;

const BATTLES: &str = "model_a,model_b,winner\na,b,model_a\nb,c,tie\nc,a,model_b\nb,a,model_a\nb,c,model_a\nc,b,model_a\nc,a,model_a\n";
const COUNTS: &str = "model_a,model_b,wins_a,wins_b,ties\na,b,3,4,1\nb,c,5,6,0\na,c,1,1,1\n";
const SCORES: &str = "{\"item\":\"1\",\"system\":\"a\",\"score\":3}\n{\"item\":\"1\",\"system\":\"b\",\"score\":4}\n\
    {\"item\":\"2\",\"system\":\"a\",\"score\":5}\n{\"item\":\"2\",\"system\":\"b\",\"score\":4}\n";

fn desk() -> Desk {
    let desk = Desk::empty();
    desk.write("b.csv", BATTLES);
    desk.write("c.csv", COUNTS);
    desk.write("s.jsonl", SCORES);
    desk
}

/// Nothing on stdout, exit code 2, and just this message.
fn refused(desk: &Desk, arguments: &str, message: &str) {
    let ran = desk.run(&format!("leaderboard {arguments}"));
    ran.is_refused(message);
}

#[test]
fn columns_that_are_missing_are_named() {
    let desk = desk();
    let has = "the file has `model_a`, `model_b`, `winner`";
    for (arguments, message) in [
        (
            "--weight nope",
            format!("b.csv: --weight: no column `nope`; {has}"),
        ),
        (
            "--cluster nope",
            format!("b.csv: --cluster: no column `nope`; {has}"),
        ),
        (
            "--control nope",
            format!("b.csv: no column `nope`; expected a finite number under that name; {has}"),
        ),
        (
            "--winner nope",
            format!("b.csv: --winner: no column `nope`; {has}"),
        ),
        (
            "--left modell_a --right model_b",
            format!("b.csv: --left: no column `modell_a` (`model_a` comes near); {has}"),
        ),
        (
            "--counts",
            format!(
                "b.csv: no column `wins_a`, `wins_b`, `ties`; expected `model_a`, `model_b`, \
                 `wins_a`, `wins_b` and `ties`; {has}"
            ),
        ),
    ] {
        refused(&desk, &format!("b.csv {arguments}"), &message);
    }
}

#[test]
fn covariates_without_an_answer_are_named() {
    let desk = Desk::empty();
    let rows = "a,b,model_a,1,1\nb,a,model_b,2,3\nb,a,model_a,2,3\na,b,model_a,2,3\nb,c,model_a,3,5\nc,b,model_a,1,1\nc,a,tie,2,3\n";
    desk.write("x.csv", format!("model_a,model_b,winner,x,y\n{rows}"));
    desk.write(
        "same.csv",
        format!(
            "model_a,model_b,winner,x,y\n{}",
            rows.replace(",2,3\n", ",2,2\n").replace(",3,5\n", ",3,3\n")
        ),
    );
    refused(
        &desk,
        "same.csv --control x,y",
        "--control y: it is determined by x; leave one of them out",
    );
    let separated = "a,b,model_a,1\nb,a,model_a,1\nb,c,model_a,1\nc,a,model_a,1\na,c,model_a,1\nc,b,model_a,1\n";
    desk.write(
        "separated.csv",
        format!("model_a,model_b,winner,x\n{separated}"),
    );
    let message = "--control x: it separates the outcomes, so its effect has no finite estimate";
    refused(&desk, "separated.csv --control x", message);
    refused(
        &desk,
        "x.csv --control x,z",
        "x.csv: no column `z`; expected a finite number under that name; the file has `model_a`, \
         `model_b`, `winner`, `x`, `y`",
    );
}

/// A pseudo-random number, by a linear congruence (Knuth's MMIX).
fn next(state: &mut u64) -> usize {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

#[test]
fn counts_that_are_not_whole_cannot_be_resampled() {
    let desk = desk();
    desk.write(
        "half.csv",
        "model_a,model_b,wins_a,wins_b,ties\na,b,3.5,4,1\nb,c,5,6,0\na,c,1,1,1\n",
    );
    let message = "--ci bootstrap: some counts are not whole, and only whole comparisons can be \
                   resampled; use --ci sandwich or none";
    refused(&desk, "half.csv", message);
    // What is named instead must be possible.
    let message = "--ci bca: some counts are not whole, and only whole comparisons can be \
                   resampled; use --ci none";
    for more in ["--aggregate rao-kupper", "--prior 0.1"] {
        refused(&desk, &format!("half.csv --ci bca {more}"), message);
        desk.done(&format!("leaderboard half.csv --ci none {more}"));
    }
    desk.write(
        "whole.csv",
        "model_a,model_b,wins_a,wins_b,ties\na,b,30,20,0\n",
    );
    let message = "--ci bca: it is for maximum likelihood; with --prior use --ci bootstrap";
    refused(&desk, "whole.csv --ci bca --prior 0.1", message);
    assert_eq!(
        desk.json("leaderboard half.csv --ci sandwich")["ranking"]
            .as_array()
            .map(Vec::len),
        Some(3)
    );
}

/// A fit of strengths used to give every system 1000 where weights are 10^17 times apart, or a
/// prior weighs as little.
#[test]
fn weights_that_are_too_far_apart_are_refused() {
    let desk = Desk::empty();
    let rows = |heavy: &str, light: &str| {
        format!(
            "model_a,model_b,winner,weight\na,b,model_a,{heavy}\na,b,model_b,{heavy}\nb,c,model_a,{light}\nb,c,model_b,{light}\n"
        )
    };
    desk.write("far.csv", rows("1e18", "1"));
    desk.write("heavy.csv", rows("1e18", "1e18"));
    let pair = "the comparisons of one pair of systems weigh 2e18 in all";
    for arguments in [
        "",
        " --prior 1",
        " --aggregate davidson",
        " --aggregate rao-kupper",
    ] {
        let ran = desk.run(&format!(
            "leaderboard far.csv --weight weight --ci none{arguments}"
        ));
        let light = if arguments == " --prior 1" {
            "the prior 1;"
        } else {
            "those of another 2;"
        };
        ran.ends(2, &format!("{pair}, and {light}"));
    }
    desk.refused(
        "leaderboard heavy.csv --weight weight --ci none --prior 1",
        &format!("{pair}, and the prior 1;"),
    );
    desk.done("leaderboard heavy.csv --weight weight --ci none");
    desk.done("leaderboard far.csv --weight weight --ci none --aggregate win-ratio");
}
