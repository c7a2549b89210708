/** What an upstream's error means, in words; its own message is shown beside it as it came. */

import { choose, write } from "../words.js";

// Errors that mean something else where the model is a browser's.
const DEVICE = { permission: "device-permission", invalid_request: "device-invalid_request", upstream: "device" };

/** Draw `error` ({type, message, status?}) into the group `name` of `parts`; nothing where there is none. `device`: the
 * model runs in a browser. */
export function drawFault(parts, name, error, device = false) {
  const type = error?.type ?? "*";
  choose(parts[name], error ? ((device && DEVICE[type]) || type) : null);
  write(parts[`${name}-status`], error?.status ? ` (${error.status})` : "");
}
