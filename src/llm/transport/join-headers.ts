type Headers = Readonly<Record<string, string>>;

/** A list such as `anthropic-beta` may come from several sides and is joined; of everything else the later one counts. */
export function joinHeaders(first: Headers, later: Headers): Record<string, string> {
  const joined = { ...first };
  for (const [name, value] of Object.entries(later)) {
    const before = name === 'anthropic-beta' ? joined[name] : undefined;
    joined[name] = before === undefined ? value : `${before},${value}`;
  }
  return joined;
}
