// A person's picture, with the dot of their presence.

import { html } from "htm/preact";
import { serverTime } from "../state/presence.js";
import { presenceOf } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

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
  const state = presenceOf(id, serverTime.value);
  if (state === "") return html`<span class="presence"></span>`;
  return html`<span
    class=${`presence ${state}`}
    role="img"
    aria-label=${t(state === "active" ? "active" : "idle")}
  ></span>`;
}
