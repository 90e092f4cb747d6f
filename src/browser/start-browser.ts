import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, chromium } from 'playwright-core';
import { errorMessage, newId } from '../base/index.ts';
import type { BrowserSettings } from '../config/index.ts';
import { childEnvironment, createExitTasks } from '../environments/index.ts';
import { endsWithin, markFolder, removeAbandonedFolders, shorten } from '../util/index.ts';
import { BrowserFailure } from './browser-failure.ts';
import type { FoundBrowser } from './find-browser.ts';

const PREFIX = 'hermes-browser';

export type StartedBrowser = {
  browser: Browser;
  /** It was there before, and may be on another machine: what it sends cannot be led through here. */
  isRemote: boolean;
  close(): Promise<void>;
  /** The end of one that no longer answers. */
  kill(): void;
};

type Driver = typeof chromium;

const START_MS = 30_000;
const CLOSE_MS = 10_000;
const MAX_FAULT_LENGTH = 300;
const MAX_FOLDER_LENGTH = 50;
/** The same switch by its name of today, and by that of older versions. */
const NO_CALLS = ['webrtc-ip-handling-policy', 'force-webrtc-ip-handling-policy'];
const INSTALL = 'npm install playwright-core@1.65.0';

/** Starts the program, or connects to the browser that runs already. */
export async function startBrowser(found: FoundBrowser, settings: BrowserSettings): Promise<StartedBrowser> {
  const driver = await loadDriver();
  return 'endpoint' in found ? connect(driver, found.endpoint) : launch(driver, found.program, settings);
}

async function loadDriver(): Promise<Driver> {
  try {
    return (await import('playwright-core')).chromium;
  } catch (cause) {
    const hint = `Install it beside hermes with \`${INSTALL}\`.`;
    throw new BrowserFailure(`The browser cannot be used: playwright-core is not installed. ${hint}`, { hint, cause });
  }
}

async function launch(driver: Driver, program: string, settings: BrowserSettings): Promise<StartedBrowser> {
  const folder = createProfileFolder();
  try {
    // Commands go through a pipe: a browser whose program is killed sees its end, and leaves as well.
    const window = await driver.launchPersistentContext(join(folder.path, 'profile'), {
      executablePath: program,
      artifactsDir: join(folder.path, 'artifacts'),
      headless: !settings.headed,
      // The sandbox of the browser does not work for root.
      chromiumSandbox: settings.sandbox ?? process.getuid?.() !== 0,
      // Only what is led through the proxy of a context leaves this machine.
      args: [...NO_CALLS.map((name) => `--${name}=disable_non_proxied_udp`), '--disable-quic'],
      env: { ...childEnvironment(process.env), ...temporaryFolderIn(folder.path) },
      timeout: START_MS,
      // Signals are for the program, which closes the browser when it leaves.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    const browser = window.browser();
    if (browser === null) throw new Error('it gives no contexts');
    const kill = await killer(browser);
    const exitTasks = createExitTasks();
    // Behind the one that ends the browser itself.
    exitTasks.add(folder.remove);
    return {
      browser,
      isRemote: false,
      kill,
      async close() {
        if (!(await endsWithin(window.close(), CLOSE_MS))) kill();
        exitTasks.remove(folder.remove);
        folder.remove();
      },
    };
  } catch (thrown) {
    folder.remove();
    throw launchFailure(program, thrown);
  }
}

/** Ends a browser with all its processes, which are a group of their own. */
async function killer(browser: Browser): Promise<() => void> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const pid = processInfo.find(({ type }) => type === 'browser')?.id;
  return () => {
    try {
      if (pid !== undefined) process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
    } catch {
      // It is gone already.
    }
  };
}

/**
 * What a browser puts into the temporary folder goes with its own, also where it is killed. There is a socket among it, whose
 * path has to be short.
 */
function temporaryFolderIn(path: string): Record<string, string> {
  return process.platform === 'linux' && path.length <= MAX_FOLDER_LENGTH ? { TMPDIR: path } : {};
}

/** What the reasons of a browser mean, and what helps. */
const LAUNCH_FAULTS: readonly [RegExp, string][] = [
  [/doesn't exist|ENOENT/, 'There is no such program. Install Chromium or Chrome, or correct browser.executable_path.'],
  [/EACCES/, 'It is no program that may be run. Correct browser.executable_path.'],
  [
    /no usable sandbox|setuid sandbox/i,
    'Its own sandbox cannot be made here; browser.sandbox: false starts it without.',
  ],
  [/missing x server|\$DISPLAY|XServer/i, 'There is no screen for its window; leave browser.headed out.'],
];

function launchFailure(program: string, thrown: unknown): BrowserFailure {
  const message = errorMessage(thrown);
  const known = LAUNCH_FAULTS.find(([pattern]) => pattern.test(message))?.[1];
  const why = known ?? shorten(plainFault(message), MAX_FAULT_LENGTH);
  return new BrowserFailure(`The browser ${program} could not be started. ${why}`, { cause: thrown });
}

async function connect(driver: Driver, endpoint: string): Promise<StartedBrowser> {
  try {
    const browser = await driver.connectOverCDP(endpoint, { timeout: START_MS });
    const close = async () => void (await endsWithin(browser.close(), CLOSE_MS));
    // It is not ours to end: all that can be done is to let go of it.
    return { browser, isRemote: true, close, kill: () => void browser.close().catch(() => undefined) };
  } catch (thrown) {
    // Such addresses often hold a key: only the host is told.
    const host = URL.canParse(endpoint) ? new URL(endpoint).host : 'of browser.cdp_url';
    const reason = /ECONNREFUSED|ENOTFOUND|ETIMEDOUT|ECONNRESET|Timeout|\b[45]\d\d\b/.exec(errorMessage(thrown))?.[0];
    throw new BrowserFailure(
      `The browser at ${host} could not be reached${reason === undefined ? '' : ` (${reason})`}. The user has to start it with --remote-debugging-port, or to correct browser.cdp_url in config.yaml.`,
      { cause: thrown },
    );
  }
}

/** The first line, without the colours and the list of steps that follow it. */
export function plainFault(message: string): string {
  // oxlint-disable-next-line no-control-regex -- colours begin with it
  const plain = message.replace(/\u001b\[[\d;]*m/g, '').replace(/^\w+\.\w+: /, '');
  return plain.split(/\n(?:Call log|Browser logs|={3,})/)[0]?.trim() ?? '';
}

/** The profile directory of a running browser. */
interface ProfileFolder {
  readonly path: string;
  remove(): void;
}

/** Creates a profile directory for one browser, after removing those of killed processes. */
export function createProfileFolder(parent = tmpdir()): ProfileFolder {
  const path = join(parent, newId(PREFIX));
  try {
    // A browser exits when Hermes is killed; the next start removes its directory.
    removeAbandonedFolders(parent, `${PREFIX}_`);
    mkdirSync(path, { mode: 0o700 });
    markFolder(path);
  } catch (thrown) {
    remove(path);
    const what = `The browser needs a folder in ${parent}, and none could be made there (${errorMessage(thrown)}).`;
    throw new BrowserFailure(
      `${what} The user has to set TMPDIR to a folder that exists, can be written to and has room.`,
    );
  }
  return { path, remove: () => remove(path) };
}

/** Anything that cannot be removed now is removed by a later start. */
function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // Leaving it behind does no harm.
  }
}
