//! The end of a server, of one of its nodes, and its next start on the same data.

use std::process::{Command, ExitStatus};

use super::Server;
use super::launch::launch;
use crate::until;

impl Server {
    /// kill -9 of the event-queue service next to Spin.
    pub fn kill_events(&mut self) {
        let beside_spin = self.beside_spin.as_mut();
        beside_spin.expect("a server beside Spin").kill_events();
    }

    /// kill -9 of all nodes; the event-queue service next to a Spin continues.
    pub fn kill(&mut self) {
        if let Some(beside_spin) = &mut self.beside_spin {
            return beside_spin.kill_spin();
        }
        for number in 0..self.nodes() {
            self.kill_node(number);
        }
    }

    /// kill -9, of one node.
    pub fn kill_node(&mut self, number: usize) {
        let own = self.own.as_mut().expect("own server");
        match number.checked_sub(1) {
            Some(other) => own.others.kill(other),
            None => {
                own.child.kill().expect("kill");
                own.child.wait().expect("wait");
            }
        }
    }

    /// Asks the server to stop (SIGTERM) and waits for its end.
    pub fn terminate(&mut self) -> ExitStatus {
        let own = self.own.as_mut().expect("own server");
        for other in 0..own.others.len() {
            own.others.kill(other);
        }
        let process_id = own.child.id().to_string();
        Command::new("kill")
            .args(["-TERM", &process_id])
            .status()
            .expect("kill");
        self.wait_for_end()
    }

    /// Waits for the end of a server that was asked to stop.
    pub fn wait_for_end(&mut self) -> ExitStatus {
        let own = self.own.as_mut().expect("own server");
        until("the server stops", || own.child.try_wait().expect("wait"))
    }

    /// Starts again after [`Server::kill`] or [`Server::terminate`], on the same data and address.
    pub fn restart(&mut self) {
        if let Some(beside_spin) = &mut self.beside_spin {
            return beside_spin.restart_spin();
        }
        for number in 0..self.nodes() {
            self.restart_node(number);
        }
    }

    /// Starts one node again after [`Server::kill_node`], at the same address.
    pub fn restart_node(&mut self, number: usize) {
        let address = self.address().to_owned();
        let own = self.own.as_mut().expect("own server");
        if let Some(other) = number.checked_sub(1) {
            return own.others.restart(other, &own.options);
        }
        own.watchdog.dismiss();
        let mut options = own.options.clone();
        options.extra.extend(["--listen".to_owned(), address]);
        let (child, watchdog, log, base_url) = launch(&own.directory, &options);
        let before = own.log.lock().expect("lock").clone();
        log.lock().expect("lock").insert_str(0, &before);
        own.child = child;
        own.watchdog = watchdog;
        own.log = log;
        self.base_url = base_url;
    }
}
