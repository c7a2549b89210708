/** Small choices about the look that the server has to know before it draws the page. */

const YEAR = 60 * 60 * 24 * 365;

export function keep(name, value) {
  document.cookie = `${name}=${encodeURIComponent(value)}; path=/; max-age=${YEAR}; samesite=lax`;
}
