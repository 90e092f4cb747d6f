/** A line of the protocol, decoded. */
export type IrcLine = { tags: ReadonlyMap<string, string>; prefix: string; command: string; params: string[] };

/** Reads a line without its end; undefined if it has no command. */
export function readLine(text: string): IrcLine | undefined {
  const [, tags = '', prefix = '', command, rest = ''] =
    /^(?:@(\S+) +)?(?::(\S+) +)?([A-Za-z]+|\d{3})((?: .*)?)$/s.exec(text) ?? [];
  if (command === undefined) return undefined;
  // The last parameter can contain spaces if it starts with a colon.
  const at = rest.search(/ +:/);
  const plain = at < 0 ? rest : rest.slice(0, at);
  const params = plain.split(' ').filter((param) => param !== '');
  if (at >= 0) params.push(rest.slice(rest.indexOf(':', at) + 1));
  return { tags: readTags(tags), prefix, command: command.toUpperCase(), params };
}

function readTags(text: string): Map<string, string> {
  const pairs = text.split(';').filter((tag) => tag !== '');
  return new Map(
    pairs.map((tag) => {
      const [name = '', ...value] = tag.split('=');
      return [name, value.join('=')];
    }),
  );
}

/** The nickname in `nick!user@host`. */
export const nickOf = (prefix: string): string => prefix.split('!')[0] ?? '';

/** IRC compares names without case; some networks also treat `[]\` and `{}|` as equal. */
export const foldName = (name: string): string =>
  name.toLowerCase().replace(/[[\]\\]/g, (character) => ({ '[': '{', ']': '}' })[character] ?? '|');
