/**
 * Images of an answer never load by themselves: a placeholder names the host, and a click opens a new tab. From hosts
 * that the administrator allows, a click loads the image in its place, without saying where it was clicked.
 */

/** `list`: what holds the turns; `hosts`: the allowed ones. */
export function wireImages(list, hosts) {
  list.addEventListener("click", (event) => {
    const link = event.target.closest("text-pane a.image");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || link.querySelector("img")) return;
    const { protocol, hostname } = new URL(link.href);
    // While an answer still grows, its elements are the server's to change.
    if (protocol !== "https:" || !hosts.includes(hostname) || link.closest("text-pane").pane.state !== "done") return;
    event.preventDefault();
    const image = new Image();
    image.referrerPolicy = "no-referrer";
    image.alt = link.querySelector(".image-alt")?.textContent ?? "";
    image.addEventListener("error", () => image.remove());
    image.src = link.href;
    link.append(image);
  });
}
