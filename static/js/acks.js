/**
 * Acknowledgements, gathered: one says that all that was sent before is shown too, so the newest speaks for all.
 * It goes out after FRAMES of them or BYTES received, and never later than WITHIN milliseconds: well inside the
 * window that the server leaves open (docs/protocol.md).
 */

const FRAMES = 16;
const BYTES = 64 * 1024;
const WITHIN = 250;

export class Acks {
  #send;
  #newest = null;
  #count = 0;
  #bytes = 0;
  #timer = null;

  /** `send(frame)` sends one. */
  constructor(send) {
    this.#send = send;
  }

  /** So many characters were received. */
  heard(length) {
    this.#bytes += length;
  }

  /** This is shown. */
  take(frame) {
    this.#newest = frame;
    this.#count += 1;
    if (this.#count >= FRAMES || this.#bytes >= BYTES) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), WITHIN);
  }

  /** The socket is a new one: what was shown before is said by hello. */
  forget() {
    clearTimeout(this.#timer);
    this.#timer = this.#newest = null;
    this.#count = this.#bytes = 0;
  }

  #flush() {
    const frame = this.#newest;
    this.forget();
    if (frame) this.#send(frame);
  }
}
