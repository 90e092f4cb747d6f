import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRouter, HTTP_METHODS, type RoutePattern } from './router.ts';

const router = (...paths: string[]) => createRouter(paths.map((path) => ({ method: 'GET' as const, path })));
const found = (path: string, ...paths: string[]) => {
  const match = router(...paths).find('GET', path);
  return match.outcome === 'found' ? [match.route.path, match.parameters] : match.outcome;
};

it('prefers literal segments to parameters, and parameters to the rest of a path', () => {
  const paths = ['/a/*rest', '/a/:x/c', '/a/b', '/a/:x', '/a/b/*more'];
  expect(found('/a/b', ...paths)).toEqual(['/a/b', {}]);
  expect(found('/a/q', ...paths)).toEqual(['/a/:x', { x: 'q' }]);
  expect(found('/a/b/c', ...paths)).toEqual(['/a/b/*more', { more: 'c' }]);
  expect(found('/a/q/c', ...paths)).toEqual(['/a/:x/c', { x: 'q' }]);
  expect(found('/a/q/d/e', ...paths)).toEqual(['/a/*rest', { rest: 'q/d/e' }]);
  expect(found('/b', ...paths)).toBe('not_found');
});

it('decodes parameters, and does not match paths that could leave a folder', () => {
  expect(found('/f/a%20b%C3%BC', '/f/:name')).toEqual(['/f/:name', { name: 'a bü' }]);
  const wrong = ['/f/..', '/f/%2e%2e', '/f/a%2F..', '/f/a%5cb', '/f/%00', '/f/%', '/f/%ff', '/f/', '/f//', 'f/a'];
  for (const path of wrong) expect(found(path, '/f/:name', '/f/*rest')).toBe('not_found');
  expect(found('/f/a%2Fb', '/f/:name')).toBe('not_found');
  expect(found('/f/a%2fb/c', '/f/:name', '/f/*rest')).toEqual(['/f/*rest', { rest: 'a/b/c' }]);
});

it('names the allowed methods, and answers HEAD like GET', () => {
  const routes: RoutePattern[] = [
    { method: 'GET', path: '/runs/:id' },
    { method: 'DELETE', path: '/runs/:id' },
    { method: 'POST', path: '/runs/new' },
  ];
  const made = createRouter(routes);
  expect(made.find('PUT', '/runs/7')).toEqual({ outcome: 'wrong_method', allowed: ['DELETE', 'GET'] });
  expect(made.find('HEAD', '/runs/7')).toMatchObject({ outcome: 'found', parameters: { id: '7' } });
  expect(made.find('GET', '/runs/new')).toMatchObject({ outcome: 'found', parameters: { id: 'new' } });
});

it('refuses routes that match the same requests, and invalid patterns', () => {
  expect(() => router('/a/:x', '/a/:y')).toThrow('match the same requests');
  expect(() => router('/a/*x/b')).toThrow('last segment');
  expect(() => router('/a/:')).toThrow('names');
  expect(() => router('/:a/:a')).toThrow('names');
  expect(() => router('a')).toThrow('slash');
});

const word = fc.constantFrom('a', 'b', 'c');
const segment = fc.oneof(
  word,
  fc.constantFrom('x', 'y', 'z').map((name) => `:${name}`),
);
const pattern = fc
  .tuple(fc.uniqueArray(segment, { minLength: 1, maxLength: 4, selector: (each) => each }), fc.boolean())
  .map(([segments, hasRest]) => `/${[...segments, ...(hasRest ? ['*rest'] : [])].join('/')}`);
const route = fc.record({ method: fc.constantFrom(...HTTP_METHODS), path: pattern });
const shapeOf = ({ method, path }: RoutePattern) => `${method} ${path.replaceAll(/:\w+/g, ':')}`;

/** Another way to decide: as regular expressions, the best match is the one whose pattern sorts first. */
function expected(routes: readonly RoutePattern[], method: string, path: string): string | undefined {
  const matching = routes.filter((each) => {
    const source = each.path.replaceAll(/:\w+/g, '[^/]+').replace(/\*\w+/, '[^/]+(?:/[^/]+)*');
    return each.method === method && new RegExp(`^${source}$`).test(path);
  });
  const rank = (text: string) =>
    text.split('/').map((part) => (part.startsWith(':') ? 1 : part.startsWith('*') ? 2 : 0));
  return matching.sort((a, b) => (rank(a.path).join() < rank(b.path).join() ? -1 : 1)).at(0)?.path;
}

it('finds the same route as regular expressions do', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(route, { maxLength: 12, selector: shapeOf }),
      fc.constantFrom(...HTTP_METHODS),
      fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 6 }),
      (routes, method, parts) => {
        const path = `/${parts.join('/')}`;
        const match = createRouter(routes).find(method, path);
        expect(match.outcome === 'found' ? match.route.path : undefined).toBe(expected(routes, method, path));
      },
    ),
    { numRuns: 1000 },
  );
});

it('never throws, and returns every parameter as it was encoded', () => {
  const made = createRouter([
    { method: 'GET' as const, path: '/a/:x' },
    { method: 'GET' as const, path: '/*all' },
  ]);
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.oneof(
          fc.constantFrom('/', '.', '%', '\\', '\0'),
          fc.integer({ max: 0xffff, min: 0 }).map((code) => String.fromCharCode(code)),
        ),
      }),
      (text) => {
        expect(['found', 'not_found']).toContain(made.find('GET', text).outcome);
        const isPlain = /^[^\p{Cc}/\\]+$/u.test(text) && text.isWellFormed() && !/^\.{1,2}$/.test(text);
        const value = isPlain ? text : 'plain';
        const match = made.find('GET', `/a/${encodeURIComponent(value)}`);
        expect(match).toMatchObject({ outcome: 'found', parameters: { x: value } });
      },
    ),
    { numRuns: 1000 },
  );
});
