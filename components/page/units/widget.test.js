// Polls and to-do lists: submessages lead to the same result as in other clients.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nextIndex, widgetOf } from "../web/state/widget.js";

const AUTHOR = 1;
const OTHER = 2;
const messages = (begin, ...deeds) =>
  [[AUTHOR, begin], ...deeds].map(([sender_id, content], at) => ({
    id: at + 1,
    message_id: 9,
    msg_type: "widget",
    sender_id,
    content: typeof content === "string" ? content : JSON.stringify(content),
  }));
const POLL = { widget_type: "poll", extra_data: { question: "Which?", options: ["a", "b"] } };
const TODO = {
  widget_type: "todo",
  extra_data: { task_list_title: "Home", tasks: [{ task: "wash", desc: "all of it" }] },
};

test("votes count once a person, and are taken back", () => {
  const vote = (key, vote) => ({ type: "vote", key, vote });
  const all = messages(
    POLL,
    [OTHER, vote("canned,0", 1)],
    [OTHER, vote("canned,0", 1)],
    [AUTHOR, vote("canned,0", 1)],
    [AUTHOR, vote("canned,0", -1)],
    [AUTHOR, vote("nothing", 1)],
  );
  assert.deepEqual(
    widgetOf(all, AUTHOR).options.map((one) => one.votes),
    [[OTHER], []],
  );
});

test("options of others have keys of their own; none appears twice", () => {
  const added = (option, idx) => ({ type: "new_option", option, idx });
  const all = messages(POLL, [OTHER, added("c", 1)], [OTHER, added("a", 2)], [AUTHOR, added("d", 1)]);
  assert.deepEqual(
    widgetOf(all, AUTHOR).options.map((one) => [one.key, one.name]),
    [
      ["canned,0", "a"],
      ["canned,1", "b"],
      ["2,1", "c"],
      ["1,1", "d"],
    ],
  );
  assert.equal(nextIndex(all, OTHER, "idx"), 3);
  assert.equal(nextIndex(all, 7, "idx"), 1);
});

test("only the author changes the question", () => {
  const asked = (question) => ({ type: "question", question });
  assert.equal(widgetOf(messages(POLL, [OTHER, asked("Who?")]), AUTHOR).question, "Which?");
  assert.equal(widgetOf(messages(POLL, [AUTHOR, asked("Who?")]), AUTHOR).question, "Who?");
});

test("tasks are struck and taken back, and others added", () => {
  const strike = { type: "strike", key: "0,canned" };
  const task = { type: "new_task", key: 1, task: "cook", desc: "", completed: false };
  const [wash, cook] = widgetOf(messages(TODO, [OTHER, strike], [OTHER, task]), AUTHOR).tasks;
  assert.deepEqual(wash, { key: "0,canned", name: "wash", about: "all of it", isDone: true });
  assert.deepEqual(cook, { key: "1,2", name: "cook", about: "", isDone: false });
  assert.equal(widgetOf(messages(TODO, [OTHER, strike], [AUTHOR, strike]), AUTHOR).tasks[0].isDone, false);
});

test("what is neither is a message, and what is broken is passed over", () => {
  assert.equal(widgetOf([], AUTHOR), null);
  assert.equal(widgetOf(messages("no JSON"), AUTHOR), null);
  assert.equal(widgetOf(messages({ widget_type: "zform", extra_data: {} }), AUTHOR), null);
  assert.equal(widgetOf(messages(POLL, [OTHER, "{"], [OTHER, "null"], [OTHER, "5"]), AUTHOR).options.length, 2);
});
