//! Waiting until something has happened inside the server, by the figures that it shows to owners.

use serde_json::Value;

use super::Server;
use crate::{Client, Queue, until};

impl Server {
    /// Waits until this many polls, or more, wait in the server, on whichever of its nodes. Only then may a
    /// test move the clock past them.
    #[track_caller]
    pub fn until_polls_wait(&self, count: u64) {
        self.until_waiting_polls(&format!("{count} polls wait"), |waiting| waiting >= count);
    }

    /// Waits until the number of polls that wait in the server fits.
    #[track_caller]
    pub fn until_waiting_polls(&self, what: &str, fits: impl Fn(u64) -> bool) {
        let owner = self.reader_of_figures();
        let waiting = |figures: &Value| number(&figures["queues"]["waiting_polls"]);
        until(what, || fits(self.sum(&owner, waiting)).then_some(()));
    }

    /// Moves the clock forward by more than a minute, and waits until queues that were idle for too long have
    /// ended: `others`, and one that ends after a minute, which is made for this. A queue that is left then was not
    /// idle for too long.
    #[track_caller]
    pub fn advance_past_idle(&self, user: &Client, seconds: u64, others: u64) {
        let owner = self.owner();
        let expired = || self.sum(&owner, |figures| number(&figures["queues"]["expired"]));
        let before = expired();
        let timeout = [("idle_queue_timeout", "60"), ("fetch_event_types", "[]")];
        // The service knows a queue that was polled.
        Queue::open(user, &timeout).poll();
        self.advance(seconds);
        until("idle queues end", || {
            (expired() > before + others).then_some(())
        });
    }

    /// Moves the clock forward, which must be further than the interval of a job, and waits until the job has run once
    /// more, with or without success: what it has not changed by then is not due.
    #[track_caller]
    pub fn advance_past_run(&self, seconds: u64, job: &str) {
        let owner = self.owner();
        let runs = || self.sum(&owner, |figures| runs_in(figures, job));
        let before = runs();
        self.advance(seconds);
        until(&format!("{job} runs"), || (runs() > before).then_some(()));
    }

    /// The sum of a figure of all nodes: requests go to one after the other.
    fn sum(&self, owner: &Client, figure: impl Fn(&Value) -> u64) -> u64 {
        (0..self.nodes()).map(|_| figure(&figures(owner))).sum()
    }

    /// An owner, also of an organization that was not made here.
    fn reader_of_figures(&self) -> Client {
        match &self.own {
            Some(_) => self.owner(),
            None => self.user("owner").client,
        }
    }

    /// The owner of a new organization, from the file that its server has written.
    #[must_use]
    pub fn owner(&self) -> Client {
        let own = self.own.as_ref().expect("an own server");
        let file = std::fs::read_to_string(own.directory.join("owner.zuliprc")).expect("zuliprc");
        let value = |name: &str| {
            let mut lines = file.lines();
            let found = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
            found.expect(name)
        };
        Client::new(self.base_url(), Some((value("email"), value("key"))))
    }
}

/// How often a job has run, with or without success, on the server of this owner's client.
#[track_caller]
#[must_use]
pub fn runs_of(owner: &Client, job: &str) -> u64 {
    runs_in(&figures(owner), job)
}

fn figures(owner: &Client) -> Value {
    owner.get("/server_figures", &[]).ok()
}

fn runs_in(figures: &Value, job: &str) -> u64 {
    let timers = figures["timers"].as_array().expect("a list");
    let timer = timers.iter().find(|timer| timer["job"] == job);
    let timer = timer.unwrap_or_else(|| panic!("{job} is not in {figures}"));
    number(&timer["done"]) + number(&timer["failed"])
}

fn number(figure: &Value) -> u64 {
    figure.as_u64().expect("a number")
}
