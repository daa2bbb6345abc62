//! The web client, the page about other clients, the page for joining, and the reference of the API.
//!
//! Owns the files of the pages, which are part of the component, and their security headers. It uses no
//! database and makes no calls: the pages request data of this server themselves, like any client.

mod client;
mod file;
mod get_api_reference;
mod get_client_file;
mod get_connect_page;
mod get_join_page;
mod get_page;
mod get_page_file;
mod template;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[
    get_page::OPERATION,
    get_connect_page::OPERATION,
    get_api_reference::OPERATION,
    get_page_file::OPERATION,
    get_client_file::AT_THE_TOP,
    get_client_file::IN_A_FOLDER,
    get_client_file::IN_A_FOLDER_BELOW,
    get_join_page::WITHOUT_KEY,
    get_join_page::WITH_KEY,
];

spindle_guest::component!(OPERATIONS);
