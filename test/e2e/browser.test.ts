import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { browserSkipReason, findProcessesWith } from '../support/browser-fixture.ts';
import { type Reply, startHermes } from '../../src/testing/index.ts';
import { createWebServer } from '../../src/toolbox/web/web-server.fixture.ts';
import { verifies } from '../spec/verifies.ts';
import { jsonLines, useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { fullDoseOnly } from '../support/dose.ts';

const LIMIT_MS = 90_000;
const cli = useCliFixture();

/** The temporary folder for browsers of these tests. */
async function temporary(): Promise<{ folder: string; env: Record<string, string> }> {
  const folder = join(cli.home.path, 'temporary');
  await mkdir(folder, { recursive: true });
  return { folder, env: { TMPDIR: folder } };
}

const use = (name: string, args: object = {}): Reply => ({
  toolCalls: [{ name: 'tool_call', arguments: JSON.stringify({ name, arguments: args }) }],
});

/** Runs tool calls one after the other and returns the results that the model received. */
async function results(calls: Reply[], args: string[] = []): Promise<string[]> {
  const { env } = await temporary();
  cli.server.setScript([...calls, { text: 'done' }]);
  const { stdout } = await runHermes(['--json', '-q', 'go', ...args], { home: cli.home, env, timeoutMs: LIMIT_MS });
  const ends = jsonLines(stdout).filter(({ type }) => type === 'tool-finished');
  return ends.map(({ content }) => String(content));
}

const page = (body: string) =>
  createWebServer((_request, response) => response.setHeader('content-type', 'text/html').end(body));

const missing = browserSkipReason();
describe.skipIf(missing !== '')(`the browser on the command line${missing}`, { timeout: LIMIT_MS }, () => {
  verifies(
    ['TOOL-5', 'TOOL-8', 'TOOL-9'],
    'is found with tool_search, opens a page, uses it, and leaves nothing behind',
    { ...fullDoseOnly, timeout: LIMIT_MS },
    async () => {
      await cli.configure();
      await using server = await page(
        '<title>Shop</title><label>Name <input></label><button onclick="document.title=\'Bought\'">Buy</button>',
      );
      const search: Reply = { toolCalls: [{ name: 'tool_search', arguments: '{"query":"open page browser"}' }] };
      const [found = '', opened = '', typed = '', clicked = '', logged = '', images = ''] = await results([
        search,
        use('browser_navigate', { url: server.url }),
        use('browser_type', { ref: 'e3', text: 'Ada' }),
        use('browser_click', { ref: 'e4' }),
        use('browser_console', { expression: 'document.querySelector("input").value' }),
        use('browser_get_images'),
      ]);
      expect(cli.server.requests[0]?.toolNames.filter((name) => name.startsWith('browser_'))).toEqual([]);
      expect(found).toContain('browser_navigate: Open a URL in a real browser');
      expect(opened).toMatch(/⟦untrusted text from browser_navigate.*⟧\nShop\nhttp:[^]*button "Buy" \[ref=e4\]/);
      expect(typed).toContain('Done.');
      expect(clicked).toContain('Bought');
      expect([logged, images]).toEqual([expect.stringContaining('Value: Ada'), expect.stringContaining('no images')]);
      const { folder } = await temporary();
      expect(await readdir(folder)).toEqual([]);
      expect(findProcessesWith(folder)).toEqual([]);
    },
  );

  it('shows the start of a long page, and saves the full text to a file', fullDoseOnly, async () => {
    await cli.configure();
    await using server = await page(`<ol>${Array.from({ length: 2000 }, (_, n) => `<li>Entry ${n}`).join('')}</ol>`);
    const [opened = '', full = ''] = await results([
      use('browser_navigate', { url: server.url }),
      use('browser_snapshot', { full: true }),
    ]);
    expect([opened.length < 10_000, full.length > 50_000]).toEqual([true, true]);
    const file = /The full text is in (\S+);/.exec(opened)?.[1] ?? '';
    expect(await readFile(file, 'utf8')).toContain('Entry 1999');
  });

  verifies('TOOL-5', 'asks a model with vision about the look of a page', fullDoseOnly, async () => {
    await cli.configure();
    await using server = await page('<h1>Chart</h1><button>Next</button>');
    const calls = [
      use('browser_navigate', { url: server.url }),
      use('browser_vision', { question: 'Which colour?', annotate: true }),
    ];
    let step = 0;
    cli.server.setScript((request) => {
      if (request.system.startsWith('You look at an image')) {
        const sent = JSON.stringify(request.body);
        return {
          text: sent.includes('image/png;base64,iVBOR') && sent.includes('Which colour?') ? 'blue' : 'nothing',
        };
      }
      return calls[step++] ?? { text: 'done' };
    });
    const { env } = await temporary();
    const { stdout } = await runHermes(['--json', '-q', 'go'], { home: cli.home, env, timeoutMs: LIMIT_MS });
    const ends = jsonLines(stdout).filter(({ type }) => type === 'tool-finished');
    expect(ends.at(-1)?.['content']).toMatch(/\nblue\n/);
  });

  it('only reads pages in plan mode', fullDoseOnly, async () => {
    await cli.configure();
    await using server = await page('<button onclick="document.title=1">Buy</button>');
    const [opened, clicked, run] = await results(
      [
        use('browser_navigate', { url: server.url }),
        use('browser_click', { ref: 'e2' }),
        use('browser_console', { expression: '1' }),
      ],
      ['--plan'],
    );
    expect(opened).toContain('button "Buy"');
    expect([clicked, run]).toEqual([expect.stringContaining('Plan mode'), expect.stringContaining('Plan mode')]);
  });

  verifies(
    'TOOL-5',
    'ends when the program is killed, and the next start removes its folder',
    fullDoseOnly,
    async () => {
      await cli.configure();
      await using server = await page('<title>Here</title>');
      const { folder, env } = await temporary();
      let opened = false;
      cli.server.setScript(() => {
        if (opened) return { fault: { type: 'stall' } };
        opened = true;
        return use('browser_navigate', { url: server.url });
      });
      const victim = startHermes(['-q', 'go'], { home: cli.home, env, input: '' });
      await cli.server.waitForRequests(2);
      expect(findProcessesWith(folder).length).toBeGreaterThan(1);
      victim.kill('SIGKILL');
      await victim.exited;
      await expect.poll(() => findProcessesWith(folder)).toEqual([]);
      expect(await results([use('browser_navigate', { url: server.url })])).toEqual([expect.stringContaining('Here')]);
      expect((await readdir(folder)).filter((name) => name.startsWith('hermes-browser_'))).toEqual([]);
    },
  );
});

describe('without a browser', () => {
  it('no browser tools are offered, and the list of tools says why', async () => {
    await cli.configure('browser: { enabled: false }\n');
    cli.server.setScript([{ text: 'done' }]);
    await runHermes(['-z', 'go'], { home: cli.home });
    expect(cli.server.requests[0]?.toolNames).not.toContain('tool_search');
    const { stdout } = await runHermes(['tools', 'list'], { home: cli.home });
    expect(stdout).toMatch(/browser_navigate.*no browser was found/);
  });
});
