/** A stream over its time: one bar for each part of it, as high as the bytes that came then. */

const SVG = "http://www.w3.org/2000/svg";

export function drawStrip(svg, bytes) {
  const most = Math.max(...bytes, 1);
  const width = 120 / Math.max(bytes.length, 1);
  svg.replaceChildren(
    ...bytes.flatMap((count, i) => {
      if (!count) return [];
      const bar = document.createElementNS(SVG, "rect");
      // The root keeps a small burst visible beside a large one.
      const height = Math.max(1, 24 * Math.sqrt(count / most));
      const box = { x: i * width, y: 24 - height, width: Math.max(width * 0.8, 0.3), height };
      for (const [name, value] of Object.entries(box)) bar.setAttribute(name, value.toFixed(2));
      return [bar];
    }),
  );
}
