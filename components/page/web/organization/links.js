// Texts that become links, with a live try, and playgrounds that open code.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import {
  addCodePlayground,
  addLinkifier,
  removeCodePlayground,
  removeLinkifier,
  reorderLinkifiers,
} from "../api/organization.js";
import { Form } from "../elements/form.js";
import { attempt } from "../frame/note.js";
import { Ordered } from "../elements/order.js";
import { linkOf } from "../state/linkifier.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

const pattern = signal("");
const template = signal("");
const sample = signal("");

/** What a text would become, while one writes. */
function Trial() {
  if (sample.value === "" || pattern.value === "") return html`<p class="hint">${t("linkifier_try")}</p>`;
  const found = linkOf(pattern.value, template.value, sample.value);
  if (found === null) return html`<p class="hint">${t("linkifier_no_match")}</p>`;
  return html`<p><bdi>${found.text}</bdi> → <bdi class="link">${found.url}</bdi></p>`;
}

function Linkifiers() {
  /** @type {{ id: number, pattern: string, url_template: string }[]} */
  const all = store.personal.value["realm_linkifiers"] ?? [];
  const add = async () => {
    await addLinkifier(pattern.value.trim(), template.value.trim());
    pattern.value = template.value = sample.value = "";
  };
  const field = (/** @type {import("@preact/signals-core").Signal<string>} */ to) => (/** @type {any} */ event) =>
    (to.value = event.target.value);
  const line = (/** @type {any} */ one) =>
    html`<span class="name"
        ><code>${one.pattern}</code> <span class="hint"><code>${one.url_template}</code></span></span
      >
      <button
        type="button"
        class="plain"
        aria-label=${t("remove_one", { name: one.pattern })}
        onClick=${() => attempt(() => removeLinkifier(one.id))}
      >
        ${t("remove")}
      </button>`;
  return html`<section class="broad">
    <h2>${t("linkifiers")}</h2>
    <p class="hint">${t("linkifiers_text")}</p>
    <${Ordered}
      items=${all.map((one) => ({ ...one, name: one.pattern }))}
      line=${line}
      set=${(/** @type {number[]} */ ids) => void attempt(() => reorderLinkifiers(ids))}
    />
    <${Form} look="page" run=${add} action=${t("add")}>
      <label
        >${t("pattern")}
        <input
          name="pattern"
          required
          autocomplete="off"
          placeholder="#(?P<id>[0-9]+)"
          value=${pattern}
          onInput=${field(pattern)}
      /></label>
      <label
        >${t("url_template")}
        <input
          name="url_template"
          required
          autocomplete="off"
          placeholder="https://bugs.example.org/{id}"
          value=${template}
          onInput=${field(template)}
      /></label>
      <label
        >${t("sample")}
        <input name="sample" dir="auto" autocomplete="off" placeholder="#12" value=${sample} onInput=${field(sample)}
      /></label>
      <div role="status"><${Trial} /></div>
    <//>
  </section>`;
}

function Playgrounds() {
  /** @type {{ id: number, name: string, pygments_language: string, url_template: string }[]} */
  const all = store.personal.value["realm_playgrounds"] ?? [];
  const add = (/** @type {import("../elements/form.js").Sent} */ { text }) =>
    addCodePlayground({ name: text("name"), pygments_language: text("language"), url_template: text("code_url") });
  return html`<section class="broad">
    <h2>${t("playgrounds")}</h2>
    <p class="hint">${t("playgrounds_text")}</p>
    <ul class="names">
      ${all.map(
        (one) =>
          html`<li class="session" key=${one.id}>
            <span class="name"
              ><bdi>${one.name}</bdi>
              <span class="hint">${one.pygments_language} · <code>${one.url_template}</code></span></span
            >
            <button
              type="button"
              class="plain"
              aria-label=${t("remove_one", { name: one.name })}
              onClick=${() => attempt(() => removeCodePlayground(one.id))}
            >
              ${t("remove")}
            </button>
          </li>`,
      )}
    </ul>
    <${Form} look="page" run=${add} action=${t("add")} resets>
      <label>${t("name")} <input name="name" required dir="auto" autocomplete="off" /></label>
      <label>${t("code_language")} <input name="language" required autocomplete="off" placeholder="Rust" /></label>
      <label
        >${t("url_template")}
        <input name="code_url" required autocomplete="off" placeholder="https://play.example.org/?code={code}"
      /></label>
    <//>
  </section>`;
}

export const Links = () => html`<${Linkifiers} /><${Playgrounds} />`;
