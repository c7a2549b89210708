/** The slash menu at its place: what its actions do on this page. */

import { commands } from "./commands.js";
import { SlashMenu } from "./menu.js";

export function wireSlash(form, { prompts, promptsDialog, tools, search, conversation }) {
  const shortcuts = document.getElementById("shortcuts-dialog");
  const actions = () => [
    { title: gettext("New chat"), keys: "new chat", run: () => location.assign("/") },
    { title: gettext("Search"), keys: "search find", run: () => search.open() },
    ...(conversation() ? [{ title: gettext("Export as Markdown"), keys: "export download markdown", run: () => document.getElementById("export").click() }] : []),
    { title: gettext("Edit the saved prompts"), keys: "prompts edit", run: () => promptsDialog.open() },
    { title: gettext("Keyboard shortcuts"), keys: "keyboard shortcuts help", run: () => shortcuts.showModal() },
  ];
  const address = () => (conversation() ? `/c/${conversation()}/tools/` : "/tools/");
  for (const button of document.querySelectorAll("[data-action=prompts]")) {
    button.addEventListener("click", () => {
      button.closest("details").open = false;
      promptsDialog.open();
    });
  }
  return new SlashMenu(form, commands({ prompts, tools, address, actions }));
}
