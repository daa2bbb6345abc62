//! Every statement is one of PostgreSQL, too.

use crate::query::Listed;

#[test]
fn dump_statements() {
    let mut all: Vec<&Listed> = inventory::iter::<Listed>.into_iter().collect();
    all.retain(|listed| !listed.module.contains("tests"));
    all.sort_by_key(|listed| (listed.file, listed.line, listed.texts.sqlite));
    let all: Vec<_> = all
        .iter()
        .map(|listed| {
            (
                listed.file,
                listed.line,
                listed.texts.sqlite,
                listed.texts.postgres,
            )
        })
        .collect();
    std::fs::write("/tmp/pgx/all.json", serde_json::to_string(&all).unwrap()).unwrap();
}
