import { relative } from 'node:path';
import { errorMessage } from '../base/index.ts';
import type { DiagnosticsSettings } from '../config/index.ts';
import type { Environment, Logger, ToolHookCall } from '../contracts/index.ts';
import { isInside } from '../util/index.ts';
import type { EndCause } from './connection.ts';
import { editedPaths } from './edited-paths.ts';
import { createServerFinder, type FinderOptions, type FoundServers } from './find-server.ts';
import { type EditedFile, type LanguageServer, startLanguageServer } from './language-server.ts';
import type { Diagnostic } from './read-diagnostics.ts';
import { describeDiagnostics } from './report.ts';

export type DiagnosticsOptions = Omit<FinderOptions, 'detect'> & { settings: DiagnosticsSettings };

/** What the language servers of one agent say about the files that it edits. */
export interface Diagnostics {
  /** The text to append to the result of a call that wrote files. Never fails, and takes a limited time. */
  describeEdit(call: Pick<ToolHookCall, 'args' | 'signal'>): Promise<string | undefined>;
  /** Ends all servers. */
  close(): Promise<void>;
}

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_SERVERS = 6;
/** How often a server may end unexpectedly before it is not started again. */
const MAX_ENDINGS = 3;
/** After this many edits without an answer, results no longer wait for the server until it says something. */
const MAX_MISSED = 3;

/** A server that was started for a project root, or the reason why there is none. */
type Slot = {
  found: FoundServers;
  server: Promise<LanguageServer | undefined>;
  endings: number;
  missed: number;
  isRunning: boolean;
};
/** The text of an edited file, with the server for it. */
type Edit = EditedFile & { slot: Slot; name: string };

export function createDiagnostics(options: DiagnosticsOptions): Diagnostics {
  const { environment, settings, logger } = options;
  const finder = createServerFinder({ ...options, detect: settings.detect });
  const slots = new Map<string, Slot>();
  /** What was last reported about each file. */
  const reported = new Map<string, readonly Diagnostic[]>();
  const closing = new AbortController();

  async function slotFor(path: string): Promise<Slot | undefined> {
    const found = await finder.find(path);
    if (found === undefined || closing.signal.aborted) return undefined;
    const key = `${found.name} ${found.root}`;
    const known = slots.get(key);
    if (known === undefined && slots.size >= MAX_SERVERS) return undefined;
    const slot = known ?? { found, server: Promise.resolve(undefined), endings: 0, missed: 0, isRunning: false };
    slots.set(key, slot);
    if (!slot.isRunning && slot.endings < MAX_ENDINGS) {
      slot.isRunning = true;
      slot.server = startFirst(slot, options, closing.signal);
    }
    return slot;
  }

  async function prepare(given: string): Promise<Edit[]> {
    if (!finder.covers(given)) return [];
    const path = await environment.resolvePath(given);
    if (!isInside(await environment.resolvePath(environment.workingDirectory), path)) return [];
    const stat = await environment.stat(path);
    if (stat?.kind !== 'file' || stat.size > MAX_FILE_BYTES) return [];
    const slot = await slotFor(path);
    if (slot === undefined) return [];
    const text = new TextDecoder().decode(await environment.readFile(path));
    const name = relative(environment.currentDirectory(), path);
    return [{ path, text, languageId: slot.found.languageId, slot, name: name.startsWith('..') ? path : name }];
  }

  async function ask(slot: Slot, edits: readonly Edit[], signal: AbortSignal): Promise<string[]> {
    // A server that did not answer several times is still informed, but not waited for.
    const isSlow = slot.missed >= MAX_MISSED;
    const server = await Promise.race([slot.server, isSlow ? undefined : whenAborted(signal)]);
    if (server === undefined) {
      slot.missed++;
      return [];
    }
    const answers = server.diagnose(edits, signal).then((all) => {
      if (all.some((each) => each !== undefined)) slot.missed = 0;
      else slot.missed++;
      return all;
    });
    const all = isSlow ? [] : await answers;
    return edits.flatMap(({ path, name }, index) => {
      const now = all[index];
      if (now === undefined) return [];
      const before = reported.get(path) ?? [];
      reported.set(path, now);
      return describeDiagnostics({ server: slot.found.name, name, before, now }, settings.maxLines) ?? [];
    });
  }

  return {
    async describeEdit({ args, signal }) {
      try {
        const limit = AbortSignal.any([signal, AbortSignal.timeout(settings.waitSeconds * 1000)]);
        const prepared = Promise.all(editedPaths(args).map(prepare));
        const edits = (await Promise.race([prepared, whenAborted(limit)])) ?? [];
        const bySlot = [...Map.groupBy(edits.flat(), ({ slot }) => slot)];
        const texts = await Promise.all(bySlot.map(([slot, files]) => ask(slot, files, limit)));
        const all = texts.flat();
        return all.length === 0 ? undefined : all.join('\n');
      } catch (thrown) {
        logger.warn('diagnostics failed', { error: errorMessage(thrown) });
        return undefined;
      }
    },
    async close() {
      closing.abort(new Error('the session ends'));
      await Promise.all([...slots.values()].map(async ({ server }) => (await server)?.close()));
    },
  };
}

/** Starts the first of the found servers that works. */
async function startFirst(
  slot: Slot,
  { environment, logger }: { environment: Environment; logger: Logger },
  signal: AbortSignal,
): Promise<LanguageServer | undefined> {
  const { name, root, commands, initializationOptions } = slot.found;
  for (const command of commands) {
    if (signal.aborted) break;
    let isUsed = false;
    const onEnded = (reason: string, cause: EndCause) => {
      logger.info('language server ended', { server: name, command: command.join(' '), reason });
      if (!isUsed) return;
      slot.isRunning = false;
      slot.endings = cause === 'fault' ? MAX_ENDINGS : slot.endings + 1;
    };
    try {
      const server = await startLanguageServer({ environment, command, root, initializationOptions, signal, onEnded });
      isUsed = true;
      return server;
    } catch (thrown) {
      logger.warn('language server not usable', {
        server: name,
        command: command.join(' '),
        error: errorMessage(thrown),
      });
    }
  }
  // None works, and trying again would not help.
  slot.endings = MAX_ENDINGS;
  slot.isRunning = false;
  return undefined;
}

function whenAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
