// The search field: where one searches, for what, and what the last word may become.

import { html } from "htm/preact";
import { computed, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { conversationOf } from "../state/narrow.js";
import { go, hash, linkTo, route } from "../state/route.js";
import { conversationName } from "../state/select.js";
import { t } from "../strings/text.js";
import { Icon } from "../elements/icon.js";
import { withModule } from "../frame/later.js";
import { note } from "../frame/note.js";

/** @typedef {import("../types.js").Term} Term */
/** @typedef {typeof import("./search-language.js")} Language */

export const isSearchOpen = signal(false);
const words = signal("");
/** The conversation that is searched; empty: everything. @type {import("@preact/signals-core").Signal<Term[]>} */
const within = signal([]);
/** The suggestion that is chosen; -1: none. */
const at = signal(-1);
const hasFocus = signal(false);
/** What understands the operators, once it is here. @type {import("@preact/signals-core").Signal<Language | null>} */
const language = signal(null);
/** The address that was searched last, which the field goes on to say. @type {string | null} */
let searched = null;

const suggestions = computed(() =>
  hasFocus.value && language.value !== null
    ? language.value.suggestionsFor(words.value, within.value)
    : { start: 0, choices: [] },
);

const withLanguage = (/** @type {(it: Language) => unknown} */ run) =>
  withModule(
    () => import("./search-language.js"),
    (it) => {
      language.value = it;
      return run(it);
    },
  );

/** Says what the address searches, unless it was searched here. */
function adopt() {
  const terms = route.value.view === "messages" ? route.value.narrow.terms : [];
  const [first] = terms;
  const isSearch = terms.some((term) => term.operator === "search");
  isSearchOpen.value = isSearch || searched === hash.value;
  if (searched === hash.value) return;
  within.value = [];
  words.value = "";
  if (terms.length === 1 && first?.operator === "search") words.value = String(first.operand);
  else if (isSearch) void withLanguage((it) => ([within.value, words.value] = it.split(terms)));
}

/** @param {HTMLElement | null} field @param {Event} event */
function submit(field, event) {
  event.preventDefault();
  void withLanguage(async (it) => {
    const { narrow, date, unknown } = it.narrowFor(words.value, within.value);
    const [problem] = unknown;
    if (date !== undefined && problem === undefined) {
      const near = await it.messageOf(narrow.terms, date);
      if (near === undefined) note(t("nothing_found"));
      else narrow.near = near;
    }
    if (problem !== undefined) note(t("search_unknown", { word: problem }));
    else if (narrow.terms.length > 0 || narrow.near !== undefined) {
      searched = linkTo(narrow);
      go(searched);
      field?.blur();
    }
  });
}

/** @param {HTMLInputElement | null} field @param {import("../state/search.js").Suggestion} choice */
function take(field, choice) {
  if (field === null) return;
  field.setRangeText(choice.insert, suggestions.value.start, field.value.length, "end");
  words.value = field.value;
  at.value = -1;
}

/** @param {KeyboardEvent} event */
function key(event) {
  const field = /** @type {HTMLInputElement} */ (event.target);
  const { choices } = suggestions.value;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const chosen =
    choices[event.key === "Tab" && !event.shiftKey && words.value !== "" ? Math.max(0, at.value) : at.value];
  if (event.isComposing) return;
  if (step !== undefined && choices.length > 0)
    at.value = ((at.value + step + 1 + choices.length + 1) % (choices.length + 1)) - 1;
  else if ((event.key === "Enter" || event.key === "Tab") && chosen !== undefined) take(field, chosen);
  else if (event.key === "Backspace" && field.selectionEnd === 0 && within.value.length > 0) within.value = [];
  else if (event.key === "Escape") {
    adopt();
    field.blur();
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

function focused() {
  hasFocus.value = true;
  at.value = -1;
  const terms = route.value.view === "messages" ? route.value.narrow.terms : [];
  if (words.value === "" && conversationOf(terms) !== null) within.value = terms;
  void withLanguage(() => undefined);
}

/** @param {FocusEvent & { currentTarget: HTMLElement }} event */
function left(event) {
  if (event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)) return;
  hasFocus.value = false;
  if (words.value !== "") return;
  within.value = [];
  isSearchOpen.value = false;
}

export function SearchBox() {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(adopt, [hash.value]);
  useEffect(() => document.getElementById(`search-${at.value}`)?.scrollIntoView({ block: "nearest" }), [at.value]);
  const { choices } = suggestions.value;
  const here = conversationOf(within.value);
  const isShown = hasFocus.value && language.value !== null;
  const free = () => {
    // An empty field takes the conversation as it gets the focus.
    field.current?.focus();
    within.value = [];
  };
  return html`<form
    role="search"
    onSubmit=${(/** @type {Event} */ event) => submit(field.current, event)}
    onFocusOut=${left}
  >
    ${
      here === null
        ? null
        : html`<span class="chip"
            ><span class="name" dir="auto">${conversationName(here, t("unknown_channel"))}</span>
            <button type="button" class="quiet" aria-label=${t("search_everywhere")} onClick=${free}>
              <${Icon} name="close" /></button
          ></span>`
    }
    <input
      ref=${field}
      id="search"
      type="text"
      enterkeyhint="search"
      role="combobox"
      autocomplete="off"
      aria-label=${t("search")}
      aria-autocomplete="list"
      aria-expanded=${choices.length > 0}
      aria-controls="search-suggestions"
      aria-describedby=${isShown ? "search-hint" : undefined}
      aria-activedescendant=${at.value < 0 ? undefined : `search-${at.value}`}
      placeholder=${t("search")}
      value=${words.value}
      onInput=${(/** @type {any} */ event) => ((words.value = event.target.value), (at.value = -1))}
      onKeyDown=${key}
      onFocus=${focused}
      onClick=${focused}
    />
    ${
      isShown
        ? html`<div class="suggestions">
            ${
              choices.length === 0
                ? null
                : html`<ul class="names" id="search-suggestions" role="listbox" aria-label=${t("suggestions")}>
                    ${choices.map(
                      (choice, index) =>
                        html`<li
                          key=${choice.insert}
                          id=${`search-${index}`}
                          role="option"
                          aria-selected=${index === at.value}
                          onPointerDown=${(/** @type {Event} */ event) => (event.preventDefault(), take(field.current, choice))}
                        >
                          ${language.value?.labelOf(choice)}
                        </li>`,
                    )}
                  </ul>`
            }
            <p class="hint" id="search-hint">${language.value?.hint()}</p>
          </div>`
        : null
    }
  </form>`;
}

export function openSearch() {
  isSearchOpen.value = true;
  requestAnimationFrame(() => document.getElementById("search")?.focus());
}
