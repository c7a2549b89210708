/**
 * Looks for the server process that knows a turn's feed, where several stand behind one address: by sockets of its own,
 * which stay open until the right one is found, so that a proxy which spreads connections leads to another process.
 */

const VERSION = 1;
const TRIES = 12;
const WITHIN = 8000;

/** Gives the open socket whose process has the feed, null when none has it. */
export async function search(url, turn, secret) {
  const sockets = [];
  const until = performance.now() + WITHIN;
  let found = null;
  while (!found && sockets.length < TRIES && performance.now() < until) {
    const socket = new WebSocket(url);
    sockets.push(socket);
    if (await knows(socket, turn, secret)) found = socket;
  }
  for (const socket of sockets) if (socket !== found) socket.close();
  return found;
}

/** Whether the process behind this socket has the feed. The socket is kept alive from then on. */
function knows(socket, turn, secret) {
  return new Promise((resolve) => {
    setTimeout(() => resolve(false), WITHIN / 4);
    socket.addEventListener("close", () => resolve(false));
    socket.addEventListener("message", ({ data }) => {
      const frame = JSON.parse(data);
      if (frame.type === "ping") {
        socket.send(JSON.stringify({ type: "pong", n: frame.n }));
      } else if (frame.type === "welcome") {
        socket.send(JSON.stringify({ type: "hello", v: VERSION, conversation: null, turns: {} }));
        socket.send(JSON.stringify({ type: "feed", turn, secret }));
      } else if (frame.turn === turn) {
        resolve(frame.type === "chunks_ok");
      }
    });
  });
}
