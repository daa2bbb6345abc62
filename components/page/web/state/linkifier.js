// What a linkifier would make of a text, for the try in the settings. Pure.
//
// The server decides: its patterns are those of RE2, of which the browser's understand what is common.

/** `(?P<name>…)` is written otherwise here. @param {string} pattern @returns {RegExp | null} null: not understood */
function compiled(pattern) {
  try {
    return new RegExp(pattern.replaceAll("(?P<", "(?<"), "u");
  } catch {
    return null;
  }
}

/**
 * The first link in a text.
 * @param {string} pattern @param {string} template with `{name}` for what a group has matched @param {string} text
 * @returns {{ text: string, url: string } | null} null: nothing matches
 */
export function linkOf(pattern, template, text) {
  const found = compiled(pattern)?.exec(text);
  if (!found) return null;
  const url = template.replace(/\{(\w+)\}/gu, (blank, name) =>
    found.groups?.[name] === undefined ? blank : encodeURIComponent(found.groups[name]),
  );
  return { text: found[0], url };
}
