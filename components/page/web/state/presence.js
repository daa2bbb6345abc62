// Who is here: saying that oneself is, and learning of the others. Events tell only who comes.

import { signal } from "@preact/signals-core";
import { updatePresence } from "../api/people.js";
import { now, patch, store } from "./store.js";

/** Milliseconds without a key or a pointer; then one is away. */
const AWAY = 300_000;

/** Seconds that the server's clock is ahead of this one. */
let ahead = 0;
/** The server's time, in seconds, as of some moments ago: presence grows old by itself. */
export const serverTime = signal(Date.now() / 1000);

const tick = () => (serverTime.value = Date.now() / 1000 + ahead);

/** Begins to tell; the function that it returns ends that. */
export function tellPresence() {
  let last = -1;
  let used = Date.now();
  const note = () => (used = Date.now());
  const tell = async () => {
    const isActive = !document.hidden && Date.now() - used < AWAY;
    try {
      const answer = await updatePresence(isActive ? "active" : "idle", last);
      last = answer["presence_last_update_id"] ?? last;
      ahead = answer["server_timestamp"] - Date.now() / 1000;
      const presences = new Map(now().presences);
      for (const [id, one] of Object.entries(answer["presences"] ?? {})) presences.set(Number(id), one);
      patch({ presences });
    } catch {
      // The next one says it.
    }
    tick();
  };
  for (const name of ["pointermove", "keydown"]) addEventListener(name, note, { passive: true });
  const seconds = store.realm.peek()["server_presence_ping_interval_seconds"] ?? 60;
  const timer = setInterval(() => void tell(), seconds * 1000);
  void tell();
  return () => {
    clearInterval(timer);
    for (const name of ["pointermove", "keydown"]) removeEventListener(name, note);
  };
}
