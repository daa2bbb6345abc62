//! Scopes of API keys.

use super::*;
use spindle_actions::account::{NewKey, create_api_key};

impl Server {
    /// Credentials of the owner with a key of this scope, which ends in an hour.
    fn with_scope(&self, scope: Scope) -> (String, String) {
        let db = RusqliteDb::new(&self.connection);
        let owner = authenticate(&db, &self.owner.0, &self.owner.1, NOW).unwrap();
        let new = NewKey {
            name: "test",
            scope,
            ends: Some(NOW + 3600),
        };
        let origin = SignInOrigin::default();
        let made = create_api_key(&db, &owner.actor, NOW, &new, origin).unwrap();
        (self.owner.0.clone(), made.api_key)
    }
}

/// The status and the scope that an error asks for.
fn asked(server: &Server, caller: &(String, String), method: &str, target: &str) -> (u16, Value) {
    let (status, mut body) = server.ask(method, target, Some(caller));
    (status, body["needed_scope"].take())
}

#[test]
fn the_scope_is_checked_before_the_role_and_the_parameters() {
    let server = Server::new();
    let fine = Value::Null;
    for (scope, thing, change, admin) in [
        (Scope::Read, "everything", "everything", "administer"),
        (Scope::Everything, "", "", "administer"),
        (Scope::Administer, "", "", ""),
    ] {
        let caller = server.with_scope(scope);
        assert_eq!(
            asked(&server, &caller, "GET", "/thing"),
            (200, fine.clone())
        );
        assert_eq!(asked(&server, &caller, "GET", "/open"), (200, fine.clone()));
        for (method, target, needed) in [
            ("POST", "/thing?text=x", thing),
            ("PATCH", "/change", change),
            ("POST", "/admin?text=x", admin),
            ("POST", "/admin", admin),
        ] {
            let found = asked(&server, &caller, method, target);
            let expected = match (needed, target) {
                ("", "/admin") => (400, fine.clone()),
                ("", _) => (200, fine.clone()),
                (needed, _) => (400, needed.into()),
            };
            assert_eq!(found, expected, "{scope:?} {method} {target}");
        }
    }
}

#[test]
fn passwords_and_addresses_need_the_account() {
    let server = Server::new();
    let caller = server.with_scope(Scope::Administer);
    let account = (400, "account".into());
    assert_eq!(
        asked(&server, &caller, "PATCH", "/change?new_password=x"),
        account
    );
    assert_eq!(asked(&server, &caller, "DELETE", "/change"), account);
    let fine = (200, Value::Null);
    assert_eq!(
        asked(&server, &caller, "PATCH", "/change?new_password="),
        fine
    );
    let own = server.owner.clone();
    assert_eq!(
        asked(&server, &own, "PATCH", "/change?new_password=x"),
        fine
    );
    assert_eq!(asked(&server, &own, "DELETE", "/change"), fine);
}

#[test]
fn an_expired_key_is_a_wrong_one() {
    let server = Server::new();
    let caller = server.with_scope(Scope::Read);
    let status = |now: i64| {
        let request = request("GET", "/thing", Some(&caller), "");
        server.answer_at(&request, now).response.status().as_u16()
    };
    assert_eq!((status(NOW + 3599), status(NOW + 3600)), (200, 401));
}

#[test]
fn a_use_is_noted_once_an_hour() {
    let server = Server::new();
    let caller = server.with_scope(Scope::Read);
    let noted = |target: &str, now: i64| {
        server.answer_at(&request("GET", target, Some(&caller), ""), now);
        let sql = "SELECT last_used FROM api_keys WHERE name = 'test'";
        let read = server
            .connection
            .query_row(sql, [], |row| row.get::<_, Option<i64>>(0));
        read.unwrap()
    };
    // Polls count, failures do not.
    assert_eq!(noted("/broken", NOW), None::<i64>);
    assert_eq!(noted("/hold", NOW + 1), Some(NOW + 1));
    assert_eq!(noted("/thing", NOW + 60), Some(NOW + 1));
}
