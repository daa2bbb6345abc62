//! Channels, subscriptions and channel folders.
//!
//! Owns the operations on channels as objects and on who is subscribed to them. Messages in
//! channels belong to the component `messages`.

mod create_channel_folder;
mod get_channel_folders;
mod measure_channels;
mod reorder_channel_folders;
mod text;
mod update_channel_folder;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[
    create_channel_folder::OPERATION,
    get_channel_folders::OPERATION,
    measure_channels::OPERATION,
    reorder_channel_folders::OPERATION,
    update_channel_folder::OPERATION,
];

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: spin_sdk::http::Request) -> impl spin_sdk::http::IntoResponse {
    spindle_guest::serve(OPERATIONS, request).await
}
