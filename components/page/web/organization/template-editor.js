// Templates of an incoming webhook: a topic and a text, a pasted sample of what the service sends, and what becomes of
// it.

import { html } from "htm/preact";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { previewTemplate } from "../api/bots.js";
import { Rendered } from "../messages/rendered.js";
import { previewer } from "../state/template-preview.js";
import { t } from "../strings/text.js";

/** @typedef {import("../state/webhook.js").Template} Template */

/** Options that this editor shows. */
export const TEMPLATES = ["topic_template", "text_template"];

/** @param {{ name: string, text: string, rows: number, value: import("@preact/signals-core").Signal<string>, problem?: string, required?: boolean }} properties */
const Field = ({ name, text, rows, value, problem = "", required = false }) =>
  html`<label
    >${text}
    <textarea
      class="code"
      name=${name}
      rows=${rows}
      dir="auto"
      spellcheck="false"
      autocomplete="off"
      required=${required}
      aria-invalid=${problem === "" ? undefined : "true"}
      value=${value.value}
      onInput=${(/** @type {any} */ { target }) => (value.value = target.value)}
    ></textarea>
    <span class="error" role="alert">${problem}</span></label
  >`;

/** Without a sample, there is nothing to show. @param {import("../state/template-preview.js").Draft} draft */
const ask = async (draft) => (draft.text_template === "" || draft.body === "" ? null : previewTemplate(draft));

/** @param {{ config: Record<string, string>, examples: Template[] }} properties config: of the bot */
export function TemplateEditor({ config, examples }) {
  const topic = useSignal(config["topic_template"] ?? "");
  const text = useSignal(config["text_template"] ?? "");
  const body = useSignal("");
  /** @type {import("@preact/signals-core").Signal<Parameters<Parameters<typeof previewer>[1]>[0]>} */
  const shown = useSignal({ preview: null, problem: null });
  const preview = useMemo(() => previewer(ask, (result) => (shown.value = result)), []);
  useEffect(
    () => preview({ topic_template: topic.value, text_template: text.value, body: body.value }),
    [topic.value, text.value, body.value],
  );
  const take = (/** @type {any} */ { target }) => {
    const example = examples[Number(target.value)];
    if (example === undefined) return;
    topic.value = example.topic_template;
    text.value = example.text_template;
    body.value = example.body;
  };
  const { preview: message, problem } = shown.value;
  const problemIn = (/** @type {string} */ field) => (problem?.field === field ? problem.message : "");
  return html`${
      examples.length === 0
        ? null
        : html`<label
            >${t("template_examples")}
            <select name="example" onChange=${take}>
              <option value="">${t("template_own")}</option>
              ${examples.map(({ name }, at) => html`<option key=${name} value=${at}>${name}</option>`)}
            </select></label
          >`
    }
    <${Field}
      name="config-topic_template"
      text=${t("template_topic")}
      rows=${2}
      value=${topic}
      problem=${problemIn("topic")}
    />
    <${Field}
      name="config-text_template"
      text=${t("template_text")}
      rows=${7}
      value=${text}
      problem=${problemIn("text")}
      required
    />
    <${Field} name="sample" text=${t("template_sample")} rows=${7} value=${body} />
    <p class="hint">${t("template_hint")}</p>
    <p class="error" role="alert">${problemIn("")}</p>
    ${
      message === null
        ? null
        : html`<div class="preview" tabindex="0" role="region" aria-label=${t("preview")}>
            <strong dir="auto">${message.topic}</strong>
            <${Rendered} html=${message.rendered} />
          </div>`
    }`;
}
