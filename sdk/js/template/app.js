// An app for Spindle. `handle` gets each event, and returns what is to be done.

import { app, edit, reply, store } from "./spindle-app.js";

export const handle = app((event, values) => {
  const greeting = event.settings.greeting;
  const buttons = { again: "Again" };
  switch (event.what.type) {
    case "message":
      return [reply(`${greeting}, ${event.what.sender.name}!`, { buttons })];
    case "click": {
      // The scope of a click is the message, so each message has a count of its own.
      const count = Number(values.count ?? 1) + 1;
      const text = `${greeting}! This is greeting number ${count}.`;
      return [store(event.scope, "count", count), edit(event.what.messageId, text, { buttons })];
    }
    default:
      return [];
  }
});
