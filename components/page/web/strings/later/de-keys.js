// German: API keys. The same keys as in English, which a test compares.

/** @type {Record<keyof typeof import("./en-keys.js").keys, string>} */
export const keys = {
  api_key: "API-Schlüssel",
  api_keys: "API-Schlüssel",
  api_key_text:
    "Andere Programme benutzen Ihr Konto mit einem Schlüssel. Geben Sie jedem Programm einen eigenen, der nicht mehr darf als nötig. Ein Schlüssel wird nur einmal gezeigt.",
  key_scope: "Er darf",
  key_end: "Er endet nach",
  scope_read: "Lesen",
  scope_send: "Lesen und senden",
  scope_everything: "Alles, was Mitglieder dürfen",
  scope_administer: "Alles, was meine Rolle erlaubt",
  scope_account: "Alles",
  key_ends: "endet {when}",
  never_used: "nie benutzt",
  end_key: "Beenden",
  no_keys_here: "Die Organisation lässt Sie keine Schlüssel erstellen.",
  new_key: "Schlüssel erstellen",
  revoke_keys: "Alle API-Schlüssel widerrufen",
  key_made: "API-Schlüssel, erzeugt {when}",
};
