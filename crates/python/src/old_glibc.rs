//! Functions that newer versions of glibc have under new names: with them, the wheel would be for
//! systems from 2022 on alone.
#![allow(
    unsafe_code,
    reason = "a symbol of C's library is defined here, with its meaning"
)]

/// Returns the length of the hypotenuse, in place of `hypotf` of glibc 2.35, which drawing calls.
#[unsafe(no_mangle)]
extern "C" fn hypotf(x: f32, y: f32) -> f32 {
    libm::hypotf(x, y)
}
