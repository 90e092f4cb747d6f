import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeLocation, isDatabaseUrl, parseDatabaseUrl } from './index.ts';

describe('the URL of a database', () => {
  it.each([
    ['postgresql://ada:s%40crt@db.example:6543/hermes', 'PostgreSQL database hermes at db.example:6543'],
    ['postgres://db.example/my%20sessions?sslmode=require', 'PostgreSQL database my sessions at db.example:5432'],
    ['postgres:///hermes?host=/run/postgresql', 'PostgreSQL database hermes at /run/postgresql:5432'],
    ['postgres://u:p@one:1,two:2/hermes', 'PostgreSQL database hermes at one:1,two:2'],
    ['postgres://u:hush,hush@db.example/hermes', 'PostgreSQL database hermes at db.example:5432'],
    ['postgres://u:a@b,c@one,two/hermes', 'PostgreSQL database hermes at one,two'],
  ])('%s is described without user and password', (url, location) => {
    expect(isDatabaseUrl(url)).toBe(true);
    expect(describeLocation(parseDatabaseUrl(url))).toBe(location);
  });

  it.each([
    'mysql://a:hush@b/c',
    'hush',
    'postgres://a:hush@b',
    'postgres://a:hush@b:x/c',
    'postgres://a:%hush@b/c',
    'postgres://:hush,@/c',
  ])('an invalid URL is rejected and not shown: %s', (url) => {
    const said = messageOf(url);
    expect(said).toContain('The database URL');
    expect(said).not.toContain('hush');
  });

  it('never fails in another way, and never shows a password', () => {
    const part = fc.stringMatching(/^[a-z]{0,5}$/);
    fc.assert(
      fc.property(part, fc.stringMatching(/^S3CRET[^\s@/?#]{0,8}$/), fc.string(), (user, password, rest) => {
        const url = `postgres://${user}:${password}@${rest}`;
        const said = messageOf(url);
        expect(said).toMatch(/^PostgreSQL database |The database URL/);
        expect(said).not.toContain('S3CRET');
      }),
    );
  });
});

/** The description of a URL, or the message about what is wrong with it. */
function messageOf(url: string): string {
  try {
    return describeLocation(parseDatabaseUrl(url));
  } catch (thrown) {
    return String(thrown);
  }
}
