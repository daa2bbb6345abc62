//! Apps: installing and managing them, and clicks on the buttons of their messages.
//!
//! Apps do not run here, but in the host, with no interface of a component.

mod click_button;
mod component_file;
mod get_app_log;
mod get_apps;
mod install_app;
mod remove_app;
mod update_app;
mod update_app_component;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[
    get_apps::OPERATION,
    install_app::OPERATION,
    update_app::OPERATION,
    update_app_component::OPERATION,
    remove_app::OPERATION,
    get_app_log::OPERATION,
    click_button::OPERATION,
];

spindle_guest::component!(OPERATIONS);
