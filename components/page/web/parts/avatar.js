// A person's picture, with the dot of their presence.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { presenceOf } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** Seconds, twice a minute: presence grows old by itself. */
const tick = signal(Date.now() / 1000);
setInterval(() => document.hidden || (tick.value = Date.now() / 1000), 30_000);

/** @param {{ id: number, url?: string | null }} properties */
export const Avatar = ({ id, url }) =>
  html`<img
    class="avatar"
    src=${store.users.value.get(id)?.avatar_url ?? url ?? `/avatar/${id}`}
    alt=""
    loading="lazy"
    decoding="async"
  />`;

/** @param {{ id: number }} properties */
export function PresenceDot({ id }) {
  const state = presenceOf(id, tick.value);
  if (state === "") return html`<span class="presence"></span>`;
  return html`<span
    class=${`presence ${state}`}
    role="img"
    aria-label=${t(state === "active" ? "active" : "idle")}
  ></span>`;
}
