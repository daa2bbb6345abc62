//! The Debian package: its content, and the verdict of Debian's own tools.

use std::path::Path;
use std::process::Command;

use crate::{deploy, package, read, run, tool, version};

#[test]
fn the_debian_package_contains_an_installable_server() {
    let (Some(path), Some(dpkg)) = (package(".deb"), tool("dpkg-deb")) else {
        return;
    };
    let field = |name: &str| run(Command::new(&dpkg).arg("--field").arg(&path).arg(name));
    assert_eq!(field("Package").trim(), "spindle");
    assert_eq!(field("Version").trim(), version());
    let name = format!("spindle_{}_{}.deb", version(), field("Architecture").trim());
    assert!(path.ends_with(&name), "{name}");
    let folder = tempfile::tempdir().expect("folder");
    let (root, control) = (folder.path().join("root"), folder.path().join("control"));
    run(Command::new(&dpkg).arg("--extract").arg(&path).arg(&root));
    run(Command::new(&dpkg)
        .arg("--control")
        .arg(&path)
        .arg(&control));
    run(Command::new("md5sum")
        .args(["--check", "--strict", "--quiet"])
        .arg(control.join("md5sums"))
        .current_dir(&root));
    let program = root.join("usr/bin/spindle");
    let said = run(Command::new(&program).arg("--version"));
    assert_eq!(said.trim(), format!("spindle {}", version()));
    let listed = run(Command::new(&program).args(["components", "list"]));
    assert!(listed.contains("components/messages.wasm"), "{listed}");
    assert!(root.join("usr/share/spindle/apps/poll.wasm").is_file());
    let text = read(&root.join("usr/share/spindle/apps/poll.md"));
    let documents = root.join("usr/share/spindle/apps/../../doc/spindle/APPS.md");
    assert!(
        text.contains("](../../doc/spindle/APPS.md)") && documents.is_file(),
        "{text}"
    );
    for unit in [
        "spindle.service",
        "spindle-backup.service",
        "spindle-backup.timer",
    ] {
        assert_eq!(
            read(&root.join("usr/lib/systemd/system").join(unit)),
            read(&deploy("systemd").join(unit))
        );
    }
    libraries_are_depended_on(&program, &field("Depends"));
    configuration_is_good(&program, &root, &control);
    scripts_are_shell(&control);
    manual_is_whole(&program, &root);
}

/// Every library that the program loads belongs to a package that it depends on.
fn libraries_are_depended_on(program: &Path, depends: &str) {
    let dynamic = run(Command::new("objdump")
        .arg("--private-headers")
        .arg(program));
    let needed = dynamic
        .lines()
        .filter_map(|line| line.trim().strip_prefix("NEEDED"));
    let needed: Vec<&str> = needed.map(str::trim).collect();
    assert!(!needed.is_empty(), "{dynamic}");
    for library in needed {
        let package = match library {
            "libgcc_s.so.1" => "libgcc-s1",
            "libc.so.6" | "libm.so.6" | "ld-linux-x86-64.so.2" | "ld-linux-aarch64.so.1" => "libc6",
            other => panic!("{other} is of a package that is not depended on"),
        };
        assert!(depends.contains(package), "{library}: {depends}");
    }
}

fn configuration_is_good(program: &Path, root: &Path, control: &Path) {
    let conffiles = read(&control.join("conffiles"));
    assert_eq!(conffiles, "/etc/spindle/spindle.toml\n");
    let said = run(Command::new(program)
        .args(["config", "check", "--config"])
        .arg(root.join("etc/spindle/spindle.toml")));
    let config: toml::Table = said.parse().expect("TOML");
    assert_eq!(config["data_dir"].as_str(), Some("/var/lib/spindle"));
    let unit = read(&deploy("systemd/spindle.service"));
    assert!(unit.contains("--config /etc/spindle/spindle.toml"));
}

fn scripts_are_shell(control: &Path) {
    for script in ["postinst", "prerm", "postrm"] {
        run(Command::new("sh").arg("-n").arg(control.join(script)));
        let text = read(&control.join(script));
        assert!(text.contains("set -e"), "{script} goes on after an error");
        // Files that people have edited are never overwritten.
        assert!(!text.contains("rm -"), "{script}");
    }
}

/// The manual lists every command of the program.
fn manual_is_whole(program: &Path, root: &Path) {
    let page = root.join("usr/share/man/man1/spindle.1.gz");
    let page = run(Command::new("gzip")
        .args(["--decompress", "--stdout"])
        .arg(page));
    let help = run(Command::new(program).arg("--help"));
    let (_, commands) = help.split_once("Commands:").expect("commands");
    let (commands, _) = commands.split_once("Options:").expect("options");
    let commands = commands
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let commands: Vec<&str> = commands.filter(|command| *command != "help").collect();
    assert!(commands.len() >= 5, "{help}");
    for command in commands {
        assert!(page.contains(&format!(".B {command}\n")), "{command}");
    }
}

/// Lintian reports no errors.
#[test]
fn lintian_reports_nothing() {
    let (Some(path), Some(lintian)) = (package(".deb"), tool("lintian")) else {
        return;
    };
    let said = run(Command::new(lintian)
        .args(["--allow-root", "--fail-on", "error,warning"])
        .arg(path));
    assert_eq!(said, "");
}
