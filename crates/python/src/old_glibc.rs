//! Functions that newer versions of glibc have under new names: with them, the wheel would be for
//! systems from 2022 on alone.
#![allow(
    unsafe_code,
    reason = "symbols of C's library are defined here, with their meaning"
)]

/// Returns the length of the hypotenuse, in place of `hypotf` of glibc 2.35, which drawing calls.
#[unsafe(no_mangle)]
extern "C" fn hypotf(x: f32, y: f32) -> f32 {
    libm::hypotf(x, y)
}

/// Returns the same in place of `hypot` of glibc 2.35, which matrices and curves call.
#[unsafe(no_mangle)]
extern "C" fn hypot(x: f64, y: f64) -> f64 {
    libm::hypot(x, y)
}
