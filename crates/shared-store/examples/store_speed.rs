//! How many replies a second a shared store takes and finds:
//! `store_speed DIR_OR_URL [REPLIES] [PROCESSES]`. Each thread stands for a process. The address
//! s3://loopback/FOLDER is of a bucket in this process.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a measurement prints"
)]

use evenhand_core::{Reply, RequestKey};
use evenhand_shared_store::{SharedReply, SharedStore, Signer, StoreAddress};
use evenhand_testing::objects::ObjectServer;
use std::time::Instant;

/// Keys of one look-up.
const TOGETHER: usize = 256;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [url, rest @ ..] = words.as_slice() else {
        println!("store_speed DIR_OR_URL [REPLIES] [PROCESSES]");
        return;
    };
    let number = |at: usize, usual: usize| {
        rest.get(at)
            .and_then(|word| word.parse().ok())
            .unwrap_or(usual)
    };
    let (replies, processes) = (number(0, 100_000), number(1, 1));
    let bucket = ObjectServer::start().expect("a port");
    if url.starts_with("s3://loopback/") {
        evenhand_objects::set_environment(url.as_ref(), &bucket.environment()).expect("a bucket");
    }
    let address = StoreAddress::parse(url, |name| std::env::var(name).ok()).expect("an address");
    let keys: Vec<RequestKey> = (0..replies)
        .map(|n| RequestKey::of(&format!("request {n} of {}", std::process::id())))
        .collect();
    let open = || SharedStore::open(&address, Signer::unsigned()).expect("a store");

    let begun = Instant::now();
    std::thread::scope(|scope| {
        for part in keys.chunks(replies.div_ceil(processes)) {
            scope.spawn(move || {
                let store = open();
                for (n, key) in part.iter().enumerate() {
                    let reply = Reply {
                        text: format!("Both answers are of use; the first says more. [[A]] {n}"),
                        answers: Some(vec![0.75, 0.25]),
                        ..Reply::default()
                    };
                    let (raw, batch) = (None, false);
                    store.give(*key, SharedReply { reply, raw, batch });
                    if n % 20_000 == 19_999 {
                        store.flush();
                    }
                }
                store.flush();
                assert_eq!(store.counts().given, part.len() as u64);
            });
        }
    });
    let seconds = begun.elapsed().as_secs_f64();
    println!("given: {:.0} replies/s", replies as f64 / seconds);

    let begun = Instant::now();
    let store = open();
    println!("opened: {:.3} s", begun.elapsed().as_secs_f64());
    drop(store);
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for part in keys.chunks(replies.div_ceil(processes)) {
            scope.spawn(move || {
                let store = open();
                let found = part.chunks(TOGETHER).map(|keys| store.find(keys).len());
                assert_eq!(found.sum::<usize>(), part.len());
            });
        }
    });
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "found, {TOGETHER} at once, opening included: {:.0} replies/s",
        replies as f64 / seconds
    );
}
