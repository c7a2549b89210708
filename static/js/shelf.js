/**
 * Pinning, archiving and deleting conversations. The server is asked first; what it did is shown, and what takes a
 * conversation out of sight can be undone from a toast, also on the page that follows. The browser's other tabs are
 * told, and show it too; other browsers hear of it by the socket.
 */

import { ask } from "./ask.js";
import { partsOf } from "./templates.js";

const UNDO = { delete: "restore", archive: "unarchive" };
const LEFT = "deleted";

const post = async (path) => Boolean((await ask(path))?.ok);

export class Shelf {
  #sidebar;
  #toast;
  #shown;
  #gone;
  #leaving = null;
  #others = new BroadcastChannel("shelf");

  /** `shown()`: the id of the conversation on this page; `gone(is)` is told when it was deleted or came back. */
  constructor(sidebar, toast, shown, gone = () => {}) {
    this.#sidebar = sidebar;
    this.#toast = toast;
    this.#shown = shown;
    this.#gone = gone;
    this.#others.addEventListener("message", ({ data }) => this.#moved(data));
    const left = sessionStorage.getItem(LEFT);
    sessionStorage.removeItem(LEFT);
    if (left) toast.show("delete", () => this.#comeBack(JSON.parse(left)));
  }

  /** A frame from the server: this was done, here or in another browser; then it is shown already. */
  receive({ action, conversation: id, title, updated, pinned, archived }) {
    const data = { updated };
    if (pinned) data.pinned = "";
    if (archived) data.archived = "";
    this.#moved({ action, id, title, data });
  }

  /** Do what the menu says to the conversation of this row. */
  async act(action, row) {
    const { id } = row.dataset;
    if (action === "delete") this.#leaving = id;
    if (!(await post(`/c/${id}/${action}/`))) {
      this.#leaving = null;
      this.#toast.show("failed");
      return;
    }
    const { title } = partsOf(row);
    const about = { id, title: title.textContent, data: { ...row.dataset } };
    this.#others.postMessage({ action, ...about });
    if (action === "delete" && id === this.#shown()) {
      sessionStorage.setItem(LEFT, JSON.stringify(about));
      // In place of its page, so that Back does not lead to what is gone.
      location.replace("/");
      return;
    }
    // The frame that tells all pages may have been faster than the response.
    const other = this.#sidebar.item(id);
    if (other && other !== row) other.remove();
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

  /** Another tab did this. A row that was deleted comes back from what that tab knows of it. */
  #moved({ action, id, title, data }) {
    let row = this.#sidebar.item(id);
    // A page that shows what is gone says so.
    if (id === this.#shown() && id !== this.#leaving && ["delete", "restore"].includes(action)) this.#gone(action === "delete");
    if (!row && action === "restore") {
      this.#sidebar.add(id, title, id === this.#shown());
      row = this.#sidebar.item(id);
      for (const name of ["pinned", "archived", "updated"]) if (name in data) row.dataset[name] = data[name];
    }
    if (!row) return;
    const focused = row.contains(document.activeElement);
    this.#move(action, row);
    if (focused) this.#sidebar.focus(row);
  }

  async #comeBack({ id, ...about }) {
    if (!(await post(`/c/${id}/restore/`))) {
      this.#toast.show("failed");
      return;
    }
    this.#others.postMessage({ action: "restore", id, ...about });
    location.assign(`/c/${id}/`);
  }
}
