// The reference of the API: the filter of the list, buttons for copying, and this server's address in the calls.

import { offerCopying } from "./copy.js";

const SITE = "https://chat.example.org";

/** Shows the operations whose name or address has all the words, and the groups that have one. */
function filter(words) {
  let group;
  let isAny = false;
  for (const line of document.querySelectorAll("#list > li")) {
    if (line.className === "group") {
      group = line;
      group.hidden = true;
      continue;
    }
    const text = line.textContent.toLowerCase();
    line.hidden = !words.every((word) => text.includes(word));
    if (!line.hidden) {
      group.hidden = false;
      isAny = true;
    }
  }
  document.getElementById("none").hidden = isAny;
}

const field = document.querySelector("#filter input");
field.addEventListener("input", () => filter(field.value.toLowerCase().split(/\s+/).filter(Boolean)));
document.getElementById("filter").hidden = false;
for (const code of document.querySelectorAll("pre code")) {
  if (code.textContent.includes(SITE)) code.textContent = code.textContent.replaceAll(SITE, location.origin);
}
offerCopying();
