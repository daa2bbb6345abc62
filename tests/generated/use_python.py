"""Uses the client that openapi-python-client has generated into the folder spindle_client.

Arguments: address of the server, email and password of a member, name of a channel that the member is subscribed to.
"""

import base64
import importlib
import json
import pkgutil
import sys

import spindle_client
from spindle_client import AuthenticatedClient, Client
from spindle_client.api.events import get_events
from spindle_client.api.messages import get_message, get_messages, send_message
from spindle_client.api.register import register
from spindle_client.api.server import fetch_api_key
from spindle_client.api.users import get_user
from spindle_client.models import (
    FetchApiKeyBody,
    MessageEvent,
    RegisterBody,
    SendMessageBody,
    SendMessageBodyType,
)

site, email, password, channel = sys.argv[1:]

for module in pkgutil.walk_packages(spindle_client.__path__, "spindle_client."):
    importlib.import_module(module.name)

signed_in = fetch_api_key.sync(client=Client(base_url=site), body=FetchApiKeyBody(username=email, password=password))
assert signed_in.email == email, signed_in

# The generator knows tokens alone; the credentials of basic authentication are one.
basic = base64.b64encode(f"{email}:{signed_in.api_key}".encode()).decode()
client = AuthenticatedClient(base_url=site, token=basic, prefix="Basic")

queue = register.sync(client=client, body=RegisterBody(event_types=json.dumps(["message"])))
body = SendMessageBody(type_=SendMessageBodyType.CHANNEL, to=channel, topic="generated", content="from *Python*")
sent = send_message.sync(client=client, body=body)
answer = get_events.sync(client=client, queue_id=queue.queue_id, last_event_id=queue.last_event_id)
received = [event.message for event in answer.events if isinstance(event, MessageEvent)]
assert [message.id for message in received] == [sent.id], answer
assert received[0].content == "from *Python*", received

fetched = get_message.sync(sent.id, client=client)
assert fetched.message.content == "<p>from <em>Python</em></p>", fetched
narrow = json.dumps([{"operator": "channel", "operand": channel}])
page = get_messages.sync(client=client, anchor="newest", num_before=10, num_after=0, narrow=narrow)
assert page.messages[-1].id == sent.id, page
for name in (signed_in.user_id, email):
    assert get_user.sync(name, client=client).user.user_id == signed_in.user_id

print("python: all steps passed")
