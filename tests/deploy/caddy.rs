//! Debian's Caddy with `deploy/caddy/Caddyfile`: the file is accepted, and the API behind
//! the proxy is unchanged.

use std::process::{Command, Stdio};

use spindle_tests::{Options, Server, free_port};

use crate::proxies::{FILTERS, black_box, reports_an_unreachable_server};
use crate::{Running, deploy, read, run, tool, write};

#[test]
fn the_api_behind_the_proxy_is_unchanged() {
    let folder = tempfile::tempdir().expect("folder");
    let Some(caddy) = tool("caddy") else {
        return;
    };
    let caddy = |words: &[&str]| {
        let mut command = Command::new(&caddy);
        command
            .args(words)
            .args(["--adapter", "caddyfile", "--config"]);
        // Caddy stores certificates and its last configuration in the home folder.
        command
            .env("HOME", folder.path())
            .env_remove("XDG_CONFIG_HOME");
        command.env_remove("XDG_DATA_HOME").stdin(Stdio::null());
        command
    };
    let given = deploy("caddy/Caddyfile");
    let said = run(caddy(&["validate"]).arg(&given));
    assert!(said.contains("Valid configuration"), "{said}");
    let formatted = run(Command::new(tool("caddy").expect("caddy"))
        .arg("fmt")
        .arg(&given));
    assert_eq!(formatted.trim_end(), read(&given).trim_end(), "caddy fmt");

    let mut server = Server::spawn(Options::default());
    let port = free_port();
    let text = read(&given);
    let path = folder.path().join("Caddyfile");
    write(
        &path,
        &format!("{{\n\tadmin off\n\tauto_https off\n}}\n{text}"),
    );
    let child = caddy(&["run"])
        .arg(&path)
        // Whatever `Host` a request names: some of the suite's are made up.
        .env("SPINDLE_SITE", format!("http://:{port}"))
        .env("SPINDLE_UPSTREAM", server.address())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("caddy starts");
    let _running = Running(child).listening(port);
    black_box(&server, port, &FILTERS);
    server.terminate();
    reports_an_unreachable_server(port);
}
