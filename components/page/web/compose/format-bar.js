// The formatting buttons, their menu, and the switch for Enter.

import { html } from "htm/preact";
import { updateSettings } from "../api/people.js";
import { Icon } from "../elements/icon.js";
import { openMenu } from "../elements/menu.js";
import { attempt } from "../frame/note.js";
import { withModule } from "../frame/later.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { replaceIn } from "../elements/field.js";
import { write } from "./compose-state.js";
import { around, asCode, asCommand, asLink, asList, fenced } from "./formatting.js";

/** @typedef {(field: import("./formatting.js").Field) => import("./formatting.js").Change} Format */
/** @typedef {{ current: HTMLTextAreaElement | null }} Place */

/** @param {Place} place @param {Format} format */
function form({ current: field }, format) {
  if (field === null) return;
  const { value, selectionStart, selectionEnd } = field;
  const { start, end, words, from, to } = format({ value, start: selectionStart, end: selectionEnd });
  write(replaceIn(field, start, end, words));
  field.setSelectionRange(from, to);
}

/** @type {{ name: import("../elements/icon.js").Name, text: import("../strings/text.js").Key, keys?: string, format: Format, isNear?: boolean }[]} isNear: it has a button where there is room */
const FORMATS = [
  { name: "bold", text: "format_bold", keys: "Ctrl+B", format: around("**"), isNear: true },
  { name: "italic", text: "format_italic", keys: "Ctrl+I", format: around("*"), isNear: true },
  { name: "strike", text: "format_strike", format: around("~~") },
  { name: "link", text: "format_link", keys: "Ctrl+K", format: asLink, isNear: true },
  { name: "code", text: "format_code", format: asCode, isNear: true },
  { name: "list", text: "format_list", format: asList(false), isNear: true },
  { name: "all", text: "format_numbers", format: asList(true) },
  { name: "quote", text: "format_quote", format: fenced("quote"), isNear: true },
  { name: "eye", text: "spoiler", format: (field) => fenced(`spoiler ${t("format_heading")}`)(field) },
  { name: "math", text: "format_math", format: around("$$") },
];

/** @param {Place} place */
const openTime = ({ current: field }) =>
  field === null
    ? undefined
    : withModule(
        () => import("./time-dialog.js"),
        (it) => it.openTime(field),
      );

/** @param {Place} place @param {HTMLElement} from */
function open(place, from) {
  const command = (/** @type {string} */ name, /** @type {string} */ sample, /** @type {string} */ rest) => () =>
    form(place, asCommand(name, sample, rest));
  openMenu(from, t("format"), [
    ...FORMATS.map(({ name, text, format }) => ({ name, text: t(text), run: () => form(place, format) })),
    { name: "clock", text: t("format_time"), run: () => openTime(place) },
    { name: "add", text: t("poll"), run: command("/poll", t("format_question"), t("format_options")) },
    { name: "check", text: t("todo"), run: command("/todo", t("format_heading"), t("format_options")) },
    {
      name: "send",
      text: t(store.settings.value.enter_sends ? "enter_breaks" : "enter_sends"),
      run: toggleEnter,
    },
  ]);
}

const toggleEnter = () => attempt(() => updateSettings({ enter_sends: store.settings.peek().enter_sends !== true }));

/** Left and Right move between the buttons; Tab leaves the bar. @param {KeyboardEvent} event */
function keyed(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const bar = /** @type {HTMLElement} */ (event.currentTarget);
  if (step === undefined) return;
  const all = [...bar.querySelectorAll("button")].filter((one) => one.offsetParent !== null);
  const at = all.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
  all.at((at + step) % all.length)?.focus();
  event.preventDefault();
}

/** @param {{ field: Place, isOff: boolean }} properties */
export const FormatBar = ({ field, isOff }) =>
  html`<div class="format" role="toolbar" aria-label=${t("format")} onKeyDown=${keyed}>
    ${FORMATS.filter((one) => one.isNear).map(
      ({ name, text, keys, format }) =>
        html`<button
          type="button"
          class="quiet wide-only"
          key=${name}
          tabindex="-1"
          title=${keys === undefined ? t(text) : `${t(text)} (${keys})`}
          aria-label=${t(text)}
          disabled=${isOff}
          onPointerDown=${(/** @type {Event} */ event) => event.preventDefault()}
          onClick=${() => form(field, format)}
        >
          <${Icon} name=${name} />
        </button>`,
    )}
    <button
      type="button"
      class="quiet"
      title=${t("format")}
      aria-label=${t("format")}
      aria-haspopup="menu"
      disabled=${isOff}
      onClick=${(/** @type {any} */ event) => open(field, event.currentTarget)}
    >
      <${Icon} name="format" />
    </button>
  </div>`;

export const EnterSwitch = () =>
  html`<label
    class="enter wide-only"
    title=${t(store.settings.value.enter_sends ? "enter_sends_hint" : "enter_breaks_hint")}
    ><input
      type="checkbox"
      checked=${store.settings.value.enter_sends === true}
      onChange=${(/** @type {any} */ event) => {
        event.target.checked = store.settings.peek().enter_sends === true;
        void toggleEnter();
      }}
    />
    ${t("enter_short")}</label
  >`;
