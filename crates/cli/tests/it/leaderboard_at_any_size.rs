//! `evenhand leaderboard` on many files, and on counts by item in place of the battles.

use crate::common::Desk;
use std::collections::BTreeMap;

/// Item, two systems, winner.
type Battle = (usize, &'static str, &'static str, &'static str);

/// Battles of several systems on each item, some pairs more than once, with every outcome.
fn battles() -> Vec<Battle> {
    const SYSTEMS: [&str; 5] = ["ant", "bee", "cat", "dog", "eel"];
    let one = |turn: usize| {
        let (a, step) = (turn * 3 % 5, 1 + turn * turn % 4);
        let b = (a + step) % 5;
        let winner = match turn * 7 % 11 {
            0 => "tie",
            1 => "tie (bothbad)",
            place if place % 5 < 3 => ["model_b", "model_a"][usize::from(a < b)],
            _ => ["model_a", "model_b"][usize::from(a < b)],
        };
        (turn * 13 % 30, SYSTEMS[a], SYSTEMS[b], winner)
    };
    (0..600).map(one).collect()
}

fn csv(battles: &[Battle]) -> String {
    let line = |(item, a, b, winner): &Battle| format!("q{item},{a},{b},{winner}\n");
    "item,model_a,model_b,winner\n".to_string() + &battles.iter().map(line).collect::<String>()
}

/// Counts by item, in the order in which the battles name items and systems.
fn counts_by_item(battles: &[Battle]) -> String {
    let mut places: BTreeMap<(usize, &str, &str), usize> = BTreeMap::new();
    let mut rows: Vec<(usize, &str, &str, [u32; 4])> = Vec::new();
    for &(item, a, b, winner) in battles {
        let place = places.get(&(item, a, b)).or(places.get(&(item, b, a)));
        let place = place.copied().unwrap_or_else(|| {
            places.insert((item, a, b), rows.len());
            rows.push((item, a, b, [0; 4]));
            rows.len() - 1
        });
        let is_turned = rows[place].1 != a;
        let at = match (winner, is_turned) {
            ("model_a", false) | ("model_b", true) => 0,
            ("tie", _) => 2,
            ("tie (bothbad)", _) => 3,
            _ => 1,
        };
        rows[place].3[at] += 1;
    }
    let line = |(item, a, b, counts): (usize, &str, &str, [u32; 4])| {
        let [wins_a, wins_b, ties, both_bad] = counts;
        format!("q{item},{a},{b},{wins_a},{wins_b},{ties},{both_bad}\n")
    };
    "item,model_a,model_b,wins_a,wins_b,ties,both_bad\n".to_string()
        + &rows.into_iter().map(line).collect::<String>()
}

/// The report without what may differ between two ways to the same ranking: battles in a circle
/// come again in another file, which is warned of.
fn ranked(desk: &Desk, arguments: &str) -> String {
    let mut report = desk.json(&format!("leaderboard {arguments}"));
    for apart in ["usage", "warnings", "warning_kinds"] {
        report.as_object_mut().unwrap().remove(apart);
    }
    report.to_string()
}

#[test]
fn counts_by_item_rank_as_the_battles_themselves() {
    let desk = Desk::empty();
    desk.write("b.csv", csv(&battles()));
    desk.write("c.csv", counts_by_item(&battles()));
    for aggregate in ["bradley-terry", "rao-kupper", "win-ratio", "newman"] {
        for ci in [
            "sandwich",
            "bootstrap --rounds 60",
            "bca --rounds 60",
            "none",
        ] {
            // Of counts these are for Bradley-Terry's strengths alone.
            if matches!(ci, "sandwich" | "bca --rounds 60") && aggregate != "bradley-terry" {
                continue;
            }
            for both_bad in ["tie", "apart"] {
                for cluster in ["", "--cluster item", "--cluster none"] {
                    let how = format!(
                        "--aggregate {aggregate} --ci {ci} --both-bad {both_bad} {cluster}"
                    );
                    assert_eq!(
                        ranked(&desk, &format!("c.csv {how}")),
                        ranked(&desk, &format!("b.csv {how}")),
                        "{how}"
                    );
                }
            }
        }
    }
    let some = "--systems ant,cat,eel --differences --rounds 50 --min-battles 3";
    assert_eq!(
        ranked(&desk, &format!("c.csv {some}")),
        ranked(&desk, &format!("b.csv {some}"))
    );
    desk.refused("leaderboard c.csv --aggregate elo", "these are counts");
}

#[test]
fn a_directory_a_pattern_and_the_files_by_hand_rank_the_same() {
    let desk = Desk::empty();
    let battles = battles();
    desk.write("all.csv", csv(&battles));
    for (number, part) in battles.chunks(70).enumerate() {
        desk.write(&format!("parts/{number}.csv"), csv(part));
    }
    desk.write("parts/_SUCCESS", "");
    desk.write("parts/.0.csv.crc", "");
    let by_hand: Vec<String> = (0..9).map(|number| format!("parts/{number}.csv")).collect();
    for ci in ["sandwich", "bootstrap --rounds 60", "none"] {
        let expected = ranked(&desk, &format!("all.csv --ci {ci}"));
        for files in [
            &by_hand.join(" "),
            "parts",
            "parts/*.csv",
            "p*/?.csv",
            "par[st]s/**",
        ] {
            for threads in [1, 2, 8] {
                let how = format!("{files} --ci {ci} --threads {threads}");
                assert_eq!(ranked(&desk, &how), expected, "{how}");
            }
        }
    }
    desk.refused(
        "leaderboard parts/*.parquet",
        "parts/*.parquet: no file or directory matches",
    );
    desk.append("parts/4.csv", "q1,ant,bee,nobody\n");
    desk.refused("leaderboard parts/*.csv", "parts/4.csv:72: field winner");
}
