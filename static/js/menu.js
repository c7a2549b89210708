/** A menu made of `<details>` closes when something else is clicked or focused, and on Escape. */

export function wireMenu(menu) {
  const close = (event) => menu.open && !menu.contains(event.target) && (menu.open = false);
  document.addEventListener("pointerdown", close);
  document.addEventListener("focusin", close);
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.stopPropagation();
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}
