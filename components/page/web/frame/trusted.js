// The one Trusted Types policy: what a string must be to become markup or a script's address.
//
// Markup is what the server has rendered of a message or a description. It enters the document in
// `rendered.js` alone. A page that was pasted is parsed aside (`compose/paste.js`) and enters no document.

/** Attributes that the policy of the page would refuse, said as a class instead. @param {string} html */
const withoutStyles = (html) =>
  html
    .replace(/<(t[hd]) style="text-align: (left|right|center);">/gu, '<$1 class="to-$2">')
    .replace(/(<a class="message_embed_image"[^>]*?) style="[^"]*"/gu, "$1");

const own = () => new URL("..", import.meta.url).href;

/** The service worker of the offline shell. */
export const SHELL = "/page/service-worker.js";

const rules = {
  createHTML: withoutStyles,
  createScriptURL: (/** @type {string} */ url) => {
    if (url !== SHELL && !url.startsWith(own())) throw new TypeError("not a script of this client");
    return url;
  },
};

/** @type {typeof rules} */
const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("spindle", rules) ?? rules;

/** @param {string} html of the server, or what is only read @returns {string} in truth a TrustedHTML */
export const markup = (html) => policy.createHTML(html);

/** @param {string} url @returns {string} in truth a TrustedScriptURL */
export const scriptUrl = (url) => policy.createScriptURL(url);
