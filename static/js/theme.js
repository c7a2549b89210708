/** Light, dark or the system's: kept in a cookie, so that the server draws the page right from its first byte. */

import { keep } from "./cookies.js";

export function wireTheme(group, root = document.documentElement) {
  const others = new BroadcastChannel("theme");
  others.addEventListener("message", ({ data }) => {
    root.dataset.theme = data;
    for (const radio of group.querySelectorAll("input")) radio.checked = radio.value === data;
  });
  for (const radio of group.querySelectorAll("input")) {
    radio.checked = radio.value === (root.dataset.theme || "system");
    radio.addEventListener("change", () => {
      root.dataset.theme = radio.value;
      keep("theme", radio.value);
      others.postMessage(radio.value);
    });
  }
}
