import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createDeflate } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { dose, fullDoseOnly } from '../../../test/support/dose.ts';
import type { JsonObject, JsonValue } from '../../base/index.ts';
import { silentLogger, WEB_EXTRACT_BACKENDS, type WebExtractBackend, type WebPages } from '../../contracts/index.ts';
import type { FetchOptions } from '../../tools/safe-fetch/index.ts';
import { createToolFixture } from '../tools.fixture.ts';
import { readPage } from './extract-pages.ts';
import { decodePage, fetchPage, kindOfPage, readInWorker } from './fetch-page.ts';
import { readHtml } from './html-page.ts';
import { PAGE_SERVICES } from './page-services.ts';
import { createWebServer, makePdf, type SeenRequest } from './web-server.fixture.ts';

const prose = (word: string, count: number) =>
  Array.from(
    { length: count },
    (_, i) => `<p>${word} ${i}, as was said, is a sentence with commas, long enough to count as prose.</p>`,
  ).join('');
const ARTICLE = `<!doctype html><html><head><title>Of cats</title></head><body><nav><a href="/n">Menu of the site</a></nav><article><h2>Part</h2>${prose('Cat', 8)}<p>See <a href="more">more</a>.</p><pre><code class="language-js">if (a &lt; 2) {\n  go();\n}</code></pre><table><tr><th>Name</th><th>Age</th></tr><tr><td>Mia|M</td><td>3</td></tr></table></article><script>stolen()</script><footer>Imprint</footer></body></html>`;

const PAGES: Record<string, [type: string, body: string | Buffer]> = {
  '/article': ['text/html; charset=utf-8', ARTICLE],
  '/plain': ['text/plain', '<html>is shown as it is</html>'],
  '/json': ['application/json', '{"a":1}'],
  '/pdf': ['application/pdf', makePdf(['First page here', 'Second page here'])],
  '/pdf-as-html': ['text/html', makePdf(['Not what it seems'])],
  '/html-as-pdf': ['application/pdf', ARTICLE],
  '/html-as-picture': ['image/png', ARTICLE],
  '/picture-as-html': ['text/html', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13, 0, 1])],
  '/damaged-pdf': ['application/pdf', '%PDF-1.7\nnothing of it is true'],
  '/latin1': [
    'text/html',
    Buffer.from('<html><head><meta charset="iso-8859-1"></head><body><p>Käse</p></body></html>', 'latin1'),
  ],
  '/empty': ['text/html', '<html><body><script>draw()</script></body></html>'],
  '/long': ['text/plain', `BEGIN${'x'.repeat(50_000)}END`],
};

const TAGS = [
  '<p>',
  '</p>',
  '<table>',
  '<tr>',
  '<td>',
  '</table>',
  '<html>',
  '<body>',
  '</html>',
  '<base href=x>',
  '<a href=y>',
];

function servePage(path: string, response: ServerResponse): void {
  const page = PAGES[path];
  if (page === undefined) response.writeHead(404).end('gone');
  else response.writeHead(200, { 'content-type': page[0] }).end(page[1]);
}

const siteOf = () => createWebServer(({ url }, response) => servePage(url.pathname, response));
const createFixture = (webPages: Partial<WebPages> = {}, spillFolder?: string) =>
  createToolFixture({
    set: { services: { webPages: { allowPrivate: true, ...webPages } }, ...(spillFolder && { spillFolder }) },
  });
const options = (more: Partial<FetchOptions> = {}): FetchOptions => ({
  signal: new AbortController().signal,
  allowLoopback: true,
  ...more,
});

describe('web_extract', () => {
  verifies('TOOL-5', 'converts the main content of a page to Markdown, with absolute URLs', async () => {
    await using site = await siteOf();
    await using fixture = await createFixture();
    const { status, content } = await fixture.run('web_extract', { urls: [`${site.url}/article`] });
    expect(status).toBe('ok');
    expect(content).toContain(`# Of cats\n${site.url}/article\n`);
    expect(content).toContain('## Part');
    expect(content).toContain(`[more](${site.url}/more)`);
    expect(content).toContain('```js\nif (a < 2) {\n  go();\n}\n```');
    expect(content).toContain('| Name | Age |\n| --- | --- |\n| Mia\\|M | 3 |');
    expect(content).not.toMatch(/Menu of the site|stolen|Imprint/);
  });

  verifies('TOOL-9', 'marks everything as untrusted text', async () => {
    await using site = await siteOf();
    await using fixture = await createFixture();
    const { content } = await fixture.run('web_extract', { urls: [`${site.url}/plain`] });
    expect(content).toMatch(/^⟦untrusted text from web_extract[^]*end of untrusted text⟧$/);
    expect(content).toContain('<html>is shown as it is</html>');
  });

  it('trusts the bytes of a page more than the content type', async () => {
    await using site = await siteOf();
    const read = async (path: string) => (await fetchPage(site.url + path, options())).text;
    expect(await read('/pdf')).toBe('--- page 1 ---\nFirst page here\n\n--- page 2 ---\nSecond page here');
    expect(await read('/pdf-as-html')).toContain('Not what it seems');
    expect(await read('/html-as-pdf')).toContain('Cat 3, as was said');
    expect(await read('/html-as-picture')).toContain('Cat 3, as was said');
    expect(await read('/json')).toBe('{"a":1}');
    expect(await read('/latin1')).toBe('Käse');
    await expect(read('/picture-as-html')).rejects.toThrow('the page is not text (content type text/html)');
    await expect(read('/damaged-pdf')).rejects.toThrow('could not be converted to text');
    await expect(read('/empty')).rejects.toThrow('rendered by JavaScript');
  });

  it('reports what failed for each page, and fails only if all did', async () => {
    await using site = await siteOf();
    await using fixture = await createFixture();
    const mixed = await fixture.run('web_extract', {
      urls: [`${site.url}/gone`, `${site.url}/json`, 'ftp://a.example'],
    });
    expect(mixed.status).toBe('ok');
    expect(mixed.content).toContain('/gone: the server returned status 404');
    expect(mixed.content).toContain('{"a":1}');
    expect(mixed.content).toContain('Could not read ftp://a.example: A URL must begin with https://');
    expect((await fixture.run('web_extract', { urls: [`${site.url}/gone`] })).status).toBe('error');
    expect((await fixture.run('web_extract', { urls: Array.from({ length: 6 }, () => site.url) })).status).toBe(
      'invalid',
    );
    expect((await fixture.run('web_extract', { urls: [] })).status).toBe('invalid');
  });

  it('shows the beginning and the end of a long page, and saves the full text', async () => {
    await using site = await siteOf();
    await using outer = await createToolFixture();
    await using fixture = await createFixture({}, join(outer.root, 'spill'));
    const { content } = await fixture.run('web_extract', { urls: [`${site.url}/long`], char_limit: 2000 });
    expect(content.length).toBeLessThan(3000);
    expect(content).toMatch(/BEGINx+\n\[… 48008 characters omitted\. The full text is in (\S+);[^]*xEND/);
    const file = /in (\S+\.txt);/.exec(content)?.[1] ?? '';
    expect(await readFile(file, 'utf8')).toBe(PAGES['/long']?.[1]);
  });

  it('summarises a long page if a model is configured, and truncates it if that fails', async () => {
    await using site = await siteOf();
    const given: number[] = [];
    await using fixture = await createFixture({ summarise: async (text) => `In short: ${given.push(text.length)}` });
    const urls = [`${site.url}/long`];
    expect((await fixture.run('web_extract', { urls })).content).toContain('In short: 1');
    await fixture.run('web_extract', { urls: [`${site.url}/json`] });
    expect(given).toEqual([50_008]);
    const summarise = () => Promise.reject(new Error('no model'));
    await using without = await createFixture({ summarise });
    expect((await without.run('web_extract', { urls })).content).toMatch(/BEGINx+\n\[…/);
  });

  verifies('TOOL-10', 'fetches no private address, not even through a redirect', async () => {
    let inside = 0;
    await using site = await createWebServer(({ url }, response) => {
      if (url.pathname === '/inside') inside += 1;
      response.writeHead(302, { location: url.searchParams.get('to') ?? '' }).end('secret');
    });
    const lookup = async (host: string) => [host === 'internal.example' ? '10.0.0.1' : '127.0.0.1'];
    const to = (target: string) => `http://a.example:${site.port}/?to=${encodeURIComponent(target)}`;
    const fetched = (target: string) => fetchPage(to(target), options({ lookup }));
    await expect(fetched(`http://internal.example:${site.port}/inside`)).rejects.toThrow('private or reserved address');
    await expect(fetched('http://192.168.0.1/')).rejects.toThrow('private or reserved address');
    await expect(fetched('http://169.254.169.254/latest')).rejects.toThrow('cloud metadata endpoint');
    await using fixture = await createFixture({ allowPrivate: false });
    const { status, content } = await fixture.run('web_extract', { urls: [`${site.url}/inside`] });
    expect([status, inside]).toEqual(['error', 0]);
    expect(content).toMatch(/^\{"error":.*is a local address.* use curl in terminal\."\}$/);
    const open = await createFixture({ allowPrivate: true });
    const redirected = await open.run('web_extract', { urls: [to('http://169.254.169.254/')] });
    expect(redirected.content).not.toContain('curl');
    await open[Symbol.asyncDispose]();
  });

  it('reads a limited part of a page of 100 MB and disconnects', async () => {
    let sent = 0;
    const chunk = Buffer.alloc(1024 * 1024, 'words ');
    await using site = await createWebServer((_seen, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const more = () => {
        while (sent < 100 && !response.destroyed) {
          sent += 1;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    const page = await fetchPage(site.url, options());
    expect(page.text).toHaveLength(2_000_000);
    expect(page.note).toContain('too large and was truncated');
    expect(sent).toBeLessThan(60);
  });

  it('gives up on an endless page and on an interrupt', async () => {
    await using site = await createWebServer((_seen, response) => void response.write('<html>'));
    await expect(fetchPage(site.url, options({ timeoutMs: 200 }))).rejects.toThrow('timed out');
    const stop = new AbortController();
    await using fixture = await createFixture();
    const running = fixture.run('web_extract', { urls: [site.url] }, stop.signal);
    await expect.poll(() => site.requests.length).toBe(2);
    stop.abort();
    expect((await running).status).toBe('interrupted');
  });

  it('is not blocked by a deeply nested page', async () => {
    const html = `<html><body>${'<div>'.repeat(100_000)}deep`;
    const order = { kind: 'html' as const, html, url: 'https://a.example/' };
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 20);
    await expect(readInWorker(order, new AbortController().signal, { timeMs: dose(500, 1500) })).rejects.toThrow(
      /timed out|too large|to text/,
    );
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(5);
  });

  it('limits the memory that a PDF file can use', fullDoseOnly, async () => {
    const body = makePdf(['X']);
    const at = body.indexOf('<< /Length');
    // Sent in chunks, so that the test process itself does not grow.
    const pieces = Array.from<Buffer>({ length: 400 }).fill(Buffer.alloc(1024 * 1024, ' '));
    const bomb = await buffer(Readable.from(pieces).pipe(createDeflate({ level: 1 })));
    const folded = `<< /Length ${bomb.length} /Filter /FlateDecode >>\nstream\n`;
    const file = Buffer.concat([
      body.subarray(0, at),
      Buffer.from(folded),
      bomb,
      body.subarray(body.indexOf('\nendstr')),
    ]);
    const order = { kind: 'pdf' as const, body: file };
    const read = readInWorker(order, new AbortController().signal, { growthBytes: 150 * 1024 * 1024 });
    await expect(read).rejects.toThrow('needs too much memory');
  });

  it('reads malformed HTML', () => {
    const read = (html: string) => readHtml(html, 'https://a.example/b/').text;
    expect(read('<body>Hello <a href="c">you</a>')).toBe('Hello [you](https://a.example/b/c)');
    expect(read('<html><p>No body</p></html>')).toBe('No body');
    expect(read('<title>Name</title><p>Words</p>')).toBe('Words');
    expect(read('only words')).toBe('only words');
    expect(read('<html><head><base href="http://["></head><body><a href="c">x</a></body></html>')).toContain('b/c)');
    expect(read('<html><head><base href="/d/"></head><body><a href="c">x</a></body></html>')).toContain('e/d/c)');
    expect(read('<html><body><img src="data:image/png;base64,AAAA">Text</body></html>')).toBe('Text');
    const cells = '<table><tr><td><p>one</p></td><td><div>two</div></td></tr></table>';
    expect(read(`<html><body>${cells}</body></html>`)).toBe('one\n\ntwo');
    expect(read('<html><body><pre><code>a\n\n\n\nb</code></pre></body></html>')).toContain('a\n\n\n\nb');
    expect([read(''), read('<html><frameset></frameset></html>')]).toEqual(['', '']);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...TAGS, 'word ', '"', '<', '>', '&')), (parts) => {
        expect(typeof read(parts.join(''))).toBe('string');
      }),
      { numRuns: 200 },
    );
  });

  it('detects the kind and encoding of any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), (body, type) => {
        expect(['html', 'pdf', 'text', 'binary']).toContain(kindOfPage(body, type));
        expect(typeof decodePage(body, `text/html; charset=${type}`)).toBe('string');
      }),
    );
    expect(kindOfPage(Buffer.from('<svg/>'), 'image/svg+xml')).toBe('text');
    expect(kindOfPage(Buffer.from('x'), 'application/xhtml+xml')).toBe('html');
  });
});

const KEY = 'key-of-the-test';
/** A public address that is never connected to; only the service gets it. */
const ADDRESS = 'http://93.184.216.34/page';

/** The response of each service, and the request it expects. */
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

describe('an extraction service', () => {
  for (const backend of WEB_EXTRACT_BACKENDS) {
    verifies('TOOL-5', `is called in the format of ${backend}`, async () => {
      const { path, answer, wants, sent } = SPOKEN[backend];
      await using server = await createWebServer((_seen, response) => response.end(JSON.stringify(answer)));
      const webPages = { allowPrivate: false, service: serviceAt(`${server.url}/`, backend) };
      await using fixture = await createToolFixture({ set: { services: { webPages } } });
      const { status, content } = await fixture.run('web_extract', { urls: [ADDRESS] });
      expect(status).toBe('ok');
      expect(content).toMatch(/# On cats\nhttp:\/\/93\.184\.216\.34\/page\n\(extracted by \w+\)\n\n[^]*They purr\./);
      const [asked] = server.requests as [SeenRequest];
      expect([asked.method, asked.url.pathname]).toEqual(['POST', path]);
      expect(JSON.parse(asked.body)).toEqual(wants);
      expect(asked.headers).toMatchObject(sent);
    });
  }

  it('is replaced by a direct fetch if it fails in any way', async () => {
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

  verifies('TOOL-10', 'never gets a URL that may not be fetched', async () => {
    await using server = await createWebServer((_seen, response) => response.end('<p>inside</p>'));
    const service = serviceAt(server.url);
    for (const url of [`${server.url}/page`, 'http://10.0.0.1/', 'http://169.254.169.254/', `${ADDRESS}?token=abc`]) {
      expect((await readPage(url, { allowPrivate: true, service }, reading, own)).text).toBe('fetched from here');
    }
    expect(server.requests).toEqual([]);
    await using fixture = await createToolFixture({
      set: { services: { webPages: { allowPrivate: false, service } } },
    });
    const { content } = await fixture.run('web_extract', { urls: ['http://10.0.0.1/'] });
    expect(content).toContain('is a private or reserved address');
    expect(server.requests).toEqual([]);
  });

  it('is aborted with the turn', async () => {
    const turn = new AbortController();
    await using server = await createWebServer(() => turn.abort(new Error('over')));
    const pages = { allowPrivate: false, service: serviceAt(server.url) };
    await expect(readPage(ADDRESS, pages, { ...reading, signal: turn.signal }, own)).rejects.toThrow('over');
  });

  it('may send a response of any shape', () => {
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
