// The sign of a channel: open to all, private, or public on the web; in its colour.

import { html } from "htm/preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../elements/icon.js";

/** @param {{ channel: import("../types.js").Channel | undefined }} properties */
export function ChannelSign({ channel }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    place.current?.style.setProperty("--channel", channel?.color ?? "var(--muted)");
  }, [channel?.color]);
  const name = channel?.invite_only ? "lock" : channel?.is_web_public ? "globe" : "hash";
  return html`<span class="sign" ref=${place}><${Icon} name=${name} /></span>`;
}
