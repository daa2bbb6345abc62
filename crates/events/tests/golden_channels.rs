//! Golden forms of channels that are added, archived and unarchived, for queues with and without
//! `archived_channels` (docs/protocol/events.md#capabilities).

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{given, object, queue};
use serde_json::{Value, json};
use spindle_domain::{ChannelId, UserId};
use spindle_events::kinds::*;
use spindle_events::{Audience, Event, Record};

const CAPABILITY: &str = "archived_channels";

fn channel() -> Record {
    object(json!({"stream_id": 3, "subscriber_count": 2}))
}

fn created(channel: &Record) -> Value {
    json!([{"id": 0, "type": "stream", "op": "create", "streams": [channel]}])
}

#[test]
fn a_channel_returns_with_its_subscriptions() {
    let back = || stream_unarchived(ChannelId(3), "s", channel(), Audience::realm());
    assert_eq!(given(&queue(&[]), back()), created(&channel()));
    let own = || {
        let record = object(json!({"stream_id": 3, "push_notifications": null}));
        let defaults = object(json!({"push_notifications": true}));
        subscription_restored(subscription_add(
            Audience::user(UserId(1)),
            vec![record],
            defaults,
        ))
    };
    assert_eq!(given(&queue(&[CAPABILITY]), own()), json!([]));
    assert_eq!(
        given(&queue(&[]), own()),
        json!([{"id": 0, "type": "subscription", "op": "add",
            "subscriptions": [{"stream_id": 3, "push_notifications": true}]}])
    );
}

/// Queues without the capability receive no changes in archived channels.
#[test]
fn subscriptions_in_archived_channels() {
    let both = |event: Event| {
        let event = subscription_in_archived(event, [4].map(ChannelId));
        [queue(&[CAPABILITY]), queue(&[])].map(|queue| given(&queue, event.clone()))
    };
    let peers = |ids: &[i64]| {
        json!([{"id": 0, "type": "subscription", "op": "peer_remove", "stream_ids": ids,
            "user_ids": [9]}])
    };
    let gone = |ids: &[i64]| {
        let ids: Vec<ChannelId> = ids.iter().copied().map(ChannelId).collect();
        subscription_peer_remove(&ids, &[UserId(9)], Audience::realm())
    };
    assert_eq!(both(gone(&[3, 4])), [peers(&[3, 4]), peers(&[3])]);
    assert_eq!(both(gone(&[4])), [peers(&[4]), json!([])]);
    assert_eq!(both(gone(&[3])), [peers(&[3]), peers(&[3])]);

    let update = |id| subscription_update(UserId(1), id, "color", json!("#aabbcc"));
    let [with_capability, without_capability] = both(update(ChannelId(4)));
    assert_eq!(
        (
            with_capability.as_array().unwrap().len(),
            without_capability
        ),
        (1, json!([]))
    );
    let [with_capability, also] = both(update(ChannelId(3)));
    assert_eq!(with_capability, also);

    let left = vec![
        (ChannelId(3), "three".to_owned()),
        (ChannelId(4), "four".to_owned()),
    ];
    let [with_capability, less] = both(subscription_remove(Audience::user(UserId(1)), &left));
    assert_eq!(
        with_capability[0]["subscriptions"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(
        less[0]["subscriptions"],
        json!([{"stream_id": 3, "name": "three"}])
    );
    // Without archived channels, the row is unchanged.
    let plain = subscription_in_archived(gone(&[3]), []);
    assert_eq!(plain, gone(&[3]));
}
