/**
 * Pinning, archiving and deleting conversations. The server is asked first; what it did is shown, and what takes a
 * conversation out of sight can be undone from a toast, also on the page that follows.
 */

const UNDO = { delete: "restore", archive: "unarchive" };
const LEFT = "deleted";

/** Post to the server; gives its response, null when it was not reached. */
export async function ask(path) {
  const body = new FormData(document.getElementById("csrf"));
  try {
    return await fetch(path, { method: "POST", body });
  } catch {
    return null;
  }
}

const post = async (path) => Boolean((await ask(path))?.ok);

export class Shelf {
  #sidebar;
  #toast;
  #shown;

  /** `shown()`: the id of the conversation on this page. */
  constructor(sidebar, toast, shown) {
    this.#sidebar = sidebar;
    this.#toast = toast;
    this.#shown = shown;
    const left = sessionStorage.getItem(LEFT);
    sessionStorage.removeItem(LEFT);
    if (left) toast.show("delete", () => this.#comeBack(left));
  }

  /** Do what the menu says to the conversation of this row. */
  async act(action, row) {
    const { id } = row.dataset;
    if (!(await post(`/c/${id}/${action}/`))) {
      this.#toast.show("failed");
      return;
    }
    if (action === "delete" && id === this.#shown()) {
      sessionStorage.setItem(LEFT, id);
      // In place of its page, so that Back does not lead to what is gone.
      location.replace("/");
      return;
    }
    const hadFocus = row.contains(document.activeElement);
    this.#move(action, row);
    if (action in UNDO) this.#toast.show(action, () => this.act(UNDO[action], row));
    if (hadFocus) this.#sidebar.focus(row);
  }

  #move(action, row) {
    const { dataset } = row;
    if (action === "pin") dataset.pinned = "";
    if (action === "unpin") delete dataset.pinned;
    if (action === "archive") dataset.archived = "";
    if (action === "unarchive") delete dataset.archived;
    if (action === "delete") this.#sidebar.remove(dataset.id);
    else this.#sidebar.place(row);
  }

  async #comeBack(id) {
    if (await post(`/c/${id}/restore/`)) location.assign(`/c/${id}/`);
    else this.#toast.show("failed");
  }
}
