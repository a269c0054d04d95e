//! How many calls an endpoint is given at once.

use std::ops::RangeInclusive;

/// Pressure takes this share of the level at which it came, when the limit had only gone a step
/// above a level that held.
const STEP_BACK: f64 = 0.9;
/// Pressure on a limit that has held for a while.
const CUT: f64 = 0.85;
/// Pressure while the limit still recovers from the last, or that is the first of all.
const DEEP_CUT: f64 = 0.7;
/// The limit rests this share under the level at which pressure came, rounded down to whole calls.
const MARGIN: f64 = 0.05;
/// The limit rests for so many windows before it goes above that level; twice as many after each
/// time that was in vain.
const FIRST_REST: f64 = 8.0;
const LONGEST_REST: f64 = 64.0;
/// A limit that is used to less than this share is not the bottleneck.
const BUSY: f64 = 0.8;
/// Lost calls are pressure when there are so many more of them than one in twenty.
const LOST: f64 = 3.0;
const USUAL_LOSS: f64 = 0.05;
/// Refusals are pressure when there are so many more of them than one and a half times the usual
/// share, which is one in fifty at least; more where a share was found to be usual.
const REFUSED: f64 = 3.0;
const USUAL_REFUSAL: f64 = 0.02;
const REFUSED_BEYOND: f64 = 16.0;
const BEYOND: f64 = 1.5;
/// Where such a share of the latest 64 results are refusals, it is tried whether they come from the
/// limit: a quarter of it is given for so many results.
const TRIED: RangeInclusive<f64> = 0.05..=0.75;
const TRIAL: u32 = 16;
const QUARTER: f64 = 0.25;
/// The next trial begins after so many results at the earliest.
const NEXT_TRIAL: u32 = 256;

/// A limit to what is in flight: additive increase, multiplicative decrease (Chiu and Jain 1989),
/// with the remembered level of CUBIC (RFC 9438, section 4) so that it settles.
///
/// A *window* is as many replies as the limit. Until the first pressure the limit doubles with each
/// window. Pressure cuts it, once for everything that was sent before the cut. Then it comes back
/// in about one window to a little under the level at which pressure came, rests there, and after
/// the rest grows beyond it: by one in the first window, then faster (by 1 + a quarter of what it
/// is above the level).
///
/// Some servers refuse a share of all calls whatever they are given: a balancer with a broken
/// server behind it, or one that drops calls at random. To cut the limit does not help there, and
/// would leave one call at a time. So where many are refused, a quarter of the limit is tried.
/// Where at least half as many are refused then, that share is *usual*: the limit grows again, and
/// only what goes beyond the share is pressure, until a trial finds less.
#[derive(Clone, Debug)]
pub(super) struct Limit {
    limit: f64,
    most: f64,
    level: Option<f64>,
    /// Windows rested, and how many there are to be.
    rested: f64,
    rest: f64,
    strain: f64,
    /// The share of refusals that comes whatever the limit is.
    usual: f64,
    /// Refusals beyond it.
    refused: f64,
    /// The fewest calls that were under way beside one of them.
    refused_at: f64,
    /// The latest 64 results, the newest in the lowest place: 1 where the call was refused.
    latest: u64,
    trial: Option<Trial>,
    /// Results until the next trial may begin.
    trial_after: u32,
    /// How often the limit was cut: what a call is marked with when it is sent.
    pub(super) cuts: u32,
}

/// A trial of a quarter of the limit, and what came of the calls that were sent in it.
#[derive(Clone, Copy, Debug)]
struct Trial {
    /// The limit, what was under way and the share of refusals before.
    limit: f64,
    in_flight: f64,
    share: f64,
    results: u32,
    refused: u32,
}

impl Limit {
    pub(super) fn new(start: u32, most: u32) -> Limit {
        let start = f64::from(start.max(1));
        let most = f64::from(most).max(start);
        Limit {
            limit: start,
            most,
            level: None,
            rested: 0.0,
            rest: FIRST_REST,
            strain: 0.0,
            usual: 0.0,
            refused: 0.0,
            refused_at: 0.0,
            latest: 0,
            trial: None,
            trial_after: 0,
            cuts: 0,
        }
    }

    /// Returns how many may be in flight; at least 1.
    pub(super) fn calls(&self) -> u32 {
        self.limit as u32
    }

    /// Returns how often a call is refused by chance, at the least, where a share of all is.
    pub(super) fn usual_odds(&self) -> f64 {
        match self.refuses_anyway() {
            // What is refused meanwhile since the limit is too high comes in a row.
            true => self.refused_share().max(0.6),
            false => self.refused_share(),
        }
    }

    /// Returns the share of the latest results that are refusals.
    fn refused_share(&self) -> f64 {
        f64::from(self.latest.count_ones()) / f64::from(u64::BITS)
    }

    /// Whether a share of all calls is refused whatever the limit is.
    pub(super) fn refuses_anyway(&self) -> bool {
        self.usual > 0.0
    }

    /// Records that a reply came to a call sent after `cuts` cuts, while `in_flight` calls, this
    /// one included, were under way.
    pub(super) fn record_reply(&mut self, cuts: u32, in_flight: u32) {
        self.strain = (self.strain - USUAL_LOSS).max(0.0);
        let usual = self.usual.max(USUAL_REFUSAL);
        let each = BEYOND * usual / (1.0 - usual);
        self.refused = (self.refused - each).max(0.0);
        if self.count_result(cuts, false) {
            return;
        }
        if f64::from(in_flight) >= BUSY * self.limit.floor() {
            self.raise_limit();
        }
    }

    /// Records that the server refused a call that was sent after `cuts` cuts while `in_flight`
    /// others were under way.
    pub(super) fn record_refusal(&mut self, cuts: u32, in_flight: u32) {
        if self.count_result(cuts, true) || cuts != self.cuts {
            return;
        }
        let in_flight = f64::from(in_flight);
        self.refused_at = match self.refused > 0.0 {
            true => self.refused_at.min(in_flight),
            false => in_flight,
        };
        self.refused += 1.0;
        let most = if self.usual > 0.0 {
            REFUSED_BEYOND
        } else {
            REFUSED
        };
        let share = self.refused_share();
        if self.refused < most {
            return;
        }
        // A limit that goes beyond the level that held is tried by that.
        let is_beyond = self.level.is_none() || self.rested >= self.rest;
        if TRIED.contains(&share) && !is_beyond && self.trial_after == 0 {
            self.trial = Some(Trial {
                limit: self.limit,
                in_flight: self.refused_at,
                share,
                results: 0,
                refused: 0,
            });
            self.limit = (QUARTER * self.limit).max(1.0);
            self.cuts = self.cuts.wrapping_add(1);
        } else {
            self.cut_limit(self.refused_at);
        }
    }

    /// Counts a result. Whether a trial is under way, which it ends where it is the last one.
    fn count_result(&mut self, cuts: u32, is_refused: bool) -> bool {
        self.latest = self.latest << 1 | u64::from(is_refused);
        self.trial_after = self.trial_after.saturating_sub(1);
        let Some(mut trial) = self.trial else {
            return false;
        };
        trial.results += u32::from(cuts == self.cuts);
        trial.refused += u32::from(cuts == self.cuts && is_refused);
        self.trial = Some(trial).filter(|trial| trial.results < TRIAL);
        if self.trial.is_some() {
            return true;
        }
        let share = f64::from(trial.refused) / f64::from(TRIAL);
        self.limit = trial.limit;
        self.trial_after = NEXT_TRIAL;
        if TRIED.contains(&share) && share >= trial.share / 2.0 {
            self.usual = self.usual.max((share + trial.share) / 2.0);
            (self.refused, self.level) = (0.0, None);
        } else {
            self.usual = self.usual.min(share);
            self.cut_limit(trial.in_flight);
        }
        true
    }

    /// Records that a call sent after `cuts` cuts found no connection, or had no reply in time.
    ///
    /// That happens to single calls for other reasons than pressure: it counts when it happens to
    /// three more than one in twenty.
    pub(super) fn record_loss(&mut self, cuts: u32, in_flight: u32) {
        if cuts == self.cuts {
            self.strain += 1.0;
            if self.strain >= LOST {
                self.cut_limit(f64::from(in_flight));
            }
        }
    }

    /// Starts anew after the endpoint was away: it is given no more than `start` calls at first.
    pub(super) fn restart_at(&mut self, start: u32) {
        self.limit = self.limit.min(f64::from(start.max(1)));
        (self.rested, self.trial) = (0.0, None);
    }

    fn raise_limit(&mut self) {
        let Some(level) = self.level else {
            return self.limit = (self.limit + 1.0).min(self.most);
        };
        let resting = level - (MARGIN * level).floor();
        if self.limit < resting {
            let step = (1.0 - DEEP_CUT) * level / self.limit;
            self.limit = (self.limit + step).min(resting);
        } else if self.rested < self.rest {
            self.rested += 1.0 / self.limit;
        } else {
            let step = 1.0 + (self.limit - level).max(0.0) / 4.0;
            self.limit = (self.limit + step / self.limit).min(self.most);
        }
    }

    fn cut_limit(&mut self, in_flight: f64) {
        let level = in_flight.clamp((self.limit / 2.0).max(1.0), self.limit);
        let was_beyond = self.level.is_some() && self.rested >= self.rest;
        let kept = if was_beyond {
            STEP_BACK
        } else if self.rested > 0.0 {
            CUT
        } else {
            DEEP_CUT
        };
        self.limit = (kept * level).max(1.0);
        self.level = Some(level);
        // The rest is longer each time that going beyond the level was in vain.
        self.rest = if was_beyond {
            (2.0 * self.rest).min(LONGEST_REST)
        } else {
            FIRST_REST
        };
        self.rested = 0.0;
        (self.strain, self.refused, self.trial) = (0.0, 0.0, None);
        self.cuts = self.cuts.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A window of replies while the limit is used in full.
    fn window(limit: &mut Limit) {
        (0..limit.calls()).for_each(|_| limit.record_reply(limit.cuts, limit.calls()));
    }

    #[test]
    fn it_doubles_with_each_window_until_the_first_pressure() {
        let mut limit = Limit::new(4, 100);
        let mut levels = Vec::new();
        for _ in 0..6 {
            levels.push(limit.calls());
            window(&mut limit);
        }
        assert_eq!(levels, [4, 8, 16, 32, 64, 100]);
    }

    /// As many refusals as are pressure, long after the last.
    fn refuse(limit: &mut Limit, in_flight: u32) {
        limit.latest = 0;
        let cuts = limit.cuts;
        (0..3).for_each(|_| limit.record_refusal(cuts, in_flight));
    }

    #[test]
    fn it_rests_under_the_level_of_the_pressure_and_goes_above_it_by_one() {
        let mut limit = Limit::new(64, 512);
        refuse(&mut limit, 40);
        assert_eq!(limit.calls(), 28); // 0.7 * 40
        window(&mut limit);
        window(&mut limit);
        assert_eq!(limit.calls(), 38); // 40 - floor(0.05 * 40)
        (0..7).for_each(|_| window(&mut limit));
        assert_eq!(limit.calls(), 38);
        (0..3).for_each(|_| window(&mut limit));
        assert!((39..=41).contains(&limit.calls()), "{limit:?}");
    }

    #[test]
    fn a_rest_is_twice_as_long_when_going_above_was_in_vain() {
        let mut limit = Limit::new(64, 512);
        refuse(&mut limit, 40);
        let mut rests = Vec::new();
        for _ in 0..5 {
            let before = limit.level.unwrap();
            let windows = (1..)
                .find(|_| {
                    window(&mut limit);
                    f64::from(limit.calls()) > before
                })
                .unwrap();
            rests.push(windows);
            let others = limit.calls() - 1;
            refuse(&mut limit, others);
        }
        assert!(
            rests.windows(2).take(3).all(|pair| pair[1] > pair[0] + 6),
            "{rests:?}"
        );
        assert!(rests[4] < 80, "{rests:?}");
    }

    #[test]
    fn it_is_cut_once_for_all_that_was_sent_before_the_cut() {
        let mut limit = Limit::new(64, 512);
        (0..30).for_each(|_| limit.record_refusal(0, 60));
        assert_eq!(limit.calls(), 42);
        refuse(&mut limit, 42);
        assert_eq!(limit.calls(), 29);
    }

    /// The mean limit over 4000 results, of which so many in a hundred are refusals, whatever the
    /// limit is.
    fn mean_limit(refused: u32) -> f64 {
        let mut limit = Limit::new(16, 128);
        let mut sum = 0.0;
        for at in 0..4000_u32 {
            // Without structure: a multiplicative hash (Knuth).
            let drawn = (at.wrapping_mul(2_654_435_769) ^ at).wrapping_mul(2_246_822_519) >> 8;
            let (cuts, calls) = (limit.cuts, limit.calls());
            match drawn % 100 < refused {
                true => limit.record_refusal(cuts, calls),
                false => limit.record_reply(cuts, calls),
            }
            sum += f64::from(limit.calls());
        }
        sum / 4000.0
    }

    #[test]
    fn a_share_of_refusals_that_no_cut_ends_is_no_pressure() {
        for refused in [0, 1, 3, 5, 10, 20, 30, 50, 60] {
            let mean = mean_limit(refused);
            println!("{refused} % refused: {mean:.0} at once");
            assert!(mean > 24.0, "{refused} %: {mean}");
        }
        // Nearly all: that may be a rate that is kept.
        assert!(mean_limit(90) < 3.0);
    }

    #[test]
    fn one_lost_call_in_fifty_is_no_pressure_and_a_burst_is() {
        let mut limit = Limit::new(8, 8);
        for _ in 0..100 {
            (0..49).for_each(|_| limit.record_reply(limit.cuts, 8));
            limit.record_loss(limit.cuts, 8);
        }
        assert_eq!(limit.calls(), 8);
        (0..3).for_each(|_| limit.record_loss(0, 7));
        assert_eq!(limit.calls(), 4);
    }

    #[test]
    fn it_does_not_grow_while_it_is_not_used_and_never_falls_under_one() {
        let mut limit = Limit::new(10, 100);
        (0..1000).for_each(|_| limit.record_reply(limit.cuts, 7));
        assert_eq!(limit.calls(), 10);
        (0..50).for_each(|_| refuse(&mut limit, 0));
        assert_eq!(limit.calls(), 1);
        (0..10_000).for_each(|_| limit.record_reply(limit.cuts, limit.calls()));
        assert_eq!(limit.calls(), 100);
    }
}
