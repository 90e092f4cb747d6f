import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { homePaths, resolveHome } from './paths.ts';

describe('the paths in a home directory', () => {
  it('are normalised, however the home directory is written', () => {
    const env = { HOME: '/users/ann' };
    expect(resolveHome({ ...env, HERMES_HOME: '~/work/' })).toBe('/users/ann/work');
    expect(resolveHome({ ...env, HERMES_HOME: '~/' })).toBe('/users/ann');
    expect(resolveHome({ ...env, HERMES_HOME: '/a b//../c/' })).toBe('/c');
    expect(resolveHome(env)).toBe('/users/ann/.hermes');
    expect(homePaths('/').configFile).toBe('/config.yaml');
    expect(homePaths('/given/by/a/program/').logFile).toBe('/given/by/a/program/logs/agent.log');
  });

  it('equal the result of path.join', () => {
    const name = fc.stringMatching(/^[^/\0]+$/);
    fc.assert(
      fc.property(fc.array(name, { maxLength: 5 }), fc.constantFrom('', '/'), (names, end) => {
        const home = resolveHome({ HERMES_HOME: `/${names.join('/')}` });
        for (const path of Object.values(homePaths(`${home}${home === '/' ? '' : end}`)).slice(1))
          expect(path).toBe(join(path));
        expect(homePaths(home).spillFolder).toBe(join(home, 'cache', 'tool-results'));
      }),
    );
  });
});
