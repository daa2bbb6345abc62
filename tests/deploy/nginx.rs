//! Debian's nginx with the files of `deploy/nginx`: they are accepted, and the API behind the proxy
//! is unchanged.

use std::path::Path;
use std::process::{Command, Stdio};

use spindle_tests::certificates::Authority;
use spindle_tests::server::{binary, repository};
use spindle_tests::{Options, Server, free_port};

use crate::proxies::{FILTERS, black_box, reports_an_unreachable_server};
use crate::{Running, deploy, read, run, tool, write};

/// A whole configuration around `servers`, with all its output below `folder`.
fn around(folder: &Path, servers: &str) -> std::path::PathBuf {
    let snippet = folder.join("spindle-proxy.conf");
    write(&snippet, &read(&deploy("nginx/spindle-proxy.conf")));
    let shown = folder.display();
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .iter()
        .map(|kind| format!("    {kind}_temp_path {shown}/{kind};\n"))
        .collect();
    let text = format!(
        "daemon off;\nuser root;\npid {shown}/pid;\nerror_log {shown}/error.log;\n\
         worker_processes 1;\nevents {{ worker_connections 1024; }}\n\
         http {{\n    access_log off;\n{temporary}{servers}\n}}\n"
    );
    let path = folder.join("nginx.conf");
    write(
        &path,
        &text.replace("include snippets/", &format!("include {shown}/")),
    );
    path
}

/// The repository's file with the certificates, ports and server address of this test.
#[test]
fn the_configuration_is_accepted() {
    let folder = tempfile::tempdir().expect("folder");
    let (Some(nginx), Some(authority)) = (tool("nginx"), Authority::new(folder.path())) else {
        return;
    };
    let certificate = authority.sign("nginx", "chat.example.org");
    let mut text = read(&deploy("nginx/spindle.conf"));
    let live = "/etc/letsencrypt/live/chat.example.org";
    for (there, here) in [
        (format!("{live}/fullchain.pem"), certificate.certificate),
        (format!("{live}/privkey.pem"), certificate.key),
    ] {
        assert!(text.contains(&there), "{there}");
        text = text.replace(&there, here.to_str().expect("UTF-8"));
    }
    // The test of a configuration binds its addresses.
    let (http, https) = (free_port(), free_port());
    text = text
        .replace("listen 80;", &format!("listen 127.0.0.1:{http};"))
        .replace("listen 443 ssl", &format!("listen 127.0.0.1:{https} ssl"))
        .replace("    listen [::]:80;\n", "")
        .replace("    listen [::]:443 ssl http2;\n", "");
    let configuration = around(folder.path(), &text);
    let said = run(Command::new(nginx).arg("-t").arg("-c").arg(configuration));
    assert!(!said.contains("[warn]"), "{said}");
}

/// The same proxy settings before a running server, over plain HTTP, which the suite uses.
#[test]
fn the_api_behind_the_proxy_is_unchanged() {
    let folder = tempfile::tempdir().expect("folder");
    let Some(nginx) = tool("nginx") else {
        return;
    };
    let mut server = Server::spawn(Options::default());
    let port = free_port();
    let text = read(&deploy("nginx/spindle.conf"));
    let (upstream, _) = text.split_once("\nserver {").expect("a server block");
    let upstream = upstream.replace("127.0.0.1:3000", server.address());
    assert!(upstream.contains(server.address()), "{upstream}");
    let servers = format!(
        "{upstream}\nserver {{\n    listen 127.0.0.1:{port};\n    include snippets/spindle-proxy.conf;\n}}\n"
    );
    let configuration = around(folder.path(), &servers);
    let child = Command::new(nginx)
        .arg("-c")
        .arg(configuration)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("nginx starts");
    let _running = Stopped(Running(child).listening(port));
    black_box(&server, port, &FILTERS);
    server.terminate();
    reports_an_unreachable_server(port);
}

/// nginx must refuse bodies at the same size as Spindle: otherwise Spindle closes the connection,
/// and nginx reports a failure of the server.
#[test]
fn the_proxy_has_the_body_limits_of_the_server() {
    let snippet = read(&deploy("nginx/spindle-proxy.conf"));
    let manifest: toml::Table = read(&repository().join("spin.toml")).parse().expect("TOML");
    let files = &manifest["component"]["files"]["tool"]["spindle"]["max_body_bytes"];
    assert_eq!(files.as_integer(), Some(26 << 20));
    let mut places = snippet.split("location ~ ");
    let mut place = || places.next().expect("a location of files");
    let (general, for_files, in_parts) = (place(), place(), place());
    // Whole files, which Spindle reads in parts.
    assert!(in_parts.contains("/api/v1/tus") && in_parts.contains("client_max_body_size 0;"));
    assert!(
        general.contains("client_max_body_size 1m;")
            && for_files.contains("client_max_body_size 26m;")
    );
    let example = run(Command::new(binary()).args(["config", "example"]));
    assert!(example.contains(&format!("body_limit = {}\n", 1 << 20)));
    let routes = manifest["trigger"]["http"].as_array().expect("routes");
    let takes_files = |path: &str| {
        let parts = [
            "tus",
            "user_uploads",
            "users/me/avatar",
            "realm/emoji",
            "realm/icon",
            "realm/logo",
        ];
        parts
            .iter()
            .any(|part| path.starts_with(&format!("/api/v1/{part}")))
    };
    for route in routes
        .iter()
        .filter(|route| route["component"].as_str() == Some("files"))
    {
        let path = route["route"].as_str().expect("a pattern");
        // Images and attachments are only read, and internal routes are not for clients.
        let only_read = [
            "/avatar/",
            "/user_avatars/",
            "/user_uploads/",
            "/api/v1/attachments/",
            "/internal/",
        ];
        assert!(
            takes_files(path) || only_read.iter().any(|prefix| path.starts_with(prefix)),
            "{path}: how large may its bodies be?"
        );
    }
}

/// Killing nginx would leave its workers running; SIGTERM ends them too.
struct Stopped(Running);

impl Drop for Stopped {
    fn drop(&mut self) {
        let id = self.0.0.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &id]).status();
        let _ = self.0.0.wait();
    }
}
