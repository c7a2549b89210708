/** What an upstream's error means, in words; its own message is shown beside it as it came. */

import { choose, write } from "../words.js";

/** Draw `error` ({type, message, status?}) into the group `name` of `parts`; nothing where there is none. */
export function drawFault(parts, name, error) {
  choose(parts[name], error ? (error.type ?? "*") : null);
  write(parts[`${name}-status`], error?.status ? ` (${error.status})` : "");
}
