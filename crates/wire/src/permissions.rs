//! Parameters that set permissions: one for each entry of a table of permissions.
//!
//! Owns how the two forms are read (docs/protocol/permissions.md#group-setting-value): a plain
//! value when something is created, `{new, old}` when it is changed. Whether a value may be stored
//! needs state and is decided in the actions.

use spindle_domain::GroupSettingValue;
use spindle_domain::group_setting::GroupSettingUpdate;
use spindle_domain::permission::PermissionSetting;

use crate::{ApiError, Params};

/// A permission and what a client sent for it.
pub type Sent<T> = (&'static PermissionSetting, T);

/// The permissions of the table that were sent in creation form, in the order of the table.
///
/// # Errors 400 naming the first parameter that is neither an integer nor an object with
/// `direct_members` and `direct_subgroups`, and the path in its value.
pub fn values(
    params: &Params<'_>,
    table: &'static [PermissionSetting],
) -> Result<Vec<Sent<GroupSettingValue>>, ApiError> {
    read(table, |name| params.optional(name))
}

/// The permissions of the table that were sent in update form, in the order of the table.
///
/// # Errors 400 naming the first parameter that is not an object with `new` and perhaps `old`, and
/// the path in its value.
pub fn updates(
    params: &Params<'_>,
    table: &'static [PermissionSetting],
) -> Result<Vec<Sent<GroupSettingUpdate>>, ApiError> {
    read(table, |name| params.optional(name))
}

fn read<T>(
    table: &'static [PermissionSetting],
    one: impl Fn(&'static str) -> Result<Option<T>, ApiError>,
) -> Result<Vec<Sent<T>>, ApiError> {
    let mut sent = Vec::new();
    for setting in table {
        if let Some(value) = one(setting.name)? {
            sent.push((setting, value));
        }
    }
    Ok(sent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Request;
    use spindle_domain::GroupId;
    use spindle_domain::permission::GROUP;

    fn request(body: &'static str) -> Request {
        http::Request::patch("/api/v1/user_groups/1")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(body.into())
            .unwrap()
    }

    #[test]
    fn what_was_sent_is_read_in_the_order_of_the_table() {
        let request = request("can_mention_group={\"new\":5,\"old\":6}&can_join_group={\"new\":7}");
        let params = Params::from_request(&request).unwrap();
        let sent = updates(&params, GROUP).unwrap();
        let names: Vec<_> = sent.iter().map(|(setting, _)| setting.name).collect();
        assert_eq!(names, ["can_join_group", "can_mention_group"]);
        assert_eq!(sent[1].1.old, Some(GroupSettingValue::Group(GroupId(6))));
        assert!(params.ignored().is_empty());
    }

    #[test]
    fn the_forms_are_not_mixed_and_errors_name_the_place() {
        let plain = request("can_join_group=7");
        let params = Params::from_request(&plain).unwrap();
        assert_eq!(values(&params, GROUP).unwrap().len(), 1);
        assert!(
            updates(&params, GROUP)
                .unwrap_err()
                .msg()
                .contains("can_join_group")
        );
        let text = "can_leave_group={\"new\":{\"direct_members\":[true],\"direct_subgroups\":[]}}";
        let wrong = request(text);
        let params = Params::from_request(&wrong).unwrap();
        assert!(values(&params, GROUP).is_err());
        let error = updates(&params, GROUP).unwrap_err();
        let place = "can_leave_group[\"new\"][\"direct_members\"][0]";
        assert!(error.msg().contains(place), "{}", error.msg());
    }
}
