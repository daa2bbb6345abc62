// Uses the types that openapi-typescript has generated into spindle.d.ts.
//
// Arguments: address of the server, email and password of a member, name of a channel that the member is subscribed to.

import createClient from "openapi-fetch";
import type { paths } from "./spindle.js";

declare const process: { argv: string[] };
const [baseUrl, email, password, channel] = process.argv.slice(2) as [string, string, string, string];
const form = { "Content-Type": "application/x-www-form-urlencoded" };

function must<T>(value: T | undefined | null, what: unknown): T {
  if (value === undefined || value === null) throw new Error(JSON.stringify(what));
  return value;
}

function same(found: unknown, expected: unknown): void {
  const texts = [JSON.stringify(found), JSON.stringify(expected)];
  if (texts[0] !== texts[1]) throw new Error(`${texts[0]} instead of ${texts[1]}`);
}

const visitor = createClient<paths>({ baseUrl, headers: form });
const signedIn = await visitor.POST("/api/v1/fetch_api_key", { body: { username: email, password } });
const account = must(signedIn.data, signedIn.error);
same(account.email, email);

const headers = { ...form, Authorization: `Basic ${btoa(`${email}:${account.api_key}`)}` };
const client = createClient<paths>({ baseUrl, headers });

const registered = await client.POST("/api/v1/register", { body: { event_types: JSON.stringify(["message"]) } });
const queue = must(registered.data, registered.error);
const body = { type: "channel", to: channel, topic: "generated", content: "from *TypeScript*" } as const;
const answer = await client.POST("/api/v1/messages", { body });
const sent = must(answer.data, answer.error);

const query = { queue_id: must(queue.queue_id, queue), last_event_id: queue.last_event_id };
const polled = await client.GET("/api/v1/events", { params: { query } });
const { events } = must(polled.data, polled.error);
const received = events.flatMap((event) => (event.type === "message" ? [event.message] : []));
same(received.map((message) => message.id), [sent.id]);

const path = { message_id: sent.id };
const fetched = await client.GET("/api/v1/messages/{message_id}", { params: { path } });
same(must(fetched.data, fetched.error).message.content, "<p>from <em>TypeScript</em></p>");

for (const user_id of [account.user_id, email]) {
  const found = await client.GET("/api/v1/users/{user_id}", { params: { path: { user_id } } });
  same(must(found.data, found.error).user.user_id, account.user_id);
}

console.log("typescript: all steps passed");
