/** A table as spreadsheets take it: a line for each row, tabs between the cells. */

export function separated(table) {
  const cell = ({ textContent }) => textContent.replace(/\s+/g, " ").trim();
  return [...table.rows].map((row) => [...row.cells].map(cell).join("\t")).join("\n");
}
