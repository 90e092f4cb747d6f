export const HTTP_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/**
 * A method and a path such as `/v1/runs/:id`. A last segment such as `*id` matches the rest of a path, whether the slashes
 * in it are encoded or not.
 */
export type RoutePattern = { method: HttpMethod; path: string };

export type RouteMatch<Route> =
  | { outcome: 'found'; route: Route; parameters: Readonly<Record<string, string>> }
  | { outcome: 'wrong_method'; allowed: readonly string[] }
  | { outcome: 'not_found' };

export interface Router<Route> {
  /**
   * The most specific route of a path as it was sent, still percent-encoded: from left to right, a literal segment is
   * more specific than a parameter, and a parameter more than the rest of a path. `HEAD` uses the route of `GET`.
   */
  find(method: string, path: string): RouteMatch<Route>;
}

type Segment = { kind: 'literal' | 'parameter' | 'rest'; name: string };
type Compiled<Route> = { route: Route; segments: readonly Segment[] };

export function createRouter<Route extends RoutePattern>(routes: readonly Route[]): Router<Route> {
  const compiled = routes.map((route) => ({ route, segments: compile(route.path) }));
  compiled.sort((a, b) => compareSegments(a.segments, b.segments));
  requireDistinct(compiled);
  return {
    find(method, path) {
      const parts = splitPath(path);
      const withSlashes = splitPath(path.replaceAll(/%2f/gi, '/'));
      const matches = compiled.flatMap(({ route, segments }) => {
        const sent = segments.at(-1)?.kind === 'rest' ? withSlashes : parts;
        return sent !== undefined && isMatch(segments, sent) ? [{ route, segments, sent }] : [];
      });
      if (matches.length === 0) return { outcome: 'not_found' };
      const wanted = method === 'HEAD' ? 'GET' : method;
      const found = matches.find(({ route }) => route.method === wanted);
      if (found === undefined)
        return { outcome: 'wrong_method', allowed: [...new Set(matches.map(({ route }) => route.method))].sort() };
      return { outcome: 'found', route: found.route, parameters: readParameters(found.segments, found.sent) };
    },
  };
}

function compile(path: string): Segment[] {
  if (!path.startsWith('/')) throw new Error(`the path of a route starts with a slash: ${path}`);
  const segments = path.slice(1).split('/').map(toSegment);
  const names = segments.filter(({ kind }) => kind !== 'literal').map(({ name }) => name);
  if (new Set(names).size < names.length || names.includes('')) throw new Error(`parameters need names: ${path}`);
  if (segments.slice(0, -1).some(({ kind }) => kind === 'rest')) throw new Error(`* must be the last segment: ${path}`);
  return segments;
}

function toSegment(text: string): Segment {
  if (text.startsWith(':')) return { kind: 'parameter', name: text.slice(1) };
  return text.startsWith('*') ? { kind: 'rest', name: text.slice(1) } : { kind: 'literal', name: text };
}

const RANKS = { literal: 0, parameter: 1, rest: 2 } as const;

/** More specific patterns come first. */
function compareSegments(a: readonly Segment[], b: readonly Segment[]): number {
  for (const [index, segment] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const difference = RANKS[segment.kind] - RANKS[other.kind];
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function requireDistinct(compiled: readonly Compiled<RoutePattern>[]): void {
  const shapes = compiled.map(({ route, segments }) => {
    const shape = segments.map(({ kind, name }) => (kind === 'literal' ? `=${name}` : kind)).join('/');
    return `${route.method} ${shape}`;
  });
  const twice = compiled.find((_, index) => shapes.indexOf(shapes[index] ?? '') !== index);
  if (twice !== undefined) throw new Error(`two routes match the same requests: ${twice.route.path}`);
}

/** The decoded segments of a path; undefined if it cannot belong to any route. */
function splitPath(path: string): string[] | undefined {
  if (!path.startsWith('/')) return undefined;
  const parts = path.slice(1).split('/').map(decode);
  // Dot segments are resolved by clients; one that arrives anyway is an attempt to leave a folder.
  return parts.every((part) => part !== undefined && part !== '.' && part !== '..') ? (parts as string[]) : undefined;
}

function decode(part: string): string | undefined {
  try {
    const text = decodeURIComponent(part);
    // An encoded slash, backslash or control character has no place in an id or a file name.
    return /[\p{Cc}/\\]/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function isMatch(segments: readonly Segment[], parts: readonly string[]): boolean {
  const last = segments.at(-1);
  if (last?.kind === 'rest' ? parts.length < segments.length : parts.length !== segments.length) return false;
  return segments.every(({ kind, name }, index) => (kind === 'literal' ? parts[index] === name : parts[index] !== ''));
}

function readParameters(segments: readonly Segment[], parts: readonly string[]): Record<string, string> {
  const values = segments.flatMap(({ kind, name }, index): [string, string][] => {
    if (kind === 'literal') return [];
    return [[name, kind === 'rest' ? parts.slice(index).join('/') : (parts[index] ?? '')]];
  });
  return Object.fromEntries(values);
}
