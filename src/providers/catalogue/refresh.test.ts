import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { homePaths } from '../../config/index.ts';
import { silentLogger } from '../../contracts/index.ts';
import { findFacts } from './find-facts.ts';
import { answering, listen, type Loopback } from './loopback.test-helper.ts';
import { readModelsDev } from './models-dev.ts';
import { refreshCatalogue } from './refresh.ts';

const HOUR = 60 * 60 * 1000;
const NOW = Date.parse('2027-03-01T12:00:00Z');

const model = (input: number, more: object = {}) => ({
  tool_call: true,
  reasoning: false,
  release_date: '2027-02-01',
  limit: { context: 9_000, output: 800 },
  modalities: { input: ['text', 'pdf'], output: ['text'] },
  cost: { input, output: 2 * input },
  ...more,
});
const CATALOGUE = {
  anthropic: {
    models: { 'claude-new': model(3, { cost: { input: 3, output: 6, context_over_200k: { input: 6, output: 9 } } }) },
  },
  'github-copilot': { models: { 'gpt-new': model(1) } },
  openrouter: { models: { 'a/b': model(1), 'a/c': model(5) } },
  unheard: { models: { x: model(1) } },
};

let home: string;
let server: Loopback;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'hermes-refresh-'));
});
afterEach(async () => {
  server?.close();
  await rm(home, { recursive: true });
});

const serve = async (answer: RequestListener) => {
  server = await listen(answer);
};
const refresh = (now = NOW, more: object = {}) =>
  refreshCatalogue({ home, url: `${server.url}/api.json`, now, logger: silentLogger, ...more });
const factsOf = (provider: string, name: string) => findFacts({ provider, model: name, home });
const folder = () => homePaths(home).catalogueFolder;

describe('a catalogue refresh', () => {
  verifies('PROV-10', 'writes the public catalogue to the home directory, readable only by its owner', async () => {
    await serve(answering({ '/api.json': CATALOGUE }));
    expect(await refresh()).toBe('updated');
    expect(factsOf('anthropic', 'claude-new')).toEqual({
      contextLength: 9_000,
      outputLimit: 800,
      tools: true,
      vision: false,
      documents: true,
      reasoning: false,
      price: {
        input: 3,
        output: 6,
        tiers: [{ above: 200_000, input: 6, output: 9 }],
        source: new URL(server.url).host,
        version: '2027-03-01',
      },
    });
    // A subscription has no prices, whatever the catalogue says.
    expect(factsOf('copilot', 'gpt-new')).toMatchObject({ contextLength: 9_000, subscription: true });
    expect(factsOf('copilot', 'gpt-new').price).toBeUndefined();
    for (const name of await readdir(folder())) expect((await stat(join(folder(), name))).mode & 0o077).toBe(0);
    expect(await readdir(folder())).not.toContain('refresh.lock');
  });

  verifies('PROV-10', 'runs once in four hours across all processes, even if it failed', async () => {
    await serve((_request, response) => void response.writeHead(500).end());
    const together = await Promise.all([refresh(), refresh(), refresh()]);
    expect(together.toSorted()).toEqual(['failed', 'not-due', 'not-due']);
    expect(await refresh(NOW + 4 * HOUR - 1)).toBe('not-due');
    expect(server.requests).toHaveLength(1);
    expect(await refresh(NOW + 4 * HOUR)).toBe('failed');
    // A time in the future does not block later refreshes.
    expect(await refresh(NOW)).toBe('failed');
    expect(server.requests).toHaveLength(3);
  });

  verifies('PROV-10', 'requests only changes, and everything if a file is damaged', async () => {
    await serve((request, response) => {
      const unchanged = request.headers['if-none-match'] === '"one"';
      response.writeHead(unchanged ? 304 : 200, { etag: '"one"' }).end(unchanged ? '' : JSON.stringify(CATALOGUE));
    });
    expect(await refresh(NOW)).toBe('updated');
    expect(await refresh(NOW + 4 * HOUR)).toBe('unchanged');
    expect(factsOf('anthropic', 'claude-new').contextLength).toBe(9_000);
    const file = join(folder(), 'anthropic.tsv');
    await writeFile(file, (await readFile(file, 'utf8')).slice(0, 30));
    expect(await refresh(NOW + 8 * HOUR)).toBe('updated');
    expect(factsOf('anthropic', 'claude-new').contextLength).toBe(9_000);
    // The ETag of one URL is not sent to another.
    expect(await refresh(NOW + 12 * HOUR, { url: `${server.url}/other.json` })).toBe('updated');
    await writeFile(join(folder(), 'refresh.json'), '{"checkedAt": "no number", "providers": 5');
    expect(await refresh(NOW + 12 * HOUR)).toBe('updated');
    expect(server.requests.map(({ headers }) => headers['if-none-match'])).toEqual([
      undefined,
      '"one"',
      undefined,
      undefined,
      undefined,
    ]);
  });

  const useless: [string, RequestListener][] = [
    ['an HTML page', (_, response) => void response.end('<html>sign in</html>')],
    ['different JSON', (_, response) => void response.end('[{"models": 1}]')],
    ['no models', (_, response) => void response.end('{"anthropic": {"models": {}}}')],
    ['a truncated body', (_, response) => void response.end(JSON.stringify(CATALOGUE).slice(0, 200))],
    [
      'a body that is too large',
      (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(huge()),
    ],
    ['a redirect', (_, response) => void response.writeHead(302, { location: '/elsewhere' }).end()],
    ['an unexpected 304', (_, response) => void response.writeHead(304).end()],
    ['a closed connection', (request) => void request.socket.destroy()],
  ];
  for (const [name, answer] of useless) {
    verifies('PROV-10', `keeps the existing files when it gets ${name}`, async () => {
      await serve(answering({ '/api.json': CATALOGUE }));
      await refresh();
      server.close();
      await serve(answer);
      expect(await refresh(NOW + 4 * HOUR)).toBe('failed');
      expect(factsOf('anthropic', 'claude-new').contextLength).toBe(9_000);
    });
  }

  it('adds the list of the current provider', async () => {
    const own = { id: 'a/b', context_length: 5, pricing: { prompt: '0.000004', completion: '0.000008' } };
    await serve(answering({ '/api.json': CATALOGUE, '/v1/models': { data: [own] } }));
    await refresh(NOW, { own: { provider: 'openrouter', baseUrl: `${server.url}/v1/` } });
    expect(factsOf('openrouter', 'a/b')).toMatchObject({ contextLength: 5, price: { input: 4 } });
    expect(factsOf('openrouter', 'a/c')).toMatchObject({ contextLength: 9_000, price: { input: 5 } });
    // The lists of other providers are not requested.
    await refresh(NOW + 4 * HOUR, { own: { provider: 'anthropic', baseUrl: `${server.url}/v1` } });
    expect(server.requests.map(({ url }) => url)).toEqual(['/api.json', '/v1/models', '/api.json']);
  });

  it('recovers from a process that crashed during a refresh', async () => {
    await serve(answering({ '/api.json': CATALOGUE }));
    const lock = join(folder(), 'refresh.lock');
    await mkdir(folder(), { recursive: true });
    await writeFile(lock, '');
    await utimes(lock, new Date(NOW), new Date(NOW));
    expect(await refresh(NOW + 1_000)).toBe('not-due');
    expect(await refresh(NOW + HOUR)).toBe('not-due');
    expect(await refresh(NOW + HOUR)).toBe('updated');
  });

  it('can be aborted, and ignores a home directory that is not writable', async () => {
    const stop = new AbortController();
    await serve(() => stop.abort());
    expect(await refresh(NOW, { signal: stop.signal })).toBe('failed');
    expect(await refresh(NOW, { home: '/dev/null/home' })).toBe('failed');
  });
});

describe('the public catalogue', () => {
  it('is parsed with any content', () => {
    const anything = fc.jsonValue();
    const document = fc.record({
      anthropic: fc.record({ models: fc.dictionary(fc.string(), anything) }),
      openai: anything,
    });
    const origin = { source: 's', version: 'v' };
    fc.assert(fc.property(document, (value) => void readModelsDev(JSON.stringify(value), origin)));
    fc.assert(fc.property(fc.string(), (text) => readModelsDev(text, origin).size === 0));
  });

  it('has no price that depends on more than tokens or is zero without being marked as free', () => {
    const models = {
      nought: model(0),
      'some-free': model(0),
      tiers: model(1, { cost: { input: 1, output: 1, tiers: [{ size: 5 }] } }),
      negative: model(1, { cost: { input: -1, output: 1 } }),
      picture: model(1, { modalities: { input: ['text'], output: ['image'] } }),
    };
    const entries = readModelsDev(JSON.stringify({ xai: { models } }), { source: 's', version: 'v' }).get('xai') ?? [];
    expect(entries.map(({ id, facts }) => [id, facts.price?.input])).toEqual([
      ['nought', undefined],
      ['some-free', 0],
      ['tiers', undefined],
      ['negative', undefined],
    ]);
  });
});

/** A small response that decompresses to twenty megabytes. */
function huge(): Buffer {
  return gzipSync(`${' '.repeat(20 * 1024 * 1024)}${JSON.stringify(CATALOGUE)}`);
}
