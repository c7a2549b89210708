/**
 * Messages on their way: kept until the server says `ok` or `no`, also across a reload or a crash of the tab.
 *
 * The server takes a message with a known id only once, so sending again is always safe. Other tabs share the
 * store: each sends only what belongs to its own conversation, and a message of a new chat only from its own
 * tab, or once that tab is surely gone.
 */

const PREFIX = "outbox:";
const ORPHANED = 20_000;

export class Outbox {
  #store;
  #tab;

  /** `store`: a Storage that outlives the tab; `tab`: an id of this tab that survives its reload. */
  constructor(store, tab) {
    this.#store = store;
    this.#tab = tab;
  }

  /** Keep a submit frame until `done` is called with its id. */
  keep(frame, now = Date.now()) {
    this.#store.setItem(PREFIX + frame.id, JSON.stringify({ frame, tab: this.#tab, at: now }));
  }

  done(id) {
    this.#store.removeItem(PREFIX + id);
  }

  /** The frames that this page should send, oldest first. `conversation`: its id, null for a new chat. */
  waiting(conversation, now = Date.now()) {
    return this.#entries()
      .filter(({ frame, tab, at }) => {
        if (frame.conversation !== conversation) return false;
        return conversation !== null || tab === this.#tab || now - at > ORPHANED;
      })
      .sort((a, b) => a.at - b.at)
      .map(({ frame }) => frame);
  }

  #entries() {
    const keys = Array.from({ length: this.#store.length }, (_, i) => this.#store.key(i));
    return keys.filter((key) => key.startsWith(PREFIX)).flatMap((key) => {
      try {
        return [JSON.parse(this.#store.getItem(key))];
      } catch {
        return [];
      }
    });
  }
}
