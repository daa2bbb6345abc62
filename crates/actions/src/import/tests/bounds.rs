//! The memory that an import takes, and the lengths of its texts.

use super::*;

#[test]
fn what_is_kept_in_memory_is_bounded() {
    let world = World::new();
    let db = RusqliteDb::new(&world.connection);
    let mut import = Import::begin(&db, NOW, None).unwrap();
    import.most_kept = 10_000;
    let refused = (1..1_000).find_map(|id| {
        let row = json!({"id": id, "type": 1, "type_id": id});
        let row = Columns::from(row.as_object().unwrap().clone());
        import.row("zerver_recipient", &row).err()
    });
    assert!(refused.unwrap().to_string().contains("of memory"));
}

#[test]
fn a_row_has_few_columns_and_unknown_ones_are_not_parsed() {
    let columns = |count: usize| {
        let columns: Vec<String> = (0..count)
            .map(|number| format!("\"c{number}\": 1"))
            .collect();
        format!("{{{}}}", columns.join(","))
    };
    assert!(Columns::parse(columns(1_000).as_bytes()).is_ok());
    let refused = Columns::parse(columns(1_001).as_bytes()).unwrap_err();
    assert!(refused.to_string().contains("1000 columns"), "{refused}");
    // Deeper than the parser goes. Only a read of the value shows it.
    let deep = format!(
        "{{\"id\": 7, \"more\": {}{}}}",
        "[".repeat(5_000),
        "]".repeat(5_000)
    );
    let deep = Columns::parse(deep.as_bytes()).unwrap();
    assert_eq!(deep.key(), Some(7));
    assert_eq!(deep.values()["more"], json!([]));
}

#[test]
fn texts_are_cut_and_notes_say_so() {
    let mut long = person(13, 400);
    long["full_name"] = json!("n".repeat(1_000));
    let rows = archive()
        .with("zerver_userprofile", long)
        .with(
            "zerver_stream",
            json!({"id": 21, "name": "c".repeat(500), "description": "d".repeat(5_000),
            "rendered_description": "<script>"}),
        )
        .with(
            "zerver_message",
            json!({"id": 2001, "sender": 10, "recipient": 120, "subject": "t".repeat(500),
            "content": "x ".repeat(100_000), "rendered_content": "<script>", "date_sent": 9.0}),
        );
    let world = World::new();
    let imported = world.import(&rows, None).unwrap();
    for (sql, expected) in [
        ("SELECT length(full_name) FROM users WHERE id = 13", 100),
        ("SELECT length(name) FROM channels WHERE id = 21", 60),
        (
            "SELECT length(description) FROM channels WHERE id = 21",
            1024,
        ),
        ("SELECT length(topic) FROM messages WHERE id = 2001", 60),
        (
            "SELECT length(content) FROM messages WHERE id = 2001",
            100_000,
        ),
        (
            "SELECT count(*) FROM messages WHERE rendered_content LIKE '%<script%'",
            0,
        ),
        (
            "SELECT count(*) FROM channels WHERE rendered_description LIKE '%<script%'",
            0,
        ),
    ] {
        assert_eq!(world.number(sql), expected, "{sql}");
    }
    for what in [
        "names of people",
        "names of channels",
        "descriptions of channels",
        "topics",
        "messages",
    ] {
        let is_noted = |note: &String| note.starts_with(what) && note.ends_with("were cut");
        assert!(
            imported.notes.keys().any(is_noted),
            "{what}: {:?}",
            imported.notes
        );
    }
}
