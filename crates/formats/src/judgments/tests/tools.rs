//! Judgments of other tools.

use super::*;

#[test]
fn alpaca_eval_annotations_are_probabilities_that_the_second_wins() {
    let file: Vec<String> = ["1", "2.0", "1.5", "0", "1.75", "null"]
        .map(|preference| {
            format!(
                r#"{{"instruction":"é?","output_1":"aé","generator_1":"ref","output_2":"b","generator_2":"new","annotator":"j","preference":{preference}}}"#
            )
        })
        .to_vec();
    let recorded = one(&format!("[{}]", file.join(",")));
    let item = format!("text:{}", &blake3::hash("é?".as_bytes()).to_hex()[..32]);
    let found: Vec<[f64; 3]> = verdicts(&recorded).iter().map(|row| row.3).collect();
    assert_eq!(found, [WON, LOST, HALF, HALF, [0.25, 0.0, 0.75]]);
    assert_eq!(recorded.items, vec![item]);
    assert_eq!(recorded.systems, vec!["ref".to_owned(), "new".to_owned()]);
    assert_eq!(recorded.comparisons[0].length_a, Some(2.0));
    assert_eq!(recorded.comparisons[0].length_b, Some(1.0));
    assert_eq!(failures(&recorded), vec![("unparsed", 1)]);
    assert_eq!(recorded.judgment_count(), 6);
    assert_eq!(recorded.judges, ["j"]);
    assert_eq!(
        recorded.sources,
        [SourceFile {
            name: "f".into(),
            kind: JudgmentFormat::AlpacaEval,
            records: 6
        }]
    );
}

#[test]
fn alpaca_eval_preferences_need_no_texts() {
    let line = r#"{"instruction_id":7,"model":"new","reference":"ref","preference":2,"len_output_1":10,"len_output_2":null}"#;
    let recorded = one(line);
    assert_eq!(verdicts(&recorded), [("7", "ref", "new", LOST)]);
    assert_eq!(recorded.comparisons[0].length_a, Some(10.0));
    assert_eq!(recorded.comparisons[0].length_b, None);
    let range = "expected a number from 1 (the first) to 2 (the second), or 0 for a draw, found";
    assert_eq!(
        error(&line.replace(":2,", ":2.5,")),
        format!("f:1: field `preference`: {range} `2.5`")
    );
    assert_eq!(
        error(&line.replace(":2,", ":-1,")),
        format!("f:1: field `preference`: {range} `-1`")
    );
    assert_eq!(
        error(&line.replace(":2,", ":\"m\",")),
        "f:1: field `preference`: expected a number, found `m`"
    );
    assert_eq!(
        error(&line.replace(":2,", ":[],")),
        "f:1: field `preference`: expected a number, found an empty list"
    );
    assert_eq!(
        error(&format!(
            "{line}\n{}",
            line.replace("\"reference\"", "\"other\"")
        )),
        "f:2: field `reference` is missing; expected a non-empty string or a whole number; \
         the record has `instruction_id`, `model`, `other`, `preference`, `len_output_1`, \
         `len_output_2`"
    );
}

#[test]
fn a_reference_against_itself_ranks_nobody() {
    let recorded = one(r#"{"instruction_id":7,"model":"ref","reference":"ref","preference":1.5}"#);
    assert_eq!(recorded.comparisons.len(), 0);
    assert_eq!(recorded.self_comparisons, 1);
    assert_eq!(recorded.judgment_count(), 1);
}

#[test]
fn arena_hard_shows_the_baseline_first_and_then_second() {
    let options = Options {
        baseline: Some("gpt-4-0314".into()),
        ..Options::default()
    };
    let with_baseline = |file: &str| try_files(&[("f", file)], &options).unwrap();
    let game = |score: &str| format!(r#"{{"score":{score},"judgment":"long"}}"#);
    let line = |first: &str, second: &str| {
        format!(
            r#"{{"question_id":"q","model":"m","judge":"j","games":[{},{}]}}"#,
            game(first),
            game(second)
        )
    };
    let recorded = with_baseline(&format!(
        "{}\n{}",
        line("\"A>>B\"", "\"A>B\""),
        line("\"B>A\"", "\"B>>A\"")
    ));
    let base = "gpt-4-0314";
    assert_eq!(
        verdicts(&recorded),
        [
            ("q", base, "m", WON),
            ("q", "m", base, WON),
            ("q", base, "m", LOST),
            ("q", "m", base, LOST)
        ]
    );
    let strengths: Vec<_> = recorded.comparisons.iter().map(|c| c.strength).collect();
    let (slight, great) = (Some(Strength::Slight), Some(Strength::Great));
    assert_eq!(strengths, [great, slight, slight, great]);
    // v2 may write the order the other way round; null and what is no verdict are failures; a tie
    // has no strength.
    let recorded = with_baseline(&format!(
        "{}\n{}",
        line("\"A<<B\"", "null"),
        line("\"A=B\"", "\"A>A\"")
    ));
    assert_eq!(
        verdicts(&recorded),
        [("q", base, "m", LOST), ("q", base, "m", HALF)]
    );
    assert_eq!(
        recorded
            .comparisons
            .iter()
            .map(|c| c.strength)
            .collect::<Vec<_>>(),
        [great, None]
    );
    assert_eq!(failures(&recorded), vec![("unparsed", 2)]);
    assert_eq!(recorded.judges, vec!["j".to_owned()]);
}

#[test]
fn arena_hard_v2_names_its_baseline_or_is_given_it() {
    let v2 = r#"{"uid":"u","category":"math","judge":"j","model":"m","baseline":"o3","games":[{"score":"B=A"},null]}"#;
    let recorded = one(v2);
    assert_eq!(verdicts(&recorded), vec![("u", "o3", "m", HALF)]);
    assert_eq!(failures(&recorded), vec![("model-error", 1)]);
    let bare = v2.replace(r#""baseline":"o3","#, "");
    let named = Options {
        baseline: Some("b".into()),
        ..Options::default()
    };
    assert_eq!(
        verdicts(&try_files(&[("f", &bare)], &named).unwrap()),
        [("u", "b", "m", HALF)]
    );
    assert_eq!(
        verdicts(&try_files(&[("f", v2)], &named).unwrap()),
        [("u", "o3", "m", HALF)]
    );
    assert_eq!(
        error(&bare),
        "f:1: the record names no `baseline`, the system that every other is compared with; give \
         its name: `baseline` NAME (Arena-Hard v0.1 compared with gpt-4-0314, v2 with several)"
    );
    assert_eq!(
        error(&v2.replace("[{", "[{},{},{")),
        "f:1: field `games`: expected a list of one or two games, found a list"
    );
    assert_eq!(
        error(&v2.replace("B=A", "tie")),
        "f:1: field `games.0.score`: expected `A>>B`, `A>B`, `A=B`, `B>A`, `B>>A`, or null where \
         the judge gave none, found `tie`"
    );
    assert_eq!(
        error(&v2.replace("null]", "7]")),
        "f:1: field `games.1.score`: expected a game with a `score`, or null, found the number 7"
    );
}

fn mt_pair(first: &str, second: &str) -> String {
    format!(
        r#"{{"question_id":81,"turn":2,"model_1":"x","model_2":"y","judge":["gpt-4","pair-v2"],"g1_winner":"{first}","g2_winner":"{second}"}}"#
    )
}

#[test]
fn mt_bench_pairs_are_two_games_or_one_comparison() {
    let games = [
        ("model_1", "model_1"),
        ("model_1", "model_2"),
        ("tie", "tie"),
        ("model_2", "error"),
        ("error", "error"),
    ];
    let file = games
        .map(|(first, second)| mt_pair(first, second))
        .join("\n");
    let recorded = one(&file);
    let item = "81/2";
    assert_eq!(
        verdicts(&recorded),
        [
            (item, "x", "y", WON),
            (item, "y", "x", LOST),
            (item, "x", "y", WON),
            (item, "y", "x", WON),
            (item, "x", "y", HALF),
            (item, "y", "x", HALF),
            (item, "x", "y", LOST),
        ]
    );
    assert_eq!(failures(&recorded), vec![("unparsed", 3)]);
    assert_eq!(recorded.judges, vec!["gpt-4".to_owned()]);
    let both = try_files(
        &[("f", &file)],
        &Options {
            both_games: true,
            ..Options::default()
        },
    )
    .unwrap();
    assert_eq!(
        verdicts(&both),
        [
            (item, "x", "y", WON),
            (item, "x", "y", HALF),
            (item, "x", "y", HALF)
        ]
    );
    assert_eq!(failures(&both), [("unparsed", 2)]);
    assert_eq!(
        error(&mt_pair("x", "tie")),
        "f:1: field `g1_winner`: expected `model_1`, `model_2`, `tie`, or `error` where the judge \
         gave none, found `x`"
    );
    assert_eq!(
        error(&mt_pair("tie", "tie").replace(r#"["gpt-4","pair-v2"]"#, "[]")),
        "f:1: field `judge`: expected a name, or a list that begins with one, found an empty list"
    );
}

#[test]
fn graded_answers_are_scores_and_below_zero_is_none() {
    let original = r#"{"question_id":81,"model":"m","judge":["gpt-4","single-v1"],"user_prompt":"…","judgment":"[[9]]","score":9,"turn":1,"tstamp":1.5}"#;
    let bench = r#"{"question_id":"ab","model":"m","judge":"gpt-4","score":null,"judgment":"?"}"#;
    let recorded = one(&format!(
        "{original}\n{}\n{bench}",
        original.replace("\"score\":9", "\"score\":-1")
    ));
    assert_eq!(scored(&recorded), vec![("81/1", "m", 9.0)]);
    assert_eq!(failures(&recorded), vec![("unparsed", 2)]);
    assert_eq!(recorded.judges, vec!["gpt-4".to_owned()]);
    assert_eq!(recorded.items.len(), 2);
}

#[test]
fn pandalm_pairs_are_peoples_judgments_unless_a_judges_are_given() {
    let pair = |idx: u8, human: &str| {
        format!(
            r#"{{"idx":{idx},"model_1":"x","model_2":"y","instruction":"i","input":"","human":{human}}}"#
        )
    };
    let pairs = format!("{}\n{}", pair(0, "[1,2,0]"), pair(1, "[2,null,2]"));
    let people = one(&pairs);
    let found: Vec<[f64; 3]> = verdicts(&people).iter().map(|row| row.3).collect();
    assert_eq!(found, vec![WON, LOST, HALF, LOST, LOST]);
    // Each pair is an item, as where a judge is asked; the instruction is the question of both.
    assert_eq!(people.items, ["0", "1"]);
    assert_eq!(people.clusters().count(), 1);
    assert_eq!(people.judges, ["1", "2", "3"]);
    let verdict = |idx: u8, verdict: &str| {
        format!(r#"{{"idx":{idx},"judge":"j","raw_result":"","verdict":{verdict},"reason":""}}"#)
    };
    let judged = format!("{}\n{}", verdict(0, "2.0"), verdict(1, "null"));
    let both = |judged: &str| {
        try_files(
            &[("pairs", &pairs), ("judged", judged)],
            &Options::default(),
        )
    };
    let recorded = both(&judged).unwrap();
    assert_eq!(
        verdicts(&recorded)
            .iter()
            .map(|row| row.3)
            .collect::<Vec<_>>(),
        [LOST]
    );
    assert_eq!(failures(&recorded), vec![("unparsed", 1)]);
    assert_eq!(recorded.judges, vec!["j".to_owned()]);
    assert_eq!(
        error(&judged),
        "f:1: PandaLM verdicts do not name the systems; give the file with the pairs too, before \
         this one"
    );
    assert_eq!(
        both(&verdict(7, "1")).unwrap_err(),
        "judged:1: field `idx`: there is no pair `7` in the file with the pairs"
    );
    assert_eq!(
        both(&verdict(0, "3")).unwrap_err(),
        "judged:1: field `verdict`: expected 1 or 2 for the better response, 0 for a tie, or null \
         where the judge gave none, found `3`"
    );
    assert_eq!(
        error(&format!("{pairs}\n{}", pair(1, "[1]"))),
        "f:3: duplicate pair `1`; give every pair its own `idx`"
    );
    assert_eq!(
        error(&pair(0, "[3]")),
        "f:1: field `human` (label): `3` names no preference; expected 1, `a` or `x` for the \
         first, 2, `b` or `y` for the second, \
         0 or `tie`; say what your words mean: `outcomes` '3=first,...=second,...=tie'"
    );
}
