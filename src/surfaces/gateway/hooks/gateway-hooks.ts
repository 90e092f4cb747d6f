import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, HermesError, type JsonObject } from '../../../base/index.ts';
import type { Fill, Logger } from '../../../contracts/index.ts';
import { runHook } from '../../../plugins/index.ts';
import { importFile, settlesWithin, withTimeout } from '../../../util/index.ts';

/** A folder of `hooks/` with a `HOOK.yaml`, in the format of the original. */
export type GatewayHook = {
  name: string;
  folder: string;
  /** Names of events; `command:*` is every command. */
  events: readonly string[];
  timeoutSeconds: number;
  /** A module that exports `handle(event, context)`, or a shell command that gets both as JSON on stdin. */
  handler: { file: string } | { command: string };
};

export type FoundHooks = { hooks: readonly GatewayHook[]; problems: readonly string[] };

/** Runs what the user wants to happen at certain events of the gateway. */
export interface GatewayHooks {
  /** Passes an event to its hooks, without waiting for them. A hook gets its events in order, and never fails anything. */
  emit(event: string, context: JsonObject): void;
  listFills(): Fill[];
  /** Waits briefly for hooks that are still running. */
  close(): Promise<void>;
}

const HANDLERS = ['handler.mjs', 'handler.js'];
const TIMEOUT_SECONDS = 30;
const CLOSE_MS = 5000;
/** More events than this do not wait for a slow hook. */
const MAX_WAITING = 100;

/** The hooks of a home, and why others are not run. */
export async function findGatewayHooks(home: string): Promise<FoundHooks> {
  const root = join(home, 'hooks');
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => name)
      .sort()
      .map((name) =>
        readHook(join(root, name), name).catch((thrown: unknown) => new HermesError(errorMessage(thrown))),
      ),
  );
  return {
    hooks: found.filter((hook): hook is GatewayHook => hook !== undefined && !(hook instanceof HermesError)),
    problems: found.flatMap((hook) => (hook instanceof HermesError ? [hook.message] : [])),
  };
}

async function readHook(folder: string, folderName: string): Promise<GatewayHook | undefined> {
  const file = join(folder, 'HOOK.yaml');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const bad = (reason: string) => new HermesError(`The hook ${folder} is not run: ${reason}.`);
  const { parse } = await import('../../../util/yaml.ts');
  const values = await Promise.resolve(text)
    .then((content): unknown => parse(content))
    .catch((thrown: unknown) => {
      throw bad(`HOOK.yaml is not valid YAML (${errorMessage(thrown).split('\n', 1)[0]})`);
    });
  if (typeof values !== 'object' || values === null || Array.isArray(values)) throw bad('HOOK.yaml is not a mapping');
  const { name, events, command, timeout } = values as Record<string, unknown>;
  if (!Array.isArray(events) || events.length === 0 || !events.every((event) => typeof event === 'string'))
    throw bad('HOOK.yaml has no list of `events`');
  const handler = findHandler(folder, command);
  if (handler === undefined)
    throw bad(
      existsSync(join(folder, 'handler.py'))
        ? 'handler.py is for the original program; write a handler.mjs, or set `command: python3 handler.py`'
        : 'it has neither a handler.mjs nor a `command` in HOOK.yaml',
    );
  return {
    name: typeof name === 'string' && name !== '' ? name : folderName,
    folder,
    events,
    timeoutSeconds: typeof timeout === 'number' && timeout > 0 ? Math.min(timeout, 3600) : TIMEOUT_SECONDS,
    handler,
  };
}

function findHandler(folder: string, command: unknown): GatewayHook['handler'] | undefined {
  if (typeof command === 'string' && command.trim() !== '') return { command };
  const file = HANDLERS.map((name) => join(folder, name)).find(existsSync);
  return file === undefined ? undefined : { file };
}

export function startGatewayHooks({ hooks, problems }: FoundHooks, logger: Logger): GatewayHooks {
  for (const problem of problems) logger.warn(problem);
  const closing = new AbortController();
  const queues = new Map(hooks.map((hook) => [hook, { last: Promise.resolve(), waiting: 0 }]));

  async function run(hook: GatewayHook, event: string, context: JsonObject): Promise<void> {
    try {
      await runHandler(hook, event, context, closing.signal);
    } catch (thrown) {
      logger.warn('a hook failed', { hook: hook.name, event, error: errorMessage(thrown) });
    }
  }

  return {
    emit(event, context) {
      for (const [hook, queue] of queues) {
        if (!isFor(hook, event)) continue;
        if (queue.waiting >= MAX_WAITING) {
          logger.warn('a hook is too slow, so an event was dropped', { hook: hook.name, event });
          continue;
        }
        queue.waiting += 1;
        queue.last = queue.last.then(() => run(hook, event, context)).finally(() => (queue.waiting -= 1));
      }
    },
    listFills: () =>
      [...queues].map(([{ name }, { waiting }]) => ({
        name: `events for the hook ${name}`,
        used: waiting,
        limit: MAX_WAITING,
      })),
    async close() {
      const last = Promise.all([...queues.values()].map((queue) => queue.last));
      if (!(await settlesWithin(last, CLOSE_MS))) closing.abort();
    },
  };
}

function isFor({ events }: GatewayHook, event: string): boolean {
  return events.includes(event) || (event.startsWith('command:') && events.includes('command:*'));
}

async function runHandler(hook: GatewayHook, event: string, context: JsonObject, signal: AbortSignal): Promise<void> {
  const { handler, folder, timeoutSeconds } = hook;
  if ('command' in handler) {
    const payload = { hook_event_name: event, ...context };
    const { command } = handler;
    const ended = await runHook({
      command,
      payload,
      workingDirectory: folder,
      timeoutSeconds,
      passedVariables: [],
      signal,
    });
    if (ended.code !== 0) throw new HermesError(`exit code ${ended.code}: ${ended.errors.trim().slice(-500)}`);
    return;
  }
  const module = await importFile(handler.file);
  const handle = module['handle'] ?? module['default'];
  if (typeof handle !== 'function') throw new HermesError('its handler exports no function `handle`');
  const running = Promise.resolve((handle as (event: string, context: JsonObject) => unknown)(event, context));
  await withTimeout(running, timeoutSeconds * 1000);
}
