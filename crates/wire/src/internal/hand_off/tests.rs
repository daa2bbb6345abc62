//! Tasks are read as they were written.

use super::*;

#[test]
fn a_hash_is_read_from_hexadecimal() {
    let hash = |credential: &str| {
        let poll = Poll {
            queue_id: String::new(),
            account: Account::alone(1),
            last_event_id: 0,
            dont_block: false,
            credential: credential.to_owned(),
        };
        poll.credential_hash()
    };
    assert_eq!(hash("00ffa0"), Some(vec![0, 255, 160]));
    assert_eq!(hash(""), None);
    assert_eq!(hash("0x"), None);
}

fn tasks() -> Vec<Task> {
    let text = str::to_owned;
    let complete = |iss: Option<&str>| Task::IdentityComplete {
        provider: text("company"),
        redirect_uri: text("https://chat.example.org/x"),
        code: text("a&b=c d"),
        nonce: text("n"),
        verifier: text("v"),
        iss: iss.map(text),
        flow: text("?mobile_flow_otp=00"),
        client: text("Firefox, größer"),
        address: text("::1"),
    };
    vec![
        Task::Poll(Poll {
            queue_id: "a-b".to_owned(),
            account: Account {
                user_id: 7,
                owner_id: Some(3),
                requests_per_minute: None,
            },
            last_event_id: -1,
            dont_block: true,
            credential: "00ff".to_owned(),
        }),
        Task::QueueDeleted(QueueDeleted {
            queue_id: "a&b=\r\nx-evil: 1".to_owned(),
            user_id: 2,
        }),
        Task::Blob("avatars/1/x.png".to_owned()),
        Task::Figures,
        Task::IdentityBegin {
            provider: text("company"),
            redirect_uri: text("https://chat.example.org/x?a=b"),
            state: text("s"),
            nonce: text("n"),
            challenge: text("c-_"),
        },
        complete(None),
        complete(Some("https://id.example.org/realms/a")),
        Task::IdentitySignOut {
            provider: text("company"),
            redirect_uri: text("https://chat.example.org/"),
        },
        Task::IdentityIcon {
            provider: text("company"),
        },
    ]
}

#[test]
fn every_task_is_read_as_it_was_written_on_both_ways() {
    for ignored in [Vec::new(), vec!["größe".to_owned(), "a\"b".to_owned()]] {
        for task in tasks() {
            let mut headers = HeaderMap::new();
            assert!(task.write_to(&ignored, &mut headers));
            let read = Task::from_headers(&headers);
            assert_eq!(read, Some((task.clone(), ignored.clone())));
            let form = task.form(&ignored);
            assert_eq!(Task::read(task.kind(), &form).as_ref(), Some(&task));
            assert_eq!(super::ignored(&form), ignored);
        }
    }
}

#[test]
fn what_is_not_complete_is_no_task() {
    for (kind, form) in [
        (Task::POLL, ""),
        (Task::POLL, "queue_id=q&user_id=1&last_event_id=0"),
        (
            Task::POLL,
            "queue_id=q&user_id=x&last_event_id=0&dont_block=true",
        ),
        (
            Task::POLL,
            "queue_id=q&user_id=1&last_event_id=0&dont_block=1",
        ),
        (Task::QUEUE_DELETED, "queue_id=q"),
        (Task::IDENTITY_BEGIN, "provider=p&redirect_uri=r&state=s"),
        (Task::IDENTITY_COMPLETE, "provider=p&code=c"),
        (Task::IDENTITY_ICON, "key=k"),
        (Task::BLOB, "queue_id=q"),
        ("other", "key=k"),
    ] {
        assert_eq!(Task::read(kind, form), None, "{kind} {form}");
    }
    assert_eq!(Task::from_headers(&HeaderMap::new()), None);
}
