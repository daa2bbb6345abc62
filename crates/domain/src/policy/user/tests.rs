//! Each rule of [`super`], with the roles at its edges.

use super::*;

#[test]
fn a_restricted_guest_sees_partners_and_bots_only() {
    let stranger = SeeUserFacts {
        is_self: false,
        sees_all_users: false,
        shares_conversation: false,
        target_is_bot: false,
    };
    assert!(!may_see_user(&stranger).is_allowed());
    assert!(
        may_see_user(&SeeUserFacts {
            is_self: true,
            ..stranger
        })
        .is_allowed()
    );
    assert!(
        may_see_user(&SeeUserFacts {
            sees_all_users: true,
            ..stranger
        })
        .is_allowed()
    );
    assert!(
        may_see_user(&SeeUserFacts {
            shares_conversation: true,
            ..stranger
        })
        .is_allowed()
    );
    assert!(
        may_see_user(&SeeUserFacts {
            target_is_bot: true,
            ..stranger
        })
        .is_allowed()
    );
}

#[test]
fn the_real_address_is_shown_as_far_as_its_owner_allows() {
    // owner, administrator, moderator, member, guest
    let table = [
        (1, [true, true, true, true, true]),
        (2, [true, true, true, true, false]),
        (3, [true, true, false, false, false]),
        (4, [false, false, false, false, false]),
        (5, [true, true, true, false, false]),
    ];
    for (visibility, expected) in table {
        let found =
            Role::ALL.map(|role| may_see_delivery_email(visibility, role, false).is_allowed());
        assert_eq!(found, expected, "{visibility}");
        assert!(may_see_delivery_email(visibility, Role::Guest, true).is_allowed());
    }
}

#[test]
fn administering_needs_an_administrator_and_ending_an_owner_needs_an_owner() {
    let facts = |actor_role, target_role| AdministerFacts {
        actor_role,
        target_role,
        actor_owns_target: false,
        target_is_bot: false,
        target_is_privileged: false,
        target_is_last_owner: false,
    };
    let change = |actor, target| may_administer_user(&facts(actor, target));
    let end = |actor, target| may_deactivate_user(&facts(actor, target));
    assert!(change(Role::Administrator, Role::Owner).is_allowed());
    assert_eq!(
        change(Role::Moderator, Role::Guest),
        Verdict::Denied(Reason::AdministratorRequired)
    );
    assert!(end(Role::Administrator, Role::Member).is_allowed());
    assert_eq!(
        end(Role::Administrator, Role::Owner),
        Verdict::Denied(Reason::OwnerRequired)
    );
    assert!(end(Role::Owner, Role::Owner).is_allowed());
    assert!(!end(Role::Moderator, Role::Guest).is_allowed());
    let last = AdministerFacts {
        target_is_last_owner: true,
        ..facts(Role::Owner, Role::Owner)
    };
    assert_eq!(
        may_deactivate_user(&last),
        Verdict::Denied(Reason::LastOwner)
    );
    let own_bot = AdministerFacts {
        actor_owns_target: true,
        ..facts(Role::Member, Role::Member)
    };
    assert!(may_administer_user(&own_bot).is_allowed());
    let privileged = AdministerFacts {
        target_is_bot: true,
        target_is_privileged: true,
        ..own_bot
    };
    assert_eq!(
        may_administer_user(&privileged),
        Verdict::Denied(Reason::OwnerRequired)
    );
}

#[test]
fn a_password_link_is_for_accounts_of_a_lower_role() {
    // The role of the account: owner, administrator, moderator, member, guest.
    let table = [
        (Role::Owner, [true; 5]),
        (Role::Administrator, [false, false, true, true, true]),
        (Role::Moderator, [false; 5]),
        (Role::Member, [false; 5]),
        (Role::Guest, [false; 5]),
    ];
    for (actor_role, expected) in table {
        let facts = |target_role, target_is_privileged| AdministerFacts {
            actor_role,
            target_role,
            actor_owns_target: false,
            target_is_bot: false,
            target_is_privileged,
            target_is_last_owner: false,
        };
        let plain = Role::ALL.map(|role| may_make_password_link(&facts(role, false)));
        assert_eq!(plain.map(Verdict::is_allowed), expected, "{actor_role:?}");
        let privileged = Role::ALL.map(|role| may_make_password_link(&facts(role, true)));
        let for_owners = [actor_role.is_owner(); 5];
        assert_eq!(
            privileged.map(Verdict::is_allowed),
            for_owners,
            "{actor_role:?}"
        );
    }
}

#[test]
fn a_bot_with_the_role_of_an_owner_is_for_owners_and_whom_it_belongs_to() {
    let change = |actor_role, target_role, actor_owns_target| {
        may_administer_user(&AdministerFacts {
            actor_role,
            target_role,
            actor_owns_target,
            target_is_bot: true,
            target_is_privileged: false,
            target_is_last_owner: false,
        })
    };
    let owners = Verdict::Denied(Reason::OwnerRequired);
    assert!(change(Role::Owner, Role::Owner, false).is_allowed());
    assert_eq!(change(Role::Administrator, Role::Owner, false), owners);
    assert_eq!(change(Role::Moderator, Role::Owner, false), owners);
    assert!(change(Role::Administrator, Role::Owner, true).is_allowed());
    assert!(change(Role::Member, Role::Owner, true).is_allowed());
    assert!(change(Role::Administrator, Role::Administrator, false).is_allowed());
    assert!(change(Role::Member, Role::Administrator, true).is_allowed());
}

#[test]
fn roles_change_only_by_the_rules() {
    let change = |actor_role, from, to, is_last_owner| {
        may_change_role(&RoleChangeFacts {
            actor_role,
            from,
            to,
            is_last_owner,
        })
    };
    assert!(change(Role::Administrator, Role::Member, Role::Guest, false).is_allowed());
    assert!(change(Role::Owner, Role::Member, Role::Owner, false).is_allowed());
    for (verdict, reason) in [
        (
            change(Role::Member, Role::Guest, Role::Member, false),
            Reason::AdministratorRequired,
        ),
        (
            change(Role::Administrator, Role::Member, Role::Owner, false),
            Reason::OwnerRequired,
        ),
        (
            change(Role::Administrator, Role::Owner, Role::Member, false),
            Reason::OwnerRequired,
        ),
        (
            change(Role::Owner, Role::Owner, Role::Member, true),
            Reason::LastOwner,
        ),
        (
            change(Role::Owner, Role::Guest, Role::Administrator, false),
            Reason::GuestToAdministrator,
        ),
    ] {
        assert_eq!(verdict, Verdict::Denied(reason));
    }
}

#[test]
fn special_permissions_are_for_administrators() {
    for rule in [may_change_email, may_create_users] {
        assert!(rule(Role::Owner, true).is_allowed());
        assert!(rule(Role::Administrator, true).is_allowed());
        assert_eq!(
            rule(Role::Owner, false),
            Verdict::Denied(Reason::InsufficientPermission)
        );
        assert_eq!(
            rule(Role::Moderator, true),
            Verdict::Denied(Reason::AdministratorRequired)
        );
    }
}

#[test]
fn a_field_may_be_closed_to_its_owner() {
    assert!(may_edit_profile_field(Role::Guest, true).is_allowed());
    assert!(may_edit_profile_field(Role::Administrator, false).is_allowed());
    assert!(!may_edit_profile_field(Role::Moderator, false).is_allowed());
}

#[test]
fn a_status_is_set_by_its_owner_or_an_administrator() {
    assert!(may_set_status_of(Role::Guest, true).is_allowed());
    assert!(may_set_status_of(Role::Administrator, false).is_allowed());
    assert!(!may_set_status_of(Role::Moderator, false).is_allowed());
}

#[test]
fn own_names_and_the_settings_of_others() {
    assert!(may_change_own(Role::Guest, false).is_allowed());
    assert!(!may_change_own(Role::Moderator, true).is_allowed());
    assert!(may_change_own(Role::Administrator, true).is_allowed());
    assert!(may_change_settings_of_others(Role::Owner).is_allowed());
    assert!(!may_change_settings_of_others(Role::Moderator).is_allowed());
}

#[test]
fn bots_that_only_send_need_less() {
    let may = |role, bot_type, all, write_only| {
        may_create_bot(role, bot_type, all, write_only).is_allowed()
    };
    assert!(may(Role::Member, 1, true, false));
    assert!(!may(Role::Member, 1, false, true));
    assert!(may(Role::Member, 2, false, true));
    assert!(!may(Role::Moderator, 2, false, false));
    assert!(may(Role::Administrator, 3, false, false));
    assert!(!may(Role::Guest, 2, true, true));
}
