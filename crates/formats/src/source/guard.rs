//! Panics of a library that damaged files bring about.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether a panic on this thread is caught, and told as an error of its file.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

static HOOK: Once = Once::new();

/// Returns what the function does; None where it panics, of which nothing is printed.
pub(crate) fn catch_panic<T>(read: impl FnOnce() -> T) -> Option<T> {
    HOOK.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_GUARDED.get() {
                print(panic);
            }
        }));
    });
    let before = IS_GUARDED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(read));
    IS_GUARDED.set(before);
    done.ok()
}
