/** A small reader and interpreter of Seatbelt profiles, for machines that have no Seatbelt. */

export type Expression = string | { text: string } | { regex: string } | Expression[];

/** Parses a profile: lists, symbols, strings as `{ text }`, and regular expressions as `{ regex }`. */
export function parseProfile(source: string): Expression[] {
  let at = 0;
  const fail = (what: string): never => {
    throw new Error(`${what} at ${at} of the profile: ${source.slice(at, at + 40)}`);
  };

  function readString(): string {
    let text = '';
    for (at += 1; source[at] !== '"'; at += 1) {
      if (at >= source.length) fail('unterminated string');
      if (source[at] === '\\') at += 1;
      text += source[at];
    }
    at += 1;
    return text;
  }

  /** Backslashes have their meaning in the regular expression. */
  function readRegex(): { regex: string } {
    const end = source.indexOf('"', at + 2);
    if (end < 0) fail('unterminated regular expression');
    const regex = source.slice(at + 2, end);
    at = end + 1;
    return { regex };
  }

  function readList(isInner: boolean): Expression[] {
    const list: Expression[] = [];
    for (;;) {
      while (/\s/.test(source[at] ?? '')) at += 1;
      const character = source[at];
      if (character === undefined) return isInner ? fail('missing )') : list;
      if (character === ')') {
        if (!isInner) fail('unexpected )');
        at += 1;
        return list;
      }
      if (character === '(') {
        at += 1;
        list.push(readList(true));
      } else if (character === '"') list.push({ text: readString() });
      else if (source.startsWith('#"', at)) list.push(readRegex());
      else {
        const [symbol = fail('unexpected character')] = /^[\w*.-]+/.exec(source.slice(at)) ?? [];
        at += symbol.length;
        list.push(symbol);
      }
    }
  }

  return readList(false);
}

/** What a command does: an operation, and its path, service or other object. */
export type Request = {
  operation: string;
  path?: string;
  name?: string;
  target?: 'same-sandbox' | 'others';
  /** A Unix socket in a file; otherwise the request is about the network. */
  isUnixSocket?: boolean;
};

type Rule = { allows: boolean; operations: string[]; filters: Expression[] };

/** Decides like Seatbelt: the last rule that matches the operation and one of its filters. */
export function createInterpreter(source: string): (request: Request) => boolean {
  const [version, ...rules] = parseProfile(source);
  if (JSON.stringify(version) !== '["version","1"]') throw new Error('the profile does not begin with its version');
  const parsed = rules.map(toRule);
  return (request) => parsed.findLast((rule) => matches(rule, request))?.allows ?? false;
}

function toRule(expression: Expression): Rule {
  if (!Array.isArray(expression)) throw new Error(`not a rule: ${JSON.stringify(expression)}`);
  const [action, ...rest] = expression;
  if (action !== 'allow' && action !== 'deny') throw new Error(`unknown action ${JSON.stringify(action)}`);
  const operations = rest.filter((part) => typeof part === 'string');
  const filters = rest.slice(operations.length);
  if (operations.length === 0 || !filters.every(Array.isArray)) throw new Error(`invalid rule ${JSON.stringify(rest)}`);
  return { allows: action === 'allow', operations, filters };
}

function matches({ operations, filters }: Rule, request: Request): boolean {
  const isMeant = operations.some((operation) =>
    operation.endsWith('*') ? request.operation.startsWith(operation.slice(0, -1)) : operation === request.operation,
  );
  if (!isMeant && !operations.includes('default')) return false;
  return filters.length === 0 || filters.some((filter) => passes(filter, request));
}

function passes(filter: Expression, request: Request): boolean {
  if (!Array.isArray(filter)) throw new Error('a filter is a list');
  const [kind, ...rest] = filter;
  const [first] = rest;
  const text = typeof first === 'object' && 'text' in first ? first.text : '';
  const { path = '', name = '', target } = request;
  switch (kind) {
    case 'subpath':
      return text === '/' ? path !== '' : path === text || path.startsWith(`${text}/`);
    case 'literal':
      return path === text;
    case 'regex':
      return new RegExp(typeof first === 'object' && 'regex' in first ? first.regex : '(?!)').test(path);
    case 'global-name':
    case 'sysctl-name':
    case 'iokit-registry-entry-class':
      return name === text;
    case 'sysctl-name-prefix':
      return name.startsWith(text);
    case 'target':
      return first === target;
    case 'remote':
    case 'local':
      return (
        first === 'unix-socket' && request.isUnixSocket === true && rest.slice(1).some((each) => passes(each, request))
      );
    case 'require-all':
      return rest.every((each) => passes(each, request));
    case 'extension':
    case 'socket-domain':
      return name === (text || first);
    default:
      throw new Error(`unknown filter ${JSON.stringify(kind)}`);
  }
}
