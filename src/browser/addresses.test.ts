import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { createWebServer } from '../toolbox/web/web-server.fixture.ts';
import { browserSkipReason, call, checkAddress, useBrowser } from '../../test/support/browser-fixture.ts';
import { createBrowserGuard } from './guard.ts';
import { REFUSED_HEADER, startProxy } from './proxy.ts';
import { fullDoseOnly } from '../../test/support/dose.ts';

const LIMIT_MS = 60_000;

/** One server represents a remote site, the other a program on the local machine. */
async function twoServers() {
  const own = await createWebServer((_request, response) => {
    response.setHeader('access-control-allow-origin', '*').setHeader('content-type', 'text/html');
    response.end('<p>own machine</p>');
  });
  const web = await createWebServer(({ url }, response) => {
    const target = url.searchParams.get('to') ?? '';
    if (url.pathname === '/redirect') return void response.writeHead(302, { location: target }).end();
    response.setHeader('content-type', 'text/html');
    if (url.pathname === '/frame') return void response.end(`<iframe src="${target}"></iframe>`);
    if (url.pathname === '/link') return void response.end(`<a href="${target}">Link</a>`);
    response.end('<p>of the web</p>');
  });
  onTestFinished(async () => {
    await own[Symbol.asyncDispose]();
    await web[Symbol.asyncDispose]();
  });
  const at = (path: string, to = '') => `http://a.web.example:${web.port}${path}?to=${encodeURIComponent(to)}`;
  return { own, web, at };
}

const missing = browserSkipReason();
describe.skipIf(missing !== '')(`addresses that browser pages may reach${missing}`, { timeout: LIMIT_MS }, () => {
  const shared = useBrowser();

  verifies(
    'TOOL-10',
    'refuses redirects and links to private addresses, with the reason',
    async () => {
      const { own, at } = await twoServers();
      const browser = shared.agent();
      const refused = /10\.0\.0\.1 is a private or reserved address.*allow_private_urls/;
      await expect(browser.go('http://10.0.0.1/')).rejects.toThrow(refused);
      await expect(browser.go(at('/redirect', 'http://10.0.0.1/'))).rejects.toThrow(refused);
      await expect(browser.go(at('/redirect', 'https://10.0.0.1/'))).rejects.toThrow(refused);
      await expect(browser.go(at('/redirect', 'http://169.254.169.254/latest'))).rejects.toThrow(
        'cloud metadata endpoint',
      );
      await expect(browser.go(at('/redirect', own.url))).rejects.toThrow('is a local address');
      await browser.go(at('/link', 'http://10.0.0.1/'));
      await expect(browser.click('Link')).rejects.toThrow(refused);
      expect((await browser.go(at('/'))).snapshot).toContain('of the web');
      expect(own.requests).toEqual([]);
    },
    LIMIT_MS,
  );

  verifies(
    'TOOL-10',
    'opens pages of the local machine, which remote pages can never reach',
    async () => {
      const { own, at } = await twoServers();
      const browser = shared.agent();
      const fetchOwn = `fetch('${own.url}/fetched').then((answer) => answer.status, (error) => error.name)`;
      const socket = `new Promise((resolve) => { new WebSocket('${own.url.replace('http', 'ws')}/socket').onerror = () => resolve('closed') })`;
      const value = async (expression: string) => (await browser.console({ expression, clear: false }, call)).value;
      await browser.go(at('/'));
      expect(await value(fetchOwn)).not.toBe('200');
      expect(await value(socket)).toBe('closed');
      expect((await browser.go(at('/frame', `${own.url}/framed`))).notes.join()).toContain(
        '127.0.0.1 is a local address',
      );
      expect(own.requests).toEqual([]);
      expect((await browser.go(`${own.url}/`)).snapshot).toContain('own machine');
      expect(await value(fetchOwn)).toBe('200');
      await browser.go(at('/'));
      own.requests.length = 0;
      expect(await value(fetchOwn)).not.toBe('200');
      expect(own.requests).toEqual([]);
    },
    LIMIT_MS,
  );

  verifies(
    'TOOL-10',
    'keeps remote pages from the local machine while a local page is open, and after it was left',
    fullDoseOnly,
    async () => {
      const hosts = { own: '', web: '' };
      const knock = () =>
        `<script>setInterval(() => fetch('${hosts.own}/knock', { keepalive: true }).catch(() => 0), 5)</script>`;
      // The local page loads slowly, while the previous page is still open.
      const own = await createWebServer(({ url }, response) => {
        response.setHeader('access-control-allow-origin', '*').setHeader('content-type', 'text/html');
        response.setHeader('set-cookie', 'login=kept');
        const page = `<p>own machine</p><a href="${hosts.web}">Elsewhere</a>`;
        setTimeout(() => response.end(page), url.pathname === '/slow' ? 500 : 0);
      });
      const web = await createWebServer((_request, response) =>
        response.setHeader('content-type', 'text/html').end(`<p>of the web</p>${knock()}`),
      );
      onTestFinished(async () => {
        await own[Symbol.asyncDispose]();
        await web[Symbol.asyncDispose]();
      });
      Object.assign(hosts, { own: own.url, web: `http://a.web.example:${web.port}/` });
      const browser = shared.agent();
      await browser.go(hosts.web);
      expect((await browser.go(`${own.url}/slow`)).snapshot).toContain('own machine');
      const { snapshot } = await browser.click('Elsewhere');
      expect(snapshot).toContain('of the web');
      await browser.go(`${own.url}/again`);
      await browser.do({ type: 'back' }).catch(() => undefined);
      await browser.do({ type: 'look' });
      expect(own.requests.map(({ url }) => url.pathname)).not.toContain('/knock');
      const again = own.requests.find(({ url }) => url.pathname === '/again');
      expect(again?.headers.cookie).toBe('login=kept');
    },
  );

  verifies(
    'TOOL-10',
    'blocks WebRTC, which bypasses proxies',
    async () => {
      const { at } = await twoServers();
      const udp = createSocket('udp4').unref();
      const packets: unknown[] = [];
      udp.on('message', (message) => packets.push(message));
      await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
      onTestFinished(() => void udp.close());
      const browser = shared.agent();
      await browser.go(at('/'));
      const address = `127.0.0.1:${udp.address().port}`;
      const expression = `new Promise((resolve) => {
        const servers = { urls: ['stun:${address}', 'turn:${address}'], username: 'a', credential: 'b' };
        const peer = new RTCPeerConnection({ iceServers: [servers] });
        peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && resolve('gathered');
        peer.createDataChannel('x');
        peer.createOffer().then((offer) => peer.setLocalDescription(offer));
      })`;
      expect((await browser.console({ expression, clear: false }, call)).value).toBe('gathered');
      expect(packets).toEqual([]);
    },
    LIMIT_MS,
  );

  it('refuses URLs with a key from a model, but not those of pages', async () => {
    const { own, web, at } = await twoServers();
    const browser = shared.agent();
    await expect(browser.go(`${own.url}/?api_key=sk-1234567890abcdef1234`)).rejects.toThrow('password, key or token');
    await browser.go(at('/frame', at('/inner?token=abcdefghijklmnop1234')));
    expect(web.requests.map(({ url }) => url.pathname)).toContain('/inner');
  });
});

describe('the proxy of a browser context', () => {
  async function proxied(allowed: (url: string) => Promise<readonly string[]>) {
    const proxy = await startProxy({ check: allowed });
    onTestFinished(() => proxy.close());
    return new URL(proxy.url);
  }

  const ask = (proxy: URL, path: string, options = {}) =>
    new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
      const sent = request({ host: proxy.hostname, port: proxy.port, path, ...options }, (answer) => {
        let body = '';
        answer.on('data', (chunk: Buffer) => (body += chunk.toString()));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }));
      });
      sent.on('error', reject).end();
    });

  const tunnel = (proxy: URL, authority: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(proxy.port), proxy.hostname, () =>
        socket.write(`CONNECT ${authority} HTTP/1.1\r\n\r\n`),
      );
      socket.once('data', (chunk) => {
        resolve(chunk.toString().split('\r\n')[0] ?? '');
        socket.destroy();
      });
      socket.once('error', reject);
    });

  verifies('TOOL-10', 'connects to the checked address, whatever the name resolves to', async () => {
    await using server = await createWebServer((_request, response) =>
      response.setHeader(REFUSED_HEADER, 'x').end('here'),
    );
    const proxy = await proxied(async () => ['127.0.0.1']);
    const address = `http://no-such-host.invalid:${server.port}/a`;
    const { status, headers, body } = await ask(proxy, address, { headers: { 'proxy-connection': 'keep-alive' } });
    expect([status, body, headers[REFUSED_HEADER]]).toEqual([200, 'here', undefined]);
    expect(server.requests[0]?.headers['proxy-connection']).toBeUndefined();
    expect(await tunnel(proxy, `no-such-host.invalid:${server.port}`)).toContain('200');
  });

  it('answers refused, unreachable and invalid requests', async () => {
    const guard = createBrowserGuard(checkAddress);
    const proxy = await proxied((url) => guard.check(url));
    const refused = await ask(proxy, 'http://192.168.0.1/x');
    expect([refused.status, refused.headers[REFUSED_HEADER]]).toEqual([403, '1']);
    expect(await tunnel(proxy, '192.168.0.1:443')).toContain('403');
    expect(await tunnel(proxy, 'content-autofill.googleapis.com:443')).toContain('403');
    expect(guard.takeRefusals()).toEqual([expect.stringMatching('192.168.0.1 is a private')]);
    expect((await ask(proxy, '/no-address')).status).toBe(403);
    expect(await tunnel(proxy, '::::')).toContain('400');
    const open = await proxied(async () => ['127.0.0.1']);
    const free = await createWebServer(() => undefined);
    await free[Symbol.asyncDispose]();
    expect((await ask(open, `http://127.0.0.1:${free.port}/`)).status).toBe(502);
    expect(await tunnel(open, `127.0.0.1:${free.port}`)).toContain('502');
  });
});
