import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { fullDoseOnly } from '../../test/support/dose.ts';
import { createWebServer } from '../toolbox/web/web-server.fixture.ts';
import {
  browserSkipReason,
  call,
  browserFolders,
  openBrowsers,
  refOf,
  useBrowser,
} from '../../test/support/browser-fixture.ts';

const LIMIT_MS = 60_000;

const FORM = `<title>A form</title><h1>Order</h1><a href="/next">Next</a>
<label>Name <input></label><label>Size <select><option>small<option>large</select></label>
<button onclick="document.title='pressed';console.log('pressed');console.error('oh no')">Press</button>
<button onclick="this.textContent=String(confirm('Really?'))">Ask</button>
<button onclick="document.body.append('answer: '+prompt('Your name?','Bob'))">Prompt</button>
<img src="/picture.png" alt="A picture"><img alt="none"><iframe srcdoc="<button>Inner</button>"></iframe>`;

const PAGES: Record<string, string> = {
  '/': FORM,
  '/next':
    '<title>Next</title><p>The next page</p><input autofocus aria-label=Field onkeydown="document.title=event.key">',
  '/data': '<button onclick="fetch(\'/slow\').then(a=>a.text()).then(t=>document.body.append(t))">Load</button>',
  '/long': `<style>p{height:40px}</style>${Array.from({ length: 3000 }, (_, n) => `<p>Paragraph ${n}</p>`).join('')}`,
  '/popups': '<button onclick="for(let n=0;n<12;n++)window.open(\'/next\')">Many</button>',
  '/popup': '<button onclick="window.open(\'/closes\')">One</button>',
  '/closes': '<title>Popup</title><button onclick="window.close()">Away</button>',
  '/alerts': '<script>while(true)alert("again")</script>',
  '/busy': '<button onclick="for(;;);">Hang</button>',
  '/secret': '<script>document.cookie="who=first"</script>',
};

const site = (more: (path: string, response: ServerResponse) => boolean = () => false) =>
  createWebServer(({ url: { pathname } }, response) => {
    if (more(pathname, response)) return;
    if (pathname === '/slow') return void setTimeout(() => response.end('loaded late'), 300);
    response.setHeader('content-type', 'text/html');
    response.statusCode = pathname in PAGES ? 200 : 404;
    response.end(PAGES[pathname] ?? '<p>There is nothing here</p>');
  });

const missing = browserSkipReason();
describe.skipIf(missing !== '')(`the browser${missing}`, { timeout: LIMIT_MS }, () => {
  const shared = useBrowser();

  verifies(
    'TOOL-5',
    'opens pages, returns snapshots with refs, and uses the refs',
    async () => {
      await using server = await site();
      const browser = shared.agent();
      await expect(browser.do({ type: 'look' })).rejects.toThrow('No page is open');
      const { title, url, snapshot, notes } = await browser.go(server.url);
      expect({ title, url, notes }).toEqual({ title: 'A form', url: `${server.url}/`, notes: [] });
      expect(snapshot).toMatch(/heading "Order".*\[ref=e\d+\]/);
      expect(snapshot).toMatch(/iframe[^]*button "Inner" \[ref=f\d+e\d+\]/);
      const type = (name: string, text: string) => browser.do({ type: 'type', ref: refOf(snapshot, name), text });
      expect((await type('Name', 'Ada')).snapshot).toMatch(/textbox "Name".*: Ada/);
      expect((await type('Size', 'large')).snapshot).toMatch(/option "large" \[selected\]/);
      await expect(type('Size', 'huge')).rejects.toThrow('has no option with this label');
      await expect(type('Press', 'x')).rejects.toThrow('not editable');
      expect((await browser.click('Press')).title).toBe('pressed');
      const next = await browser.click('Next');
      expect(next).toMatchObject({ title: 'Next', url: `${server.url}/next` });
      expect((await browser.do({ type: 'press', key: 'ArrowDown' })).title).toBe('ArrowDown');
      await expect(browser.do({ type: 'press', key: 'Nokey' })).rejects.toThrow('Unknown key');
      expect((await browser.do({ type: 'back' })).url).toBe(`${server.url}/`);
      expect((await browser.go(`${server.url}/missing`)).notes).toEqual(['The server returned status 404.']);
    },
    LIMIT_MS,
  );

  it('gives advice for an unknown or stale ref', async () => {
    await using server = await site();
    const browser = shared.agent();
    const { snapshot } = await browser.go(server.url);
    const click = (ref: string) => browser.do({ type: 'click', ref, acceptDialog: false });
    await expect(click('e999')).rejects.toThrow('Take a new snapshot with browser_snapshot');
    await expect(click('the button')).rejects.toThrow('[ref=…]');
    await click(`[ref=${refOf(snapshot, 'Next')}]`);
    await expect(click(refOf(snapshot, 'Press'))).rejects.toThrow('ref no longer exists');
  });

  it('waits for requests that a click triggers', fullDoseOnly, async () => {
    await using server = await site();
    const browser = shared.agent();
    await browser.go(`${server.url}/data`);
    expect((await browser.click('Load')).snapshot).toContain('loaded late');
  });

  it('scrolls and reports the position', fullDoseOnly, async () => {
    await using server = await site();
    const browser = shared.agent();
    await browser.go(`${server.url}/long`);
    const { notes } = await browser.do({ type: 'scroll', direction: 'down' });
    expect(notes[0]).toMatch(/^Visible: pixels [1-9]\d+ to \d+ of \d{4,}\.$/);
    expect((await browser.do({ type: 'scroll', direction: 'up' })).notes[0]).toMatch(/^Visible: pixels 0 to/);
  });

  verifies('TOOL-5', 'returns console messages and evaluates an expression', async () => {
    await using server = await site();
    const browser = shared.agent();
    await browser.go(server.url);
    await browser.click('Press');
    const view = await browser.console({ expression: '({ title: document.title })', clear: true }, call);
    expect(view.value).toBe('{\n "title": "pressed"\n}');
    expect(view.messages).toEqual(expect.arrayContaining(['log: pressed', 'error: oh no']));
    expect((await browser.console({ expression: undefined, clear: false }, call)).messages).toEqual([]);
    await expect(browser.console({ expression: 'nothing.there', clear: false }, call)).rejects.toThrow(
      'nothing is not',
    );
    await browser.console({ expression: 'setTimeout(() => { throw new Error("late") })', clear: false }, call);
    await expect
      .poll(async () => (await browser.console({ expression: undefined, clear: false }, call)).messages)
      .toEqual(['uncaught error: late']);
  });

  verifies('TOOL-5', 'lists images, and takes screenshots with and without refs', async () => {
    await using server = await site();
    const browser = shared.agent();
    await browser.go(server.url);
    expect(await browser.images(call)).toEqual([
      { url: `${server.url}/picture.png`, text: 'A picture', width: 0, height: 0 },
    ]);
    const plain = await browser.screenshot({ annotate: false }, call);
    const drawn = await browser.screenshot({ annotate: true }, call);
    const after = await browser.screenshot({ annotate: false }, call);
    expect(Buffer.from(plain.image.subarray(1, 4)).toString()).toBe('PNG');
    expect(Buffer.compare(plain.image, drawn.image)).not.toBe(0);
    expect(Buffer.compare(plain.image, after.image)).toBe(0);
  });

  it('answers dialogs, and accepts them only on request', fullDoseOnly, async () => {
    await using server = await site();
    const browser = shared.agent();
    await browser.go(server.url);
    const no = await browser.click('Ask');
    expect(no.notes).toEqual(['The page opened a dialog (confirm): Really?; it was dismissed.']);
    expect((await browser.click('false', true)).snapshot).toContain('button "true"');
    expect((await browser.click('Prompt', true)).snapshot).toContain('answer: Bob');
  });

  it('shows a page that another one opened, and limits their number', fullDoseOnly, async () => {
    await using server = await site();
    const browser = shared.agent();
    await browser.go(`${server.url}/popup`);
    expect(await browser.click('One')).toMatchObject({ title: 'Popup', notes: [expect.stringMatching('A new page')] });
    expect(await browser.click('Away')).toMatchObject({ url: `${server.url}/popup` });
    await browser.go(`${server.url}/popups`);
    const { notes } = await browser.click('Many');
    expect(notes).toContain('The page opened too many pages; the new pages were closed.');
    expect((await browser.go(server.url)).title).toBe('A form');
  });

  it('closes a page that opens dialogs endlessly, and recovers', fullDoseOnly, async () => {
    await using server = await site();
    const browser = shared.agent();
    await expect(browser.go(`${server.url}/alerts`)).rejects.toThrow('too many dialogs');
    const { title, notes } = await browser.go(server.url);
    expect([title, notes[0]]).toEqual(['A form', expect.stringMatching('too many dialogs.*This is a new page')]);
  });

  it('does not wait for a page that never finishes, never answers or is busy', fullDoseOnly, async () => {
    await using server = await site((path, response) => {
      if (path === '/endless') response.setHeader('content-type', 'text/html').write('<h1>Begun</h1>');
      return path === '/endless' || path === '/silent';
    });
    // Each of these waits for its timeout, so they run concurrently. The limits are generous enough for a busy
    // machine.
    const { agent } = openBrowsers({ commandSeconds: 20 });
    // Shorter for the busy page, because it uses a whole core until the timeout.
    const seconds = 10;
    const [first, second, third] = [agent(), agent(), openBrowsers({ commandSeconds: seconds }).agent()];
    const begun = async () => {
      expect(await first.go(`${server.url}/endless`)).toMatchObject({
        snapshot: expect.stringContaining('Begun') as string,
        notes: [expect.stringMatching('has not finished loading')],
      });
    };
    const silent = () => expect(second.go(`${server.url}/silent`)).rejects.toThrow('timed out');
    const busy = async () => {
      await third.go(`${server.url}/busy`);
      await expect(third.click('Hang')).rejects.toThrow(`did not respond within ${seconds} s and was closed`);
      await expect(third.do({ type: 'look' })).rejects.toThrow(`did not respond within ${seconds} s`);
    };
    await Promise.all([begun(), silent(), busy()]);
    for (const browser of [first, second, third]) expect((await browser.go(server.url)).title).toBe('A form');
  });

  it('refuses local files and downloads', fullDoseOnly, async () => {
    await using server = await site((path, response) => {
      if (path === '/file') response.setHeader('content-disposition', 'attachment; filename=a.zip').end('bytes');
      return path === '/file';
    });
    const browser = shared.agent();
    await expect(browser.go('file:///etc/passwd')).rejects.toThrow('must begin with https:// or http://');
    await expect(browser.go(`${server.url}/file`)).rejects.toThrow('file download');
    await browser.go(server.url);
    await browser.console({ expression: 'void (location.href = "file:///etc/passwd")', clear: false }, call);
    expect((await browser.do({ type: 'look' })).url).toBe(`${server.url}/`);
  });

  it('aborts a call on its signal, and continues with the next', async () => {
    await using server = await site((path) => path === '/silent');
    const browser = shared.agent();
    await browser.go(server.url);
    const stop = new AbortController();
    const silent = { type: 'navigate', url: `${server.url}/silent` } as const;
    const going = browser.act(silent, { signal: stop.signal });
    await expect.poll(() => server.requests.at(-1)?.url.pathname).toBe('/silent');
    stop.abort(new Error('enough'));
    await expect(going).rejects.toThrow('enough');
    expect((await browser.go(server.url)).title).toBe('A form');
  });

  verifies('TOOL-5', 'isolates agents from each other, and leaves nothing behind', fullDoseOnly, async () => {
    await using server = await site();
    const before = browserFolders();
    const { browsers, agent } = openBrowsers();
    const [first, second] = [agent(), agent()];
    await Promise.all([first.go(`${server.url}/secret`), second.go(server.url)]);
    const cookie = { expression: 'document.cookie', clear: false };
    expect((await first.console(cookie, call)).value).toBe('who=first');
    expect((await second.console(cookie, call)).value).toBe('');
    expect(browserFolders()).toHaveLength(before.length + 1);
    await first.close();
    expect((await second.do({ type: 'look' })).title).toBe('A form');
    await browsers.close();
    expect(browserFolders()).toEqual(before);
  });

  it('closes when idle, and says so', fullDoseOnly, async () => {
    await using server = await site();
    const before = browserFolders();
    const waits: { wake(): void; ms: number }[] = [];
    const sleep = (ms: number, signal?: AbortSignal) =>
      new Promise<void>((wake, stop) => {
        waits.push({ wake, ms });
        signal?.addEventListener('abort', () => stop(new Error('aborted')));
      });
    const browser = openBrowsers({ idleSeconds: 7 }, { clock: { now: Date.now, sleep } }).agent();
    await browser.go(server.url);
    await browser.do({ type: 'look' });
    expect(waits.map(({ ms }) => ms)).toEqual([7000, 7000]);
    // The second call aborted the first wait.
    waits[0]?.wake();
    expect((await browser.do({ type: 'look' })).title).toBe('A form');
    waits[2]?.wake();
    await expect.poll(browserFolders).toEqual(before);
    await expect(browser.do({ type: 'look' })).rejects.toThrow('closed after 7 s of inactivity');
    expect((await browser.go(server.url)).notes[0]).toMatch('closed after 7 s of inactivity. This is a new page');
  });
});
