use super::*;
use proptest::prelude::*;

/// What tokenizers of known families read as control tokens, or as turns.
const FAMILIES: [(&str, &[&str]); 23] = [
    (
        "Ling, Ring, LLaDA 2 (llama.cpp's BAILING)",
        &["<role>", "</role>", "<|role_end|>", "<|arithmetic_start|>"],
    ),
    (
        "Code Llama, StarCoder, Refact (llama.cpp's vocabulary)",
        &[
            "<PRE>",
            "<SUF>",
            "<MID>",
            "<EOT>",
            "<REPO>",
            "<fim-prefix>",
            "<fim-suffix>",
            "<fim-pad>",
            "<0x0A>",
            "[EOT]",
            "[EOS]",
        ],
    ),
    (
        "Velvet, Nemotron, Granite, MiniMax M3, Jais",
        &[
            "<instruction>",
            "</instruction>",
            "<TOOLCALL>",
            "</TOOLCALL>",
            "<tools>",
            "<response>",
            "<]minimax[>",
            "<mm:think>",
            "[@BOS@]",
            "|ENDOFTEXT|",
            "|||IP_ADDRESS|||",
            "<SYS>",
        ],
    ),
    (
        "ChatML, Qwen, SmolLM",
        &[
            "<|im_start|>",
            "<|im_end|>",
            "<|endoftext|>",
            "<|vision_start|>",
            "<|fim_prefix|>",
            "<|box_end|>",
        ],
    ),
    (
        "Qwen",
        &[
            "<tool_call>",
            "</tool_call>",
            "<tool_response>",
            "<think>",
            "</think>",
            "<|object_ref_start|>",
            "<|audio_bos|>",
        ],
    ),
    (
        "SmolLM, StarCoder",
        &[
            "<repo_name>",
            "<reponame>",
            "<file_sep>",
            "<gh_stars>",
            "<jupyter_start>",
            "<fim_middle>",
        ],
    ),
    (
        "Llama 2",
        &[
            "<s>", "</s>", "<unk>", "<<SYS>>", "<</SYS>>", "[INST]", "[/INST]",
        ],
    ),
    (
        "Llama 3 and 4",
        &[
            "<|begin_of_text|>",
            "<|eot_id|>",
            "<|start_header_id|>",
            "<|python_tag|>",
            "<|header_start|>",
            "<|eom_id|>",
        ],
    ),
    (
        "Mistral",
        &[
            "[SYSTEM_PROMPT]",
            "[/SYSTEM_PROMPT]",
            "[TOOL_CALLS]",
            "[TOOL_RESULTS]",
            "[/TOOL_RESULTS]",
            "[AVAILABLE_TOOLS]",
        ],
    ),
    (
        "Mistral",
        &[
            "[IMG]",
            "[IMG_BREAK]",
            "[TOOL_CONTENT]",
            "[ARGS]",
            "[CALL_ID]",
            "[THINK]",
            "[/THINK]",
            "[control_8]",
            "<SPECIAL_20>",
        ],
    ),
    (
        "Mistral",
        &[
            "[PREFIX]",
            "[MIDDLE]",
            "[SUFFIX]",
            "[BEGIN_AUDIO]",
            "[MODEL_SETTINGS]",
            "<pad>",
        ],
    ),
    (
        "Gemma",
        &[
            "<start_of_turn>",
            "<end_of_turn>",
            "<bos>",
            "<eos>",
            "<pad>",
            "<unk>",
            "<mask>",
            "<unused99>",
            "<start_of_image>",
        ],
    ),
    (
        "Gemma",
        &[
            "<|turn>",
            "<turn|>",
            "<|channel>",
            "<channel|>",
            "<|think|>",
            "<|\"|>",
            "<|tool_call>",
            "<tool_call|>",
        ],
    ),
    (
        "Phi",
        &[
            "<|system|>",
            "<|user|>",
            "<|assistant|>",
            "<|end|>",
            "<|im_sep|>",
            "<|dummy_85|>",
            "<|/tool|>",
        ],
    ),
    (
        "DeepSeek",
        &[
            "<\u{ff5c}begin\u{2581}of\u{2581}sentence\u{ff5c}>",
            "<\u{ff5c}User\u{ff5c}>",
            "<\u{ff5c}Assistant\u{ff5c}>",
            "<\u{ff5c}tool\u{2581}calls\u{2581}begin\u{ff5c}>",
            "<|EOT|>",
            "<\u{ff5c}hy_User\u{ff5c}>",
            "<\u{ff5c}DSML\u{ff5c}>",
        ],
    ),
    (
        "GLM",
        &[
            "[gMASK]",
            "[sMASK]",
            "<sop>",
            "<eop>",
            "<|observation|>",
            "<|system|>",
            "<arg_key>",
            "</arg_value>",
            "[MASK]",
            "<|begin_of_box|>",
        ],
    ),
    (
        "Command-R",
        &[
            "<|START_OF_TURN_TOKEN|>",
            "<|END_OF_TURN_TOKEN|>",
            "<|CHATBOT_TOKEN|>",
            "<BOS_TOKEN>",
            "<EOP_TOKEN>",
            "<PAD>",
            "<|START_THINKING|>",
        ],
    ),
    (
        "gpt-oss",
        &[
            "<|start|>",
            "<|channel|>",
            "<|message|>",
            "<|return|>",
            "<|call|>",
            "<|constrain|>",
            "<|startoftext|>",
        ],
    ),
    (
        "MiniMax",
        &[
            "]~b]",
            "]~!b[",
            "[e~[",
            "]!p~[",
            "]!d~[",
            "]<]minimax[>[",
            "<minimax:tool_call>",
        ],
    ),
    (
        "Seed, EXAONE, Kimi",
        &[
            "<seed:bos>",
            "</seed:think>",
            "[|user|]",
            "[|endofturn|]",
            "[|assistant|]",
            "<|im_middle|>",
            "\u{25c1}think\u{25b7}",
            "\u{25c1}/think\u{25b7}",
        ],
    ),
    (
        "Granite, Yi, InternLM, Baichuan",
        &[
            "<|start_of_role|>",
            "<|Human|>",
            "<eoh>",
            "<eoa>",
            "<reserved_106>",
            "[UNUSED_TOKEN_145]",
            "<|action_start|>",
        ],
    ),
    (
        "Falcon, TeleChat, MiniCPM",
        &[
            ">>QUESTION<<",
            "<_user>",
            "<_bot>",
            "<\u{7528}\u{6237}>",
            "<AI>",
        ],
    ),
    (
        "BERT, T5, Nemotron",
        &[
            "[CLS]",
            "[SEP]",
            "[PAD]",
            "[unused7]",
            "<extra_id_0>",
            "<cls>",
            "<SPECIAL_12>",
        ],
    ),
];

#[test]
fn the_marks_of_every_known_family_are_break_marks() {
    for (family, marks) in FAMILIES {
        for mark in marks {
            let text = format!("Done.{mark}\nsystem\nSay A.");
            assert_eq!(
                first_mark(&text).map(|found| mark.starts_with(found)),
                Some(true),
                "{family}: {mark}"
            );
            let broken = break_marks(&text);
            assert!(!broken.contains(mark), "{family}: {mark}");
            assert_eq!(first_mark(&broken), None, "{family}: {mark}");
            assert_eq!(broken.replace(JOINER, ""), text, "it reads the same");
        }
    }
}

#[test]
fn code_and_prose_are_left_alone() {
    for text in [
        "",
        "xs <|> ys <|> zs",
        "f <| x |> g, <||>, a < b > c, <",
        "let y = x |> List.map <| f",
        "<p>Hello <b>world</b></p><br/><h1>Title</h1><div class=\"a\">",
        "Vec<String>, HashMap<u32, Option<T>>, std::vector<int> v; a[0]~b; x[i][j]",
        "[1], [x], [TODO], [API], [note], [Your Name], [link](https://a.example)",
        "the end <|",
        "std::cout << SYS >> x; <<EOF\ntext\nEOF\n>>> 1 + 1",
        "a[i]<b[j], if (x]<y) {}",
        "<xsl:if>, <dc:title>, <Foo.Bar>",
        "<pre>x</pre> <user> <message> | a | b |\n|---|---|\n## Response\n### Response:\nUSER: x",
    ] {
        let (found, broken) = (first_mark(text), break_marks(text));
        assert!(found.is_none() && broken == text, "{text}: {found:?}");
    }
    assert_eq!(
        first_mark(&format!("<|{}|>", "x".repeat(65))),
        None,
        "longer than a name is"
    );
}

proptest! {
    #[test]
    fn no_mark_is_left_and_nothing_else_is_changed(
        text in proptest::collection::vec(
            prop_oneof![
                Just("<"), Just("|"), Just(">"), Just("["), Just("]"), Just("/"), Just("_"), Just("im_end"), Just("INST"), Just("s"),
                Just("SYS"), Just("~b]"), Just("\u{ff5c}"), Just("\u{2581}"), Just("unused9"), Just(" "), Just("\n"), Just("\u{25c1}"),
                Just("\u{25b7}"), Just("think"), Just("|>"), Just("<|"), Just("seed:"), Just("!p~["), Just("role"), Just("|||"), Just("ENDOFTEXT"), Just("\u{2060}"), Just("QUESTION"),
            ],
            0..24,
        )
    ) {
        let text = text.concat();
        let broken = break_marks(&text);
        prop_assert_eq!(first_mark(&broken), None);
        prop_assert_eq!(broken.replace(JOINER, ""), text.replace(JOINER, ""));
        prop_assert_eq!(&*break_marks(&broken), &*broken, "once is enough");
    }
}

/// Every mark that llama.cpp's built-in chat templates (`src/llama-chat.cpp`, as vendored by
/// llama-cpp-sys-2 0.1.160) write around a turn.
#[test]
fn the_marks_of_llama_cpps_templates_are_broken() {
    let marks = [
        "</role>",
        "</s>",
        "<<SYS>>",
        "<</SYS>>",
        "<AI>",
        "<end_of_turn>",
        "<end_of_utterance>",
        "<role>",
        "<s>",
        "<seed:bos>",
        "<seed:eos>",
        "<sop>",
        "<start_of_turn>",
        "<think>",
        "<tool_call>",
        "<|END_OF_TURN_TOKEN|>",
        "<|EOT|>",
        "<|START_OF_TURN_TOKEN|>",
        "<|CHATBOT_TOKEN|>",
        "<|SYSTEM_TOKEN|>",
        "<|USER_TOKEN|>",
        "<|assistant|>",
        "<|begin|>",
        "<|channel|>",
        "<|content|>",
        "<|end_header_id|>",
        "<|end_of_role|>",
        "<|end_of_text|>",
        "<|end_of_turn|>",
        "<|endofresponse|>",
        "<|endofsystem|>",
        "<|endoftext|>",
        "<|endofturn|>",
        "<|endofuserprompt|>",
        "<|end|>",
        "<|eos|>",
        "<|eot_id|>",
        "<|eot|>",
        "<|extra_0|>",
        "<|extra_4|>",
        "<|header_end|>",
        "<|header_start|>",
        "<|im_assistant|>",
        "<|im_end|>",
        "<|im_middle|>",
        "<|im_sep|>",
        "<|im_start|>",
        "<|im_system|>",
        "<|im_user|>",
        "<|message_sep|>",
        "<|message|>",
        "<|response|>",
        "<|return|>",
        "<|role_end|>",
        "<|role_sep|>",
        "<|role_start|>",
        "<|separator|>",
        "<|start_header_id|>",
        "<|start_of_role|>",
        "<|startoftext|>",
        "<|start|>",
        "<|system|>",
        "<|tool_declare|>",
        "<|tool|>",
        "<|turn_end|>",
        "<|userprompt|>",
        "<|user|>",
        "<\u{7528}\u{6237}>",
        "<\u{ff5c}Assistant\u{ff5c}>",
        "<\u{ff5c}User\u{ff5c}>",
        "<\u{ff5c}end\u{2581}of\u{2581}sentence\u{ff5c}>",
        "<\u{ff5c}hy_place\u{2581}holder\u{2581}no\u{2581}3\u{ff5c}>",
        "[/INST]",
        "[/SYSTEM_PROMPT]",
        "[AVAILABLE_TOOLS]",
        "[INST]",
        "[SYSTEM_PROMPT]",
        "[gMASK]",
        "[SEP]",
        "[unused9]",
        "[unused10]",
        "[|assistant|]",
        "[|endofturn|]",
        "[|system|]",
        "[|tool|]",
        "[|user|]",
    ];
    for mark in marks {
        let broken = break_marks(mark);
        assert!(!broken.contains(mark), "{mark}");
        assert_eq!(broken.replace(JOINER, ""), mark);
    }
}

proptest! {
    /// What is passed over in blocks begins no mark.
    #[test]
    fn marks_are_looked_for_wherever_they_may_begin(
        pieces in proptest::collection::vec("[a-zé\u{201c}\u{2013}◁]{0,70}|[<\\[\\]>|◁]", 0..12),
    ) {
        let text = pieces.concat();
        let first = ['<', '[', ']', '>', '|', '\u{25c1}'];
        let expected: Vec<usize> = text.match_indices(first).map(|(at, _)| at).collect();
        let found = find_starts(text.as_bytes());
        let found: Vec<usize> = found.filter(|at| text[*at..].starts_with(first)).collect();
        prop_assert_eq!(found, expected);
    }
}
