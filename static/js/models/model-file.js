/** The one model file that is kept in the origin-private file system: written whole or not at all. */

const FOLDER = "models";
const PART = ".part";

async function folder() {
  return (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });
}

/** The kept file as `{name, file(), remove()}`, null when there is none. */
export async function stored() {
  try {
    const models = await folder();
    for await (const [name, handle] of models.entries()) {
      if (name.endsWith(PART)) continue;
      return { name, file: () => handle.getFile(), remove: () => models.removeEntry(name) };
    }
  } catch {
    // No such storage here, as in a private window: then nothing is kept.
  }
  return null;
}

/** Keep a stream of `size` bytes (0: unknown) under `name`, in place of what was kept; `progress(part)` from 0 to 1. */
export async function keep(stream, name, size, progress) {
  const models = await folder();
  const handle = await models.getFileHandle(name + PART, { create: true });
  const file = await handle.createWritable();
  let written = 0;
  let told = 0;
  const counted = new TransformStream({
    transform(chunk, controller) {
      written += chunk.length;
      if (size && written / size - told >= 0.01) progress((told = written / size));
      controller.enqueue(chunk);
    },
  });
  try {
    await stream.pipeThrough(counted).pipeTo(file);
    if (size && written !== size) throw new Error("The file ended too early.");
  } catch (error) {
    await models.removeEntry(name + PART).catch(() => {});
    throw error;
  }
  for await (const other of models.keys()) if (other !== name + PART) await models.removeEntry(other);
  await handle.move(name);
}
