/** Conversations as files: saved from the menu of a conversation, brought back from the settings. */

/** `kind`: "json" brings everything back by importing it, "html" is a page to read and give away. */
export function save(id, kind = "json") {
  const link = document.createElement("a");
  link.href = `/c/${id}/export.${kind}`;
  link.download = "";
  link.click();
}

/** `failed(what)` is told "unreadable" or "failed". */
export function wireImport(input, failed) {
  input.addEventListener("change", async () => {
    const body = new FormData(document.getElementById("csrf"));
    body.set("file", input.files[0]);
    input.value = "";
    let response = null;
    try {
      response = await fetch("/import/", { method: "POST", body });
    } catch {
      // Said below.
    }
    if (response?.ok) location.assign((await response.json()).path);
    else failed(response?.status === 400 ? "unreadable" : "failed");
  });
}
