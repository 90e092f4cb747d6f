import { existsSync } from 'node:fs';
import { homePaths, loadSettings, resolveHome, type Settings } from '../../../config/index.ts';
import { findSandboxProblem } from '../../../environments/index.ts';
import { describeRoutes, type RouteFlags, resolveRoutes } from '../../../providers/index.ts';
import { findStore } from '../../../runtime/open-store.ts';
import { findOriginal } from '../../../store/sqlite/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle } from '../style.ts';
import { VERSION } from '../version.ts';
import { describeTerminal } from './describe-terminal.ts';
import { formatStatus, type Status } from './format-status.ts';

export type StatusOptions = RouteFlags & { json?: boolean; deep?: boolean };

/**
 * Shows what a chat would use and why. Uses the network only with `--deep`. The exit code is 1 if no model is usable.
 */
export async function showStatus({ json, deep, ...flags }: StatusOptions, io: CliIo): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const status = await gather(settings, flags);
  if (deep && status.usable) status.listed = await askForModels(settings, flags);
  if (json) writeJson(io.stdout, status);
  else io.stdout.write(formatStatus(status, createStyle(io.stdout, io.env)));
  return status.usable && status.listed?.answered !== false ? 0 : 1;
}

async function gather(settings: Settings, flags: RouteFlags): Promise<Status> {
  const { home, configFile, envFile, authFile } = homePaths(settings.home);
  const [primary, ...fallbacks] = await describeRoutes(settings, flags);
  const file = (path: string) => ({ path, exists: existsSync(path) });
  return {
    usable: [primary, ...fallbacks].some((route) => route !== undefined && route.problem === undefined),
    primary,
    fallbacks,
    terminal: await describeCommands(settings),
    home: file(home),
    configFile: file(configFile),
    envFile: file(envFile),
    authFile: file(authFile),
    store: await describeStore(settings),
    ...(await describeOriginal(settings)),
    version: VERSION,
    warnings: [...settings.warnings, ...[primary, ...fallbacks].flatMap((route) => route?.warnings ?? [])],
  };
}

/** Where commands run, and whether the sandbox is on and works. */
async function describeCommands({ terminal, variables }: Settings): Promise<Status['terminal']> {
  const described = { backend: terminal.backend, place: describeTerminal(terminal) };
  if (!['local', 'sandbox'].includes(terminal.backend)) return described;
  const problem = (await findSandboxProblem(variables['PATH']))?.message;
  return { ...described, sandbox: { on: terminal.backend === 'sandbox', ...(problem !== undefined && { problem }) } };
}

async function describeStore(settings: Settings): Promise<Status['store']> {
  const location = await findStore({ home: settings.home, storage: settings.storage });
  return 'file' in location ? { path: location.file, exists: existsSync(location.file) } : location;
}

/** Sessions of a later version of the original in this home directory; nothing if there are none. */
async function describeOriginal({ home, storage }: Settings): Promise<Pick<Status, 'original'>> {
  const original = storage === undefined ? await findOriginal(home) : undefined;
  return original === undefined ? {} : { original };
}

/**
 * Lists the models of the first route that can be opened. A successful answer also shows that the API key was
 * accepted.
 */
async function askForModels(settings: Settings, flags: RouteFlags): Promise<Status['listed']> {
  for (const source of resolveRoutes(settings, flags)?.routes ?? []) {
    const route = await source.open().catch(() => undefined);
    if (route === undefined) continue;
    const models = await route.listModels?.();
    return { provider: route.provider, answered: models !== undefined, models: models?.length };
  }
  return undefined;
}
