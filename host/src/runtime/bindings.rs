//! Host traits of the Spin interfaces, generated from `host/wit`.
//!
//! Owns nothing but the generated code. The synchronous functions of
//! `spin:sqlite` are asynchronous in the host, because BEGIN waits for the
//! writer's turn; only the two counters answer at once.

// The derives inside the generated code contain `unsafe impl`s of the runtime's
// own making; no line of this module is written by hand.
#![allow(unsafe_code, missing_docs, unreachable_pub)]

wasmtime::component::bindgen!({
    path: "wit",
    world: "spindle:host/capabilities",
    imports: { default: async | trappable },
    with: {
        "spin:sqlite/sqlite.connection": crate::capabilities::sqlite::GuestConnection,
        "spin:key-value/key-value.store": crate::capabilities::key_value::GuestStore,
    },
});
