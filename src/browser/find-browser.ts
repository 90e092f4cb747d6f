import { existsSync } from 'node:fs';
import { type BrowserSettings, DEFAULT_BROWSER } from '../config/index.ts';

/** The browser that is used: one that runs already, or a program of this machine. */
export type FoundBrowser = { endpoint: string } | { program: string };

const CHROME = 'Google/Chrome/Application/chrome.exe';
const EDGE = 'Microsoft/Edge/Application/msedge.exe';
const PROGRAM_FOLDERS = ['C:/Program Files', 'C:/Program Files (x86)'];

/** Where browsers of this kind lie, the first that is there first. Few enough to be looked at by every start. */
const PLACES: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
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
  win32: [CHROME, EDGE].flatMap((path) => PROGRAM_FOLDERS.map((folder) => `${folder}/${path}`)),
};

/** What the settings name, or the first browser in the usual places; undefined where there is none, or none is wanted. */
export function findBrowser(
  { enabled, cdpUrl, executable }: BrowserSettings = DEFAULT_BROWSER,
  places: readonly string[] = PLACES[process.platform] ?? [],
): FoundBrowser | undefined {
  if (!enabled) return undefined;
  if (cdpUrl !== undefined) return { endpoint: cdpUrl };
  // A program that is named and not there is told of by the first call; another one was not asked for.
  const program = executable ?? places.find((path) => existsSync(path));
  return program === undefined ? undefined : { program };
}
