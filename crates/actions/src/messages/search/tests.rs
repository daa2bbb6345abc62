//! The same searches find the same messages in both databases, whatever was typed and written.

use postgres::NoTls;
use spindle_domain::{ChannelId, ConversationId, MessageId, RealmId, UserId};
use spindle_store::message_changes::{Destination, NewText, edit, relocate};
use spindle_store::message_windows::{Filter, Side, ids};
use spindle_store::messages::{NewMessage, insert};
use spindle_store::{Connection, DbError, NativePg, SilentReason, change_silently};

use super::SearchQuery;

/// An organization with a user, a channel, and a conversation of the user alone.
const ORGANIZATION: &str = "\
    INSERT INTO realms (id, string_id, uuid, name, date_created) VALUES (1, '', 'u', 'Realm', 0); \
    INSERT INTO users (id, realm_id, email, email_folded, delivery_email, delivery_email_folded, full_name, \
        full_name_folded, role, date_joined) VALUES (1, 1, 'a', 'a', 'a', 'a', 'A', 'a', 400, 0); \
    INSERT INTO conversations (id, realm_id, kind, members_key) VALUES (1, 1, 'channel', NULL), \
        (2, 1, 'direct', '1'), (3, 1, 'channel', NULL); \
    INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, date_created) VALUES \
        (1, 1, 1, 'c', 'c', 0), (2, 1, 3, 'd', 'd', 0);";

/// Does the same in both databases.
struct Both<'d>([(&'static str, &'d dyn Connection); 2]);

impl Both<'_> {
    fn write<T: PartialEq + std::fmt::Debug>(
        &self,
        work: impl Fn(&spindle_store::WriteTx<'_>) -> Result<T, DbError>,
    ) -> T {
        let [sqlite, postgres] = self.0.map(|(name, db)| {
            let done = change_silently(db, SilentReason::Housekeeping, &work);
            done.unwrap_or_else(|error| panic!("{name}: {error}"))
        });
        assert_eq!(sqlite, postgres);
        sqlite
    }

    fn message(&self, topic: &str, content: &str) -> i64 {
        let channel_id = (!topic.is_empty()).then_some(ChannelId(1));
        let new = NewMessage {
            realm_id: RealmId::ONLY,
            sender_id: UserId(1),
            conversation_id: ConversationId(if topic.is_empty() { 2 } else { 1 }),
            channel_id,
            topic,
            topic_folded: topic,
            content,
            rendered_content: "",
            date_sent: 0,
            client: "",
            properties: 0,
            buttons: None,
        };
        self.write(|tx| insert(tx, &new)).get()
    }

    /// The messages that a search finds, the same in both.
    fn found(&self, text: &str, scope: &[&str]) -> Vec<i64> {
        let [looked_for, left_out] =
            [SearchQuery::parse, SearchQuery::parse_negated].map(|parse| {
                let query = parse(text).unwrap();
                let scope: Vec<String> = scope.iter().map(|token| (*token).to_owned()).collect();
                let [sqlite, postgres] = self.0.map(|(name, db)| {
                    let expression = query.expression(db.dialect(), &scope);
                    let base = Filter {
                        user_id: UserId(1),
                        ..Filter::default()
                    };
                    let filters = [
                        Filter {
                            search: expression.clone(),
                            ..base.clone()
                        },
                        Filter {
                            search_not: expression.clone(),
                            ..base.clone()
                        },
                        Filter {
                            search: expression,
                            ids: Some((1..100).map(MessageId).collect()),
                            ..base
                        },
                    ];
                    filters.map(|filter| {
                        let found = ids(db, &filter, Side::After, MessageId(0), 1000);
                        found.unwrap_or_else(|error| panic!("{name}: {error}: {text:.200}"))
                    })
                });
                assert_eq!(sqlite, postgres, "{text:.200}");
                let [found, others, among] = sqlite;
                assert_eq!(found, among);
                if !query.is_empty() {
                    assert!(others.iter().all(|id| !found.contains(id)));
                }
                found.iter().map(|id| id.get()).collect::<Vec<_>>()
            });
        // A last word that is not a beginning finds fewer.
        assert!(left_out.iter().all(|id| looked_for.contains(id)));
        looked_for
    }
}

fn with_both(test: impl FnOnce(&Both<'_>)) {
    let Some(server) = spindle_test_postgres::shared() else {
        return;
    };
    let database = server.database();
    let postgres = NativePg::open(&database.url(), NoTls).unwrap();
    postgres.migrate().unwrap();
    database.psql(ORGANIZATION);
    let folder = tempfile::tempdir().unwrap();
    let mut sqlite = spindle_store::open(&folder.path().join("x.db")).unwrap();
    spindle_store::migrate(&mut sqlite).unwrap();
    sqlite.execute_batch(ORGANIZATION).unwrap();
    test(&Both([("SQLite", &sqlite), ("PostgreSQL", &postgres)]));
}

#[test]
fn the_same_messages_are_found() {
    with_both(|both| {
        let long = "x".repeat(3000);
        let many = "word ".repeat(1900);
        let texts = [
            (
                "Lunch plans",
                "École isn't far, don't stop; deployed on Friday",
            ),
            ("deploy", "the friday after: deploying"),
            ("", "plain direct text with deploys"),
            ("今日 a", "東京タワーに行く ab한글"),
            (
                "Straße",
                "हिन्दी ΆΡΑ Йод 42nd e\u{301}cole under_score a-b b-a",
            ),
            ("last words", "of a topic begin not here"),
            (
                "q",
                "it's 'quoted' \\ back\\slash & | ! <-> :* (or) \"and\" near",
            ),
            ("long", &long),
            ("longer", &format!("{long}y")),
            ("many", &many),
            ("scope", "c1 s1 dm :c1 :s1"),
            ("🎉", "no words: 🎉 !!!"),
        ];
        for (topic, content) in texts {
            both.message(topic, content);
        }
        for (text, expected) in [
            ("ecole", vec![1, 5]),
            ("friday deplo", vec![1, 2]),
            ("deplo* friday", vec![1, 2]),
            ("\"deplo\"", vec![]),
            ("de", vec![]),
            ("\"on friday\"", vec![1]),
            ("\"friday on\"", vec![]),
            ("plans ecole", vec![1]),
            // Words of the topic and of the text do not follow one another.
            ("\"plans ecole\"", vec![]),
            ("\"friday lunch\"", vec![]),
            ("\"words of\"", vec![]),
            ("don't", vec![1]),
            ("京タ", vec![4]),
            ("京ワ", vec![]),
            ("ab한", vec![4]),
            ("a-b", vec![5]),
            ("ΆΡΑ", vec![5]),
            ("c1", vec![11]),
            (":dm", vec![11]),
            ("'quoted'", vec![7]),
            ("back\\slash", vec![7]),
            ("& | ! <-> or", vec![7]),
            ("a\u{0}b", vec![5]),
            ("word", vec![6, 10, 12]),
        ] {
            assert_eq!(both.found(text, &[]), expected, "{text}");
        }
        assert_eq!(both.found(&long, &[]), [8, 9]);
        assert_eq!(both.found(&format!("\"{long}\""), &[]), [8]);
        assert_eq!(both.found(&format!("\"{long}y\""), &[]), [9]);
        assert_eq!(
            both.found(&format!("\"{}\"", "word ".repeat(1900)), &[]),
            [10]
        );
        let different: String = (0..10_000).map(|number| format!("n{number} ")).collect();
        assert_eq!(both.found(&format!("\"{different}\""), &[]), [0; 0]);
        assert_eq!(both.found("deploy", &["c1"]), [1, 2]);
        assert_eq!(both.found("deploy", &["dm", "s1", "c2"]), [3]);
        assert_eq!(both.found("deploy", &["s2"]), [0; 0]);
    });
}

#[test]
fn what_is_typed_is_never_read_as_a_language() {
    with_both(|both| {
        both.message("a", "one ' two \\ three \" four");
        for text in [
            "'",
            "''",
            "\\",
            "\\'",
            "one'",
            "one''two",
            "'one' & 'two'",
            "one | nothing",
            "!nothing",
            "one <-> two",
            "one <2> two",
            "one:*",
            "one:A",
            "(one",
            "one)",
            "\u{0}",
            "one\u{0}two",
            "one*'",
            "\"one ' two\"",
            "\"one \\ two\"",
            "\u{1}one",
            "one\u{7f}",
            "\u{feff}one",
            "\u{fffd}",
            "{topic} : one",
            "one NOT two",
        ] {
            both.found(text, &[]);
        }
    });
}

#[test]
fn the_index_follows_the_messages() {
    with_both(|both| {
        let content = "green tea from Assam";
        let (first, second) = (both.message("lunch", content), both.message("", "plain"));
        let text = NewText {
            content: "black coffee",
            rendered_content: "",
            properties: 0,
        };
        both.write(|tx| edit(tx, MessageId(first), &text, 5));
        assert_eq!(both.found("green", &[]), [0; 0]);
        assert_eq!(both.found("lunch coffee", &["c1", "s1"]), [first]);
        let destination = Destination {
            channel_id: ChannelId(2),
            conversation_id: ConversationId(3),
            topic: "Tea time",
            topic_folded: "tea time",
        };
        for _ in 0..3 {
            both.write(|tx| relocate(tx, &format!("[{first}]"), &destination, Some(6)));
        }
        assert_eq!(both.found("lunch", &[]), [0; 0]);
        assert_eq!(
            both.found("\"tea time\" \"black coffee\"", &["c3", "s1"]),
            [first]
        );
        assert_eq!(both.found("\"coffee tea\"", &[]), [0; 0]);
        assert_eq!(both.found("coffee", &["c1"]), [0; 0]);
        both.write(|tx| edit(tx, MessageId(first), &text, 7));
        assert_eq!(both.found("\"tea time\" coffee", &["c3"]), [first]);
        assert_eq!(both.found("plain", &["dm"]), [second]);
    });
}
