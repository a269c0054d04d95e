//! Our own judgments, labels and tables, and what is refused.

use super::*;

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
    assert_eq!(scored(&recorded), vec![("q", "x", -1.5)]);
    assert_eq!(failures(&recorded), vec![("unparsed", 1)]);
    let header = "trial,item,first,second,p_first,p_tie,p_second,score,failure,detail\n";
    let recorded = one(&format!(
        "{header}0,q,x,y,0,1,0,,,\n1,q,x,\"y, z\",,,,,refused,\"no, thanks\"\n"
    ));
    assert_eq!(verdicts(&recorded), vec![("q", "x", "y", HALF)]);
    assert_eq!(failures(&recorded), vec![("refused", 1)]);
    let recorded = one(&format!("{header}0,q,x,,,,,7,,\n"));
    assert_eq!(scored(&recorded), [("q", "x", 7.0)]);
}

#[test]
fn a_decision_counts_in_the_place_of_what_it_decides() {
    let label = |item: &str, a: &str, b: &str, preferred: &str, more: &str| {
        format!(r#"{{"item":"{item}","a":"{a}","b":"{b}","preferred":"{preferred}"{more}}}"#)
    };
    let lines = [
        label("q", "x", "y", "a", ""),
        label("q", "y", "x", "a", r#","adjudicated":true"#),
        label("q", "x", "y", "tie", ""),
        label("r", "x", "y", "a", ""),
    ];
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2]] {
        let recorded = one(&order.map(|at| lines[at].as_str()).join("\n"));
        let mut found = verdicts(&recorded);
        found.sort_by_key(|(item, ..)| *item);
        let expected = [
            ("q", "y", "x", [1.0, 0.0, 0.0]),
            ("r", "x", "y", [1.0, 0.0, 0.0]),
        ];
        assert_eq!(found, expected, "{order:?}");
    }
}

#[test]
fn items_of_one_question_are_known_by_its_name_or_by_its_instruction() {
    let say = |item: &str, more: &str| {
        OURS.replace("\"q\"", &format!("\"{item}\""))
            .replace("\"detail\":null", &format!("\"detail\":null{more}"))
    };
    let counts = |lines: [String; 4]| {
        let clusters = one(&lines.join("\n")).clusters();
        clusters.numbers().to_vec()
    };
    let named = ",\"question_id\":\"x\"";
    let none = ",\"question_id\":null";
    let found = counts([
        say("1", named),
        say("2", none),
        say("3", named),
        say("4", none),
    ]);
    assert_eq!(found, [0, 1, 0, 2]);
    // The name says more than the instruction: other words may ask the same.
    let worded = |words: &str| format!("{named},\"instruction\":\"{words}\"");
    let found = counts([
        say("1", &worded("one")),
        say("2", &worded("two")),
        say("3", &format!("{none},\"instruction\":\"three\"")),
        say("4", &format!("{none},\"instruction\":\"three\"")),
    ]);
    assert_eq!(found, [0, 0, 1, 1]);
    // Tables have an empty cell for it.
    let table = "trial,item,first,second,p_first,p_tie,p_second,score,failure,question_id\n\
                 0,1,x,y,0,1,0,,,q\n1,2,x,y,0,1,0,,,\n2,3,x,y,0,1,0,,,q\n";
    assert_eq!(one(table).clusters().numbers(), [0, 1, 0]);
    // A file that knows no questions may come first.
    let labels = r#"{"item":"1","a":"x","b":"y","preferred":"b"}"#;
    let ours = [say("1", named), say("3", named)].join("\n");
    let both = try_files(&[("a", labels), ("b", &ours)], &Options::default()).unwrap();
    assert_eq!(both.clusters().numbers(), [0, 0]);
}

#[test]
fn our_own_judgments_of_one_instruction_are_of_one_question_unless_it_says_nothing() {
    let questions = |fields: [&str; 3]| {
        let lines = fields.iter().zip(["a", "b", "c"]).map(|(fields, item)| {
            let line = OURS.replace(r#""item":"q""#, &format!(r#""item":"{item}""#));
            line.replace(r#""trial":0"#, &format!(r#""trial":0,{fields}"#))
        });
        one(&lines.collect::<Vec<_>>().join("\n"))
            .clusters()
            .count()
    };
    let said = r#""instruction":"Say it.""#;
    assert_eq!(questions([said, said, r#""instruction":"No.""#]), 2);
    assert_eq!(questions([r#""instruction":" ""#; 3]), 3);
    assert_eq!(questions([r#""instruction":null"#; 3]), 3);
    // Of a conversation the last message alone is the instruction.
    let after = |first: &str| format!(r#"{said},"turns":[{{"role":"user","content":"{first}"}}]"#);
    let [one, other] = ["x", "y"].map(after);
    assert_eq!(questions([&one, &other, &one]), 2);
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
    assert_eq!(scored(&recorded), vec![("1", "x", 0.5), ("2", "x", -3.0)]);
    assert_eq!(failures(&recorded), vec![("missing", 1)]);
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
    assert_eq!(scored(&judged), vec![("f:1", "x", 10.0)]);
    assert_eq!(judged.judges.len(), 0);
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
        recorded.systems,
        vec!["x".to_owned(), "y".into(), "z".into()]
    );
    assert_eq!(recorded.items, vec!["q".to_owned()]);
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
            "f:1: {kind} do not name the systems, so they cannot rank systems; they tell how good \
             a judge is: give them to `evenhand meta judge` with `recorded`"
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
        "f:2: these are not judgments or scores of a known form: the record has `model_a`, \
         `model_b`, `winner`; expected Evenhand judgments, Evenhand labels (`item`, `a`, `b`, \
         `preferred`), AlpacaEval annotations, AlpacaEval preferences, Arena-Hard judgments, MT-Bench pair judgments, \
         MT-Bench single judgments, PandaLM pairs, PandaLM verdicts, reviews with two scores, \
         scores, or battles (`model_a` and `model_b` or `left` and `right` or `system_a` and \
         `system_b`, and `winner`); for battles of your own, name their columns with `left`, \
         `right` and `winner`; for scores, those of the system and the score with `system-column` \
         and `score-column`; these are battles, which name no item: `item-column` COLUMN says which column does"
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
