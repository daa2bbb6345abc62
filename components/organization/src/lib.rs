//! The organization: its settings, profile fields, linkifiers, domains and playgrounds.
//!
//! Owns operations on organization-wide objects. Users, groups and channels have components of their own.

mod add_code_playground;
mod add_linkifier;
mod add_realm_domain;
mod create_profile_field;
mod deactivate_realm;
mod delete_profile_field;
mod get_audit_log;
mod get_linkifiers;
mod get_profile_fields;
mod get_realm_domains;
mod remove_code_playground;
mod remove_linkifier;
mod remove_realm_domain;
mod reorder_linkifiers;
mod reorder_profile_fields;
mod test_welcome_message;
mod update_linkifier;
mod update_profile_field;
mod update_realm;
mod update_realm_domain;
mod update_user_settings_defaults;

use spindle_guest::Operation;
use spindle_wire::Params;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[
    get_profile_fields::OPERATION,
    create_profile_field::OPERATION,
    reorder_profile_fields::OPERATION,
    update_profile_field::OPERATION,
    delete_profile_field::OPERATION,
    update_user_settings_defaults::OPERATION,
    add_linkifier::OPERATION,
    get_linkifiers::OPERATION,
    remove_linkifier::OPERATION,
    reorder_linkifiers::OPERATION,
    update_linkifier::OPERATION,
    update_realm::OPERATION,
    test_welcome_message::OPERATION,
    deactivate_realm::OPERATION,
    get_audit_log::OPERATION,
    get_realm_domains::OPERATION,
    add_realm_domain::OPERATION,
    update_realm_domain::OPERATION,
    remove_realm_domain::OPERATION,
    add_code_playground::OPERATION,
    remove_code_playground::OPERATION,
];

/// A nullable text: clients that encode other values than strings as JSON send the word `null`, which
/// means the same as an empty text.
fn nullable_text(params: &Params<'_>, name: &str) -> Option<String> {
    let text = params.optional_text(name)?;
    Some(if text == "null" { "" } else { text }.to_owned())
}

spindle_guest::component!(OPERATIONS);
