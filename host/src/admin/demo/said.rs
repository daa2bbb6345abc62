//! What the people of the demo organization are called and what they say, oldest first.
//!
//! Only data. An account is named by its key, which is also the local part of its address; `OWNER` is
//! the owner of the organization.

use spindle_domain::Role;

/// The key of the owner in the tables.
pub(super) const OWNER: &str = "owner";

/// A person who is created.
pub(super) struct Person {
    pub(super) key: &'static str,
    pub(super) name: &'static str,
    pub(super) role: Role,
    /// What they make, a value of the profile field.
    pub(super) makes: &'static str,
    /// Text and emoji of the status.
    pub(super) status: Option<(&'static str, &'static str)>,
    /// Minutes since they were last active; `None` means never.
    pub(super) seen: Option<i64>,
}

const fn person(key: &'static str, name: &'static str, makes: &'static str) -> Person {
    Person {
        key,
        name,
        role: Role::Member,
        makes,
        status: None,
        seen: None,
    }
}

impl Person {
    const fn of_role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    const fn with_status(mut self, text: &'static str, emoji: &'static str) -> Self {
        self.status = Some((text, emoji));
        self
    }

    const fn seen(mut self, minutes: i64) -> Self {
        self.seen = Some(minutes);
        self
    }
}

pub(super) const PEOPLE: &[Person] = &[
    person("ada", "Ada Webster", "Cloth for coats")
        .of_role(Role::Moderator)
        .with_status("At the loom until noon", "thread")
        .seen(0),
    person("jo", "Jo Carder", "Yarn").seen(0),
    person("mina", "Mina Draper", "Scarves")
        .with_status("Working from home", "house")
        .seen(1),
    person("tom", "Tom Fuller", "Felt").seen(9),
    person("ines", "Inês Tecelão", "Rugs")
        .with_status("On holiday until Monday", "palm_tree")
        .seen(4000),
    person("kofi", "Kofi Mensah", "Kente").seen(0),
    person("yuki", "織田 雪", "Kasuri").seen(200),
    person("leila", "ليلى النساج", "Tapestries").seen(30),
    person("bo", "Bo", "Buttons").seen(1500),
    person(
        "wilhelmina",
        "Wilhelmina von Hohenzollern-Spinnrad",
        "Everything with a very long name",
    ),
    person("carla", "Carla Customer", "")
        .of_role(Role::Guest)
        .seen(60),
];

/// The bot, which belongs to the owner.
pub(super) const BOT: (&str, &str) = ("counter", "Loom counter");

/// Folders with their descriptions.
pub(super) const FOLDERS: &[(&str, &str)] = &[
    ("Workshop", "Where things are made"),
    ("Shop", "Where things are sold"),
];

/// A channel that is created.
pub(super) struct Channel {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    /// One of [`FOLDERS`].
    pub(super) folder: Option<&'static str>,
    /// Its only subscribers; a public channel has all users but guests.
    pub(super) only: Option<&'static [&'static str]>,
}

pub(super) const CHANNELS: &[Channel] = &[
    Channel {
        name: "looms",
        description: "Setting up, mending, and who weaves on which.",
        folder: Some("Workshop"),
        only: None,
    },
    Channel {
        name: "yarn",
        description: "What is in stock, what is on its way, and what is dyed.",
        folder: Some("Workshop"),
        only: None,
    },
    Channel {
        name: "patterns",
        description: "Drafts, samples and pictures. See also [a book on weaving](https://en.wikipedia.org/wiki/Weaving).",
        folder: Some("Workshop"),
        only: None,
    },
    Channel {
        name: "orders",
        description: "What customers have asked for.",
        folder: Some("Shop"),
        only: Some(&[OWNER, "ada", "mina", "carla", "counter"]),
    },
    Channel {
        name: "market",
        description: "The stall on Saturdays.",
        folder: Some("Shop"),
        only: None,
    },
];

/// A group with its members and the groups in it.
pub(super) const GROUPS: &[(&str, &str, &[&str], &[&str])] = &[
    (
        "weavers",
        "Who sits at a loom",
        &["ada", "mina", "ines", "kofi", "yuki", "leila"],
        &[],
    ),
    ("spinners", "Who makes yarn", &["jo", "tom"], &[]),
    (
        "makers",
        "Everybody who makes something",
        &["bo"],
        &["weavers", "spinners"],
    ),
];

/// Where a message goes.
pub(super) enum DemoConversation {
    Topic(&'static str, &'static str),
    People(&'static [&'static str]),
}

/// A message. In its text, `{file:NAME}` is a link to one of [`FILES`], which the sender uploads.
pub(super) struct Said {
    /// Minutes before now.
    pub(super) ago: i64,
    pub(super) place: DemoConversation,
    pub(super) by: &'static str,
    pub(super) text: &'static str,
    /// Emoji and who reacts with it.
    pub(super) reactions: &'static [(&'static str, &'static [&'static str])],
    /// Who votes for which option of a poll.
    pub(super) votes: &'static [(&'static str, usize)],
    /// Whether the owner stars it.
    pub(super) is_starred: bool,
}

const fn in_topic(
    ago: i64,
    channel: &'static str,
    topic: &'static str,
    by: &'static str,
    text: &'static str,
) -> Said {
    said(ago, DemoConversation::Topic(channel, topic), by, text)
}

const fn said(ago: i64, place: DemoConversation, by: &'static str, text: &'static str) -> Said {
    Said {
        ago,
        place,
        by,
        text,
        reactions: &[],
        votes: &[],
        is_starred: false,
    }
}

impl Said {
    const fn liked(
        mut self,
        reactions: &'static [(&'static str, &'static [&'static str])],
    ) -> Self {
        self.reactions = reactions;
        self
    }

    const fn voted(mut self, votes: &'static [(&'static str, usize)]) -> Self {
        self.votes = votes;
        self
    }

    const fn starred(mut self) -> Self {
        self.is_starred = true;
        self
    }
}

const DAY: i64 = 24 * 60;

/// The owner has read all messages older than this, in minutes.
pub(super) const UNREAD: i64 = 3 * 60;

/// Resolved after its last message.
pub(super) const RESOLVED: (&str, &str) = ("looms", "squeaking pedal");

pub(super) const SAID: &[Said] = &[
    in_topic(9 * DAY, "general", "welcome", OWNER, "Welcome to the weaving mill, @**all**! Say what you work on, and where your loom stands."),
    in_topic(9 * DAY - 7, "general", "welcome", "ada", "The big floor loom by the window. It has opinions of its own."),
    in_topic(9 * DAY - 9, "general", "welcome", "kofi", "Akwaaba from the back room: strips, four inches each, a great many of them.")
        .liked(&[("wave", &[OWNER, "ada", "jo"]), ("tada", &["mina"])]),
    in_topic(9 * DAY - 30, "general", "welcome", "yuki", "よろしくお願いします。絣を織っています。")
        .liked(&[("heart", &["mina", "leila", "kofi"])]),
    in_topic(9 * DAY - 41, "general", "welcome", "leila", "مرحبا بالجميع، أعمل على سجادة جدارية كبيرة."),
    in_topic(6 * DAY, "looms", "squeaking pedal", "tom", "The left pedal of the small loom squeaks again. Has it been oiled this year?"),
    in_topic(6 * DAY - 25, "looms", "squeaking pedal", "ada", "It has now.")
        .liked(&[("+1", &["tom", "mina"])]),
    in_topic(5 * DAY, "patterns", "tartan for the spring", "mina", "First sample, off the loom an hour ago:\n\n{file:tartan.png}")
        .liked(&[("heart_eyes", &["ada", "kofi", OWNER, "bo"]), ("clap", &["jo"])])
        .starred(),
    in_topic(5 * DAY - 12, "patterns", "tartan for the spring", "ada", "> off the loom an hour ago\n\nAnd still warm, I suppose. The thin yellow line makes it. Here is the count as I read it:\n\n| colour | threads |\n|---|---:|\n| blue | 14 |\n| yellow | 3 |\n| green | 10 |\n| red | 6 |"),
    in_topic(5 * DAY - 18, "patterns", "tartan for the spring", "mina", "Exactly. The sett is in {file:sett.csv}, if you want to try it on another width."),
    in_topic(4 * DAY, "yarn", "dyes", "jo", "Madder or weld for the next batch? Samples are on the table.\n```spoiler What came out last time\nWeld, and it faded in a month.\n```"),
    in_topic(4 * DAY - 60, "yarn", "dyes", "tom", "Madder. Mordant with $$12\\%$$ alum, and keep it under $$70\\,°C$$."),
    in_topic(4 * DAY - 64, "yarn", "dyes", "jo", "/poll Which dye for the next batch?\nMadder\nWeld\nIndigo")
        .voted(&[("tom", 0), ("ada", 0), ("mina", 2), ("kofi", 2), ("leila", 0), (OWNER, 2)]),
    in_topic(3 * DAY, "market", "Saturday", "bo", "/todo For the stall\nTable and cloth: the green one\nCash box\nPrice tags\nThermos"),
    in_topic(3 * DAY - 20, "market", "Saturday", "bo", "We meet at <time:2026-12-05T08:00:00+01:00>. Who comes along?")
        .liked(&[("hand", &["mina", "jo"]), ("sunny", &["ada"])]),
    in_topic(2 * DAY, "orders", "blankets for the hotel", "carla", "Could we have the forty blankets two weeks earlier?"),
    in_topic(2 * DAY - 30, "orders", "blankets for the hotel", "ada", "Thirty we can do. The other ten in the week after.")
        .liked(&[("pray", &["carla"])]),
    said(2 * DAY - 60, DemoConversation::People(&[OWNER]), "mina", "Have you seen the new shuttle? It flies."),
    said(2 * DAY - 62, DemoConversation::People(&["mina"]), OWNER, "I have not. Show me tomorrow?"),
    in_topic(DAY, "looms", "warping plan", "kofi", "For the wide one:\n```python\ndef threads(width_cm: float, per_cm: int, selvedge: int) -> int:\n    return round(width_cm * per_cm) + 2 * selvedge\n```\nWith 140 cm and 8 per cm that is 1,128 ends."),
    in_topic(DAY - 15, "looms", "warping plan", "ines", "Mind the reed, it has a dent in the middle. I mean a *dent*, not a dent."),
    in_topic(DAY - 300, "yarn", "deliveries", "counter", "Delivered: **12 cones** of merino, **4** of silk."),
    in_topic(18 * 60, "random", "lunch", "bo", "There is soup."),
    in_topic(18 * 60 - 4, "random", "lunch", "wilhelmina", "A very long word, to see whether it fits: Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft")
        .liked(&[("joy", &["bo", "jo", "kofi", "ada"])]),
    in_topic(170, "looms", "the old one", "jo", "The brake slips again :confused:"),
    in_topic(160, "looms", "the old one", "mina", "I look at it after lunch. The new part needs `12 mm` bolts."),
    in_topic(155, "looms", "the old one", "ada", "There are some in the drawer:\n* eight of steel\n* four of brass"),
    in_topic(140, "looms", "the old one", "tom", "> four of brass\n\nPlease leave me two of those, @**topic**. :pray:"),
    in_topic(90, "patterns", "tartan for the spring", "kofi", "@**owner** may I weave a strip of it for the market?"),
    in_topic(80, "yarn", "deliveries", "counter", "Delivered: **6 cones** of linen.").liked(&[("+1", &["jo"])]),
    said(60, DemoConversation::People(&[OWNER, "ada"]), "mina", "Shall we three look at the orders at four?"),
    said(58, DemoConversation::People(&[OWNER, "mina"]), "ada", "Four is fine. I bring the list."),
    in_topic(45, "market", "Saturday", "mina", "@*makers* whose things are not priced yet: please do so until Friday."),
    in_topic(20, "looms", "the old one", "mina", "Mended, and it holds :tada:")
        .liked(&[("tada", &["jo", "tom"]), ("heart", &["ada", "jo", "kofi"])]),
    said(5, DemoConversation::People(&[OWNER]), "kofi", "Tea at four?"),
];

/// A file that is uploaded: name, media type, content; for a picture also width and height.
pub(super) struct File {
    pub(super) name: &'static str,
    pub(super) media_type: &'static str,
    pub(super) content: &'static [u8],
    pub(super) dimensions: Option<(u32, u32)>,
}

pub(super) const FILES: &[File] = &[
    File {
        name: "tartan.png",
        media_type: "image/png",
        content: include_bytes!("tartan.png"),
        dimensions: Some((480, 320)),
    },
    File {
        name: "sett.csv",
        media_type: "text/csv",
        content: b"colour,threads\nblue,14\nyellow,3\ngreen,10\nblue,3\nred,6\nblue,3\ngreen,10\nwhite,3\n",
        dimensions: None,
    },
];
