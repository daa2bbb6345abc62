// The clipboard, also over plain HTTP, where browsers offer it only in the old way.

/** @param {string} text @returns {Promise<boolean>} whether it is there */
export async function copyText(text) {
  try {
    if (navigator.clipboard !== undefined) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // Not allowed: the old way may be.
  }
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "aside";
  (document.querySelector("dialog[open]") ?? document.body).append(field);
  field.select();
  const isDone = document.execCommand("copy");
  field.remove();
  return isDone;
}
