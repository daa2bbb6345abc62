"""An app for Spindle. `handle` gets each event, and returns what is to be done."""

from spindle_app import Click, Effect, Event, Message, Values, app, edit, reply, store


def handle(event: Event, values: Values) -> list[Effect]:
    greeting = event.settings["greeting"]
    match event.what:
        case Message(sender=sender):
            return [reply(f"{greeting}, {sender.name}!", {"again": "Again"})]
        # The scope of a click is the message, so each message has a count of its own.
        case Click(message_id=message_id):
            count = int(values.get("count", 1)) + 1
            text = f"{greeting}! This is greeting number {count}."
            return [store(event.scope, "count", count), edit(message_id, text, {"again": "Again"})]
    return []


WitWorld = app(handle)
