//! Apps in Python and JavaScript, from `spindle app new` to an answer (docs/APPS.md#other-languages).
//!
//! Making and compiling these components takes minutes, so only long runs do (`xtask/src/variants.rs`).

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use spindle_tests::server::binary;
use spindle_tests::{Options, Server, apps, until_within};

use super::{installed, run};

/// The first call compiles the component.
const COMPILED: Duration = Duration::from_secs(300);
const PAUSE: Duration = Duration::from_millis(200);

/// A folder with the app of the template.
struct Template {
    folder: tempfile::TempDir,
}

impl Template {
    fn new(language: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        run(Command::new(binary())
            .args(["app", "new", "hello-app", "--language", language])
            .current_dir(folder.path()));
        Self { folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("hello-app")
    }

    /// Runs a command of the app's README, with the programs of `tools` and `spindle`.
    fn build(&self, tools: &Path, words: &[&str]) {
        let spindle = self.folder.path().join("spindle");
        if !spindle.exists() {
            let program = std::path::absolute(binary()).expect("a path");
            std::os::unix::fs::symlink(program, &spindle).expect("a link");
        }
        let tools = std::path::absolute(tools).expect("a path");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let first = [tools, self.folder.path().to_owned()];
        let all = first.into_iter().chain(std::env::split_paths(&path));
        run(Command::new(words[0])
            .args(&words[1..])
            .env("PATH", std::env::join_paths(all).expect("paths"))
            .current_dir(self.path()));
    }

    /// It greets and counts clicks, and answers on a server.
    fn works(&self) {
        let wasm = self.path().join("hello_app.wasm");
        let output = run(Command::new(binary())
            .args(["app", "try"])
            .args([&wasm, &self.path().join("events.json")]));
        let lines: Vec<Value> = output
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        let [greeted, clicked] = lines.as_slice() else {
            panic!("{output}");
        };
        assert_eq!(greeted["effects"][0]["content"], "Hello, Ann!", "{output}");
        assert_eq!(greeted["effects"][0]["buttons"][0]["label"], "Again");
        assert_eq!(clicked["effects"][0]["value"], "2", "{output}");
        assert_eq!(
            clicked["effects"][1]["content"],
            "Hello! This is greeting number 2."
        );

        let server = Server::spawn(Options::default());
        let owner = server.user("owner");
        let app = apps::install(&owner, &std::fs::read(wasm).expect("the component"));
        let to = json!([app["bot_user_id"]]).to_string();
        let message = [("type", "direct"), ("to", &to), ("content", "hello")];
        owner.post("/messages", &message).ok();
        let narrow = json!([{"operator": "dm", "operand": [app["bot_user_id"]]}]).to_string();
        let parameters = [
            ("anchor", "newest"),
            ("num_before", "10"),
            ("num_after", "0"),
            ("apply_markdown", "false"),
            ("narrow", &narrow),
        ];
        until_within(COMPILED, PAUSE, "the app answers", || {
            let answer = owner.get("/messages", &parameters).ok();
            let messages = answer["messages"].as_array().expect("messages").clone();
            let mut texts = messages.iter().filter_map(|one| one["content"].as_str());
            texts.any(|text| text.starts_with("Hello, ")).then_some(())
        });
    }
}

fn is_long_run() -> bool {
    std::env::var_os("SPINDLE_APP_LANGUAGES").is_some()
}

#[test]
fn an_app_in_python_is_made_and_answers() {
    if !is_long_run() {
        return;
    }
    let Some(tools) = installed("componentize", "bin/componentize-py") else {
        return;
    };
    let template = Template::new("python");
    template.build(&tools.join("bin"), &["sh", "build.sh"]);
    template.works();
}

#[test]
fn an_app_in_javascript_is_made_and_answers() {
    if !is_long_run() {
        return;
    }
    let Some(tools) = installed("quickjs", "node_modules/.bin/componentize-qjs") else {
        return;
    };
    let template = Template::new("js");
    template.build(&tools.join("node_modules/.bin"), &["npm", "run", "build"]);
    template.works();
}
