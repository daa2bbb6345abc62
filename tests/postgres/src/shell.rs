//! Commands as the account of the server types them: its programs are found, and reach the server by its socket.

use std::process::{Command, Output};

use crate::Server;

impl Server {
    /// Runs a script of `bash`, which stops at the first failure, for the server that listens on `port` in the same folder.
    ///
    /// # Panics
    /// When there is no shell.
    pub fn shell(&self, port: u16, script: &str) -> Output {
        let mut command: Command = self.programs().run("/bin/bash");
        let path = std::env::var("PATH").unwrap_or_default();
        let own = self.programs().path("");
        command
            .args(["-euo", "pipefail", "-c", script])
            .env("PATH", format!("{}:{path}", own.display()))
            .env("PGHOST", self.socket_folder())
            .env("PGPORT", port.to_string())
            .env("PGUSER", crate::USER);
        command.output().expect("a shell")
    }
}
