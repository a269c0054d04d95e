//! Longer texts of `evenhand help TOPIC`, in lines of at most 78 characters.

use evenhand_protocols::{METHODS, REASONINGS};

pub(crate) const AGGREGATIONS: &str = "\
How judgments become scores of systems (--aggregate).

Comparisons of two systems:

bradley-terry     Strengths by maximum likelihood; ties and probabilities count
                  in part. Elo points: 400 for a factor of ten in odds, mean
                  1000; with --scale log-odds natural log-odds, mean 0. A
                  system that won or lost every comparison has no finite
                  strength: the report says so, and the others are scored
                  without it. With --prior WEIGHT every strength is finite,
                  and shrunk.
rao-kupper        The same with a model of ties: a threshold within which two
                  responses count as equal. Same units.
davidson          The same with another model of ties: the closer two systems
                  are, the likelier a tie.
win-ratio         Share of its comparisons that a system won, ties half, in
                  [0, 1]. It depends on its opponents.
average-win-rate  Mean over opponents of that share against each, in [0, 1].
elo               Elo ratings, game by game in the order of the file: from
                  1000, k 4, 400 points for a factor of ten in odds. Late games
                  count more; take bradley-terry unless you need it.
counting          Comparisons won, ties half.
eigenvector       Principal eigenvector of who lost to whom, length 1: a score
                  of weakness, so rank 1 is the lowest. (evalica's eigen)
pagerank          Share of visits of a random walk from losers to winners.
newman            Strengths of Newman (2023), with its own tie parameter.

Scores of single responses (pointwise forms, files of scores):

mean              Mean score over items, replicates of an item averaged first:
                  points on the scale, or nats per token for likelihood.
median            Median of the same.
trimmed-mean      Mean of the same without the highest and the lowest tenth.

The first kind takes scores too: on each item the system with the higher score
wins the comparison, and equal scores tie.

Intervals (--ci): bootstrap, percentiles of resamples of items, or of single
judgments with --cluster none, wider for few of them; bca, the same, corrected
for bias and skewness; sandwich, a robust covariance (bradley-terry, or
--control); none. Rank intervals are simultaneous: with the probability of
--level all of them hold together. They come from flipping the signs of what
each item says, whatever --ci is; fewer than six items give none (at 95 %).

Style (--control length,headings,lists,bold): the judge's taste for style is
taken out of the strengths, by a regression on how much more of it one response
has than the other. Scores become comparisons first, as above. Each effect is
shown, in log-odds for one standard deviation. rank counts style in the
responses, length in tokens; leaderboard counts it in the columns that
--texts A,B names, or takes columns of numbers. Intervals are sandwich.

Order (--control order): the advantage of being shown first is a parameter of
the model (bradley-terry, rao-kupper or davidson) and taken out of the
strengths, so judgments in one order can be ranked. It is shown in Elo points
with its interval. If one system is always first, the advantage cannot be told
from the strengths, which is an error.";

const FORMS: &str = "\
How the judge is asked: --protocol form[/reasoning[/calibration[/rubric]]], or
a preset. `evenhand prompts list` has the presets and the prompts; `evenhand
prompts render` shows what a judge would be sent. docs/protocols.md has the
calls and rounds of each part.

forms        pairwise         two responses, one is better
             pairwise-tie     two responses, one is better or they are equal
             pairwise-5point  two responses, five outcomes
             pairwise-likert  two responses, a preference from 1 to 7
             pairwise-score   two responses, a score for each
             pointwise        one response, a score from 1 to 10
             checklist        one response: which criteria of its item it
                              meets, as a weighted share, in one call;
                              checklist:each makes a call for each
             listwise         all responses to an item, put in order;
                              listwise:N for groups of N
             likelihood       no verdict: how much more probable the
                              instruction makes the response, in nats a token
                              (likelihood:novel counts only words that the
                              instruction lacks; :given, :contrast=K, :inverse
                              set it against nothing, other items, the
                              instruction itself; ,sum is in all; ,surprisal=0.1
                              counts a tenth of a response's surprisal too)
             pointwise and pairwise-score take a scale, as in pointwise:0-9
             or pointwise:0..1:0.1, or by --scale 0..1:0.1.
             Probabilities of answers count as they are. With ,mode after a
             form only the most probable answer counts, as in papers that read
             text: pairwise,mode, pairwise-tie,mode, pairwise-5point,mode,
             pairwise-likert,mode, pointwise:1-5,mode, checklist:each,mode.
             Nothing is asked again for it.";

const RUBRICS_AND_READING: &str = "\
rubric       rules         instruction following first (the default)
             criteria      helpfulness, relevance, accuracy, depth, ...
             none          the judge's own idea of better

Several --judge make a panel: each judges by the whole protocol, and --panel
mean or majority combines their verdicts. With escalate:0.6 the next judge is
asked only where one is less sure than that.

Verdicts are read from the probabilities of the answers if the judge gives
them, else strictly from its text: a reply that does not end in a verdict is a
failure. Failures are counted and shown. With --second-stage same (or another
judge) a model then says which verdict the text expresses; those verdicts are
counted separately. --prompt-pack DIR replaces our prompts with yours.";

/// Returns the topic on protocols: reasonings and calibrations are those that the library lists.
pub(crate) fn describe_protocols() -> String {
    let reasonings = REASONINGS.iter().map(|kind| (kind.name, kind.about));
    let calibrations = METHODS
        .iter()
        .flat_map(|method| method.names.iter().copied());
    let mut out = format!("{FORMS}\n");
    list_names(&mut out, "reasoning", 14, reasonings);
    out += ADDED_TO_REASONING;
    list_names(&mut out, "calibration", 15, calibrations);
    out + RUBRICS_AND_READING
}

const ADDED_TO_REASONING: &str = "             \
Each takes +metrics (criteria that the judge writes for the
             instruction) and +reference (the item's reference answer, or one
             that the judge writes).
";

/// Where names stand in a topic.
const NAME_COLUMN: usize = 13;
/// Where the lines of a topic end.
const WIDTH: usize = 78;

/// Lists names and what they mean, under a heading beside the first. A name that is as wide as its
/// column has a line to itself.
fn list_names<'a>(
    out: &mut String,
    heading: &str,
    width: usize,
    names: impl Iterator<Item = (&'a str, &'a str)>,
) {
    let indent = NAME_COLUMN + width;
    let mut heading = heading;
    for (name, about) in names {
        let mut line = format!("{heading:<NAME_COLUMN$}{name:<width$}");
        heading = "";
        if name.len() >= width {
            *out += line.trim_end();
            out.push('\n');
            line = " ".repeat(indent);
        }
        *out += &wrap(line, about, indent);
    }
}

/// Wraps words that go on a line that is begun; further lines are indented.
fn wrap(begun: String, words: &str, indent: usize) -> String {
    let (mut out, mut line) = (String::new(), begun);
    for word in words.split(' ') {
        let spaced = line.ends_with(' ');
        if !spaced && line.chars().count() + 1 + word.chars().count() > WIDTH {
            out += &line;
            out.push('\n');
            line = " ".repeat(indent);
        } else if !spaced {
            line.push(' ');
        }
        line += word;
    }
    out + &line + "\n"
}

pub(crate) const JUDGES: &str = "\
The judge (--judge).

gguf:PATH         a GGUF model on this machine's CPU; `evenhand models` lists
                  those you have
hf:OWNER/REPO[:QUANT]
                  a GGUF model of the hub that is on this machine already;
                  `evenhand models get` fetches it
head:FILE         a head that `evenhand meta fit` fitted to your labels, on the
                  GGUF model that its file names
recorded:RUN_DIR  the replies of an earlier run, and nothing else: exact
                  replay with no model
openai:MODEL[@AT] a served judge that speaks OpenAI's chat completions. AT is
                  a base URL (http://127.0.0.1:8000/v1), several separated by
                  commas, or a provider's name: openai, azure, vllm,
                  sglang, ollama, lmstudio, llama.cpp, litellm, openrouter,
                  together, deepseek, groq, mistral, fireworks, xai, gemini
ollama:MODEL, lmstudio:MODEL
                  a model of Ollama or LM Studio on this machine
anthropic:MODEL   the same with Anthropic's messages
systemone:MODEL@AT
                  a served judge that answers questions with probabilities and
                  writes no text (POST /v1/systemone: vLLM, SGLang, llama.cpp,
                  Ollama, LiteLLM); both orders of a pair are one request
decisions:MODEL[@AT]
                  the same in OpenAI's format (POST /v1/decisions)
reward:MODEL@BASE_URL
                  a served reward model: it gives each response a number
panel:FILE        several judges as one (docs/calibrated-panels.md)
exec:PROGRAM      a program that reads requests and writes replies as JSON
                  lines (docs/own-judges.md); with arguments, in quotes
NAME              a judge of [judges.NAME] in the file of --config
simulated[:SPEC]  a judge with planted defects; to it, the first system that
                  the data name is the best, the next one the second best, and
                  so on, whatever people's labels say

SPEC is key=value,...
  accuracy=P          picks the better of two with probability P, whatever
                      the gap (default: Bradley-Terry with gap)
  gap=G               log-odds between one system and the next (default 0.5)
  first-slot=P        with probability P the first slot wins (negative: the
                      second)
  length=P            with probability P the longer response wins
  distractor=P        with probability P words such as 'definitely' win
  flattery=P          with probability P praise of the reader wins; likewise
                      markdown=P, emoji=P, authority=P (appeals to experts),
                      injection=P (words to whoever judges)
  choice-set=P        with probability P the order of a list depends on all
                      of its members together
  wide-scale=S        scores are pulled up by a share S on scales that end
                      above 10
  self=SYSTEM:P       with probability P this system wins
  intransitive=P      with probability P a cyclic preference decides
  tie=P               probability of a tie, in forms that have one
  compression=C       pulls pointwise scores to the middle of the scale, 0 to 1
  invalid=P           probability of a reply with no verdict
  refuse=P            probability of a refusal
  misread=P           with probability P the text names another answer than
                      the most probable one
  greedy=true         gives the same answer when it is asked the same again
  probabilities=true  gives the answers' probabilities, not only text
  decides=true        answers questions with probabilities and writes nothing,
                      as systemone: and decisions: judges do; with it also
                      option-flips=P (the option that stands first wins),
                      off-label=P (the answer is no option) and rerun-flips=P
                      (a sample says the reverse)
  delay-ms=MS         time that a call takes
  seed=N              seed of its draws
  log=FILE            appends the key of each call to FILE

Keys of served judges come from the environment (OPENAI_API_KEY,
ANTHROPIC_API_KEY, ...; a server on this machine may go without) or from a
file that the configuration names. `evenhand batch export` writes their
requests to files for a provider's batch API or vLLM's run-batch, and
`evenhand batch import` takes the results. docs/served.md has providers,
limits, faults and prices.";
