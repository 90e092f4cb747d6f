import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, parseJson } from '../../base/index.ts';
import { homePaths } from '../../config/index.ts';
import type { ModelClient } from '../../contracts/index.ts';
import { changeFile, writeFileAtomic } from '../../util/index.ts';
import type { ProbeTarget } from './window-probe.ts';

/** The context window of a model on a local server, once it is known. */
export type LocalWindow = {
  current(): number | undefined;
  /** Wraps a client so that its first call also probes the window. */
  wrap(client: ModelClient): ModelClient;
};

/**
 * The window matters only from the second request on, so the probe runs in parallel with the first and delays
 * nothing.
 */
export function createLocalWindow(home: string, target: ProbeTarget): LocalWindow {
  const key = `${target.baseUrl} ${target.model}`;
  let read = false;
  let asked = false;
  let window: number | undefined;

  function recall(): void {
    if (read) return;
    read = true;
    const known = readCachedWindow(home, key, Date.now());
    window = known?.window;
    asked = known !== undefined;
  }

  async function ask(): Promise<void> {
    const { probeWindow } = await import('./window-probe.ts');
    window = await probeWindow(target);
    await cacheWindow(home, key, window, Date.now());
  }

  return {
    current() {
      recall();
      return window;
    },
    wrap: (client) => ({
      ...client,
      stream(request, options) {
        const answer = client.stream(request, options);
        recall();
        // Without a window the turn continues; the limit is learned later from an error.
        if (!asked) ask().catch(() => undefined);
        asked = true;
        return answer;
      },
    }),
  };
}

/** The result of a probe; `window` is undefined if the server did not report one. */
type CachedWindow = { window: number | undefined };

/** The lifetime of a cached window. It is short, because a local server may be restarted with a different window. */
const CACHE_MS = 15 * 60 * 1000;
const MAX_KEPT = 100;

/** The recent result for a model at a base URL; undefined if it has to be probed. */
export function readCachedWindow(home: string, key: string, now: number): CachedWindow | undefined {
  const entry = readAll(home)[key];
  if (!isJsonObject(entry) || typeof entry['at'] !== 'number') return undefined;
  const age = now - entry['at'];
  if (age < 0 || age > CACHE_MS) return undefined;
  const { window } = entry;
  return { window: typeof window === 'number' && window > 0 ? window : undefined };
}

async function cacheWindow(home: string, key: string, window: number | undefined, now: number): Promise<void> {
  // The probe may end after everything else; a home that was removed meanwhile is not created again.
  if (!existsSync(home)) return;
  await changeFile(fileOf(home), async () => {
    const others = Object.entries(readAll(home)).filter(([other]) => other !== key);
    const kept = [...others.slice(1 - MAX_KEPT), [key, { at: now, window: window ?? null }]];
    await writeFileAtomic(fileOf(home), `${JSON.stringify(Object.fromEntries(kept))}\n`, { mode: 0o600 });
  });
}

function readAll(home: string): JsonObject {
  const file = fileOf(home);
  if (!existsSync(file)) return {};
  try {
    const known = parseJson(readFileSync(file, 'utf8'));
    return isJsonObject(known) ? known : {};
  } catch {
    return {};
  }
}

function fileOf(home: string): string {
  return join(homePaths(home).catalogueFolder, 'windows.json');
}
