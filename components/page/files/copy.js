// Buttons that copy the code below them; shared by the pages.

/** Browsers offer the clipboard to secure origins only; elsewhere the selection is copied. */
async function copy(code) {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(code.textContent);
      return true;
    } catch {
      // Refused: the selection is left to try.
    }
  }
  const selection = getSelection();
  selection.selectAllChildren(code);
  const copied = document.execCommand("copy");
  if (copied) selection.removeAllRanges();
  return copied;
}

function offerOne(button) {
  const code = button.closest("figure").querySelector("code");
  let back;
  button.hidden = false;
  button.addEventListener("click", async () => {
    button.textContent = (await copy(code)) ? "Copied" : "Selected";
    clearTimeout(back);
    back = setTimeout(() => (button.textContent = "Copy"), 1800);
  });
}

/** Shows the buttons, which do nothing without this script. */
export function offerCopying() {
  for (const button of document.querySelectorAll(".copy")) offerOne(button);
}
