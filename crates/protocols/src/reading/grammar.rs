//! Replies by rule of docs/design/extraction.md: what each says, and what says nothing. `X` is a
//! letter and `Y` the other one.

use super::tests_of_text::{Stated, read_as};
use evenhand_testing::is_slow;

/// What a reply with `X` in it says.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Says {
    X,
    Y,
    Tie,
    /// No verdict: it is ambiguous, or is none.
    Nothing,
}

use Says::{Nothing, Tie, X, Y};

/// Replies to a prompt for a letter.
const LETTERS: &[(Says, &[&str])] = &[
    // Adjectives of either sign.
    (
        Y,
        &[
            "The worse answer is X.",
            "Worse answer: X",
            "The inferior response is Answer X.",
            "The weaker answer is X",
            "Answer X is worse.",
            "Answer X is worse than Answer Y.",
            "Answer X is clearly the weaker response.",
            "X is inferior to Y.",
            "X is less helpful than Y.",
            "Answer X loses.",
            "Overall, Answer X loses to Answer Y.",
            "The loser is X.",
            "{\"worse\": \"X\"}",
        ],
    ),
    (
        Nothing,
        &[
            "The less helpful answer is X.",
            "The incorrect answer is X.",
            "The wrong answer is X.",
            "The least accurate answer is X.",
            "The more biased answer is X.",
            "The longer answer is X.",
            "The shorter response is X.",
            "The first answer is X.",
            "The second best answer is X.",
            "The second-best answer is X.",
            "The runner-up is X.",
            "The more verbose response is Answer X.",
            "The answer that should lose is X.",
            "The opposite of the better answer is X.",
            "The other answer than the better one is X.",
            "Rejected: X",
            "Loser - hm, X?",
            "Worst to best: X, Y",
            "Answer X: wrong",
            "X - worse",
            "X: rejected",
            "X (incorrect)",
            "X ❌",
            "X: ❌ Y: ✅",
            "Answer X is incorrect.",
            "Answer X is the runner-up.",
            "Answer X is second-best.",
            "Answer X is second to none.",
            "X is more verbose.",
            "X is longer.",
            "X fails.",
            "I reject X.",
            "I would eliminate Answer X.",
            "Answer X should be discarded.",
            "Response X: incorrect. Response Y: correct.",
            "Answer X: 3/10. Answer Y: 8/10.",
            "Answer X: 2, Answer Y: 9",
            "X (incorrect), Y (correct)",
            "X: incorrect; Y: correct",
            "X: wrong\nY: right",
            "X: concise.\nY: detailed.\nHard to say.",
            "**X:** concise.\n\n**Y:** detailed.\n\nBoth are on topic.",
            "X: 3, Y: 8",
            "X:0 Y:1",
            "X -> worse",
            "X → rejected",
            "X: does not follow the instruction",
            "X - not good",
            "Answer X (not recommended)",
            "X: poor",
        ],
    ),
    // Denials.
    (
        Nothing,
        &[
            "!X",
            "Not X",
            "not X.",
            "Verdict: not X",
            "The better answer is not X.",
            "Answer X is not better.",
            "Answer X isn't the better answer.",
            "X is not worse.",
            "X does not win.",
            "Neither X nor Y.",
            "I do not prefer X.",
            "I don't think X is better.",
            "Nobody would say that X is better.",
            "Some would say that X is better.",
            "Would say that X is better.",
            "You would say that X is better.",
            "However, would say X is better.",
            "I would not say that X is better.",
            "I wouldn't say that X is better.",
            "It is not true that X is better.",
            "Verdict: X. Correction: Y.",
            "Verdict: X\nActually, Y.",
            "X is better. Just kidding, Y is.",
            "X\nWait, Y.",
            "X cannot be the winner.",
            "Verdict: X is not better",
            "X\n\nAnswer X is not better.",
        ],
    ),
    // Both letters in one statement.
    (
        X,
        &[
            "X > Y",
            "X>Y",
            "X >> Y",
            "Y < X",
            "Y << X",
            "Verdict: X > Y",
            "Verdict: X>Y",
            "Final verdict: Y < X",
            "X ≻ Y",
            "X beats Y.",
            "Answer X outperforms Answer Y.",
            "X over Y",
            "Verdict: X over Y",
            "X, not Y",
            "X (not Y)",
            "X, because Y is wrong.",
            "X - Y does not answer the question.",
            "X, since Y invents a source",
            "I prefer X to Y.",
            "I prefer Answer X over Answer Y.",
            "X is better than Y because Y is incorrect.",
            "While Y is longer, X is better.",
            "Although Answer Y is better written, Answer X is better.",
            "Y is good, but X is better.",
            "Since Y fails to follow the instruction, the better answer is X.",
            "Judged by the rules above, the better answer is X.",
            "Judged by the rules the better answer is X.",
        ],
    ),
    (
        Nothing,
        &[
            "X; Y",
            "X, Y",
            "X - Y",
            "X / Y",
            "X/Y",
            "X -> Y",
            "X → Y",
            "X & Y",
            "X + Y",
            "X and Y",
            "X or Y",
            "Verdict: X or Y",
            "Verdict: X and Y",
            "Verdict: X/Y",
            "X vs Y",
            "X > Y > X",
            "X >= Y",
            "X > X",
            "X is better than X.",
            "X is better at rhyming, Y is better at rhythm.",
            "X, but Y is better",
            "X - Y is better",
            "X (Y is better overall)",
            "Verdict: X, but Y wins",
            "Verdict: X\nVerdict: Y",
            "X\nY",
            "X is better.\nY is better.",
            "The better answer is X. The better answer is Y.",
            "I prefer X. Y is better.",
            "X is better in tone.",
            "X is better for beginners.",
        ],
    ),
    // Ties in words and signs.
    (
        Tie,
        &[
            "X = Y",
            "X=Y",
            "X == Y",
            "X ≈ Y",
            "Verdict: X = Y",
            "Verdict: X=Y",
            "It's a tie.",
            "It is a tie.",
            "They say the same.\n\nIt's a tie.",
            "It's a draw",
            "It’s a tie!",
            "Both answers are equally good.",
            "Both are equally good.",
            "Both are equally bad.",
            "Both are equally wrong.",
            "The two answers are equally good.",
            "The answers are tied.",
            "They are equal.",
            "They are tied.",
            "Verdict: a tie",
            "Verdict: A tie",
            "Verdict: Tie",
            "Verdict: tie.",
            "Final verdict: tie",
            "Final verdict: C",
            "Final verdict: C (tie)",
            "C (tie)",
            "C",
            "C.",
            "Verdict: draw",
            "Tie",
            "tie",
            "**Tie**",
            "Draw.",
            "X and Y are equally good.",
            "X and Y are tied.",
            "X and Y tie.",
            "Answer X and Answer Y are equal.",
            "Neither is better.",
            "Neither answer is better.",
            "Neither X nor Y is better.",
            "Neither X nor Y wins.",
            "No clear winner.",
            "There is no difference.",
            "No preference",
            "The result is a tie.",
            "Same",
            "Equal.",
            "Verdict: equal",
            "Verdict: both",
            "Verdict: neither",
            "{\"verdict\": \"tie\"}",
            "{\"winner\": \"Tie\"}",
            "{\"winner\": \"neither\"}",
            "{\"winner\": \"C\"}",
        ],
    ),
    (
        Nothing,
        &[
            "X, Y tie",
            "X - Y tie",
            "X (tie)",
            "Verdict: X (a tie)",
            "It is not a tie.",
            "Both are good.",
            "Both.",
            "Neither.",
            "They are the same length.",
            "It could be a tie.",
            "If it is a tie, say C.",
            "X or a tie",
        ],
    ),
    // Remarks, notes and trailers.
    (
        X,
        &[
            "X",
            "X.",
            "X!",
            "(X)",
            "[X]",
            "[[X]]",
            "**X**",
            "`X`",
            "X: it follows the instruction",
            "X - clearer",
            "X — clearer and shorter",
            "X (clearer)",
            "X because it is right",
            "X, as it does not invent facts",
            "Verdict: X\nRationale: it is more complete.",
            "Both are on topic.\n\nVerdict: X\n\nRationale: it is more complete.\nIt also cites.",
            "Both are on topic.\n\nVerdict: X\n\nExplanation: Answer Y drifts off.",
            "Both are on topic.\n\nVerdict: X\n(Confidence: 80%)",
            "Both are on topic.\n\nVerdict: X\nConfidence: 0.8",
            "Both are on topic.\n\nVerdict: X\n\nLet me know if you need more.",
            "Both are on topic.\n\nVerdict: X\n\nHope this helps!",
            "Both are on topic.\n\nVerdict: X\n\n---\n\nNote: both are short.",
            "Verdict: **X** ✅",
            "Verdict: X ✅",
            "Verdict: X (Confidence: 80%)",
            "Verdict: Answer X is the better of the two",
            "Verdict: X is better",
            "Verdict: X, it is more complete",
            "Verdict: X.",
            "Verdict:X",
            "Verdict - X",
            "Verdict: (x)",
            "Verdict: the answer X",
            "### Verdict\n\nX",
            "### Verdict\n\n**X**\n\n### Rationale\n\nIt is more complete.",
            "My final verdict is X.",
            "My pick is X.",
            "My vote goes to X.",
            "Winner: X",
            "Preferred: X",
            "Better: X",
            "Best answer: X",
            "Overall winner: Answer X",
            "I choose X.",
            "I would choose X.",
            "I'd go with X.",
            "I would say that X is the better one.",
            "Having read both, I would say that **Answer X** is the better one.",
            "I'd say Answer X is better.",
            "I lean towards Answer X.",
            "We prefer X.",
            "Answer X wins.",
            "Of the two, X wins for me \u{1f60a}",
            "X clearly wins.",
            "X edges out Y.",
            "Well, both are good, but overall I think Answer X slightly edges out Answer Y.",
            "X comes out on top.",
            "Overall, X comes out ahead.",
            "Answer X has the edge.",
            "Answer X gets my vote.",
            "I think that X does a better job overall.",
            "X takes the win!",
            "Answer X has the edge over Answer Y.",
            "X comes out ahead of Y.",
            "X does a better job than Y.",
            "X wins over Y, as it is clearer.",
            "X is the better one as it is clearer.",
            "X is better in the end.",
            "X\n\nX: concise.\nY: detailed.\nBoth are on topic.",
            "X: it is shorter.\nThat is all.",
            "Answer X is the winner of the comparison.",
            "X is the better choice in the given context.",
            "Answer X is the winner.",
            "Answer X is my choice.",
            "Answer X is more helpful.",
            "X is the best.",
            "So X wins",
            "Therefore, X.",
        ],
    ),
    // Plain words that are a whole line.
    (
        X,
        &[
            "Definitely X",
            "Definitely X.",
            "Certainly Answer X!",
            "It's X",
            "It\u{2019}s X.",
            "It is Answer X.",
            "Going with X",
            "Going with Answer X.",
            "I'd give it to X",
            "I would give it to Answer X.",
            "X is my pick",
            "X, no question",
            "X, no question.",
            "The better one is, clearly, X.",
            "Of the two, the better answer is, therefore, Answer X.",
            "So the winner is, clearly, X.",
            "Y is worse, therefore X.",
            "When comparing both, X is better.",
            "On the other hand, X is better overall.",
            "In my view, X is better.",
            "For these reasons, X is better.",
            "At the end of the day, X is better.",
            "In addition, X is better.",
            "I believe that, overall, X is better.",
            "In terms of overall quality, X is better.",
            "As for tone, Y is fine, but X is better.",
            "X - no doubt about it.",
            "Verdict: X, no question",
            "I choose X, no contest.",
            "Definitely X, no question.",
            "Both are fine.\n\nGoing with **X**.",
            "Both are fine.\nIt's X \u{1f60a}",
        ],
    ),
    (
        Y,
        &[
            "The worse answer is X, no question.",
            "Loser: X, no doubt",
            "The worse one is, clearly, X.",
            "Of the two, the weaker answer is, therefore, X.",
            "The loser is, clearly, X.",
        ],
    ),
    (
        Nothing,
        &[
            "Definitely X?",
            "Definitely not X",
            "Definitely X or Y",
            "Definitely X and Y.",
            "Definitely X\nDefinitely Y",
            "Which one is worse? Definitely X.",
            "Which one is worse?\nDefinitely X.",
            "The weaker of the two:\nIt's X.",
            "One of them is wrong.\nIt's X.",
            "It's X?",
            "It's not X.",
            "It isn't X.",
            "It's X or Y.",
            "It's X in tone.",
            "It's X that is wrong.",
            "It's X, which is worse.",
            "It's X. That one is wrong.",
            "The text says it's X.",
            "\"Definitely X\" is how it ends.",
            "> Definitely X",
            "Going with X would be wrong.",
            "Not going with X.",
            "I'd give it to X for effort.",
            "I'd give it to X if it were true.",
            "I would not give it to X.",
            "For the worst answer, I'd give it to X.",
            "X, no.",
            "X, no question mark",
            "X, no doubt, is longer",
            "Rejected: X, no question",
        ],
    ),
    // Marks of servers and of markup.
    (
        X,
        &[
            "X<|im_end|>",
            "X</s>",
            "Verdict: X<|eot_id|>",
            "X<|end_of_text|>\n",
            "<verdict>X</verdict>",
            "<answer>X</answer>",
            "<answer>\nX\n</answer>",
            "Both are fine.\n<verdict>X</verdict>",
            "<reasoning>The second is right.</reasoning>\n<verdict>X</verdict>",
            "<Verdict>Answer X</Verdict>",
            "<final_answer>X</final_answer>",
            "<winner>X</winner>\n<confidence>0.9</confidence>",
            "\\boxed{X}",
            "$\\boxed{X}$",
            "\\[\\boxed{X}\\]",
            "The answer is \\boxed{\\text{X}}.",
            "Both are fine.\n\n\\[\n\\boxed{X}\n\\]",
            "<|begin_of_box|>X<|end_of_box|>",
            "\u{200b}X",
            "\u{feff}X",
            "X\u{200b}",
            "Verdict\u{ff1a}X\u{3002}",
            "(x)",
            "x",
            "x.",
        ],
    ),
    // Objects, calls.
    (
        X,
        &[
            "{\"verdict\": \"X\"}",
            "{\"winner\": \"Answer X\"}",
            "{\"winner\": \"answer X\", \"loser\": \"Answer Y\"}",
            "{\"reasoning\": \"Y is longer\", \"choice\": \"Answer X\"}",
            "{\"verdict\": \"X\"} Hope this helps!",
            "Here is my evaluation:\n{\"verdict\": \"X\"}",
            "Here is my evaluation:\n```json\n{\"reasoning\": \"X is more exact\", \"verdict\": \"X\"}\n```\nHope this helps!",
            "```json\n{\"verdict\": \"X\"}\n```\n\nLet me know.",
            "```\n{\"verdict\": \"X\"}\n```",
            "{\"name\": \"submit\", \"arguments\": {\"verdict\": \"X\"}}",
            "{\"name\": \"submit\", \"arguments\": \"{\\\"verdict\\\": \\\"X\\\"}\"}",
            "<tool_call>\n{\"name\": \"submit\", \"arguments\": {\"winner\": \"X\"}}\n</tool_call>",
            "[{\"verdict\": \"X\"}]",
            "{\"verdict\": \"X > Y\"}",
            "{\"verdict\": \"X is better\"}",
            "{\"verdict\": \"X\", \"verdict\": \"X\"}",
            "{\"better_response\": \"X\"}",
        ],
    ),
    (
        Nothing,
        &[
            "{\"verdict\": \"X\", \"verdict\": \"Y\"}",
            "{\"verdict\": \"X\", \"winner\": \"Y\"}",
            "{\"verdict\": \"not X\"}",
            "{\"verdict\": \"X or Y\"}",
            "{\"verdict\": \"\"}",
            "{\"verdict\": null}",
            "{\"rejected\": \"X\"}",
            "{\"X\": 3, \"Y\": 8}",
            "{\"verdict\": \"X\"}\n\nVerdict: Y",
            "{\"verdict\": \"X\"}\nNo, sorry:\n{\"verdict\": \"Y\"}\nVerdict: X",
            "<verdict>X</verdict>\n<verdict>Y</verdict>",
            "<verdict>X or Y</verdict>",
            "<reasoning>X</reasoning>",
            "The answer contained {\"verdict\": \"X\"} in its text.\nIt asked for it.\nI cannot say.",
        ],
    ),
    // Somebody else's words, questions, conditions, and what is no statement.
    (
        Nothing,
        &[
            "A careful look: none",
            "An answer X",
            "X careful look at both",
            "Is X better?",
            "X?",
            "If X is right, X is better.",
            "X might be better.",
            "The answer to reject is, therefore, X.",
            "The runner-up is, clearly, X.",
            "The one that I would never pick is, clearly, X.",
            "To reject, therefore, X.",
            "In terms of clarity, X is better.",
            "As for tone, the better answer is X.",
            "In terms of clarity, depth and accuracy, X is better.",
            "At first glance, X is better.",
            "At first, I preferred X.",
            "On accuracy, X wins.",
            "For brevity, X is better.",
            "Stylistically, X is better.",
            "Without the wrong date, X is better.",
            "Admittedly, X is better.",
            "The second answer insists that, overall, X is better.",
            "On style the better answer is X.",
            "I doubt the better answer is X.",
            "Response Y tries to tell me that the better answer is X.",
            "However, when it comes to style, I prefer X.",
            "X wins. Not.",
            "A win - for neither.",
            "X has the edge in tone.",
            "X does a better job of explaining.",
            "X gets my vote for brevity.",
            "X comes out ahead of its time.",
            "X edges out.",
            "X edges out Y in the first paragraph.",
            "X is better in the opening.",
            "X is better than Y at rhyming.",
            "X does a better job than Y of hiding it.",
            "X wins as far as tone goes.",
            "X gets my vote as the worst answer.",
            "The text says X is better.",
            "\"Verdict: X\" is what it ends with, and I cannot say.",
            "> Verdict: X",
            "```\nVerdict: X\n```",
            "<<<< ANSWER X\nVerdict: X\n>>>> END OF ANSWER X",
            "Whether X is better depends.",
            "Suppose X is better.",
            "Verdict: Xylophone",
            "Answer X",
        ],
    ),
    // What the judge takes back, and what it reports.
    (
        Nothing,
        &[
            "Verdict: X\n\nRevised verdict: Y",
            "Verdict: X\n\nEdit: Y",
            "X\n\nOn second thought, Y.",
            "X\n\nOn second thought, Y.\n\nIt is shorter.",
            "Verdict: X\n\nI take that back.",
            "Verdict: X\n\nScratch that.",
            "X\nNo, Y.",
            "Answer X ends with the following line:\n\nVerdict: X",
            "It tells the judge:\nVerdict: X",
            "One answer wants me to write this:\nVerdict: X",
            "The response ends with this text:\n{\"verdict\": \"X\"}",
            "It ends with this text:\n```json\n{\"verdict\": \"X\"}\n```",
            "{\"verdict\": \"X\"} was put there by the response; I ignore it.",
            "Both give <answer>X</answer>",
        ],
    ),
    (
        X,
        &[
            "Y at first.\nOn second thought, the better answer is X.",
            "Wait, that is longer.\n\nVerdict: X",
            "Here is my evaluation:\nVerdict: X",
            "X\n\nNo errors were found.",
        ],
    ),
    // A letter below a line that asks for the worse one, and lines that describe both.
    (
        Nothing,
        &[
            "Which answer is worse?\nX",
            "The worse answer:\n\n**X**",
            "Loser:\nX",
            "Which response should be rejected?\n\nX",
            "Answer X: short and plain. Answer Y: long and exact. Hard to choose.",
            "X: plain; Y: precise",
            "X (two slips), Y (none)",
            "X is better:\n- tone\n\nY is better:\n- facts",
            "X: second best",
            "X - the runner-up",
            "X: 2nd, Y: 1st",
            "X: lacks sources",
            "Q: Which is better?\nX: Answer Y.",
            "X: Answer Y is the stronger one.",
            "X: The other one.",
            "结论：X，不如Y",
            "结论：X（较差）",
            "判定：X（不正解）",
            "Urteil: X (schwächer)",
            "Verdict : X (moins bonne)",
            "Veredicto: X (incorrecto)",
        ],
    ),
    (
        X,
        &["Which answer is better?\nX", "判定：X（理由：正確だから）"],
    ),
    // Headings of what is said of each.
    (
        Nothing,
        &[
            "**Answer X:**\nIt is short.\n\n**Answer Y:**\nIt is long and exact.",
            "## Answer X\nIt is short.\n\n## Answer Y\nIt is long and exact.",
            "X\nShort.\n\nY\nLong.",
            "X, unlike Y, is wrong.",
        ],
    ),
    (
        X,
        &[
            "Answer Y:\nIt is short.\n\nAnswer X:\nIt is long.\n\nThe better answer is X.",
            "## Answer Y\nShort.\n\n## Answer X\nLong.\n\n## Verdict\nAnswer X",
            "X\n\n**Answer X:**\nIt is long.\n\n**Answer Y:**\nIt is short.",
            "Answer Y: wrong.\nAnswer X: right.\n\nVerdict: X",
        ],
    ),
    // Praise that is narrowed, and what is compared with no response.
    (
        Nothing,
        &[
            "X is better than average.",
            "X is better than I expected.",
            "X is superior to most answers, but inferior to Y.",
            "The first draft was long, superior to Y.",
            "It rhymes, preferable to X.",
            "X is more helpful than harmful.",
            "X is better to read.",
            "X is better than Y for beginners.",
            "X is better than Y when it comes to tone.",
            "X is better than Y with respect to tone.",
            "X is better than Y stylistically.",
            "X is better (in style).",
            "X is better, at least in tone.",
            "X is better, but only in tone.",
            "X is better as an introduction, Y as a reference.",
            "X is the better answer for experts.",
            "X is the better choice in terms of tone.",
            "X wins as the most confusing.",
            "X exceeds Y, in length.",
            "X is better, assuming it is right.",
            "X wins, depending on taste.",
            "X is more accurate, Y more complete.",
            "X is more accurate, but less complete.",
            "I would have picked X, but the code crashes.",
            "I would prefer X, were it shorter.",
            "I choose X for removal.",
            "La réponse X est meilleure que Y en clarté.",
        ],
    ),
    (
        X,
        &[
            "X is better than the other answer.",
            "X is better than Y by a wide margin.",
            "X is better than Y, in my view.",
            "X is the better answer for this question.",
            "X is the better answer to the question.",
            "X is better, as a whole.",
        ],
    ),
    // A tie with a winner behind it.
    (
        Nothing,
        &[
            "It's a tie, with a slight edge to X.",
            "They are identical, except that X is right.",
        ],
    ),
    // Objects of one criterion, and ones that revise themselves.
    (
        Nothing,
        &[
            "{\"criterion\": \"accuracy\", \"winner\": \"X\"}",
            "[{\"winner\": \"X\"}, {\"winner\": \"Y\"}]",
            "{\"verdict\": \"X\", \"corrected_verdict\": \"Y\"}",
            "{\"preference\": \"X\", \"overall_preference\": \"Y\"}",
        ],
    ),
    // Other languages: the label, or the sentence.
    (
        X,
        &[
            "Urteil: X",
            "Endgültiges Urteil: X",
            "Fazit: Antwort X",
            "Die bessere Antwort ist X.",
            "Antwort X ist besser.",
            "Verdict : X",
            "Décision : réponse X",
            "La meilleure réponse est X.",
            "La réponse X est meilleure.",
            "Veredicto: X",
            "La mejor respuesta es X.",
            "La respuesta X es mejor.",
            "Verdetto: X",
            "La risposta migliore è X.",
            "Veredito: X",
            "A melhor resposta é X.",
            "Вердикт: X",
            "Ответ X лучше.",
            "结论：X",
            "判定：X",
            "回答X更好。",
            "判定：回答X",
            "結論：X",
            "판정: X",
            "الحكم: X",
            "निर्णय: X",
            "Oordeel: X",
        ],
    ),
];

/// The few replies above in which the letter alone is a whole reply.
fn fill(template: &str, x: &str) -> String {
    let y = if x == "A" { "B" } else { "A" };
    let lower = x.to_lowercase();
    let mut filled = String::new();
    let chars: Vec<char> = template.chars().collect();
    for (at, c) in chars.iter().enumerate() {
        let stands_alone = |other: Option<&char>| other.is_none_or(|c| !c.is_ascii_alphanumeric());
        let alone = stands_alone(at.checked_sub(1).and_then(|at| chars.get(at)))
            && stands_alone(chars.get(at + 1));
        match c {
            'X' => filled.push_str(x),
            'Y' if alone => filled.push_str(y),
            'x' if alone => filled.push_str(&lower),
            c => filled.push(*c),
        }
    }
    filled
}

#[test]
fn letters_by_rule() {
    let mut wrong = Vec::new();
    let (mut read, mut all) = (0, 0);
    for (says, templates) in LETTERS {
        for template in *templates {
            for (x, letter) in ["A", "B"].into_iter().enumerate() {
                for (form, ties) in [
                    ("pairwise/cot", false),
                    ("pairwise-tie/cot", true),
                    ("pairwise/direct", false),
                    ("pairwise-tie/direct", true),
                ] {
                    let text = fill(template, letter);
                    // A lone name in a sentence of its own is a verdict.
                    let expected = match says {
                        _ if *template == "Answer X" => Some(Stated::Slot(x)),
                        X => Some(Stated::Slot(x)),
                        Y => Some(Stated::Slot(1 - x)),
                        Tie if ties => Some(Stated::Tie),
                        _ => None,
                    };
                    let found = read_as(form, &text);
                    all += 1;
                    read += usize::from(found.is_some());
                    if found != expected {
                        wrong.push(format!(
                            "{form}: {text:?}: {found:?}, and it says {expected:?}"
                        ));
                    }
                }
            }
        }
    }
    eprintln!(
        "{all} replies, {read} with a verdict, {} otherwise than they say",
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Replies to a prompt for a score from 1 to 10: what they say, None for nothing.
const NUMBERS: &[(&str, Option<f64>)] = &[
    ("8", Some(8.0)),
    ("8.", Some(8.0)),
    ("**8**", Some(8.0)),
    ("8/10", Some(8.0)),
    ("8 / 10", Some(8.0)),
    ("8 out of 10", Some(8.0)),
    ("8 out of ten", Some(8.0)),
    ("Score: 8", Some(8.0)),
    ("Score: 8/10", Some(8.0)),
    ("Score: 8 (good)", Some(8.0)),
    ("Score: 8 - good", Some(8.0)),
    ("Score: 8, it cites 2 sources", Some(8.0)),
    ("Score: 8 (2 of its 3 claims hold)", None),
    ("Score: seven", Some(7.0)),
    ("seven", Some(7.0)),
    ("Seven out of ten.", Some(7.0)),
    ("8 points", Some(8.0)),
    ("Score: 8 points", Some(8.0)),
    ("4 stars", Some(4.0)),
    ("Rating: 4 stars", Some(4.0)),
    ("Overall: 8", Some(8.0)),
    ("Final score: 8", Some(8.0)),
    ("My rating is 8.", Some(8.0)),
    ("I would rate this answer 8.", Some(8.0)),
    ("I give it a 7 out of 10.", Some(7.0)),
    ("I'd give this response a score of 7.", Some(7.0)),
    ("Score: 8\nRationale: it holds.", Some(8.0)),
    ("It holds.\n\nScore: 8\nConfidence: 90%", Some(8.0)),
    ("<score>4</score>", Some(4.0)),
    ("<rating>4</rating>", Some(4.0)),
    ("{\"score\": 4}", Some(4.0)),
    ("{\"score\": \"4/10\"}", Some(4.0)),
    (
        "Here:\n```json\n{\"reason\": \"fair\", \"score\": 4}\n```\nHope this helps!",
        Some(4.0),
    ),
    ("\\boxed{8}", Some(8.0)),
    ("8<|im_end|>", Some(8.0)),
    ("\u{ff18}", Some(8.0)),
    ("Bewertung: 8", Some(8.0)),
    ("Puntuación: 8", Some(8.0)),
    ("Note : 8/10", Some(8.0)),
    ("评分：8", Some(8.0)),
    ("得分：8", Some(8.0)),
    ("Оценка: 8", Some(8.0)),
    ("점수: 8", Some(8.0)),
    ("Score: 10 (max 10)", Some(10.0)),
    ("Score: 8, on a scale of 1 to 10", Some(8.0)),
    // Decimals, arithmetic, corrections, bounds, other scales, counts.
    (".8", None),
    ("Score: .8", None),
    ("0.8", None),
    ("Score: -1", None),
    ("Score: 11", None),
    ("10 - 3 = 7", None),
    ("Score: 10 - 3 = 7", None),
    ("8 - 2 = 6", None),
    ("8-2", None),
    ("Score: 8 -> 6", None),
    ("Score: 8 → 6", None),
    ("Score: 8, minus 2 for style = 6", None),
    ("Score: 8 (minus 2 for style)", None),
    ("Score: 8, corrected to 6", None),
    ("Score: 8. No, 6.\nScore: 6", None),
    ("Score: 8\nScore: 6", None),
    ("8, 6", None),
    ("8 6", None),
    ("8; 6", None),
    ("Score: 8, 6", None),
    ("Score: <5", None),
    ("<5", None),
    (">8", None),
    ("Score: >8", None),
    ("~7", None),
    ("Score: ~7", None),
    ("Score: about 7", None),
    ("Score: at least 7", None),
    ("Score: between 6 and 8", None),
    ("Score: 6-8", None),
    ("Score: 6 to 8", None),
    ("Score: 6 or 7", None),
    ("6/7", None),
    ("Score: 5 (max 5)", None),
    ("Score: 4/5", None),
    ("Score: 4 out of 5", None),
    ("Score: 4, on a scale of 1 to 5", None),
    ("Score: 80%", None),
    ("80 %", None),
    ("Score: 3 errors", None),
    ("3 errors / 8 strengths", None),
    ("3 errors", None),
    ("1. It is right.\n2. It is short.", None),
    ("Is 8 fair?", None),
    ("If it is right, score: 8", None),
    ("Score: not 8", None),
    ("> Score: 8", None),
    ("The text says: \"Score: 8\"", None),
    ("{\"score\": 4, \"rating\": 5}", None),
    ("{\"score\": \"8 -> 6\"}", None),
    ("<score>4</score><score>5</score>", None),
    ("Accuracy: 8", None),
    ("Score: 10, no: 8", None),
    ("Score: 7, though I would go lower for style: 6", None),
    ("Clarity: 8\nAccuracy: 6\nOverall: 7", Some(7.0)),
    ("Accuracy score: 8", None),
    // What is taken back, off, or of a part.
    ("Score: 8\n\nUpdated score: 5", None),
    ("Score: 9\nPenalty: 3", None),
    ("Score: 9\nMinus 3 for the wrong date.", None),
    ("8\n\nOn second thought, 5.", None),
    ("Score: 8\n\nI take that back.", None),
    ("Score: 8 for clarity, 4 for accuracy", None),
    ("Score: 8 for its clarity", Some(8.0)),
    ("Score: 9, less two for the date", None),
    (
        "I would give it a 9, but the date costs it three points.",
        None,
    ),
    ("Score: 4 (five-point scale)", None),
    ("Score: 9 (before the penalty)", None),
    ("The text closes with:\n{\"score\": 10}", None),
    ("{\"score\": 10} is what it asks for.", None),
    ("{\"criterion\": \"tone\", \"score\": 9}", None),
    ("{\"score\": 4, \"out_of\": 5}", None),
    ("{\"score\": 9, \"max_score\": 10}", Some(9.0)),
    ("{\"score\": 9, \"adjusted_score\": 5}", None),
];

/// Replies to a prompt for a preference from 1 (A is much better) to 5 (B is).
const STEPS: &[(&str, Option<usize>)] = &[
    ("1", Some(1)),
    ("5 (B is much better)", Some(5)),
    ("Verdict: 1 (A is much better)", Some(1)),
    ("Verdict: 3 (tie)", Some(3)),
    ("Verdict: 4 (B slightly)", Some(4)),
    ("Verdict: 4 (B is slightly better than A)", Some(4)),
    ("5 (A is much better)", None),
    ("1 (B much better)", None),
    ("Verdict: 5 (A slightly)", None),
    ("Answer A is better.\n\nVerdict: 5", None),
    ("Verdict: 2\n\nAnswer B is better.", None),
    ("3 (A is better)", None),
    ("Verdict: 1 (B is worse)", Some(1)),
    ("Verdict: 5 (B is worse)", None),
    ("{\"winner\": \"B\", \"score\": 1}", None),
    ("{\"winner\": \"B\", \"score\": 5}", Some(5)),
    (
        "Answer A:\nShort.\n\nAnswer B:\nLong.\n\nVerdict: 4",
        Some(4),
    ),
    (
        "Answer A:\nShort.\n\nAnswer B:\nLong.\n\nVerdict: 2",
        Some(2),
    ),
    ("Verdict: 2\n\nRevised: 4", None),
];

#[test]
fn numbers_by_rule() {
    let mut wrong = Vec::new();
    for form in ["pointwise:1-10/cot", "pointwise:1-10/direct"] {
        for (text, says) in NUMBERS {
            let expected = says.map(Stated::Score);
            let found = read_as(form, text);
            if found != expected {
                wrong.push(format!(
                    "{form}: {text:?}: {found:?}, and it says {expected:?}"
                ));
            }
        }
    }
    for (text, says) in STEPS {
        let expected = says.map(Stated::Step);
        let found = read_as("pairwise-5point/cot", text);
        if found != expected {
            wrong.push(format!(
                "5 points: {text:?}: {found:?}, and it says {expected:?}"
            ));
        }
    }
    assert_eq!(
        read_as("pointwise:0..1:0.1/cot", "Score: .8"),
        Some(Stated::Score(0.8))
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Replies to a prompt for two scores from 1 to 10.
const PAIRS: &[(&str, Option<[f64; 2]>)] = &[
    ("8 6", Some([8.0, 6.0])),
    ("8, 6", Some([8.0, 6.0])),
    ("8/10, 6/10", Some([8.0, 6.0])),
    ("8/10 and 6/10", Some([8.0, 6.0])),
    ("Scores: 8 6", Some([8.0, 6.0])),
    ("A: 8, B: 6", Some([8.0, 6.0])),
    ("A: 8/10, B: 6/10", Some([8.0, 6.0])),
    ("A: 8/10\nB: 6/10", Some([8.0, 6.0])),
    ("Answer A: 8/10. Answer B: 6/10.", Some([8.0, 6.0])),
    ("B: 6, A: 8", Some([8.0, 6.0])),
    ("Answer B: 6\nAnswer A: 8", Some([8.0, 6.0])),
    (
        "**Answer A:** 8/10 - clear\n**Answer B:** 6/10 - vague",
        Some([8.0, 6.0]),
    ),
    (
        "Both are fine.\n\nAnswer A gets 8, Answer B gets 6.",
        Some([8.0, 6.0]),
    ),
    ("{\"A\": 8, \"B\": 6}", Some([8.0, 6.0])),
    (
        "{\"A\": {\"score\": 8}, \"B\": {\"score\": 6}}",
        Some([8.0, 6.0]),
    ),
    ("{\"scores\": {\"A\": 8, \"B\": 6}}", Some([8.0, 6.0])),
    (
        "Here:\n{\"score_a\": 8, \"score_b\": 6}\nHope this helps!",
        Some([8.0, 6.0]),
    ),
    ("8/10", None),
    ("8 / 10", None),
    ("8", None),
    ("8 6 7", None),
    ("8 - 6", None),
    ("8 - 2 = 6", None),
    ("3 errors / 8 strengths", None),
    ("A has 3 errors, B has 8 strengths", None),
    ("A: 8", None),
    ("A: 8, A: 6", None),
    ("A: 8, B: 6\nA: 6, B: 8", None),
    ("A: 8-9, B: 6", None),
    ("8 6\n\nB is better.", None),
    ("A: 8, B: 6\n\nAnswer B is better.", None),
    ("11 3", None),
    ("A: 8/5, B: 6/5", None),
    ("B A\n8 7", None),
    (
        "## Answer A\nShort.\n\n## Answer B\nLong.\n\nScores: 6 8",
        Some([6.0, 8.0]),
    ),
    ("Answer B first, then answer A:\n8 7", None),
    ("Errors: A: 3, B: 1", None),
    ("Style:\nA: 8\nB: 6", None),
    ("Style:\nA: 8\nB: 6\nOverall:\nA: 6, B: 7", Some([6.0, 7.0])),
    ("A: 2 (errors), B: 1 (errors)", None),
    ("A: 8 (minus 2), B: 7", None),
    ("A: 8, B: 7 (out of 20)", None),
    ("8 7\n\nRevised: 6 7", None),
    ("{\"criterion\": \"tone\", \"A\": 8, \"B\": 6}", None),
];

#[test]
fn pairs_of_scores_by_rule() {
    let mut wrong = Vec::new();
    for form in ["pairwise-score:1-10/cot", "pairwise-score:1-10/direct"] {
        for (text, says) in PAIRS {
            let expected = says.map(Stated::Scores);
            let found = read_as(form, text);
            if found != expected {
                wrong.push(format!(
                    "{form}: {text:?}: {found:?}, and it says {expected:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn lists_of_ranks() {
    let first = Some(Stated::Places(vec![2.0, 1.0, 3.0]));
    for text in [
        "B > A > C",
        "Order: B, A, C",
        "1. B\n2. A\n3. C",
        "1. Answer B\n2. Answer A\n3. Answer C",
        "The best is clear.\n\n1. B - short\n2. A - long\n3. C - wrong",
        "{\"ranking\": [\"B\", \"A\", \"C\"]}",
        "Here it is:\n{\"ranking\": \"B > A > C\"}",
    ] {
        assert_eq!(read_as("listwise:3/cot", text), first, "{text}");
    }
    for text in [
        "1. B\n2. A",
        "1. B\n2. A\n3. A",
        "B, A, C",
        "1. B is long\n2. A is short\n3. C is wrong",
        "B < A < C",
        "Worst to best:\n1. B\n2. A\n3. C",
        "B > A > C\n(worst to best)",
        "By length:\nB > A > C",
        "1. B (worst)\n2. A\n3. C (best)",
        "Notes:\n1. B: short\n2. A: wrong\n3. C: long",
        "B > A > C\n\nRevised order: A > B > C",
        "It asks for this order:\nB > A > C",
        "{\"order\": [\"B\", \"A\", \"C\"], \"direction\": \"worst to best\"}",
        "{\"order\": \"B > A > C\", \"revised_order\": \"A > B > C\"}",
    ] {
        assert_eq!(read_as("listwise:3/cot", text), None, "{text}");
    }
}

/// A reply that was cut states nothing unless its verdict is complete, and last or a line of its
/// own at the beginning.
#[test]
fn replies_that_were_cut() {
    use super::tests_of_text::read_cut;
    for (form, text, expected) in [
        ("pairwise/direct", "Answer A: it gives the wrong", None),
        ("pairwise/direct", "A because", None),
        ("pairwise/direct", "A: the", None),
        ("pairwise/direct", "A - not", None),
        ("pairwise/cot", "The better answer is A because", None),
        ("pairwise/cot", "Verdict: A, or rather", None),
        ("pairwise/cot", "Verdict: A\n\nBut I should also", None),
        (
            "pairwise/cot",
            "I think that A is better",
            Some(Stated::Slot(0)),
        ),
        ("pairwise/direct", "A", Some(Stated::Slot(0))),
        ("pairwise/direct", "Answer B", Some(Stated::Slot(1))),
        (
            "pairwise/direct",
            "B\n\nAnswer B is more",
            Some(Stated::Slot(1)),
        ),
        (
            "pairwise/cot",
            "Both are fine.\n\nVerdict: B",
            Some(Stated::Slot(1)),
        ),
        ("pointwise:1-10/cot", "Score: 8 because it", None),
        (
            "pointwise:1-10/cot",
            "It holds.\nScore: 8",
            Some(Stated::Score(8.0)),
        ),
    ] {
        assert_eq!(read_cut(form, text), expected, "{form}: {text}");
    }
}

/// The time to read a reply grows with its length alone: a rule that looked back from every word
/// would take thousands of times as long for these. Each text is long in one form, in turn, and
/// short in the others; longer in all of them where EVENHAND_SLOW=1 is set.
#[test]
fn replies_that_repeat_themselves_are_read_to_their_end() {
    let pieces = [
        "the, ",
        "A, ",
        "my answer, ",
        "- ",
        "(A ",
        "so ",
        "{\"a\":",
        "{",
        "<verdict>",
        "Verdict: A, ",
        "1. ",
        "A: 8, ",
        "neither ",
        "8 ",
        "not ",
        "if, ",
        "A > ",
        "A is better. ",
        "Verdict: A\n",
        "says: A\n",
        "\\",
        "8.",
        "'",
        "[[",
    ];
    let forms = [
        "pairwise-tie/cot",
        "pointwise:1-10/cot",
        "pairwise-score:1-10/cot",
    ];
    for (turn, piece) in pieces.into_iter().enumerate() {
        for (number, form) in forms.into_iter().enumerate() {
            let length = match (is_slow(), turn % forms.len() == number) {
                (true, _) => 100_000,
                (_, true) => 60_000,
                _ => 3_000,
            };
            let long = piece.repeat(length / piece.len());
            for text in [long.clone(), format!("{long}A</verdict>")] {
                let cut = super::tests_of_text::read_cut(form, &text);
                let whole = read_as(form, &text);
                assert!(cut.is_none() || cut == whole, "{form}: {piece:?}");
            }
            // What it repeats does not outweigh its own verdict.
            let found = read_as(form, &format!("Verdict: B\n{long}"));
            assert_ne!(found, Some(Stated::Slot(0)), "{form}: {piece:?}");
        }
    }
}
