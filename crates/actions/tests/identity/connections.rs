//! The company accounts of a person, and the providers of a server.

use spindle_actions::ActionError;
use spindle_actions::account::authenticate_session;
use spindle_actions::identity::{configure, connections, disconnect};
use spindle_domain::IdentityId;

use super::{NOW, actor_of, claims, provider, rules, session_of, world};
use crate::support::{REALM, START, World};

#[test]
fn the_last_way_stays_connected() {
    let world = world();
    let session = session_of(&world, &rules(), &claims("1", "carla@x.org"));
    let carla = actor_of(&world, &session);
    let own = connections(&world.db(), &carla).unwrap();
    let id = own[0].id;
    let refused = disconnect(&world.db(), &carla, NOW, id);
    assert!(matches!(refused, Err(ActionError::BadRequest(_))));
    let others = disconnect(&world.db(), &world.owner(), NOW, id);
    let missing = disconnect(&world.db(), &carla, NOW, IdentityId(id.get() + 1));
    for refused in [others, missing] {
        assert!(matches!(refused, Err(ActionError::NotFound(_))));
    }
    world.run(
        "UPDATE users SET password_hash = 'x' WHERE id = ?1",
        [carla.user_id.get()],
    );
    disconnect(&world.db(), &carla, NOW, id).unwrap();
    assert!(connections(&world.db(), &carla).unwrap().is_empty());
    // The session stays.
    assert!(authenticate_session(&world.db(), &session.token, NOW).is_ok());
}

#[test]
fn there_are_sixteen_providers_at_most() {
    let world = World::new();
    let many: Vec<_> = (0..17).map(|n| provider(&format!("p{n}"), n)).collect();
    assert!(configure(&world.db(), REALM, START, &many).is_err());
    configure(&world.db(), REALM, START, &many[..16]).unwrap();
}
