//! Longer texts of `evenhand help TOPIC`, in lines of at most 78 characters.

pub(crate) const AGGREGATIONS: &str = "\
How judgments become scores of systems (--aggregate).

bradley-terry  Strengths by maximum likelihood; ties and probabilities count
               in part. Elo points: 400 for a factor of ten in odds, mean
               1000; with --scale log-odds natural log-odds, mean 0. A system
               that won or lost every comparison has no finite strength: the
               report says so, and the others are scored without it.
win-ratio      Share of its comparisons that a system won, ties half, in
               [0, 1].
mean           Mean score over items, replicates of an item averaged first:
               points on the form's scale, or nats per token for likelihood.
               Pointwise forms only.
median         Median of the same.

For a pointwise form, bradley-terry and win-ratio compare the systems' scores
item by item: the higher score wins.";

pub(crate) const PROTOCOLS: &str = "\
How the judge is asked (--protocol form[/reasoning[/calibration]]).

forms        pairwise      two responses, one is better
             pairwise-tie  two responses, one is better or they are equal
             pointwise     one response, a whole number from 1 to 10;
                           pointwise:0-9, pointwise:1-5, ... for other scales
             likelihood    no verdict: how much more probable the instruction
                           makes the response, in nats per token
reasoning    direct        the verdict alone
             cot           reasoning in writing, then the verdict
calibration  swap          each pair in both orders (pairs only, where it is
                           the default)
             single        each pair once, in an order drawn from the seed

Verdicts are read from the probabilities of the answers where the judge gives
them, else from its text, strictly: a reply that does not end in a verdict is
a failure, and failures are counted and shown.";

pub(crate) const JUDGES: &str = "\
Who judges (--judge).

gguf:PATH         a GGUF model on this machine's CPU; `evenhand models` lists
                  those that are there
recorded:RUN_DIR  the replies of an earlier run, and nothing else: exact
                  replay with no model
simulated[:SPEC]  a judge with planted defects; the systems' planted quality
                  falls in the order in which the data name them

SPEC is key=value,...
  accuracy=P          picks the better of two with probability P, whatever
                      the gap (default: Bradley-Terry with gap)
  gap=G               log-odds between one system and the next (default 0.5)
  first-slot=P        with probability P the first slot wins (negative: the
                      second)
  length=P            with probability P the longer response wins
  distractor=P        with probability P words such as 'definitely' win
  self=SYSTEM:P       with probability P this system wins
  intransitive=P      with probability P a cyclic preference decides
  tie=P               probability of a tie, in forms that have one
  compression=C       pulls pointwise scores to the middle of the scale, 0 to 1
  invalid=P           probability of a reply with no verdict
  refuse=P            probability of a refusal
  probabilities=true  gives the answers' probabilities, not only text
  delay-ms=MS         time that a call takes
  seed=N              seed of its draws
  log=FILE            appends the key of each call";
