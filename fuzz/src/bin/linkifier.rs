//! The target `linkifier` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spindle_fuzz::check_linkifier(data));
