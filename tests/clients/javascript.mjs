// Every call of zulip-js that a current server answers, against a running server: all POST
// bodies are multipart, all other parameters are in the query.
//
// Arguments: folder of the installed package, address of the server, address and key of an owner,
// address and password of a member, name of a channel that both are subscribed to. Ends with
// status 0 and a last line that says so when every step has passed.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, realm, username, apiKey, memberName, password, channel] = process.argv.slice(2);
const zulip = createRequire(join(folder, 'package.json'))('zulip-js');

const owner = await zulip({ realm, username, apiKey });
// With a password instead of a key the library fetches one.
const member = await zulip({ realm, username: memberName, password });

const success = (answer) => {
  assert.equal(answer.result, 'success', JSON.stringify(answer));
  return answer;
};
const refused = (answer, code = 'BAD_REQUEST') => {
  assert.equal(answer.result, 'error', JSON.stringify(answer));
  if (code !== null) assert.equal(answer.code, code, JSON.stringify(answer));
  return answer;
};

const own = success(await owner.users.me.getProfile());
const other = success(await member.users.me.getProfile());
assert.equal(own.email.toLowerCase(), username.toLowerCase());

// The organization.
assert.equal(success(await owner.server.settings()).zulip_feature_level, 496);
assert.ok(success(await owner.users.retrieve()).members.length >= 2);
assert.equal(typeof success(await owner.emojis.retrieve()).emoji, 'object');
assert.deepEqual(success(await member.users.me.alertWords.retrieve()).alert_words, []);
const email = `js-${Date.now()}@example.com`;
const person = { email, password: 'a long one 1', full_name: 'A New User' };
assert.ok(success(await owner.users.create(person)).user_id > 0);
// Calls that servers no longer support are refused, in JSON.
refused(await owner.filters.retrieve(), null);
refused(await owner.users.me.pointer.retrieve(), null);
refused(await owner.users.me.pointer.update(1), null);

// Channels.
const { stream_id } = success(await owner.streams.getStreamId(channel));
assert.ok(success(await owner.streams.retrieve()).streams.some((found) => found.stream_id === stream_id));
const subscribed = success(await member.streams.subscriptions.retrieve()).subscriptions;
assert.ok(subscribed.some((found) => found.stream_id === stream_id));
const made = `from javascript ${Date.now()}`;
const added = await owner.users.me.subscriptions.add({ subscriptions: JSON.stringify([{ name: made }]) });
assert.deepEqual(success(added).subscribed, { [own.user_id]: [made] });
const left = await owner.users.me.subscriptions.remove({ subscriptions: JSON.stringify([made]) });
assert.deepEqual(success(left).removed, [made]);
const emptied = success(await owner.streams.getStreamId(made)).stream_id;
success(await owner.streams.deleteById({ stream_id: emptied }));

// Messages; the other account receives the events.
const kinds = ['message', 'update_message', 'reaction', 'update_message_flags', 'delete_message', 'typing'];
const queue = success(await member.queues.register({ event_types: kinds }));
const { id } = success(
  await owner.messages.send({ to: channel, type: 'stream', subject: 'javascript', content: 'one' }),
);
const direct = await owner.messages.send({ to: [other.user_id], type: 'private', content: 'psst' });
success(direct);
assert.equal(success(await owner.messages.render('*two*')).rendered, '<p><em>two</em></p>');
success(await owner.messages.update({ message_id: id, content: 'two' }));
success(await member.reactions.add({ message_id: id, emoji_name: 'tada' }));
success(await member.reactions.remove({ message_id: id, emoji_name: 'tada' }));
success(await member.reactions.add({ message_id: id, emoji_name: 'car' }));
success(await member.messages.deleteReactionById({ message_id: id, emoji_name: 'car' }));
success(await member.messages.flags.add({ messages: [id], flag: 'starred' }));
success(await member.messages.flags.remove({ messages: [id], flag: 'starred' }));
success(await owner.typing.send({ op: 'start', to: [other.user_id, own.user_id] }));
const { message, raw_content } = success(await member.messages.getById({ message_id: id }));
assert.equal(raw_content, 'two');
assert.equal(message.subject, 'javascript');
const { message_history } = success(await member.messages.getHistoryById({ message_id: id }));
assert.deepEqual(message_history.map((step) => step.content), ['one', 'two']);
const narrow = [{ operator: 'channel', operand: channel }, { operator: 'topic', operand: 'javascript' }];
const page = success(
  await member.messages.retrieve({ anchor: 'newest', num_before: 10, num_after: 0, narrow }),
);
assert.deepEqual(page.messages.map((found) => found.id), [id]);
const { topics } = success(await member.streams.topics.retrieve({ stream_id }));
assert.ok(topics.some((topic) => topic.name === 'javascript'));
success(await owner.messages.deleteById({ message_id: id }));
refused(await owner.messages.getById({ message_id: id }));

const seen = new Set();
let last_event_id = queue.last_event_id;
while (!kinds.every((kind) => seen.has(kind))) {
  const { events } = success(
    await member.events.retrieve({ queue_id: queue.queue_id, last_event_id, dont_block: true }),
  );
  assert.ok(events.length > 0, `only ${[...seen]}`);
  for (const event of events) {
    seen.add(event.type);
    last_event_id = Math.max(last_event_id, event.id);
  }
}
success(await member.queues.deregister({ queue_id: queue.queue_id }));
const gone = { queue_id: queue.queue_id, last_event_id, dont_block: true };
assert.equal(refused(await member.events.retrieve(gone), 'BAD_EVENT_QUEUE_ID').queue_id, queue.queue_id);

// The event loop of the library delivers one event after another.
const heard = new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error('callOnEachEvent heard nothing')), 20_000).unref();
  member.callOnEachEvent((event) => event.type === 'message' && resolve(event), ['message']);
});
// It does not report when its queue is registered, so the message is sent until it is received.
const until = setInterval(() => {
  owner.messages.send({ to: channel, type: 'stream', subject: 'loop', content: 'listen' });
}, 500);
assert.equal((await heard).message.content, 'listen');
clearInterval(until);

console.log('javascript: all steps passed');
process.exit(0);
