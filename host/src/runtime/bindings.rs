//! Host traits of the Spin interfaces, generated from `host/wit`.
//!
//! Owns only the generated code. The synchronous functions of `spin:sqlite` are asynchronous in the
//! host, because BEGIN waits for the writer lock; only the two counters return at once.

// The derives in the generated code contain `unsafe impl`s of wasmtime; no line of this module is
// written by hand.
#![allow(unsafe_code, missing_docs, unreachable_pub)]

wasmtime::component::bindgen!({
    path: "wit",
    world: "spindle:host/capabilities",
    imports: { default: async | trappable },
    with: {
        "spin:sqlite/sqlite.connection": crate::capabilities::sqlite::GuestConnection,
        "spin:postgres/postgres.connection": crate::capabilities::postgres::GuestConnection,
        "spin:postgres/postgres.connection-builder": crate::capabilities::postgres::GuestBuilder,
        "spin:key-value/key-value.store": crate::capabilities::key_value::GuestStore,
    },
});
