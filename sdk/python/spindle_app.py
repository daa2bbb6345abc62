"""For apps of Spindle: events with their values, and short ways to write effects.

docs/APPS.md explains events and effects. The types come from the world `spindle:app` (`wit/app.wit`).
"""

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import wit_world
from wit_world.imports import types
from wit_world.imports.types import (
    Answer,
    Button,
    Click,
    Command,
    Effect,
    Entry,
    FailedEffect,
    Message,
    Person,
    Place,
    Reaction,
    Scope,
    Tick,
    TickAt,
    Topic,
    Vote,
    Webhook,
)

Values = dict[str, str]
What = Message | Command | Reaction | Click | Vote | Tick | Webhook | Answer | FailedEffect


@dataclass
class Event:
    """An event. `what` is a `Message`, a `Click` or another class of these: see `What`."""

    id: int
    time: int
    seed: int
    scope: Scope
    me: Person
    settings: Values
    what: What


def app(handle: Callable[[Event, Values], Iterable[Effect]]) -> type:
    """Makes a function the app: `WitWorld = app(handle)`."""

    class WitWorld(wit_world.WitWorld):
        def handle(self, event: types.Event, values: list[Entry]) -> list[Effect]:
            # Every call begins with the module as it was when the app was built.
            random.seed(event.seed)
            fields = {**vars(event), "settings": _dict(event.settings), "what": event.what.value}
            return list(handle(Event(**fields), _dict(values)))

    return WitWorld


# Scopes.

APP = types.Scope_App()


def channel(id: int) -> Scope:
    return types.Scope_Channel(id)


def message(id: int) -> Scope:
    return types.Scope_Message(id)


def person(id: int) -> Scope:
    return types.Scope_Person(id)


# Places.


def topic(channel: int, name: str) -> Place:
    return types.Place_Topic(Topic(channel, name))


def direct(*people: int) -> Place:
    return types.Place_Direct(list(people))


# Effects. `buttons` has labels by ids, `values` texts by keys, `ticks` times in UNIX seconds by names.

Texts = Mapping[str, object]


def reply(
    content: str,
    buttons: Texts = {},
    *,
    only_for: int | None = None,
    values: Texts = {},
    ticks: Mapping[str, int] = {},
) -> Effect:
    """Answers where the event's message is; with `only_for`, for that person alone."""
    answer = types.Reply(content, _buttons(buttons), only_for, _entries(values), _ticks(ticks))
    return types.Effect_Reply(answer)


def send(
    place: Place,
    content: str,
    buttons: Texts = {},
    *,
    values: Texts = {},
    ticks: Mapping[str, int] = {},
) -> Effect:
    """Sends a message to a `topic(…)`, or to people: `direct(…)`."""
    draft = types.Draft(place, content, _buttons(buttons), _entries(values), _ticks(ticks))
    return types.Effect_Send(draft)


def edit(message_id: int, content: str, buttons: Texts = {}) -> Effect:
    """Replaces the text and all buttons of a message of the app."""
    return types.Effect_Edit(types.Edit(message_id, content, _buttons(buttons)))


def react(message_id: int, emoji: str, is_added: bool = True) -> Effect:
    """Adds a reaction, or removes it."""
    return types.Effect_React(types.React(message_id, emoji, is_added))


def store(scope: Scope, key: str, value: object) -> Effect:
    """Keeps a value as a text; `None` removes it."""
    return types.Effect_Store(types.Store(scope, key, None if value is None else str(value)))


def schedule(scope: Scope, name: str, at: int | None) -> Effect:
    """Asks for a tick at a time in UNIX seconds; `None` cancels it."""
    return types.Effect_Schedule(types.Schedule(scope, name, at))


def fetch(
    id: str,
    url: str,
    *,
    method: str = "GET",
    body: str = "",
    headers: Texts = {},
    scope: Scope = APP,
    bearer: str | None = None,
) -> Effect:
    """Makes a request. `bearer` names the secret that the host inserts: `Authorization: Bearer …`."""
    secret = None if bearer is None else types.SecretHeader(bearer, "Authorization", "Bearer ")
    request = types.Fetch(id, scope, method, url, _entries(headers), body, secret)
    return types.Effect_Fetch(request)


def log(text: str) -> Effect:
    """Writes a line to the log of the app."""
    return types.Effect_Log(text)


def _dict(entries: list[Entry]) -> Values:
    return {entry.key: entry.value for entry in entries}


def _entries(texts: Texts) -> list[Entry]:
    return [Entry(key, str(value)) for key, value in texts.items()]


def _buttons(labels: Texts) -> list[Button]:
    return [Button(id, str(label)) for id, label in labels.items()]


def _ticks(times: Mapping[str, int]) -> list[TickAt]:
    return [TickAt(name, at) for name, at in times.items()]
