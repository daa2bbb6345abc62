//! The types of the world `spindle:app` and the call of its function, generated from `host/wit/app`.

// The derives in the generated code contain `unsafe impl`s of wasmtime; no line of this module is
// written by hand.
#![allow(unsafe_code, missing_docs, unreachable_pub)]

wasmtime::component::bindgen!({
    path: "../wit/app",
    world: "app",
});
