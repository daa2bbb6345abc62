//! Tests of the statements of invitations.

use super::*;
use crate::testing::{self, TestDatabase};

fn new<'a>(
    inviter_id: UserId,
    nonce: &'a [u8; 16],
    email: Option<(&'a str, &'a str)>,
) -> NewInvitation<'a> {
    NewInvitation {
        realm_id: RealmId::ONLY,
        inviter_id,
        nonce,
        email,
        invited_as: Role::Member,
        created_at: 100,
        lifetime: Some(60),
        notifies_inviter: true,
        joins_defaults: true,
        channel_ids: "[]",
        group_ids: "[3]",
        welcome_text: None,
    }
}

fn ids(rows: &[InvitationRow]) -> Vec<InvitationId> {
    rows.iter().map(|row| row.id).collect()
}

#[test]
fn an_invitation_is_open_until_it_ends() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let ann = testing::user(&tx, "ann@x.org");
    let bob = testing::user(&tx, "bob@x.org");
    let one = insert(&tx, &new(ann, &[1; 16], Some(("C@x.org", "c@x.org")))).unwrap();
    let endless = NewInvitation {
        lifetime: None,
        ..new(bob, &[2; 16], None)
    };
    let two = insert(&tx, &endless).unwrap();
    assert_eq!(
        ids(&open(&tx, RealmId::ONLY, 159, None).unwrap()),
        [one, two]
    );
    assert_eq!(ids(&open(&tx, RealmId::ONLY, 160, None).unwrap()), [two]);
    assert_eq!(
        ids(&open(&tx, RealmId::ONLY, 159, Some(bob)).unwrap()),
        [two]
    );
    let inviters = |now| inviters_of(&tx, RealmId::ONLY, now, "c@x.org");
    assert_eq!(inviters(159), Ok(vec![ann]));
    assert_eq!(inviters(160), Ok(vec![]));
    renew(&tx, one, 200).unwrap();
    renew(&tx, two, 200).unwrap();
    assert_eq!(
        ids(&open(&tx, RealmId::ONLY, 259, None).unwrap()),
        [one, two]
    );
    assert_eq!(
        use_of_address(&tx, RealmId::ONLY, 210, "d@x.org").unwrap(),
        [UserId(0); 0]
    );
    assert_eq!(
        use_of_address(&tx, RealmId::ONLY, 210, "c@x.org").unwrap(),
        [ann]
    );
    assert_eq!(open_by_id(&tx, RealmId::ONLY, 210, one).unwrap(), None);
    let found = by_nonce(&tx, RealmId::ONLY, &[1; 16]).unwrap().unwrap();
    assert_eq!((found.id, found.ended_by), (one, Some(End::Use)));
    assert!(!found.is_multiuse() && found.has_expired(260) && !found.has_expired(259));
    assert_eq!(revoke_of_inviter(&tx, bob, 300).unwrap(), [two]);
    assert_eq!(
        revoke_of_inviter(&tx, bob, 300).unwrap(),
        [InvitationId(0); 0]
    );
    assert_eq!(count_since(&tx, bob, 99), Ok(1));
    assert_eq!(count_since(&tx, bob, 100), Ok(0));
}

#[test]
fn what_has_ended_long_ago_is_deleted() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let ann = testing::user(&tx, "ann@x.org");
    let expired = insert(&tx, &new(ann, &[1; 16], None)).unwrap();
    let used = insert(&tx, &new(ann, &[2; 16], None)).unwrap();
    end(&tx, used, 110, End::Revocation).unwrap();
    assert_eq!(any_ended_before(&tx, 110), Ok(false));
    assert_eq!(any_ended_before(&tx, 111), Ok(true));
    assert_eq!(delete_ended_before(&tx, 160), Ok(1));
    assert_eq!(ids(&open(&tx, RealmId::ONLY, 0, None).unwrap()), [expired]);
    assert_eq!(delete_ended_before(&tx, 161), Ok(1));
    let again = insert(&tx, &new(ann, &[1; 16], None));
    assert!(again.is_ok(), "the nonce is free again");
}

#[test]
fn a_nonce_is_of_one_invitation() {
    let database = TestDatabase::with_realm();
    let tx = database.tx();
    let ann = testing::user(&tx, "ann@x.org");
    insert(&tx, &new(ann, &[1; 16], None)).unwrap();
    let again = insert(&tx, &new(ann, &[1; 16], None));
    assert!(matches!(again, Err(DbError::NotUnique(_))));
}
