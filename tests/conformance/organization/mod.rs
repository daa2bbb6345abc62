//! The organization: what all its users share.

mod profile_field_rules;
mod profile_fields;
mod update_profile_field;
