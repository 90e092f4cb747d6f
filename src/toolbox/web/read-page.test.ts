import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { JsonObject, JsonValue } from '../../base/index.ts';
import { silentLogger, WEB_EXTRACT_BACKENDS, type WebExtractBackend } from '../../contracts/index.ts';
import { createWorkshop } from '../workshop.fixture.ts';
import { PAGE_SERVICES } from './page-services.ts';
import { readPage } from './read-page.ts';
import { createWebServer, type SeenRequest } from './web-server.fixture.ts';

const KEY = 'key-of-the-test';
/** Public by its form, and never connected to: only a service is told of it. */
const ADDRESS = 'http://93.184.216.34/page';

/** How each service answers, and what it wants to be asked. */
const SPOKEN: Record<WebExtractBackend, { path: string; answer: JsonValue; wants: JsonObject; sent: JsonObject }> = {
  firecrawl: {
    path: '/v2/scrape',
    answer: {
      success: true,
      data: { markdown: '# Cats\n\nThey purr.', metadata: { title: 'On cats', sourceURL: ADDRESS, statusCode: 200 } },
    },
    wants: { url: ADDRESS, formats: ['markdown'], onlyMainContent: true },
    sent: { authorization: `Bearer ${KEY}` },
  },
  tavily: {
    path: '/extract',
    answer: { results: [{ url: ADDRESS, title: 'On cats', raw_content: 'They purr.' }], failed_results: [] },
    wants: { urls: [ADDRESS], format: 'markdown' },
    sent: { authorization: `Bearer ${KEY}` },
  },
  exa: {
    path: '/contents',
    answer: { results: [{ id: ADDRESS, url: ADDRESS, title: 'On cats', text: 'They purr.' }], statuses: [] },
    wants: { urls: [ADDRESS], text: true },
    sent: { 'x-api-key': KEY },
  },
};

const own = async (url: string) => ({ title: 'own', text: 'fetched from here', url });
const reading = { signal: new AbortController().signal, logger: silentLogger };
const serviceAt = (url: string, backend: WebExtractBackend = 'tavily') => ({ backend, key: KEY, url });

describe('a page that a service reads', () => {
  for (const backend of WEB_EXTRACT_BACKENDS) {
    verifies('TOOL-5', `is asked of ${backend} in its own form`, async () => {
      const { path, answer, wants, sent } = SPOKEN[backend];
      await using server = await createWebServer((_seen, response) => response.end(JSON.stringify(answer)));
      const webPages = { allowPrivate: false, service: serviceAt(`${server.url}/`, backend) };
      await using shop = await createWorkshop({ set: { services: { webPages } } });
      const { status, content } = await shop.run('web_extract', { urls: [ADDRESS] });
      expect(status).toBe('ok');
      expect(content).toMatch(/# On cats\nhttp:\/\/93\.184\.216\.34\/page\n\(read by \w+\)\n\n[^]*They purr\./);
      const [asked] = server.requests as [SeenRequest];
      expect([asked.method, asked.url.pathname]).toEqual(['POST', path]);
      expect(JSON.parse(asked.body)).toEqual(wants);
      expect(asked.headers).toMatchObject(sent);
    });
  }

  it('is fetched from here where the service fails, in whatever way', async () => {
    let answer: [number, string | Buffer] = [500, ''];
    await using server = await createWebServer((_seen, response) => response.writeHead(answer[0]).end(answer[1]));
    const answers: (typeof answer)[] = [
      ...([401, 429, 500].map((status) => [status, `no ${KEY}`]) as (typeof answer)[]),
      [200, '<html>'],
      [200, '{"results":[],"failed_results":[{"url":"x","error":"no"}]}'],
      [200, '{"results":[{"raw_content":"  "}]}'],
      [200, Buffer.alloc(50_000_000, 'a')],
    ];
    for (answer of answers) {
      const page = await readPage(ADDRESS, { allowPrivate: false, service: serviceAt(server.url) }, reading, own);
      expect(page.text).toBe('fetched from here');
    }
    expect(server.requests).toHaveLength(answers.length);
    expect(PAGE_SERVICES.firecrawl.parse('{"data":{"markdown":"gone","metadata":{"statusCode":404}}}')).toBeUndefined();
  });

  verifies('TOOL-10', 'has an address that may be fetched; others are never told to a service', async () => {
    await using server = await createWebServer((_seen, response) => response.end('<p>inside</p>'));
    const service = serviceAt(server.url);
    for (const url of [`${server.url}/page`, 'http://10.0.0.1/', 'http://169.254.169.254/', `${ADDRESS}?token=abc`]) {
      expect((await readPage(url, { allowPrivate: true, service }, reading, own)).text).toBe('fetched from here');
    }
    expect(server.requests).toEqual([]);
    await using shop = await createWorkshop({ set: { services: { webPages: { allowPrivate: false, service } } } });
    const { content } = await shop.run('web_extract', { urls: ['http://10.0.0.1/'] });
    expect(content).toContain('leads into the network here');
    expect(server.requests).toEqual([]);
  });

  it('is given up with the turn', async () => {
    const turn = new AbortController();
    await using server = await createWebServer(() => turn.abort(new Error('over')));
    const pages = { allowPrivate: false, service: serviceAt(server.url) };
    await expect(readPage(ADDRESS, pages, { ...reading, signal: turn.signal }, own)).rejects.toThrow('over');
  });

  it('takes an answer of any form', () => {
    fc.assert(
      fc.property(fc.constantFrom(...WEB_EXTRACT_BACKENDS), fc.oneof(fc.json(), fc.string()), (backend, body) => {
        for (const text of [body, `{"results":[${body}]}`, `{"data":${body}}`, `{"data":{"markdown":${body}}}`]) {
          const { title, text: read } = PAGE_SERVICES[backend].parse(text) ?? { title: '', text: '' };
          expect(typeof title + typeof read).toBe('stringstring');
        }
      }),
    );
  });
});
