//! TLS configured by flags of the server: the Python library with the certificate of an authority,
//! clients that are slow or speak another protocol, and a certificate that is renewed while clients
//! are connected.

use std::process::Command;
use std::time::Duration;

use spindle_tests::certificates::Authority;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::server::repository;
use spindle_tests::{Options, Server};

use crate::{configuration, installed, run};

#[test]
fn the_server_terminates_tls() {
    let folder = tempfile::tempdir().expect("folder");
    let (Some(bin), Some(authority)) = (installed("python"), Authority::new(folder.path())) else {
        return;
    };
    let used = authority.sign("used", "localhost");
    let next = authority.sign("next", "localhost");
    let server = Server::spawn(Options {
        extra: vec![
            "--tls-cert".to_owned(),
            used.certificate.to_str().expect("UTF-8").to_owned(),
            "--tls-key".to_owned(),
            used.key.to_str().expect("UTF-8").to_owned(),
            "--hsts-max-age".to_owned(),
            "31536000".to_owned(),
        ],
        ..Options::default()
    });
    assert!(server.base_url().starts_with("https://"));
    // It reads the figures of the server.
    let user = server.user("owner");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&user]);
    let rc = configuration(folder.path(), &user);
    let trusted = format!(
        "{}cert_bundle={}\n",
        std::fs::read_to_string(&rc).expect("configuration"),
        authority.bundle().display()
    );
    std::fs::write(&rc, trusted).expect("configuration");
    let output = run(
        Command::new(bin.join("python"))
            // These variables would override the client's configuration.
            .env_remove("REQUESTS_CA_BUNDLE")
            .env_remove("CURL_CA_BUNDLE")
            .arg(repository().join("tests/clients/tls.py"))
            .arg(rc)
            .arg(server.address())
            .arg(server.process_id().expect("own server").to_string())
            .args([&used.certificate, &used.key, &next.certificate, &next.key])
            .arg(authority.bundle())
            .arg(channel.name),
        Duration::from_secs(90),
    );
    assert!(output.contains("tls: all steps passed"), "{output}");
    let log = server.log();
    assert!(log.contains("the certificate in use stays"), "{log}");
}
