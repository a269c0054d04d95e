//! The readers, file by file: what they make of a record, and the exact words of their errors.

use super::*;
use flate2::{Compression, write::GzEncoder};
use std::io::Write;

pub(super) fn try_files(
    files: &[(&str, &str)],
    options: &Options,
) -> Result<RecordedJudgments, String> {
    read_judgments(
        files.iter().map(|(name, text)| (*name, text.as_bytes())),
        options,
    )
    .map_err(|error| error.to_string())
}

pub(super) fn one(file: &str) -> RecordedJudgments {
    try_files(&[("f", file)], &Options::default()).unwrap()
}

pub(super) fn error(file: &str) -> String {
    try_files(&[("f", file)], &Options::default()).unwrap_err()
}

/// (item, a, b, wins_a, ties, wins_b) by name.
pub(super) fn verdicts(recorded: &RecordedJudgments) -> Vec<(&str, &str, &str, [f64; 3])> {
    let name = |system: u16| &recorded.systems[usize::from(system)][..];
    let item = |item: u32| &recorded.items[item as usize][..];
    recorded
        .comparisons
        .iter()
        .map(|c| {
            (
                item(c.item),
                name(c.a),
                name(c.b),
                [c.wins_a, c.ties, c.wins_b],
            )
        })
        .collect()
}

/// (item, system, score) by name.
fn scored(recorded: &RecordedJudgments) -> Vec<(&str, &str, f64)> {
    let row = |s: &RecordedScore| {
        (
            &recorded.items[s.item as usize][..],
            &recorded.systems[usize::from(s.system)][..],
            s.score,
        )
    };
    recorded.scores.iter().map(row).collect()
}

pub(super) fn failures(recorded: &RecordedJudgments) -> Vec<(&str, u64)> {
    recorded
        .failures
        .iter()
        .map(|(kind, n)| (&kind[..], *n))
        .collect()
}

const HALF: [f64; 3] = [0.0, 1.0, 0.0];
const WON: [f64; 3] = [1.0, 0.0, 0.0];
const LOST: [f64; 3] = [0.0, 0.0, 1.0];

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
    assert_eq!(
        (&recorded.items, &recorded.systems),
        (&vec![item], &vec!["ref".to_owned(), "new".to_owned()])
    );
    assert_eq!(
        (
            recorded.comparisons[0].length_a,
            recorded.comparisons[0].length_b
        ),
        (Some(2.0), Some(1.0))
    );
    assert_eq!(
        (failures(&recorded), recorded.judgment_count()),
        (vec![("unparsed", 1)], 6)
    );
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
    assert_eq!(
        (
            recorded.comparisons[0].length_a,
            recorded.comparisons[0].length_b
        ),
        (Some(10.0), None)
    );
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
    assert_eq!(
        (
            recorded.comparisons.len(),
            recorded.self_comparisons,
            recorded.judgment_count()
        ),
        (0, 1, 1)
    );
}

#[test]
fn arena_hard_shows_the_baseline_first_and_then_second() {
    let game = |score: &str| format!(r#"{{"score":{score},"judgment":"long"}}"#);
    let line = |first: &str, second: &str| {
        format!(
            r#"{{"question_id":"q","model":"m","judge":"j","games":[{},{}]}}"#,
            game(first),
            game(second)
        )
    };
    let recorded = one(&format!(
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
    let recorded = one(&format!(
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
    assert_eq!(
        (failures(&recorded), &recorded.judges),
        (vec![("unparsed", 2)], &vec!["j".to_owned()])
    );
}

#[test]
fn arena_hard_v2_names_its_baseline_or_is_given_it() {
    let v2 = r#"{"uid":"u","category":"math","judge":"j","model":"m","baseline":"o3","games":[{"score":"B=A"},null]}"#;
    let recorded = one(v2);
    assert_eq!(
        (verdicts(&recorded), failures(&recorded)),
        (vec![("u", "o3", "m", HALF)], vec![("model-error", 1)])
    );
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
         its name"
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
    assert_eq!(
        (failures(&recorded), &recorded.judges),
        (vec![("unparsed", 3)], &vec!["gpt-4".to_owned()])
    );
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
    assert_eq!(
        (scored(&recorded), failures(&recorded)),
        (vec![("81/1", "m", 9.0)], vec![("unparsed", 2)])
    );
    assert_eq!(
        (&recorded.judges, recorded.items.len()),
        (&vec!["gpt-4".to_owned()], 2)
    );
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
    assert_eq!(
        (found, people.items.len()),
        (vec![WON, LOST, HALF, LOST, LOST], 1)
    );
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
    assert_eq!(
        (failures(&recorded), &recorded.judges),
        (vec![("unparsed", 1)], &vec!["j".to_owned()])
    );
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
        "f:3: duplicate pair `1`; give every pair an `idx` of its own"
    );
    assert_eq!(
        error(&pair(0, "[3]")),
        "f:1: field `human` (label): `3` names no preference; expected 1, `a` or `x` for the \
         first, 2, `b` or `y` for the second, \
         0 or `tie`; say what your words mean: `outcomes` '3=first,...=second,...=tie'"
    );
}

const OURS: &str = r#"{"trial":0,"item":"q","first":"x","second":"y","p_first":0.5,"p_tie":0.25,"p_second":0.25,"score":null,"failure":null,"detail":null}"#;
const OURS_FAILED: &str = r#"{"trial":1,"item":"q","first":"y","second":"x","p_first":null,"p_tie":null,"p_second":null,"score":null,"failure":"too-long","detail":"d"}"#;
const OURS_SCORED: &str = r#"{"trial":0,"item":"q","first":"x","second":null,"p_first":null,"p_tie":null,"p_second":null,"score":-1.5,"failure":null,"detail":null}"#;

#[test]
fn our_own_judgments_are_read_back() {
    let recorded = one(&format!("{OURS}\n{OURS_FAILED}"));
    assert_eq!(verdicts(&recorded), [("q", "x", "y", [0.5, 0.25, 0.25])]);
    assert_eq!(failures(&recorded), [("too-long", 1)]);
    let failed = OURS_SCORED
        .replace("-1.5", "null")
        .replace(r#""failure":null"#, r#""failure":"unparsed""#);
    let recorded = one(&format!("{OURS_SCORED}\n{failed}"));
    assert_eq!(
        (scored(&recorded), failures(&recorded)),
        (vec![("q", "x", -1.5)], vec![("unparsed", 1)])
    );
    let header = "trial,item,first,second,p_first,p_tie,p_second,score,failure,detail\n";
    let recorded = one(&format!(
        "{header}0,q,x,y,0,1,0,,,\n1,q,x,\"y, z\",,,,,refused,\"no, thanks\"\n"
    ));
    assert_eq!(
        (verdicts(&recorded), failures(&recorded)),
        (vec![("q", "x", "y", HALF)], vec![("refused", 1)])
    );
    let recorded = one(&format!("{header}0,q,x,,,,,7,,\n"));
    assert_eq!(scored(&recorded), [("q", "x", 7.0)]);
}

#[test]
fn our_own_judgments_are_held_to_their_form() {
    assert_eq!(
        error(&OURS.replace("0.5", "0.75")),
        "f:1: field `p_first|p_tie|p_second`: expected `p_first`, `p_tie` and `p_second`, which \
         sum to 1, found 0.75, 0.25, 0.25"
    );
    assert_eq!(
        error(&OURS.replace("0.5", "null")),
        "f:1: field `p_first|p_tie|p_second`: expected `p_first`, `p_tie` and `p_second`, which \
         sum to 1, found null, 0.25, 0.25"
    );
    assert_eq!(
        error(&OURS.replace("0.5", "1.5")),
        "f:1: field `p_first`: expected a probability from 0 to 1, found `1.5`"
    );
    let both = OURS.replace(r#""failure":null"#, r#""failure":"refused""#);
    assert_eq!(
        error(&both),
        "f:1: field `failure`: expected either a verdict or the kind of failure, found a string"
    );
    let neither = OURS_FAILED.replace(r#""too-long""#, "null");
    assert_eq!(
        error(&neither),
        "f:1: field `failure`: expected either a verdict or the kind of failure, found null"
    );
    assert_eq!(
        error(&OURS_FAILED.replace("too-long", "tie")),
        "f:1: field `failure`: expected `unparsed`, `refused`, `truncated`, `too-long`, `invalid`, \
         `model-error` or `drifted`, found `tie`"
    );
}

#[test]
fn our_labels_are_judgments_of_people() {
    let label = r#"{"item":1,"a":"x","b":"y","preferred":"b","annotator":"w3"}"#;
    let recorded = one(&format!(
        "{label}\n{}",
        label.replace("\"b\",\"ann", "\"tie\",\"ann")
    ));
    assert_eq!(
        verdicts(&recorded),
        [("1", "x", "y", LOST), ("1", "x", "y", HALF)]
    );
    assert_eq!(recorded.judges, ["w3"]);
    assert_eq!(
        error(&label.replace(":\"b\",\"ann", ":\"neither\",\"ann")),
        "f:1: field `preferred` (label): `neither` names no preference; expected 1, `a` or `x` for \
         the first, 2, `b` or `y` for the second, \
         0 or `tie`; say what your words mean: `outcomes` 'neither=first,...=second,...=tie'"
    );
}

#[test]
fn tables_of_scores_are_read_with_or_without_items() {
    let recorded = one("model,question_id,score\nx,1,0.5\ny,1,\nx,2,-3\n");
    assert_eq!(
        (scored(&recorded), failures(&recorded)),
        (
            vec![("1", "x", 0.5), ("2", "x", -3.0)],
            vec![("missing", 1)]
        )
    );
    assert_eq!(recorded.systems, ["x", "y"]);
    let recorded = one("{\"system\":\"x\",\"score\":1}\n{\"system\":\"y\",\"score\":2}\n");
    assert_eq!(scored(&recorded), [("f:1", "x", 1.0), ("f:2", "y", 2.0)]);
    let named = Options {
        system: Some("who".into()),
        score: Some("points".into()),
        item: Some("task".into()),
        ..Options::default()
    };
    let recorded = try_files(&[("f", "task,who,points\nt,x,1\n")], &named).unwrap();
    assert_eq!(scored(&recorded), [("t", "x", 1.0)]);
    assert_eq!(
        try_files(&[("f", "task,who,score\nt,x,1\n")], &named).unwrap_err(),
        "f:2: field `points` is missing; expected a number; the record has `task`, `who`, `score`"
    );
    let judged = one(r#"{"model":"x","score":"1e1","judge":{"name":"j"}}"#);
    assert_eq!(
        (scored(&judged), judged.judges.len()),
        (vec![("f:1", "x", 10.0)], 0)
    );
    assert_eq!(
        error("model,score\nx,high\n"),
        "f:2: field `score`: expected a number, found `high`"
    );
    assert_eq!(
        error("model,score\nx,inf\n"),
        "f:2: field `score`: expected a number, found `inf`"
    );
    assert_eq!(
        error("model,score\nx,1,2\n"),
        "f:2: the row has 3 cells, but the header has 2; quote a cell that holds a separator"
    );
}

#[test]
fn comparisons_and_scores_do_not_mix() {
    let scores = "model,score\nx,1\n";
    assert_eq!(
        try_files(&[("a.jsonl", OURS), ("b.csv", scores)], &Options::default()).unwrap_err(),
        "comparisons and scores cannot be ranked together: a.jsonl:1 is a comparison (Evenhand \
         judgments), \
         b.csv:2 is a score (scores); give only one of the two"
    );
    assert_eq!(
        error(&format!("{OURS_SCORED}\n{OURS}")),
        "comparisons and scores cannot be ranked together: f:2 is a comparison (Evenhand \
         judgments), \
         f:1 is a score (Evenhand judgments); give only one of the two"
    );
}

#[test]
fn several_files_are_one_set() {
    let other = OURS.replace("\"x\"", "\"z\"");
    let recorded = try_files(&[("a", OURS), ("b", &other)], &Options::default()).unwrap();
    assert_eq!(
        (recorded.systems, recorded.items),
        (
            vec!["x".to_owned(), "y".into(), "z".into()],
            vec!["q".to_owned()]
        )
    );
    assert_eq!(
        recorded
            .sources
            .iter()
            .map(|source| &source.name[..])
            .collect::<Vec<_>>(),
        ["a", "b"]
    );
    assert_eq!(
        try_files(&[], &Options::default()).unwrap_err(),
        "no file was given; expected at least one file of judgments or scores"
    );
}

#[test]
fn what_is_not_judgments_is_refused_by_name() {
    let refused = |kind: &str| {
        format!(
            "f:1: {kind} do not name the systems, so they rank nobody; they tell how good a judge \
             is: give them to `evenhand meta judge` with `recorded`"
        )
    };
    let llmbar = r#"{"input":"i","output_1":"a","output_2":"b","label":1,"results":{}}"#;
    assert_eq!(
        error(&format!("[{llmbar}]")).replace("f:1:2:", "f:1:"),
        refused("LLMBar results")
    );
    assert_eq!(
        error(r#"{"pair_id":"p","label":"A>B","game_1":null,"game_2":null}"#),
        refused("JudgeBench judgments")
    );
    assert_eq!(
        error(r#"{"item":"1","system":"s","output":"x"}"#),
        "f:1: this is a data set's file (`responses`), not judgments or scores; `evenhand judge` \
         with `data` makes them of a data set"
    );
    assert_eq!(
        error("model_a,model_b,winner\nx,y,tie\n"),
        "f:2: these are no judgments or scores that are known: the record has `model_a`, \
         `model_b`, `winner`; expected Evenhand \
         judgments, Evenhand labels, AlpacaEval annotations, AlpacaEval preferences, Arena-Hard \
         judgments, MT-Bench pair judgments, \
         MT-Bench single judgments, PandaLM pairs, PandaLM verdicts, reviews with two scores, \
         scores; for scores of your own, name the columns of the system \
         and the score"
    );
}

#[test]
fn a_kind_can_be_named() {
    let named = Options {
        kind: JudgmentFormat::from_name("mt-bench-scores"),
        ..Options::default()
    };
    let recorded = try_files(
        &[("f", r#"{"question_id":1,"model":"m","score":-1}"#)],
        &named,
    )
    .unwrap();
    assert_eq!(failures(&recorded), [("unparsed", 1)]);
    for name in JudgmentFormat::names() {
        assert_eq!(
            JudgmentFormat::from_name(name).map(JudgmentFormat::name),
            Some(name)
        );
    }
    assert_eq!(JudgmentFormat::from_name("alpaca"), None);
}

#[test]
fn named_columns_must_be_there() {
    let named = Options {
        score: Some("points".into()),
        ..Options::default()
    };
    assert_eq!(
        detect_format(&b"model,points\nx,1\n"[..], &named),
        Some(JudgmentFormat::Scores)
    );
    assert_eq!(detect_format(&b"model,score\nx,1\n"[..], &named), None);
    assert_eq!(
        detect_format(&b"model,score\nx,1\n"[..], &Options::default()),
        Some(JudgmentFormat::Scores)
    );
    assert_eq!(
        detect_format(&b"model,score,CI\nx,1,2\n"[..], &Options::default()),
        None
    );
}

#[test]
fn damaged_files_are_located() {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    let lines: String = (0..2000)
        .map(|n| OURS.replace("\"q\"", &format!("\"q{}\"", n * n)) + "\n")
        .collect();
    gzip.write_all(lines.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let whole = read_judgments([("f.gz", &gzip[..])], &Options::default()).unwrap();
    assert_eq!(whole.comparisons.len(), 2000);
    let cut = read_judgments([("f.gz", &gzip[..gzip.len() / 2])], &Options::default())
        .unwrap_err()
        .to_string();
    assert!(
        cut.starts_with("f.gz:") && cut.contains(": cannot be read: "),
        "{cut}"
    );
    let bytes = [OURS.as_bytes(), b"\n{\"item\":\"\xff\"}"].concat();
    let offset = OURS.len() + 10;
    assert_eq!(
        read_judgments([("f", &bytes[..])], &Options::default())
            .unwrap_err()
            .to_string(),
        format!(
            "f:2: not valid UTF-8 (byte 0xff at byte offset {offset} of the file); save the file \
             as UTF-8"
        )
    );
    let deep = format!("{OURS}\n{}", "[".repeat(1 << 20));
    assert_eq!(
        error(&deep),
        "f:2:128: not valid JSON (recursion limit exceeded); each line must be one whole JSON \
         object"
    );
    assert_eq!(
        error(""),
        "f: the file is empty; expected at least one record"
    );
    assert_eq!(
        detect_format(&bytes[OURS.len() + 1..], &Options::default()),
        None
    );
    assert_eq!(
        detect_format(&b"PAR1\x15\x04"[..], &Options::default()),
        None
    );
}
