//! Several models behind one seam: each answers the requests that name it.

use crate::identity::{check_distinct, is_asked, unknown_model};
use crate::served::BatchApi;
use crate::{Answer, EncodedRequest, Model, ModelError, UnderWay, Work};
use evenhand_core::{CallError, Request, RequestKey};
use std::collections::VecDeque;
use std::sync::Arc;

/// Models that serve side by side, each by turns.
pub struct Team {
    members: Vec<Box<dyn Model>>,
    identity: String,
}

/// Requests that wait for a member.
struct Queue {
    identity: String,
    waiting: VecDeque<(RequestKey, Arc<Request>)>,
    under_way: UnderWay,
}

/// The work as one member sees it.
struct Share<'a> {
    member: usize,
    work: &'a mut dyn Work,
    queues: &'a mut [Queue],
}

impl Team {
    /// Makes a team of models; a request for none of them fails.
    ///
    /// # Errors
    ///
    /// [`ModelError::Open`] if two members have the same identity.
    pub fn new(members: Vec<Box<dyn Model>>) -> Result<Team, ModelError> {
        let identities = members.iter().map(|member| member.identity());
        let identities: Vec<&str> = identities.flat_map(|all| all.split('\n')).collect();
        check_distinct(&identities)?;
        let identity = identities.join("\n");
        Ok(Team { members, identity })
    }

    fn find_member(&self, request: &Request) -> Option<&dyn Model> {
        let mut members = self.members.iter().map(AsRef::as_ref);
        members.find(|member| is_asked(member.identity(), request))
    }
}

impl Model for Team {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn count_prompt_tokens(&self, request: &Request) -> Option<u64> {
        self.find_member(request)?.count_prompt_tokens(request)
    }

    fn tokens_to_think(&self, request: &Request) -> u64 {
        let member = self.find_member(request);
        member.map_or(0, |member| member.tokens_to_think(request))
    }

    fn encode_request(&self, request: &Request) -> Option<Result<EncodedRequest, CallError>> {
        self.find_member(request)?.encode_request(request)
    }

    fn open_batches(&self, judge: &str) -> Option<Result<BatchApi, ModelError>> {
        let mut members = self.members.iter();
        members.find_map(|member| member.open_batches(judge))
    }

    fn is_live(&self) -> bool {
        self.members.iter().any(|member| member.is_live())
    }

    fn check_ready(&self) -> Result<(), ModelError> {
        self.members
            .iter()
            .try_for_each(|member| member.check_ready())
    }

    fn serve(&mut self, work: &mut dyn Work) -> Result<(), ModelError> {
        let queues = self.members.iter().map(|member| Queue {
            identity: member.identity().to_string(),
            waiting: VecDeque::new(),
            under_way: UnderWay::default(),
        });
        let mut queues: Vec<Queue> = queues.collect();
        while !work.is_stopped() {
            let nothing_waits = queues.iter().all(|queue| queue.waiting.is_empty());
            // One more request is asked for where none waits.
            if nothing_waits && !pull_request(&mut queues, work) {
                break;
            }
            for (member, model) in self.members.iter_mut().enumerate() {
                let mut share = Share {
                    member,
                    work: &mut *work,
                    queues: &mut queues,
                };
                model.serve(&mut share)?;
                // Its turn ends: it has nothing under way.
                let UnderWay { read, written, .. } = share.queues[member].under_way;
                share.under_way(UnderWay {
                    read,
                    written,
                    ..UnderWay::default()
                });
            }
        }
        Ok(())
    }
}

/// Takes the next request to its member's queue; false where there is none.
fn pull_request(queues: &mut [Queue], work: &mut dyn Work) -> bool {
    let Some((key, request)) = work.next_request() else {
        return false;
    };
    let mut queues = queues.iter_mut();
    match queues.find(|queue| is_asked(&queue.identity, &request)) {
        Some(queue) => queue.waiting.push_back((key, request)),
        None => work.deliver(key, Err(unknown_model(&request)).into()),
    }
    true
}

impl Work for Share<'_> {
    fn next_request(&mut self) -> Option<(RequestKey, Arc<Request>)> {
        while self.queues[self.member].waiting.is_empty() && pull_request(self.queues, self.work) {}
        let waiting = &mut self.queues[self.member].waiting;
        waiting.pop_front().filter(|_| !self.work.is_stopped())
    }

    fn failed_before(&self, key: &RequestKey) -> bool {
        self.work.failed_before(key)
    }

    fn deliver(&mut self, key: RequestKey, answer: Answer) {
        self.work.deliver(key, answer);
    }

    fn flush(&mut self) {
        self.work.flush();
    }

    fn add_note(&mut self, note: String) {
        self.work.add_note(note);
    }

    fn add_passing_note(&mut self, note: String) {
        self.work.add_passing_note(note);
    }

    fn under_way(&mut self, now: UnderWay) {
        self.queues[self.member].under_way = now;
        let all = self.queues.iter().map(|queue| &queue.under_way);
        self.work.under_way(all.sum());
    }

    fn is_stopped(&self) -> bool {
        self.work.is_stopped()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{Simulated, Spec};
    use evenhand_core::{About, Message, Task};

    fn member(seed: u64) -> Box<dyn Model> {
        Box::new(Simulated::new(Spec::parse(&format!("seed={seed}")).unwrap(), &[]).unwrap())
    }

    fn identity(seed: u64) -> String {
        member(seed).identity().to_string()
    }

    /// Asks each member in turn, n times each; every reply makes one more request for the other
    /// member ready.
    struct Chain {
        ready: VecDeque<Request>,
        left: usize,
        delivered: Vec<String>,
    }

    fn request(judge: &str, sample: u32) -> Request {
        let task = Task::score("x");
        Request {
            judge: judge.into(),
            messages: vec![Message::user("hi")],
            task,
            sample,
            about: About::default(),
        }
    }

    impl Work for Chain {
        fn next_request(&mut self) -> Option<(RequestKey, Arc<Request>)> {
            self.ready
                .pop_front()
                .map(|request| (request.key(), Arc::new(request)))
        }

        fn deliver(&mut self, _: RequestKey, answer: Answer) {
            self.delivered
                .push(answer.result.map_or_else(|e| e.message, |_| "ok".into()));
            if self.left > 0 {
                self.left -= 1;
                let judge = identity(1 + self.left as u64 % 2);
                self.ready.push_back(request(&judge, self.left as u32));
            }
        }

        fn is_stopped(&self) -> bool {
            false
        }
    }

    #[test]
    fn each_member_answers_its_own_and_nobody_waits_for_ever() {
        let mut team = Team::new(vec![member(1), member(2)]).unwrap();
        assert_eq!(team.identity(), [identity(1), identity(2)].join("\n"));
        let mut work = Chain {
            ready: [request(&identity(2), 99)].into(),
            left: 20,
            delivered: Vec::new(),
        };
        team.serve(&mut work).unwrap();
        assert_eq!(work.delivered, vec!["ok"; 21]);
    }

    /// A model that counts tokens as it goes, as the embedded one does: 10 read and 1 written for
    /// each request.
    struct Counts {
        identity: String,
        done: u64,
    }

    impl Model for Counts {
        fn identity(&self) -> &str {
            &self.identity
        }

        fn count_prompt_tokens(&self, _: &Request) -> Option<u64> {
            None
        }

        fn serve(&mut self, work: &mut dyn Work) -> Result<(), ModelError> {
            while let Some((key, request)) = work.next_request() {
                self.done += 1;
                work.under_way(UnderWay {
                    calls: 1,
                    read: 10 * self.done,
                    written: self.done,
                    ..UnderWay::default()
                });
                work.deliver(key, Err(unknown_model(&request)).into());
            }
            Ok(())
        }
    }

    /// Hands out requests, and keeps what it is told of those under way.
    struct WaitHint {
        ready: VecDeque<Request>,
        told: Vec<UnderWay>,
    }

    impl Work for WaitHint {
        fn next_request(&mut self) -> Option<(RequestKey, Arc<Request>)> {
            self.ready
                .pop_front()
                .map(|request| (request.key(), Arc::new(request)))
        }

        fn deliver(&mut self, _: RequestKey, _: Answer) {}

        fn under_way(&mut self, now: UnderWay) {
            self.told.push(now);
        }

        fn is_stopped(&self) -> bool {
            false
        }
    }

    #[test]
    fn what_members_have_read_and_written_is_told_together() {
        let counts = |name: &str| {
            Box::new(Counts {
                identity: name.into(),
                done: 0,
            }) as Box<dyn Model>
        };
        let mut team = Team::new(vec![counts("one"), counts("two")]).unwrap();
        let ready = (0..5)
            .map(|sample| request(["one", "two"][sample % 2], sample as u32))
            .collect();
        let mut work = WaitHint {
            ready,
            told: Vec::new(),
        };
        team.serve(&mut work).unwrap();
        let last = work.told.last().unwrap();
        assert_eq!((last.read, last.written, last.calls), (50, 5, 0));
        assert!(work.told.iter().any(|told| told.calls == 1));
    }

    #[test]
    fn a_request_for_nobody_fails() {
        let mut team = Team::new(vec![member(1)]).unwrap();
        let mut work = Chain {
            ready: [request("x", 0)].into(),
            left: 0,
            delivered: Vec::new(),
        };
        team.serve(&mut work).unwrap();
        assert_eq!(work.delivered, ["no model here is x"]);
    }

    #[test]
    fn the_same_judge_twice_is_refused() {
        assert!(Team::new(vec![member(1), member(1)]).is_err());
    }
}
