//! Gogs, from which Gitea comes: it sends the same bodies, of fewer events.

use crate::forge::BRANCHES;
use crate::{Call, Integration, Outcome, Proof, gitea};

pub(crate) static GOGS: Integration = Integration {
    name: "gogs",
    display_name: "Gogs",
    setup: "Settings > Webhooks > Add a new webhook > Gogs\n\
            Payload URL: ADDRESS\n\
            Content type: application/json\n\
            Secret: SECRET",
    events: &[
        "create",
        "delete",
        "fork",
        "issue_comment",
        "issues",
        "pull_request",
        "push",
        "release",
    ],
    url_options: &[BRANCHES],
    proof: Some(Proof::Sha256 {
        header: "x-gogs-signature",
        prefix: "",
    }),
    delivery_header: Some("x-gogs-delivery"),
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    gitea::read_as(call, true)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::GOGS;
    use crate::testing::message;

    #[test]
    fn forks_come_from_the_repository() {
        let body = json!({"sender": {"login": "ann"}, "repository": {"name": "shop", "full_name": "org/shop"},
            "forkee": {"name": "kiosk", "full_name": "ann/kiosk"}});
        let said = message(&GOGS, &[], &body);
        assert_eq!(
            (&*said.topic, &*said.content),
            ("shop / forks", "ann forked org/shop to ann/kiosk.")
        );
    }

    #[test]
    fn branches_of_a_pull_request_have_other_names() {
        let body = json!({"action": "opened", "number": 2, "sender": {"login": "ann"}, "repository": {"name": "shop"},
            "pull_request": {"number": 2, "title": "Speed", "html_url": "https://g.example/2", "body": "",
                "head_branch": "fast", "head_repo": {"full_name": "bob/shop", "owner": {"username": "bob"}},
                "base_branch": "main", "base_repo": {"full_name": "org/shop"}}});
        let said = message(&GOGS, &[], &body);
        assert_eq!(said.topic, "shop / PR #2 Speed");
        assert_eq!(
            said.content,
            "ann opened [PR #2 Speed](https://g.example/2) from `bob:fast` to `main`."
        );
    }
}
