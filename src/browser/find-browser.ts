import { existsSync } from 'node:fs';
import { type BrowserSettings, DEFAULT_BROWSER } from '../config/index.ts';
import { operatingSystem } from '../util/index.ts';

/** The browser to use: a running one, or a program on this machine. */
export type FoundBrowser = { endpoint: string } | { program: string };

/** Usual locations of Chromium browsers, in order of preference. Few enough to check at every start. */
const BROWSER_PATHS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: [
    ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map((name) => `/usr/bin/${name}`),
    '/opt/google/chrome/chrome',
    '/snap/bin/chromium',
    '/usr/bin/microsoft-edge',
  ],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
};

/** The configured browser, or the first in the usual locations; undefined if there is none or it is disabled. */
export function findBrowser(
  { enabled, cdpUrl, executable }: BrowserSettings = DEFAULT_BROWSER,
  places: readonly string[] = BROWSER_PATHS[operatingSystem()] ?? [],
): FoundBrowser | undefined {
  if (!enabled) return undefined;
  if (cdpUrl !== undefined) return { endpoint: cdpUrl };
  // A configured program that does not exist is reported by the first call instead of being replaced.
  const program = executable ?? places.find((path) => existsSync(path));
  return program === undefined ? undefined : { program };
}
