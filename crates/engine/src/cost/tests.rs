//! Prices, costs and token counts against figures by hand, from the paper and from recorded counts.

use super::*;
use crate::{Estimate, JudgeEstimate};
use evenhand_core::{About, Message, Request, Task, Usage};
use evenhand_store::Totals;
use proptest::prelude::*;

fn usage(prompt: u64, cached: u64, completion: u64) -> Usage {
    Usage {
        prompt_tokens: prompt,
        cached_tokens: cached,
        completion_tokens: completion,
        ..Usage::default()
    }
}

fn with(text: &str) -> PriceTable {
    PriceTable::built_in()
        .with(&format!("date = \"2026-01-02\"\n{text}"), "mine.toml")
        .unwrap()
}

#[track_caller]
fn assert_usd(usd: Option<f64>, expected: f64) {
    assert!(
        usd.is_some_and(|usd| (usd - expected).abs() <= 1e-12),
        "{usd:?} is not {expected}"
    );
}

mod built_in {
    use super::*;

    fn tokens(identity: &str) -> Option<[f64; 3]> {
        match PriceTable::built_in().price(identity)?.rate {
            Rate::Tokens(prices) => Some([prices.input, prices.cached_input, prices.output]),
            Rate::Electricity(_) => None,
        }
    }

    /// Gao et al. 2025, table 3: USD for a million input tokens by the Batch API.
    #[test]
    fn prices_in_batches_are_those_of_the_paper() {
        let table = PriceTable::built_in();
        for (model, usd) in [
            ("gpt-4o", 1.25),
            ("gpt-4-turbo", 5.0),
            ("gpt-3.5-turbo", 0.25),
            ("gpt-4o-mini", 0.075),
        ] {
            let price = table.price(&format!("openai:{model}")).unwrap();
            assert_usd(Some(price.cost(&usage(1_000_000, 0, 0), true)), usd);
        }
    }

    #[test]
    fn prices_are_found_by_the_longest_name() {
        assert_eq!(tokens("openai:gpt-4o"), Some([2.5, 1.25, 10.0]));
        assert_eq!(tokens("openai:gpt-4o-2024-08-06"), Some([2.5, 1.25, 10.0]));
        assert_eq!(
            tokens("openai:gpt-4o-2024-05-13@https://api.openai.com/v1 {\"x\":1}"),
            Some([5.0, 5.0, 15.0])
        );
        assert_eq!(tokens("openai:gpt-4o-mini"), Some([0.15, 0.075, 0.6]));
        assert_eq!(tokens("openai:gpt-4-0613"), Some([30.0, 30.0, 60.0]));
        assert_eq!(tokens("openai:gpt-3.5-turbo-0613"), Some([1.5, 1.5, 2.0]));
        assert_eq!(tokens("openai:gpt-3.5-turbo-0125"), Some([0.5, 0.5, 1.5]));
        assert_eq!(
            tokens("anthropic:claude-opus-4-1-20250805"),
            Some([15.0, 1.5, 75.0])
        );
        assert_eq!(
            tokens("anthropic:claude-opus-4-5-20251101"),
            Some([5.0, 0.5, 25.0])
        );
    }

    #[test]
    fn what_is_not_known_has_no_price() {
        let unknown = [
            "openai:gpt-4o@http://localhost:8000/v1",
            "openai:gpt-4o-audio-preview",
            "openai:claude-opus-4-1",
            "anthropic:claude-opus-4-9",
            "gguf:gpt-4o:7b46:ctx8192",
            "simulated:gap=0.5,seed=0",
            "openai:",
            "",
        ];
        unknown
            .iter()
            .for_each(|identity| assert_eq!(tokens(identity), None, "{identity}"));
    }

    #[test]
    fn rows_are_whole() {
        let rows = file::read_rows(include_str!("prices.toml"), "prices.toml").unwrap();
        assert!(rows.len() > 40);
        for row in rows {
            let Rate::Tokens(prices) = row.price.rate else {
                panic!("{} is no provider's", row.model)
            };
            assert!(
                0.0 < prices.cached_input
                    && prices.cached_input <= prices.input
                    // What writes nothing costs nothing to write.
                    && (prices.input < prices.output || prices.output == 0.0)
            );
            assert!(
                row.price.source.starts_with("https://") && row.price.date == "2026-11-22",
                "{}",
                row.model
            );
        }
    }
}

mod a_users_rows {
    use super::*;

    const AT_HOME: &str = "[[price]]\nkind = \"electricity\"\nprovider = \"openai\"\nurl \
                           = \"http://localhost:8000/v1\"\nmodel = \"*\"\nwatts = 700\ndevices = \
                           4\ntokens_per_second = 2685\n";

    #[test]
    fn stand_in_place_of_ours() {
        let table =
            with("[[price]]\nprovider = \"openai\"\nmodel = \"gpt-4o\"\ninput = 1\noutput = 2\n");
        let price = table.price("openai:gpt-4o").unwrap();
        assert_usd(
            Some(price.cost(&usage(3_000_000, 1_000_000, 1_000_000), false)),
            5.0,
        );
        assert_eq!(price.date.as_str(), "2026-01-02");
        assert!(!price.has_batch());
        let ours = table.price("openai:gpt-4o-2024-05-13").unwrap();
        assert_eq!(
            ours.date, "2026-11-22",
            "a row of ours for a snapshot is nearer"
        );
    }

    /// 0.0492 USD a million tokens of prompts and replies alike: Gao et al. 2025, appendix E.
    #[test]
    fn give_what_is_served_at_home_its_electricity() {
        let price = with(AT_HOME)
            .price("openai:llama-3.1-70b@http://LOCALHOST:8000/v1/")
            .cloned()
            .unwrap();
        let usd = price.cost(&usage(600_000, 0, 400_000), true);
        assert!(
            (usd - 0.0492).abs() < 0.00005 && !price.has_batch(),
            "{usd}"
        );
        assert_eq!(
            with(AT_HOME).price("openai:llama-3.1-70b@http://localhost:8001/v1"),
            None
        );
    }

    #[test]
    fn give_gguf_files_a_price_by_name() {
        let row = |model: &str| {
            format!("[[price]]\nprovider = \"gguf\"\nmodel = \"{model}\"\ninput = 1\noutput = 1\n")
        };
        let judge = "gguf:SmolLM2-135M-Instruct-Q8_0:7b46609d11703c05:ctx8192:chunk64:cpuc330b4c8";
        for (model, found) in [
            ("*", true),
            ("SmolLM2-135M-Instruct-Q8_0", true),
            ("SmolLM2*", true),
            ("SmolLM2", false),
        ] {
            assert_eq!(with(&row(model)).price(judge).is_some(), found, "{model}");
        }
    }
}

mod a_wrong_file {
    use super::*;

    #[track_caller]
    fn assert_refused(rows: &str, message: &str) {
        let text = format!("date = \"2026-01-02\"\n{rows}");
        let error = PriceTable::built_in()
            .with(&text, "mine.toml")
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(message), "{error}");
    }

    const ROW: &str = "[[price]]\nprovider = \"openai\"\nmodel = \"m\"\noutput = 1\n";

    #[test]
    fn names_file_and_line() {
        assert_refused(
            &format!("{ROW}input = -1\n"),
            "mine.toml:6: input: expected a number from 0 to 1000000000, found -1",
        );
        assert_refused(
            &format!("{ROW}input = nan\n"),
            "mine.toml:6: input: expected a number",
        );
        assert_refused(
            &format!("{ROW}input = inf\n"),
            "mine.toml:6: input: expected a number",
        );
        assert_refused(
            &format!("{ROW}input = \"1\"\n"),
            "mine.toml:6: invalid type: string \"1\"",
        );
        assert_refused(
            &format!("{ROW}input = 1\nbatch_discount = 1.5\n"),
            "mine.toml:7: batch_discount: expected a number from 0 to 1,",
        );
        assert_refused(
            &format!("{ROW}inptu = 1\n"),
            "mine.toml:6: unknown field `inptu`",
        );
        assert_refused(ROW, "mine.toml:2: input is missing; expected a number");
        assert_refused(
            &format!("{ROW}input = 1\nwatts = 7\n"),
            "mine.toml:7: watts, devices",
        );
        assert_refused(
            &format!("{ROW}input = 1\n{ROW}input = 2\n"),
            "mine.toml:7: openai:m is priced twice",
        );
        assert_refused("rows = 1\n", "mine.toml:2: unknown field `rows`");
        assert_refused(
            "[[price]]\nprovider = \"gguf\"\nurl = \"x\"\nmodel = \"m\"\n",
            "mine.toml:2: url goes with",
        );
        assert_refused(
            "[[price]]\nprovider = \"opnai\"\nmodel = \"m\"\n",
            "mine.toml:3: unknown variant `opnai`",
        );
    }

    #[test]
    fn of_electricity_needs_a_rate() {
        let row =
            "[[price]]\nkind = \"electricity\"\nprovider = \"gguf\"\nmodel = \"m\"\nwatts = 7\n";
        assert_refused(row, "mine.toml:2: tokens_per_second is missing");
        assert_refused(
            &format!("{row}tokens_per_second = 0\n"),
            "mine.toml:2: tokens_per_second: expected a number above 0",
        );
        assert_refused(
            &format!("{row}input = 0\n"),
            "mine.toml:7: input, cached_input",
        );
    }

    #[test]
    fn needs_a_date() {
        for text in ["", "date = \"today\"\n", "date = \"2026-1-02\"\n"] {
            let error = PriceTable::built_in()
                .with(text, "mine.toml")
                .unwrap_err()
                .to_string();
            assert!(
                error.starts_with("mine.toml:1: ") && error.contains("date"),
                "{error}"
            );
        }
    }
}

mod a_price {
    use super::*;

    /// gpt-4o: 600 at 2.50, 400 cached at 1.25, 100 written at 10.00 are 0.0015 + 0.0005 + 0.001.
    #[test]
    fn charges_cached_tokens_on_their_own() {
        let table = PriceTable::built_in();
        let price = table.price("openai:gpt-4o").unwrap();
        let usage = Usage {
            reasoning_tokens: 60,
            ..usage(1000, 400, 100)
        };
        assert_usd(Some(price.cost(&usage, false)), 0.003);
        assert_usd(Some(price.cost(&usage, true)), 0.0015);
    }

    proptest! {
        #[test]
        fn adds_up_call_by_call(calls in prop::collection::vec((0u64..5000, 0u64..6000, 0u64..3000), 0..20), batch: bool) {
            let rate = Rate::Tokens(TokenPrices { input: 3.0, cached_input: 0.3, output: 15.0, batch_discount: Some(0.5) });
            let price = Price { rate, source: String::new(), date: String::new() };
            let calls: Vec<Usage> = calls.into_iter().map(|(prompt, cached, out)| usage(prompt, cached.min(prompt), out)).collect();
            let one_by_one: f64 = calls.iter().map(|call| price.cost(call, batch)).sum();
            let mut all = Usage::default();
            calls.iter().for_each(|call| all += *call);
            prop_assert!((price.cost(&all, batch) - one_by_one).abs() < 1e-9);
        }
    }
}

mod what_was_spent {
    use super::*;

    fn totals(judge: &str, calls: u64, usage: Usage) -> Totals {
        Totals {
            judge: judge.into(),
            calls,
            usage,
            by_batch: Usage::default(),
        }
    }

    /// 1,000,000 at 0.15 and 100,000 at 0.60; 200,000 at 3 and 10,000 at 15.
    #[test]
    fn is_the_sum_of_the_judges() {
        let mini = totals("openai:gpt-4o-mini", 900, usage(1_000_000, 0, 100_000));
        let sonnet = totals("anthropic:claude-sonnet-4-5", 90, usage(200_000, 0, 10_000));
        let spent = spent(&[mini, sonnet], &PriceTable::built_in());
        assert_usd(spent.judges[0].usd, 0.21);
        assert_usd(spent.judges[1].usd, 0.75);
        assert_usd(spent.usd, 0.96);
    }

    #[test]
    fn is_unknown_with_a_judge_of_unknown_price() {
        let known = totals("openai:gpt-4o-mini", 1, usage(100, 0, 1));
        for (other, unknown) in [
            (totals("gguf:m:7b46", 1, usage(100, 0, 1)), true),
            (totals("openai:gpt-4o", 1, usage(0, 0, 0)), true),
            (totals("gguf:m:7b46", 0, usage(0, 0, 0)), false),
        ] {
            let spent = spent(&[known.clone(), other.clone()], &PriceTable::built_in());
            assert_eq!(
                (spent.usd.is_none(), spent.judges[1].usd),
                (unknown, None),
                "{other:?}"
            );
            assert!(spent.judges[0].usd.is_some());
        }
        assert_eq!(spent(&[], &PriceTable::built_in()), Spent::default());
    }
}

mod what_is_expected {
    use super::*;

    fn judge(identity: &str) -> JudgeEstimate {
        JudgeEstimate {
            judge: identity.into(),
            calls: 1000,
            requests: 1000,
            prompt_tokens: 1_000_000,
            prompt_tokens_at_least: 800_000,
            prompt_lengths: None,
            completion_tokens_at_most: 1_024_000,
            tokens_to_think: 0,
            completion_tokens_assumed: 150_000,
            approximate: true,
        }
    }

    fn of(judges: &[&str]) -> Expected {
        let mut estimate = Estimate::default();
        let judges = judges.iter().map(|identity| judge(identity));
        estimate.judges.extend(judges);
        expected(&estimate, &PriceTable::built_in())
    }

    /// gpt-4o: 0.8 x 2.50; 2.50 + 0.15 x 10; 2.50 + 1.024 x 10, and half of it.
    #[test]
    fn runs_from_the_prompts_alone_to_the_longest_replies() {
        let range = of(&["openai:gpt-4o"]).total.unwrap();
        assert_usd(Some(range.at_least), 2.0);
        assert_usd(Some(range.expected), 4.0);
        assert_usd(Some(range.at_most), 12.74);
        assert_usd(range.at_most_in_batches, 6.37);
    }

    #[test]
    fn is_the_sum_of_a_panel() {
        let panel = of(&["openai:gpt-4o", "openai:gpt-4-1106-preview"]);
        let range = panel.total.unwrap();
        assert_usd(Some(range.at_least), 10.0);
        assert_eq!(range.at_most_in_batches, None);
        assert_eq!(panel.date.as_deref(), Some("2026-11-22"));
    }

    #[test]
    fn is_unknown_with_a_judge_of_unknown_price() {
        let panel = of(&["openai:gpt-4o", "gguf:m:7b46"]);
        assert_eq!((panel.total, panel.judges[1]), (None, None));
        assert!(panel.judges[0].is_some());
        assert_eq!(of(&[]), Expected::default());
    }
}

mod approximate {
    use super::*;

    #[test]
    fn counts_by_classes_of_characters() {
        for (text, tokens) in [
            ("", 0),
            ("word", 1),
            ("two words", 2),
            ("internationalisation", 3),
            ("1234567", 3),
            ("a  b", 3),
            ("end.\n\nNext", 3),
            ("end\nnext", 3),
            ("x = {\n    y();\n}", 8),
            ("你好，世界", 5),
            ("====", 2),
        ] {
            assert_eq!(approximate_tokens(text), tokens, "{text:?}");
        }
    }

    #[test]
    fn counts_messages_and_what_is_scored() {
        let messages = vec![
            Message::system("Be fair."),
            Message::user("Which is better?"),
        ];
        let about = About::default();
        let task = Task::write(8);
        let request = Request {
            judge: "m".into(),
            messages,
            task,
            sample: 0,
            about,
        };
        assert_eq!(approximate_request_tokens(&request), 3 + 4 + 4 + 4 + 3);
        let task = Task::score("This one");
        assert_eq!(
            approximate_request_tokens(&Request { task, ..request }),
            18 + 2 + 4
        );
    }

    proptest! {
        /// Two texts joined are at most both, and never fewer than either: a word may go on, a
        /// break may follow punctuation.
        #[test]
        fn grows_with_the_text(a in ".{0,40}", b in ".{0,40}") {
            let (alone, more) = (approximate_tokens(&a), approximate_tokens(&b));
            let joined = approximate_tokens(&format!("{a}{b}"));
            prop_assert!(joined <= alone + more + 2 && joined + 2 >= alone.max(more), "{alone} \
                {more} {joined}");
        }
    }
}
