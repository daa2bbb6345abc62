//! Requests of the rows about channels as objects.

use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Call, Server, unique};

use crate::Context;

pub(crate) fn request(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let others = context.others;
    let stream = match variant {
        "" => &others.public_channel,
        "other's private" => &others.private_channel,
        _ => return None,
    };
    let path = format!("/streams/{stream}");
    match operation {
        "POST /channels/create" => {
            let name = unique("made ");
            let pairs = [("name", name.as_str()), ("subscribers", "[]")];
            Some(Call::new("POST", "/channels/create").form(&pairs))
        }
        "GET /streams" => Some(Call::new("GET", "/streams")),
        "GET /streams/{stream_id}" => Some(Call::new("GET", &path)),
        "GET /get_stream_id" => {
            let record = others.user.get(&path, &[]).ok();
            let name = record["stream"]["name"].as_str().expect("a name");
            Some(Call::new("GET", "/get_stream_id").query(&[("stream", name)]))
        }
        "PATCH /streams/{stream_id}" => {
            let description = unique("in the matrix ");
            Some(Call::new("PATCH", &path).form(&[("description", &description)]))
        }
        "DELETE /streams/{stream_id}" => {
            let kind = if variant.is_empty() {
                ChannelKind::Public
            } else {
                ChannelKind::PrivateShared
            };
            let channel = fixture::channel(Server::shared(), kind, &[&others.user]);
            Some(Call::new("DELETE", &format!("/streams/{}", channel.id())))
        }
        "POST /default_streams" | "DELETE /default_streams" => {
            let method = operation.split(' ').next().expect("a method");
            Some(Call::new(method, "/default_streams").form(&[("stream_id", stream)]))
        }
        _ => None,
    }
}
