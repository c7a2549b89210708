/** Post to the server; gives its response, null when it was not reached. */
export async function ask(path, fields = {}) {
  const body = new FormData(document.getElementById("csrf"));
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  try {
    return await fetch(path, { method: "POST", body });
  } catch {
    return null;
  }
}
