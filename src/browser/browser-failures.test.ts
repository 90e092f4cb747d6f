import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fullDoseOnly } from '../../test/support/dose.ts';
import {
  browserSkipReason,
  browserFolders,
  openBrowsers,
  findProcessesWith,
} from '../../test/support/browser-fixture.ts';
import { createOutputWatch } from '../testing/hermes-process.ts';
import { createWebServer } from '../toolbox/web/web-server.fixture.ts';
import { processScope } from '../util/index.ts';
import { findBrowser } from './find-browser.ts';
import { createProfileFolder } from './start-browser.ts';

const LIMIT_MS = 60_000;
const PAGE = '<title>Here</title><p>text</p>';

const site = () =>
  createWebServer(({ url }, response) => {
    if (url.pathname === '/redirect') return void response.writeHead(302, { location: 'http://10.0.0.1/' }).end();
    response.setHeader('content-type', 'text/html').end(PAGE);
  });

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-browser-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** A browser of the user with an open debugging port. It resolves remote hosts to `elsewhere`. */
async function startOwnBrowser(elsewhere: string): Promise<string> {
  const found = findBrowser();
  const program = found !== undefined && 'program' in found ? found.program : '';
  const folder = temporaryFolder();
  const places = [`--user-data-dir=${folder}`, `--proxy-server=${new URL(elsewhere).host}`];
  const own = ['--headless', '--no-first-run', '--remote-debugging-port=0', ...places, 'about:blank'];
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const child = spawn(program, [...own, ...sandbox], { env: { ...process.env, TMPDIR: folder } });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
    // The browser's child processes notice the kill a little later and write to the directory until then.
    await expect.poll(() => findProcessesWith(folder)).toEqual([]);
  });
  return createOutputWatch(child.stderr).waitFor(/ws:\/\/127\S+/, new AbortController().signal);
}

const missing = browserSkipReason();
describe.skipIf(missing !== '')(`browser failures${missing}`, { timeout: LIMIT_MS }, () => {
  it('restarts after it was killed, and says so', fullDoseOnly, async () => {
    await using server = await site();
    const browser = openBrowsers().agent();
    await browser.go(server.url);
    const [folder = ''] = browserFolders();
    for (const pid of findProcessesWith(folder)) process.kill(pid, 'SIGKILL');
    await expect.poll(() => findProcessesWith(folder)).toEqual([]);
    await expect(browser.do({ type: 'look' })).rejects.toThrow(
      'The browser exited. Open it again with browser_navigate',
    );
    const { title, notes } = await browser.go(server.url);
    expect([title, notes[0]]).toEqual(['Here', expect.stringMatching('This is a new page')]);
    expect(existsSync(folder)).toBe(false);
  });

  it('continues after a page crashed', fullDoseOnly, async () => {
    await using server = await site();
    const browser = openBrowsers({ commandSeconds: 10 }).agent();
    await browser.go(server.url);
    const [folder = ''] = browserFolders();
    const started = new Set(findProcessesWith(folder));
    const pages = findProcessesWith('--type=renderer').filter((pid) => started.has(pid));
    expect(pages.length).toBeGreaterThan(0);
    for (const pid of pages) process.kill(pid, 'SIGKILL');
    await expect.poll(() => browser.do({ type: 'look' }).catch(String)).toMatch('The page crashed. Open it again');
    expect(await browser.go(server.url)).toMatchObject({ title: 'Here', notes: [expect.stringMatching('a new page')] });
  });

  it('kills a browser that hangs, and restarts', fullDoseOnly, async () => {
    await using server = await site();
    const browser = openBrowsers({ commandSeconds: 10 }, { closeMs: 500 }).agent();
    await browser.go(server.url);
    const [folder = ''] = browserFolders();
    for (const pid of findProcessesWith(folder)) process.kill(pid, 'SIGSTOP');
    await expect(browser.do({ type: 'look' })).rejects.toThrow('did not respond within 10 s and was closed');
    await expect.poll(() => findProcessesWith(folder)).toEqual([]);
    expect((await browser.go(server.url)).title).toBe('Here');
    expect(existsSync(folder)).toBe(false);
  });

  it('closes a page that floods its console, and recovers', { ...fullDoseOnly, timeout: 2 * LIMIT_MS }, async () => {
    await using server = await createWebServer(({ url }, response) => {
      const flood = `<script>setInterval(() => { for (let n = 0; n < 200; n += 1) console.log('x'.repeat(500)) }, 0)</script>`;
      response.setHeader('content-type', 'text/html').end(url.pathname === '/flood' ? flood : PAGE);
    });
    // The time limit is long, so that the number of messages closes the page even on a busy machine.
    const browser = openBrowsers({ commandSeconds: LIMIT_MS / 1000 }).agent();
    const flooded = browser.go(`${server.url}/flood`).then(() => browser.do({ type: 'look' }));
    await expect(flooded).rejects.toThrow('flooded its console and was closed');
    expect((await browser.go(server.url)).title).toBe('Here');
  });

  it('attaches to a running browser, applies the address rules, and leaves it running', fullDoseOnly, async () => {
    await using server = await site();
    const endpoint = await startOwnBrowser(server.url);
    const { browsers, agent } = openBrowsers({}, { found: { endpoint } });
    const browser = agent();
    expect((await browser.go(server.url)).title).toBe('Here');
    await expect(browser.go(`${server.url}/redirect`)).rejects.toThrow('10.0.0.1 is a private or reserved address');
    await browsers.close();
    expect((await openBrowsers({}, { found: { endpoint } }).agent().go(server.url)).title).toBe('Here');
    expect(browserFolders()).toEqual([]);
  });
});

describe('a missing browser', () => {
  it('is reported by the first call, with advice', async () => {
    const program = openBrowsers({}, { found: { program: '/nowhere/chromium' } }).agent();
    await expect(program.go('http://127.0.0.1:9/')).rejects.toThrow(/nowhere\/chromium.*Install Chromium or Chrome/);
    const address = 'http://127.0.0.1:9/?token=sk-very-secret-1234567890';
    const endpoint = openBrowsers({}, { found: { endpoint: address } }).agent();
    const failure = await endpoint.go('http://127.0.0.1:9/').catch((thrown: Error) => thrown.message);
    expect(failure).toMatch(/Could not connect to the browser at 127.0.0.1:9.*browser.cdp_url/);
    expect(failure).not.toContain('secret');
    expect(browserFolders()).toEqual([]);
  });

  it('is searched in the usual locations, unless the settings name or disable one', () => {
    const settings = { enabled: true, headed: false, allowPrivate: false, idleSeconds: 1, commandSeconds: 1 };
    const here = process.execPath;
    expect(findBrowser(settings, ['/nowhere', here])).toEqual({ program: here });
    expect(findBrowser(settings, ['/nowhere'])).toBeUndefined();
    expect(findBrowser({ ...settings, executable: '/my/own' }, [here])).toEqual({ program: '/my/own' });
    expect(findBrowser({ ...settings, cdpUrl: 'http://x:1', executable: '/my/own' })).toEqual({
      endpoint: 'http://x:1',
    });
    expect(findBrowser({ ...settings, enabled: false, cdpUrl: 'http://x:1' }, [here])).toBeUndefined();
  });
});

describe('the profile directory of a browser', () => {
  it('is private, and those of killed processes are removed at the next start', () => {
    const parent = temporaryFolder();
    const leave = (name: string, owner: unknown) => {
      mkdirSync(join(parent, name));
      if (owner !== undefined) writeFileSync(join(parent, name, 'owner.json'), JSON.stringify(owner));
    };
    leave('hermes-browser_dead', { pid: 2 ** 22 + 1, scope: processScope() });
    leave('hermes-browser_alive', { pid: process.pid, scope: processScope() });
    leave('hermes-browser_elsewhere', { pid: 2 ** 22 + 1, scope: 'another machine' });
    leave('hermes-browser_odd', ['no owner']);
    leave('hermes-browser_pipe', undefined);
    execFileSync('mkfifo', [join(parent, 'hermes-browser_pipe', 'owner.json')]);
    leave('something-else', { pid: 2 ** 22 + 1, scope: processScope() });
    const folder = createProfileFolder(parent);
    const kept = [
      'hermes-browser_alive',
      'hermes-browser_elsewhere',
      'hermes-browser_odd',
      'hermes-browser_pipe',
      'something-else',
    ];
    expect(readdirSync(parent).toSorted()).toEqual([...kept, folder.path.slice(parent.length + 1)].toSorted());
    folder.remove();
    folder.remove();
    expect(readdirSync(parent).toSorted()).toEqual(kept);
  });

  it('gives advice if it cannot be created', () => {
    const nowhere = join(temporaryFolder(), 'gone');
    expect(() => createProfileFolder(nowhere)).toThrow(/profile directory .* in .*gone.*ENOENT.*set TMPDIR/);
    expect(existsSync(nowhere)).toBe(false);
  });
});
