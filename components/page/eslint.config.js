// What is asked of the client's code beyond its types.

import js from "@eslint/js";
import globals from "globals";

const rules = {
  "max-lines": ["error", 300],
  complexity: ["error", 24],
  eqeqeq: "error",
  "no-var": "error",
  "prefer-const": "error",
  "no-console": ["error", { allow: ["error"] }],
  "no-implied-eval": "error",
  "no-new-func": "error",
  "no-eval": "error",
};

/** Markup and requests have one place each. */
const only = (names) => ({
  "no-restricted-properties": [
    "error",
    ...["innerHTML", "outerHTML", "insertAdjacentHTML"].map((property) => ({ property, message: "markup enters in messages/rendered.js" })),
  ],
  "no-restricted-globals": ["error", ...names],
});

export default [
  js.configs.recommended,
  { files: ["web/**/*.js"], languageOptions: { globals: globals.browser }, rules: { ...rules, ...only(["fetch", "XMLHttpRequest"]) } },
  { files: ["web/messages/rendered.js"], rules: { "no-restricted-properties": "off" } },
  { files: ["web/api/http.js"], rules: { "no-restricted-globals": "off" } },
  { files: ["files/service-worker.js"], languageOptions: { globals: globals.serviceworker }, rules },
  { files: ["units/**/*.js"], languageOptions: { globals: globals.node }, rules },
  { ignores: ["web/vendor/"] },
];
