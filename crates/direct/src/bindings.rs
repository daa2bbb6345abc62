//! The generated code of the interface `spindle:direct`.
//!
//! `answer` is exported as a function that returns when it is done: it needs none of the machinery of exports that
//! serve several requests concurrently. This module is generated.

#![allow(missing_docs, unreachable_pub)]

spin_sdk::wit_bindgen::generate!({
    path: "../../host/wit/deps/spindle-direct@1.0.0",
    world: "component",
    runtime_path: "::spin_sdk::wit_bindgen::rt",
    async: ["-export:spindle:direct/handler@1.0.0#answer"],
    pub_export_macro: true,
    default_bindings_module: "spindle_direct::bindings",
});
