//! Host traits of the Spin interfaces, generated from `host/wit`.
//!
//! Owns only the generated code; `runtime::imports` implements the traits. The synchronous functions of `spin:sqlite`
//! are asynchronous in the host, because BEGIN waits for the writer lock; only the two counters return immediately.

// The derives in the generated code contain `unsafe impl`s of wasmtime; no line of this module is
// written by hand.
#![allow(unsafe_code, missing_docs, unreachable_pub)]

wasmtime::component::bindgen!({
    path: "../wit",
    world: "spindle:host/capabilities",
    imports: { default: async | trappable },
});
