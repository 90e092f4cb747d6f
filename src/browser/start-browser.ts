import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, chromium } from 'playwright-core';
import { errorMessage, newId } from '../base/index.ts';
import type { BrowserSettings } from '../config/index.ts';
import { childEnvironment, createExitTasks } from '../environments/index.ts';
import { markFolderOwner, operatingSystem, removeAbandonedFolders, settlesWithin, shorten } from '../util/index.ts';
import { BrowserFailure } from './browser-failure.ts';
import type { FoundBrowser } from './find-browser.ts';

const PREFIX = 'hermes-browser';

export type StartedBrowser = {
  browser: Browser;
  /**
   * Whether Hermes attached to a running browser. It may be on another machine, so its traffic cannot go through our
   * proxy.
   */
  isRemote: boolean;
  close(): Promise<void>;
  /** Kills a browser that does not respond. */
  kill(): void;
};

type Driver = typeof chromium;

const START_MS = 30_000;
const CLOSE_MS = 10_000;
const MAX_FAULT_LENGTH = 300;
const MAX_FOLDER_LENGTH = 50;
/** Switches that prevent WebRTC from bypassing the proxy: the current name and that of older versions. */
const WEBRTC_SWITCHES = ['webrtc-ip-handling-policy', 'force-webrtc-ip-handling-policy'];
const INSTALL = 'npm install playwright-core@1.65.0';

/** Starts the program, or attaches to the running browser. */
export async function startBrowser(found: FoundBrowser, settings: BrowserSettings): Promise<StartedBrowser> {
  const driver = await loadDriver();
  return 'endpoint' in found ? connect(driver, found.endpoint) : launch(driver, found.program, settings);
}

async function loadDriver(): Promise<Driver> {
  try {
    return (await import('playwright-core')).chromium;
  } catch (cause) {
    const hint = `Install it next to hermes with \`${INSTALL}\`.`;
    throw new BrowserFailure(`The browser cannot be used: playwright-core is not installed. ${hint}`, { hint, cause });
  }
}

async function launch(driver: Driver, program: string, settings: BrowserSettings): Promise<StartedBrowser> {
  const folder = createProfileFolder();
  try {
    // Playwright controls it through a pipe, so the browser exits when this process is killed.
    const window = await driver.launchPersistentContext(join(folder.path, 'profile'), {
      executablePath: program,
      artifactsDir: join(folder.path, 'artifacts'),
      headless: !settings.headed,
      // Chromium's sandbox does not work as root.
      chromiumSandbox: settings.sandbox ?? process.getuid?.() !== 0,
      // Only traffic through the proxy of a context may leave this machine.
      args: [...WEBRTC_SWITCHES.map((name) => `--${name}=disable_non_proxied_udp`), '--disable-quic'],
      env: { ...childEnvironment(process.env), ...temporaryFolderIn(folder.path) },
      timeout: START_MS,
      // Signals are handled by Hermes, which closes the browser when it exits.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    const browser = window.browser();
    if (browser === null) throw new Error('it does not support contexts');
    const kill = await createKill(browser);
    const exitTasks = createExitTasks();
    // This exit task runs after the one that kills the browser.
    exitTasks.add(folder.remove);
    return {
      browser,
      isRemote: false,
      kill,
      async close() {
        if (!(await settlesWithin(window.close(), CLOSE_MS))) kill();
        exitTasks.remove(folder.remove);
        folder.remove();
      },
    };
  } catch (thrown) {
    folder.remove();
    throw launchFailure(program, thrown);
  }
}

/** Kills a browser with its process group. */
async function createKill(browser: Browser): Promise<() => void> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const pid = processInfo.find(({ type }) => type === 'browser')?.id;
  return () => {
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // The process has already exited.
    }
  };
}

/**
 * Puts temporary files of the browser into its profile directory, so that they are removed with it even after a kill.
 * They include a socket, whose path must be short.
 */
function temporaryFolderIn(path: string): Record<string, string> {
  return operatingSystem() === 'linux' && path.length <= MAX_FOLDER_LENGTH ? { TMPDIR: path } : {};
}

/** Launch errors and what to do about them. */
const LAUNCH_FAULTS: readonly [RegExp, string][] = [
  [/doesn't exist|ENOENT/, 'Program not found. Install Chromium or Chrome, or correct browser.executable_path.'],
  [/EACCES/, 'Permission denied: the file is not executable. Correct browser.executable_path.'],
  [
    /no usable sandbox|setuid sandbox/i,
    'The sandbox of the browser does not work on this machine; set browser.sandbox: false to start the browser without a sandbox.',
  ],
  [/missing x server|\$DISPLAY|XServer/i, 'There is no display for the browser window; remove browser.headed.'],
];

function launchFailure(program: string, thrown: unknown): BrowserFailure {
  const message = errorMessage(thrown);
  const known = LAUNCH_FAULTS.find(([pattern]) => pattern.test(message))?.[1];
  const why = known ?? shorten(plainErrorMessage(message), MAX_FAULT_LENGTH);
  return new BrowserFailure(`Could not start the browser ${program}. ${why}`, { cause: thrown });
}

async function connect(driver: Driver, endpoint: string): Promise<StartedBrowser> {
  try {
    const browser = await driver.connectOverCDP(endpoint, { timeout: START_MS });
    const close = async () => void (await settlesWithin(browser.close(), CLOSE_MS));
    // The browser is not ours to kill: only the connection is closed.
    return { browser, isRemote: true, close, kill: () => void browser.close().catch(() => undefined) };
  } catch (thrown) {
    // Endpoint URLs often contain a key, so only the host is reported.
    const host = URL.canParse(endpoint) ? new URL(endpoint).host : 'in browser.cdp_url';
    const reason = /ECONNREFUSED|ENOTFOUND|ETIMEDOUT|ECONNRESET|Timeout|\b[45]\d\d\b/.exec(errorMessage(thrown))?.[0];
    throw new BrowserFailure(
      `Could not connect to the browser at ${host}${reason === undefined ? '' : ` (${reason})`}. The user has to start it with --remote-debugging-port, or correct browser.cdp_url in config.yaml.`,
      { cause: thrown },
    );
  }
}

/** The first part of a Playwright error, without colours and the call log. */
export function plainErrorMessage(message: string): string {
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
    markFolderOwner(path);
  } catch (thrown) {
    remove(path);
    const what = `Could not create a profile directory for the browser in ${parent} (${errorMessage(thrown)}).`;
    throw new BrowserFailure(`${what} The user has to set TMPDIR to an existing, writable directory with free space.`);
  }
  return { path, remove: () => remove(path) };
}

/** Anything that cannot be removed now is removed by a later start. */
function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // A leftover directory does no harm.
  }
}
