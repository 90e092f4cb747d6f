import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { type BrowserSettings, DEFAULT_BROWSER } from '../../src/config/index.ts';
import { type AgentBrowser, type BrowserAction, silentLogger } from '../../src/contracts/index.ts';
import { skipReason } from '../../src/environments/skip-tests.fixture.ts';
import { checkUrl } from '../../src/tools/safe-fetch/index.ts';
import type { BrowserParts } from '../../src/browser/browsers.ts';
import { findBrowser } from '../../src/browser/find-browser.ts';
import { createBrowsers } from '../../src/browser/index.ts';

/** Why browser tests are skipped, as the end of a test title; empty if they run. */
export function browserSkipReason(): string {
  return skipReason(
    'the browser',
    findBrowser() === undefined ? 'neither Chromium nor Chrome is installed' : undefined,
  );
}

/** Test hosts that count as public; they resolve to loopback. */
const IN_THE_WEB = '.web.example';

/** The real rules, except for the test hosts. */
export const checkAddress: BrowserParts['checkAddress'] = async (url, { byModel, allowLocal }) => {
  if (URL.canParse(url) && new URL(url).hostname.endsWith(IN_THE_WEB)) return { addresses: ['127.0.0.1'] };
  return checkUrl(url, { allowLoopback: allowLocal, mayHoldKey: !byModel });
};

/** The folders of browsers that this process started. */
export function browserFolders(): string[] {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith('hermes-browser_'));
  return folders.map((name) => join(tmpdir(), name)).filter((path) => ownerOf(path) === process.pid);
}

function ownerOf(folder: string): unknown {
  try {
    return (JSON.parse(readFileSync(join(folder, 'owner.json'), 'utf8')) as { pid: unknown }).pid;
  } catch {
    return undefined;
  }
}

/** The processes with this text in their command line. */
export function findProcessesWith(text: string): number[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.map(Number).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
    } catch {
      return false;
    }
  });
}

export type TriedBrowser = AgentBrowser & {
  go(url: string): ReturnType<AgentBrowser['act']>;
  do(action: BrowserAction): ReturnType<AgentBrowser['act']>;
  /** Clicks the element with this name. */
  click(name: string, acceptDialog?: boolean): ReturnType<AgentBrowser['act']>;
};

export const call = { signal: new AbortController().signal };

/** The element ref for a name in a page snapshot. */
export function refOf(snapshot: string, name: string): string {
  const line = snapshot.split('\n').find((each) => each.includes(`"${name}"`));
  return /\[ref=(\w+)\]/.exec(line ?? '')?.[1] ?? `no ref for ${name}`;
}

type Options = { settings?: Partial<BrowserSettings>; more?: Partial<BrowserParts> };

function create({ settings = {}, more = {} }: Options = {}) {
  const found = more.found ?? findBrowser() ?? { program: 'none' };
  const parts = { clock: systemClock, logger: silentLogger, checkAddress, ...more, found };
  return createBrowsers({ ...parts, settings: { ...DEFAULT_BROWSER, ...settings } });
}

/** Agents with a shared browser, which is closed after the test. */
export function openBrowsers(settings: Partial<BrowserSettings> = {}, more: Partial<BrowserParts> = {}) {
  const browsers = create({ settings, more });
  onTestFinished(() => browsers.close());
  return { browsers, agent: () => tried(browsers.forAgent()) };
}

/** One browser for the tests of a block; each test creates its own agents, which are closed with it. */
export function useBrowser() {
  let browsers: ReturnType<typeof create>;
  beforeAll(async () => {
    browsers = create();
    // Keeps the browser in use; otherwise it would be closed between two tests.
    await browsers
      .forAgent()
      .act({ type: 'navigate', url: 'http://127.0.0.1:9/' }, call)
      .catch(() => undefined);
  }, 60_000);
  afterAll(() => browsers.close());
  return {
    agent() {
      const browser = browsers.forAgent();
      onTestFinished(() => browser.close());
      return tried(browser);
    },
  };
}

function tried(browser: AgentBrowser): TriedBrowser {
  const act = (action: BrowserAction) => browser.act(action, call);
  return {
    ...browser,
    do: act,
    go: (url) => act({ type: 'navigate', url }),
    async click(name, acceptDialog = false) {
      const { snapshot } = await act({ type: 'look' });
      return act({ type: 'click', ref: refOf(snapshot, name), acceptDialog });
    },
  };
}
