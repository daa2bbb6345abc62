//! DELETE /users/{user_id}/second_factor, and `spindle admin user reset-second-factor`.

use spindle_tests::User;

use super::{audited, enrol, sign_in_without};
use crate::sessions::{PASSWORD, with_password};
use crate::support::server;
use crate::users::grant;

fn reset(actor: &User, user: &User) -> spindle_tests::Reply {
    actor.delete(&format!("/users/{}/second_factor", user.id()), &[])
}

fn person(role: &str) -> User {
    server().user_with(role, &["--password", PASSWORD])
}

#[test]
fn who_is_above_resets_it() {
    let (owner, administrator) = (server().user("owner"), server().user("administrator"));
    let (moderator, guest) = (server().user("moderator"), server().user("guest"));
    let member = with_password(server());
    enrol(&member);
    for other in [&moderator, &guest, &member] {
        reset(other, &member).error(400, "UNAUTHORIZED_PRINCIPAL");
    }
    reset(&administrator, &member).ok();
    reset(&administrator, &member).bad_request();
    sign_in_without(server(), &member).ok();
    assert_eq!(
        audited(server(), &member, "user_second%"),
        ["user_second_factor_set", "user_second_factor_reset"]
    );
    let (other_owner, other_administrator) = (person("owner"), person("administrator"));
    enrol(&other_owner);
    enrol(&other_administrator);
    reset(&administrator, &other_administrator).error(400, "UNAUTHORIZED_PRINCIPAL");
    reset(&administrator, &other_owner).error(400, "UNAUTHORIZED_PRINCIPAL");
    reset(&owner, &other_owner).error(400, "UNAUTHORIZED_PRINCIPAL");
    reset(&owner, &other_administrator).ok();
    // Nor one's own, for which there are codes.
    reset(&other_owner, &other_owner).bad_request();
    // What a privileged account may do, its administrator could otherwise do as well.
    let privileged = with_password(server());
    enrol(&privileged);
    grant(server(), &privileged, "can_create_users");
    reset(&administrator, &privileged).error(400, "UNAUTHORIZED_PRINCIPAL");
    reset(&owner, &privileged).ok();
    let path = "/users/999999999/second_factor";
    owner.delete(path, &[]).bad_request();
}

#[test]
fn the_operator_resets_it_for_all() {
    let owner = person("owner");
    enrol(&owner);
    let words = ["user", "reset-second-factor", "--email", &owner.email];
    server().admin(&words);
    sign_in_without(server(), &owner).ok();
    assert!(!server().admin_output(&words).status.success());
}
