/**
 * What an answer cost, by the prices that the administrator entered. Without a price for its model nothing is said.
 *
 * Token counts come in the normal form of streamrender/usage.py: input is what was neither read from nor written to
 * a cache, so that the three add up to the prompt.
 */

let prices = [];

/** `list`: [{model, currency, input, output, cache_read, cache_write}] per million tokens, null where not entered. */
export function setPrices(list) {
  prices = [...list].sort((a, b) => b.model.length - a.model.length);
}

/** {amount, currency} of a turn, null when its model has no price or one that is needed is missing. */
export function cost(model, usage) {
  const price = prices.find((one) => fits(one.model, model));
  if (!price) return null;
  const { input } = price;
  const parts = [
    [usage.input_tokens, input],
    [usage.output_tokens, price.output],
    [usage.cache_read_tokens, price.cache_read ?? input],
    [usage.cache_write_tokens, price.cache_write ?? input],
  ].filter(([tokens]) => tokens);
  if (!parts.length || parts.some(([, each]) => each === null)) return null;
  return { amount: parts.reduce((sum, [tokens, each]) => sum + tokens * each, 0) / 1e6, currency: price.currency };
}

/** The sum of amounts in one currency; null where there are none, or more currencies. */
export function sum(amounts) {
  const currencies = new Set(amounts.map(({ currency }) => currency));
  if (currencies.size !== 1) return null;
  return { amount: amounts.reduce((all, { amount }) => all + amount, 0), currency: [...currencies][0] };
}

/** Whether a pattern with `*` names a model; a vendor's prefix such as "models/" does not count. */
export function fits(pattern, model) {
  const parts = pattern.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^(?:models/)?${parts.join(".*")}$`).test(model);
}
