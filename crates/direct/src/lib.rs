//! The export by which the native host calls a component directly, in addition to the one of WASI HTTP.
//!
//! Owns the interface `spindle:direct` of a component: [`export!`] makes a function from a whole request to a whole
//! response its export. It is a crate of its own because only code that comes from another crate may contain the unsafe
//! code of such an export. The encoding of the bytes is in `spindle_wire::internal::direct`.

#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
pub mod bindings;
#[cfg(target_arch = "wasm32")]
mod exchange;

#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
pub use exchange::{answer, body};

/// Exports a function `async fn(http::Request<Bytes>) -> http::Response<Bytes>` for direct calls. It may wait for its
/// imports; other instances serve other requests in the meantime.
#[macro_export]
macro_rules! export {
    ($answer:path) => {
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            struct Direct;

            impl $crate::bindings::exports::spindle::direct::handler::Guest for Direct {
                fn answer(request: Vec<u8>) -> Vec<u8> {
                    $crate::answer(request, $answer)
                }

                fn body() -> Vec<u8> {
                    $crate::body()
                }
            }

    $crate::bindings::export!(Direct with_types_in $crate::bindings);
        };
    };
}
