//! Heroku: deploy hooks, and webhooks of apps.
//!
//! Ignored: releases and builds of webhooks that are still pending, since their result follows. Heroku signs webhooks in
//! Base64, which is not checked.

use crate::message::event;
use crate::text::{block, bold, code, escape, joined, link};
use crate::{Call, Integration, Message, Node, Outcome};

pub(crate) static HEROKU: Integration = Integration {
    name: "heroku",
    display_name: "Heroku",
    setup: "App > More > View webhooks > Create webhook\n\
            Payload URL: ADDRESS",
    events: EVENTS,
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

const EVENTS: &[&str] = &[
    "addon",
    "addon-attachment",
    "app",
    "build",
    "collaborator",
    "deploy",
    "domain",
    "dyno",
    "formation",
    "release",
    "sni-endpoint",
];

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    if body.at("app").exists() && body.at("head").exists() {
        return hook(body).into();
    }
    let data = body.at("data");
    let resource = body.at("resource").str();
    let app = data.first(&["app/name", "name"]).str();
    if resource.is_empty() || app.is_empty() {
        return Outcome::Unknown;
    }
    if data.at("status").str() == "pending" {
        return Outcome::Ignored;
    }
    let who = escape(body.first(&["actor/email", "data/user/email"]).str());
    let by = if who.is_empty() {
        who
    } else {
        format!(" by {who}")
    };
    let state = match data.at("status").str() {
        "succeeded" => "**succeeded**".to_owned(),
        "failed" => "**failed**".to_owned(),
        "" => "was **updated**".to_owned(),
        other => format!("is {}", bold(other)),
    };
    let said = match resource {
        "release" => {
            let version = data.at("version").text();
            format!(
                "Release **v{}** of {}{by} {state}: {}",
                escape(&version),
                bold(app),
                escape(data.at("description").str())
            )
        }
        "build" => {
            let log = data.at("output_stream_url").str();
            format!("{} of {}{by} {state}.", link("Build", log), bold(app))
        }
        _ => {
            let name = data.first(&["hostname", "name", "email", "type"]).str();
            let name = if name == app || name.is_empty() {
                String::new()
            } else {
                format!(" {}", bold(name))
            };
            let done = match body.at("action").str() {
                "create" => "created",
                "destroy" => "destroyed",
                _ => "updated",
            };
            let state = match data.at("state").str() {
                "" => String::new(),
                state => format!(", state {}", bold(state)),
            };
            format!(
                "The {}{name} of {} was **{done}**{by}{state}.",
                escape(resource),
                bold(app)
            )
        }
    };
    Message::new(event(EVENTS, resource), app, [&*said]).into()
}

fn hook(body: Node<'_>) -> Message {
    let app = body.at("app").str();
    let said = format!(
        "{} deployed {} of {}{}.",
        escape(body.at("user").str()),
        code(body.at("head").str()),
        link(app, body.at("url").str()),
        match body.at("release").str() {
            "" => String::new(),
            release => format!(" as {}", bold(release)),
        },
    );
    let log = body.at("git_log").str();
    let log: Vec<&str> = log
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let log = joined(
        log.iter().take(20).map(|line| {
            let line = line.strip_prefix("* ").unwrap_or(line);
            format!("* {}", escape(line))
        }),
        "\n",
    );
    let error = block(body.at("error").str(), "");
    Message::new("deploy", app, [&*said, &*log, &*error])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::HEROKU;
    use crate::Outcome;
    use crate::testing::{message, outcome};

    #[test]
    fn deploy_hooks_list_commits() {
        let body = json!({"app": "shop", "user": "ann@x.org", "url": "https://shop.herokuapp.com", "head": "3eb5f44",
            "git_log": "  * Ann: Fix *it*\n  * Bob: a_b", "release": "v9"});
        let said = message(&HEROKU, &[], &body);
        assert_eq!((said.event, &*said.topic), ("deploy", "shop"));
        assert_eq!(
            said.content,
            "ann@x.org deployed `3eb5f44` of [shop](https://shop.herokuapp.com) as **v9**.\n\
             * Ann: Fix &#42;it&#42;\n* Bob: a_b"
        );
    }

    #[test]
    fn webhooks_of_apps() {
        let mut body = json!({"resource": "release", "action": "update", "actor": {"email": "ann@x.org"},
            "data": {"app": {"name": "shop"}, "version": 10, "status": "succeeded", "description": "Deploy 3eb5f44"}});
        let said = message(&HEROKU, &[], &body);
        assert_eq!((said.event, &*said.topic), ("release", "shop"));
        assert_eq!(
            said.content,
            "Release **v10** of **shop** by ann@x.org **succeeded**: Deploy 3eb5f44"
        );
        body["data"]["status"] = json!("pending");
        assert_eq!(outcome(&HEROKU, &[], &body), Outcome::Ignored);
        let body = json!({"resource": "dyno", "action": "update", "data": {"app": {"name": "shop"}, "name": "web.1", "state": "crashed"}});
        let said = message(&HEROKU, &[], &body);
        assert_eq!(
            said.content,
            "The dyno **web.1** of **shop** was **updated**, state **crashed**."
        );
    }
}
