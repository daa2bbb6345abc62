//! `deploy/compose` with the image of `deploy/container`: built from the tarball, started behind a
//! proxy, healthy, used, stopped, and started again on the same volume.
//!
//! podman and podman-compose stand in for docker: neither needs a daemon, and both read the same
//! files. Registries are not reachable, so the base image is made of Debian's packages, and Caddy's
//! image of Debian's Caddy.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::engine::{Engine, base, compose, open_files};
use crate::{deploy, package, read, run, said, tool, write};

const BASE: &str = "localhost/spindle-base:12";
const IMAGE: &str = "localhost/spindle:latest";
const CADDY: &str = "localhost/caddy:2";
const SERVER: &str = "spindle_spindle_1";
const PASSWORD: &str = "correct horse battery";
/// As in compose.yaml.
const MEMORY: u64 = 768 << 20;
/// The user of the image.
const USER: u32 = 10_001;

/// The project in a folder of its own, as an operator has it.
struct Project<'a> {
    engine: &'a Engine,
    program: std::path::PathBuf,
}

impl<'a> Project<'a> {
    fn new(engine: &'a Engine, program: std::path::PathBuf) -> Self {
        for part in ["compose", "caddy"] {
            let to = engine.file(part);
            std::fs::create_dir(&to).expect("folder");
            for entry in std::fs::read_dir(deploy(part)).expect("folder").flatten() {
                std::fs::copy(entry.path(), to.join(entry.file_name())).expect("copy");
            }
        }
        let folder = engine.file("compose");
        let file = folder.join("compose.yaml");
        // Where root may not raise limits, a container gets those of this process.
        let text = read(&file);
        assert!(text.contains("nofile: 65536"));
        let limits = format!("nofile: {}\n      nproc: 4096", open_files().min(65_536));
        write(&file, &text.replace("nofile: 65536", &limits));
        let settings = read(&folder.join("spindle.example.env"))
            .replace(
                "#SPINDLE_OWNER_PASSWORD=",
                &format!("SPINDLE_OWNER_PASSWORD={PASSWORD}"),
            )
            .replace("=http://127.0.0.1:3000", "=https://localhost");
        write(&folder.join("spindle.env"), &settings);
        Self { engine, program }
    }

    fn compose(&self, words: &[&str]) -> Command {
        let mut command = self.engine.command(&self.program);
        command
            .arg("--file")
            .arg(self.engine.file("compose").join("compose.yaml"))
            .args(["--profile", "proxy"])
            .args(words)
            .env("SPINDLE_CPUS", "2")
            .env("SPINDLE_SITE", "https://localhost")
            .env("CADDY_IMAGE", CADDY);
        command
    }

    #[track_caller]
    fn up(&self) {
        run(&mut self.compose(&["up", "--detach"]));
        self.is_healthy();
    }

    /// Waits until the health check of the image reports healthy.
    #[track_caller]
    fn is_healthy(&self) {
        // The start period of the image: a first start compiles, as fast as the machine is.
        let deadline = Instant::now() + Duration::from_secs(15 * 60);
        loop {
            // A daemon, or systemd, would run it at intervals.
            let check = self.engine.podman(&["healthcheck", "run", SERVER]).output();
            let check = check.expect("podman");
            if check.status.success() {
                break;
            }
            if Instant::now() > deadline {
                let logs = run(&mut self.engine.podman(&["logs", SERVER]));
                panic!("not healthy: {}\n{logs}", said(&check));
            }
            std::thread::sleep(Duration::from_secs(1));
        }
        let health = self.engine.inspect(SERVER, "{{.State.Health.Status}}");
        assert_eq!(health, "healthy");
    }

    /// A request through Caddy, which has a certificate of its own authority for this name.
    #[track_caller]
    fn request(&self, words: &[&str], path: &str) -> Value {
        let mut command = self.engine.command("curl");
        // Either part may still be starting.
        command.args([
            "--silent",
            "--insecure",
            "--retry",
            "30",
            "--retry-connrefused",
        ]);
        command.args(["--fail-with-body", "--retry-delay", "1", "--max-time", "30"]);
        let said = run(command
            .args(words)
            .arg(format!("https://localhost/api/v1{path}")));
        serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"))
    }

    /// Signs in with the password; returns the credentials for curl.
    fn sign_in(&self) -> String {
        let password = format!("password={PASSWORD}");
        let words = [
            "-d",
            "username=ada@example.org",
            "--data-urlencode",
            &password,
        ];
        let answer = self.request(&words, "/fetch_api_key");
        format!(
            "ada@example.org:{}",
            answer["api_key"].as_str().expect("a key")
        )
    }
}

#[test]
fn the_image_is_healthy_and_keeps_its_data_over_a_restart() {
    let (Some(tarball), Some(base), Some(program), Some(caddy)) =
        (package(".tar.gz"), base(), compose(), tool("caddy"))
    else {
        return;
    };
    let Some(engine) = Engine::start() else {
        return;
    };
    engine.import(&base, BASE);
    build_image(&engine, &tarball);
    build_caddy(&engine, &caddy);
    it_is_not_healthy_without_a_server(&engine);

    let project = Project::new(&engine, program);
    project.up();
    it_runs_without_rights(&engine);
    let ada = project.sign_in();
    let settings = project.request(&[], "/server_settings");
    assert_eq!(settings["realm_name"], "Example");
    assert_eq!(settings["realm_url"], "https://localhost");
    let message = [
        "-u",
        &ada,
        "-d",
        "type=channel",
        "-d",
        "to=general",
        "-d",
        "topic=boxes",
    ];
    let sent = project.request(
        &[&message[..], &["-d", "content=in one"]].concat(),
        "/messages",
    );
    let backup = [
        "exec",
        SERVER,
        "spindle",
        "admin",
        "backup",
        "/var/backups/spindle/one",
    ];
    run(&mut engine.podman(&backup));

    // A crashed server is started again.
    let process = engine.inspect(SERVER, "{{.State.Pid}}");
    run(engine
        .command("sh")
        .args(["-c", &format!("kill -9 {process}")]));
    project.is_healthy();
    assert_ne!(engine.inspect(SERVER, "{{.State.Pid}}"), process);

    // The same for the whole project: the volumes stay.
    run(&mut project.compose(&["stop"]));
    assert_eq!(engine.inspect(SERVER, "{{.State.ExitCode}}"), "0");
    run(&mut project.compose(&["down"]));
    project.up();
    let ada = project.sign_in();
    let path = format!("/messages/{}", sent["id"]);
    let kept = project.request(&["-u", &ada], &path);
    assert_eq!(kept["raw_content"], "in one");
    let check = ["exec", SERVER, "spindle", "admin", "check"];
    run(&mut engine.podman(&check));

    // The backup, in a volume of its own, as in OPERATIONS.md.
    run(&mut project.compose(&["down"]));
    let restored = |words: &[&str]| {
        let mut command = project.compose(words);
        command.env("SPINDLE_DATA", "spindle_restored");
        command
    };
    let restore = ["admin", "restore", "/var/backups/spindle/one"];
    let once = ["run", "--rm", "--no-deps", "spindle"];
    run(&mut restored(&[&once[..], &restore].concat()));
    run(&mut restored(&["up", "--detach"]));
    project.is_healthy();
    // A key created after the backup is not in it.
    let ada = project.sign_in();
    let kept = project.request(&["-u", &ada], &path);
    assert_eq!(kept["raw_content"], "in one");
}

/// Builds the Containerfile unchanged, with a base that is on this machine.
fn build_image(engine: &Engine, tarball: &Path) {
    let context = engine.file("context");
    let packages = context.join("target/package");
    std::fs::create_dir_all(&packages).expect("folder");
    let name = tarball.file_name().expect("a name");
    std::fs::copy(tarball, packages.join(name)).expect("copy");
    let arguments = [
        format!("BASE={BASE}"),
        format!("ARCHITECTURE={}", std::env::consts::ARCH),
    ];
    engine.build(
        &deploy("container/Containerfile"),
        IMAGE,
        &arguments,
        &context,
    );
    let health = engine.inspect(IMAGE, "{{json .HealthCheck}}");
    assert!(
        health.contains("[\"CMD\",\"spindle\",\"health\"]"),
        "{health}"
    );
}

/// An image like the official one, from Debian's program and the libraries that it loads.
fn build_caddy(engine: &Engine, program: &Path) {
    let context = engine.file("caddy-context");
    let libraries = context.join("libraries");
    std::fs::create_dir_all(&libraries).expect("folder");
    std::fs::copy(program, context.join("caddy")).expect("copy");
    let loaded = run(Command::new("ldd").arg(program));
    let paths = loaded
        .lines()
        .filter_map(|line| line.split(" => ").nth(1)?.split(' ').next());
    for path in paths.map(Path::new) {
        let name = path.file_name().expect("a library");
        std::fs::copy(path, libraries.join(name)).expect("copy");
    }
    let file = context.join("Containerfile");
    write(
        &file,
        &format!(
            "FROM {BASE}\nCOPY caddy /usr/bin/caddy\nCOPY libraries /usr/local/lib/caddy\n\
             ENV LD_LIBRARY_PATH=/usr/local/lib/caddy XDG_DATA_HOME=/data XDG_CONFIG_HOME=/config\n\
             CMD [\"caddy\", \"run\", \"--config\", \"/etc/caddy/Caddyfile\", \"--adapter\", \"caddyfile\"]\n"
        ),
    );
    engine.build(&file, CADDY, &[], &context);
}

fn it_is_not_healthy_without_a_server(engine: &Engine) {
    let mut alone = engine.podman(&["run", "--rm", "--ulimit", "nproc=4096", "--ulimit"]);
    let files = format!("nofile={}", open_files());
    let output = alone
        .args([&files, IMAGE, "health"])
        .output()
        .expect("podman");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(
        said(&output).contains("nothing answers"),
        "{}",
        said(&output)
    );
}

/// Not root, no capabilities now or later, a read-only root file system, a memory limit.
fn it_runs_without_rights(engine: &Engine) {
    let process = engine.inspect(SERVER, "{{.State.Pid}}");
    let status = run(engine.command("cat").arg(format!("/proc/{process}/status")));
    let value = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let value = line.and_then(|line| line.split_whitespace().next());
        value
            .unwrap_or_else(|| panic!("{name} in {status}"))
            .to_owned()
    };
    assert_eq!(value("Uid:"), USER.to_string());
    assert_eq!(value("CapEff:").trim_matches('0'), "");
    assert_eq!(value("CapBnd:").trim_matches('0'), "");
    assert_eq!(value("NoNewPrivs:"), "1");
    assert_eq!(
        engine.inspect(SERVER, "{{.HostConfig.ReadonlyRootfs}}"),
        "true"
    );
    assert_eq!(
        engine.inspect(SERVER, "{{.HostConfig.Memory}}"),
        MEMORY.to_string()
    );
    assert_eq!(
        engine.inspect(SERVER, "{{.HostConfig.RestartPolicy.Name}}"),
        "unless-stopped"
    );
}
