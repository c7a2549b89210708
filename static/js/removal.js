/** Deleting from one message on, with the way back in a toast. */

import { ask } from "./ask.js";

export async function remove(conversation, turn, toast) {
  const address = `/c/${conversation.id}/turns/${turn.turnId}`;
  const response = await ask(`${address}/remove/`);
  if (!response?.ok) {
    toast.show("failed");
    return;
  }
  conversation.removed({ conversation: conversation.id, ...(await response.json()) });
  toast.show("remove", async () => {
    if (!(await ask(`${address}/restore/`))?.ok) toast.show("failed");
  });
}
