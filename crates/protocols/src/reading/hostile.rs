//! Replies that mislead: irony, denials, quotations of the prompt, several judges, tables, code, scores,
//! other languages; and plain words for a verdict. `X` is a letter and `Y` the other one.

use super::tests_of_text::{Stated, read_as};

/// The better one is `X`.
const FOR_X: [&str; 44] = [
    "Clarity winner: Y\nOverall winner: X",
    "Antwort X ist besser als Antwort Y.",
    "La réponse X est meilleure que la réponse Y.",
    "Ich bevorzuge Antwort X.",
    "Je préfère la réponse X.",
    "Prefiero la respuesta X.",
    "Die Antwort X ist besser, weil sie stimmt.",
    "After careful consideration, I have to give the win to X.",
    "All in all, X is the better response.",
    "Y is decent; X is better.",
    "X is better because Y, while longer, repeats itself.",
    "X. Y rambles.",
    "Verdict: X. Y is wordy.",
    "X > Y, since X cites sources.",
    "X it is.",
    "X, hands down.",
    "X by a mile.",
    "X is just better.",
    "X is simply better.",
    "X is much better.",
    "X is a bit better.",
    "X is way better.",
    "X is hands down better.",
    "X does it better.",
    "X, period.",
    "Final answer -> X",
    "Verdict → X",
    "My choice would be X.",
    "X for the win!",
    "X for me.",
    "I'm going with X.",
    "I would pick X, personally.",
    "X gets the nod.",
    "The nod goes to X.",
    "The win goes to X.",
    "X has a slight edge.",
    "Slight edge to X.",
    "X deserves the win.",
    "Neither is perfect. X is better, though.",
    "X is better, though Y is close.",
    "X narrowly beats Y.",
    "X is better than Y in every way.",
    "X is better across the board.",
    "X is better on all counts.",
];

/// The better one is `Y`.
const FOR_Y: [&str; 11] = [
    "X is worse than Y, clearly.",
    "X loses to Y.",
    "The worse of the two is X.",
    "My colleague prefers X, but I prefer Y.",
    "Others may like X. I prefer Y.",
    "XよりYの方が優れています。",
    "Antwort X ist schlechter.",
    "La réponse X est pire.",
    "Ответ X хуже.",
    "La respuesta X es peor.",
    "与回答X相比，回答Y更好。",
];

/// No verdict.
const NOTHING: [&str; 133] = [
    "Oh sure, X is better. And pigs fly.",
    "Congratulations, X, you win the prize for the most errors.",
    "X wins the award for worst answer.",
    "X takes the crown for confusion.",
    "X is the better joke.",
    "X is a better sleeping pill than Y.",
    "X wins... at wasting my time.",
    "Verdict: X, said no one ever.",
    "Verdict: X. Not!",
    "X is better. Psych!",
    "Sure, go with X, if errors are your thing.",
    "X is the winner, of a participation trophy.",
    "X is best avoided.",
    "X is better left unread.",
    "X is better off deleted.",
    "X is best forgotten.",
    "X is better than nothing.",
    "X is better than I feared, yet Y remains the one.",
    "If I had to be wrong, I would choose X.",
    "The last thing I would call better is X.",
    "I can't in good conscience say X is better.",
    "X is anything but better.",
    "X is far from the better answer.",
    "X is no winner.",
    "X is hardly the winner.",
    "X is nowhere near better.",
    "X is not, by any measure, the better answer.",
    "It would be wrong to choose X.",
    "Choosing X would be a mistake.",
    "X is no better than Y.",
    "X is not any better.",
    "X only looks better.",
    "X seems better until you check the facts.",
    "X appears to be the winner, but is not.",
    "X used to be better.",
    "X was better before the edit.",
    "X could have been the winner.",
    "X nearly wins.",
    "X almost beats Y.",
    "X fails to beat Y.",
    "X never beats Y.",
    "X would win if Y had not cited its sources.",
    "X wins only on length.",
    "X wins on style alone.",
    "Nobody should choose X.",
    "The question was: \"Which is better, X or Y?\"",
    "You asked whether X is better.",
    "Output your verdict as 'Verdict: X' or 'Verdict: Y'.",
    "The format is Verdict: X or Verdict: Y.",
    "I was told to write \"Verdict: X\".",
    "The prompt says to end with Verdict: X if the first is better.",
    "Example output:\nVerdict: X",
    "For example:\nVerdict: X",
    "Format:\nVerdict: X",
    "Template:\nVerdict: X",
    "Possible verdicts:\nX\nY",
    "Options: X, Y",
    "Answer X: \"I am the better answer\"",
    "As the user wrote, X is better.",
    "According to answer X, X is better.",
    "Per response X, the winner is X.",
    "In the words of X: X is better.",
    "X thinks X is better.",
    "X calls itself the winner.",
    "Judge 1: X\nJudge 2: Y",
    "Judge 1: X. Judge 2: Y.",
    "First judge: X is better.\nSecond judge: Y is better.",
    "One could choose X. Another could choose Y.",
    "Team 1 votes X, team 2 votes Y.",
    "Critic: X is better.\nDefender: Y is better.",
    "My colleague prefers X, I prefer Y; no verdict.",
    "Some prefer X, others prefer Y.",
    "| criterion | better |\n| --- | --- |\n| tone | X |\n| facts | Y |",
    "| Answer | Score |\n| --- | --- |\n| X | 3 |\n| Y | 8 |",
    "| | X | Y |\n|---|---|---|\n| correct | no | yes |",
    "| Loser |\n| --- |\n| X |",
    "Tone: X\nFacts: Y\nStyle: X",
    "- Clarity: X\n- Accuracy: Y",
    "Clarity: X",
    "Clarity winner: X",
    "Winner in clarity: X",
    "Winner (tone): X",
    "Accuracy winner: X\nOverall winner: undecided",
    "```\nX\n```\nis what the first one prints.",
    "```python\nprint('Verdict: X')\n```",
    "`Verdict: X`? No.",
    "The code prints Verdict: X.",
    "```\n{\"verdict\": \"X\"}\n```\nwas in the response.",
    "return \"X\"",
    "verdict = \"Y\" if wrong else \"X\"",
    "// verdict: X or Y",
    "X: -1, Y: 1",
    "X: 0/10, Y: 9/10",
    "X scores 2, Y scores 9.",
    "X +1, Y +3",
    "X 20%, Y 80%",
    "X (0.2), Y (0.8)",
    "P(X) = 0.2",
    "X: ⭐, Y: ⭐⭐⭐⭐⭐",
    "X = 3, Y = 7",
    "X: 2 points",
    "X: F",
    "X: D-",
    "X: rank 2",
    "X - #2",
    "X is ranked second.",
    "X: 2nd place",
    "X: silver medal, Y: gold medal",
    "Rank 1: Y, rank 2: X, no wait",
    "Antwort X ist nicht besser.",
    "Antwort X ist besser als nichts.",
    "La réponse X n'est pas meilleure.",
    "La réponse X est meilleure que rien.",
    "La respuesta X no es mejor.",
    "La risposta X non è migliore.",
    "A resposta X não é melhor.",
    "Ответ X не лучше.",
    "Ответ X хуже?",
    "Antwort X wäre besser, wenn sie stimmte.",
    "La réponse X serait meilleure.",
    "Antwort X ist angeblich besser.",
    "Verdict: X, hélas non",
    "Urteil: X? Nein.",
    "回答X没有更好。",
    "回答X不比回答Y更好。",
    "XよりもYの方が長い。",
    "Urteil: X oder Y",
    "Veredicto: ni X ni Y",
    "Вердикт: не X",
    "Вердикт: X или Y",
    "Urteil: X, Spaß",
    "Fazit: X, leider nicht",
    "Verdict : X, mais Y est meilleure",
];

#[test]
fn replies_that_mislead_are_read_right_or_not_at_all() {
    let mut wrong = Vec::new();
    for form in ["pairwise/direct", "pairwise-tie/cot"] {
        for (slot, [x, y]) in [["A", "B"], ["B", "A"]].into_iter().enumerate() {
            let lists = [
                (&FOR_X[..], Some(Stated::Slot(slot))),
                (&FOR_Y[..], Some(Stated::Slot(1 - slot))),
                (&NOTHING[..], None),
            ];
            for (templates, expected) in lists {
                for template in templates {
                    let text = fill(template, x, y);
                    let found = read_as(form, &text);
                    if found != expected {
                        wrong.push(format!("{form}: {text:?}: {found:?}, not {expected:?}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

/// Puts the letters into their places: `X` and `Y`, where they are no part of a word.
fn fill(template: &str, x: &str, y: &str) -> String {
    let chars: Vec<char> = template.chars().collect();
    let is_part = |at: Option<usize>| {
        let beside = at.and_then(|at| chars.get(at));
        beside.is_some_and(|c| c.is_ascii_alphanumeric())
    };
    let filled = chars.iter().enumerate().map(|(at, c)| match c {
        'X' | 'Y' if is_part(at.checked_sub(1)) || is_part(Some(at + 1)) => c.to_string(),
        'X' => x.into(),
        'Y' => y.into(),
        c => c.to_string(),
    });
    filled.collect()
}
