//! The generated code of the world `spindle:app`, from `host/wit/app`.

#![allow(missing_docs, unreachable_pub)]

wit_bindgen::generate!({
    path: "wit",
    world: "app",
    generate_all,
    runtime_path: "::wit_bindgen::rt",
    additional_derives: [PartialEq],
    pub_export_macro: true,
    default_bindings_module: "spindle_app::bindings",
});
