/** What the slash menu offers: the saved prompts, the tools that the conversation has, and a few actions. */

/** A tool is asked for in words: whether it is called is the model's to decide. */
const request = (name) => interpolate(gettext("Use the tool %s: "), [name]);

/**
 * Gives the function that the menu asks. `prompts`: a Prompts; `tools`: `[{name, about}]` as the page began with
 * them, asked for again at `address()` when the menu opens; `actions()`: items for the last group.
 */
export function commands({ prompts, tools, address, actions }) {
  let known = tools;
  const groups = () => [
    { name: gettext("Saved prompts"), items: prompts.all.map(({ title, text }) => ({ title, text, detail: text })) },
    { name: gettext("Ask for a tool"), items: known.map(({ name, about }) => ({ title: name, detail: about, text: request(name), code: true })) },
    { name: gettext("Actions"), items: actions() },
  ];
  const refresh = async (changed) => {
    try {
      const response = await fetch(address());
      if (!response.ok || response.redirected) return;
      const found = (await response.json()).tools;
      if (JSON.stringify(found) === JSON.stringify(known)) return;
      known = found;
      changed();
    } catch {
      // The network is away: the menu shows what was known.
    }
  };
  return (changed) => {
    if (changed) refresh(changed);
    return groups();
  };
}
