/** Keys that work anywhere on the page. The sheet that `?` opens lists them. */

const writing = (target) => target.closest?.("input, textarea, select, [contenteditable]");

export function wireShortcuts({ sheet, composer, search, quote, inspect, jump }) {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.defaultPrevented) return;
    const inDialog = document.querySelector("dialog[open]");
    if (event.key === "Escape" && !inDialog && !document.querySelector(".menu[open]")) composer.stop();
    else if (event.key === "End" && (event.ctrlKey || event.metaKey) && !writing(event.target)) jump();
    else if (event.key.toLowerCase() === "o" && event.shiftKey && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      location.assign("/");
    } else if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !inDialog) {
      event.preventDefault();
      search.open();
    } else if (event.ctrlKey || event.metaKey || event.altKey || writing(event.target) || inDialog) return;
    else if (event.key === "?") sheet.showModal();
    else if (event.key.toLowerCase() === "q" && quote.take()) event.preventDefault();
    else if (event.key.toLowerCase() === "i") inspect();
    else if (event.key === "/") {
      event.preventDefault();
      composer.focus();
    }
  });
  for (const button of document.querySelectorAll("[data-action=shortcuts]")) {
    button.addEventListener("click", () => {
      button.closest("details").open = false;
      sheet.showModal();
    });
  }
}
