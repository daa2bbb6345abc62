//! Channels, subscriptions and channel folders.
//!
//! Owns the operations on channels as objects and on who is subscribed to them. Messages in
//! channels belong to the component `messages`.

mod add_default_channel;
mod archive_channel;
mod channel_params;
mod create_channel;
mod create_channel_folder;
mod get_channel;
mod get_channel_folders;
mod get_channel_id;
mod get_channels;
mod measure_channels;
mod remove_default_channel;
mod reorder_channel_folders;
mod text;
mod update_channel;
mod update_channel_folder;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[
    add_default_channel::OPERATION,
    archive_channel::OPERATION,
    create_channel::OPERATION,
    create_channel_folder::OPERATION,
    get_channel::OPERATION,
    get_channel_folders::OPERATION,
    get_channel_id::OPERATION,
    get_channels::OPERATION,
    measure_channels::OPERATION,
    remove_default_channel::OPERATION,
    reorder_channel_folders::OPERATION,
    update_channel::OPERATION,
    update_channel_folder::OPERATION,
];

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: spin_sdk::http::Request) -> impl spin_sdk::http::IntoResponse {
    spindle_guest::serve(OPERATIONS, request).await
}
