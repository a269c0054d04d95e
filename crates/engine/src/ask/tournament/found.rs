//! The findings of a tournament: who met whom, and on which items.

use schemars::JsonSchema;
use serde::Serialize;

/// The findings of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TournamentReport {
    /// Which tournament: `swiss:ROUNDS` or `swim`.
    pub design: String,
    /// Items on which it was played: they decided who meets whom, and count for nothing else.
    pub deciding_items: usize,
    /// Items that the ranking rests on: on each of them all pairs that met were judged.
    pub ranking_items: usize,
    /// Items that some system has not answered, and that were left out.
    pub left_out: usize,
    /// Comparisons of two responses that were made, whatever their orders, and that a round robin
    /// would make.
    pub judged: u64,
    /// See `judged`.
    pub of: u64,
    /// Trials on the deciding items without a verdict: each counts half for either side.
    pub failed: u64,
    /// Who met whom, round by round.
    pub meetings: Vec<MeetingRow>,
}

/// Two systems that met.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MeetingRow {
    /// The round, from 1.
    pub round: usize,
    /// One system.
    pub a: String,
    /// The other.
    pub b: String,
    /// The share that a got on the deciding items, from 0 to 1, a tie half.
    pub share: f64,
}
