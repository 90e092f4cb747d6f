import { existsSync } from 'node:fs';
import { errorMessage } from '../../base/index.ts';
import { homePaths, type Settings } from '../../config/index.ts';
import type {
  AuxiliaryModels,
  Logger,
  MemoryFlush,
  MemorySnapshot,
  MemorySnapshotSource,
  MemoryWriter,
  SessionReader,
  TurnMemory,
} from '../../contracts/index.ts';
import type { MemoryFiles, MemoryProviderFactories, ProviderMemory } from '../../memory/index.ts';
import { scanKnownTexts } from '../../scanning/index.ts';
import type { ToolSource } from '../../tools/index.ts';
import { createProviderTools } from './provider-tools.ts';

/** What all sessions of a program remember with. */
export interface RuntimeMemory {
  /** Undefined where memory is switched off. */
  readonly writer: MemoryWriter | undefined;
  readonly snapshot: MemorySnapshotSource;
  /** Undefined where no provider is chosen. */
  readonly turns: TurnMemory | undefined;
  readonly tools: readonly ToolSource[];
  /** Undefined where nothing may be written by itself: nobody is there, or wants to be asked first. */
  readonly flush: MemoryFlush | undefined;
  sessionEnded(sessionId: string): void;
  close(): Promise<void>;
}

export type MemoryOptions = {
  settings: Settings;
  attended: boolean;
  /** Those that plugins bring. */
  memoryProviders?: MemoryProviderFactories;
};

export type MemoryParts = { sessions: SessionReader; logger: Logger; auxiliary: AuxiliaryModels | undefined };

/** Nothing is loaded or read here: a session that remembers nothing does not pay for it. */
export async function openMemory(options: MemoryOptions, parts: MemoryParts): Promise<RuntimeMemory> {
  const { settings, attended } = options;
  const { auxiliary, logger } = parts;
  const files = lazyFiles(settings);
  const provider = await openProvider(options, parts);
  const wanted = attended && settings.auxiliary.memory_flush?.enabled !== false;
  const writes = wanted && files !== undefined && auxiliary !== undefined && !files.asksFirst;
  return {
    writer: files,
    async snapshot() {
      const [own, external] = await Promise.all([snapshotOf(files), provider?.memory.staticBlock()]);
      return { ...own, ...(external !== undefined && { external }) };
    },
    turns: provider?.memory,
    tools: provider === undefined ? [] : createProviderTools(provider.provider),
    flush: writes ? lazyFlush(files, auxiliary, logger) : undefined,
    sessionEnded: (sessionId) => provider?.memory.sessionEnded(sessionId),
    close: async () => provider?.memory.close(),
  };
}

/** What the files give to a prompt, without asking any provider. */
export function fileSnapshot(settings: Settings): MemorySnapshotSource {
  return () => snapshotOf(lazyFiles(settings));
}

async function snapshotOf(files: LazyFiles | undefined): Promise<MemorySnapshot> {
  // A look that costs next to nothing: most homes have no memories yet, and a start should not pay for them.
  if (files === undefined || !existsSync(files.folder)) return {};
  const { takeSnapshot } = await import('../../memory/index.ts');
  return takeSnapshot(await files.open(), scanKnownTexts(files.cleanTextsFolder));
}

type LazyFiles = MemoryWriter & { folder: string; cleanTextsFolder: string; open(): Promise<MemoryFiles> };

/** Those that are switched on. */
export function memoryTargets({ memory }: Settings): MemoryWriter['targets'] {
  return Object.keys(memory?.limits ?? {}) as MemoryWriter['targets'];
}

function lazyFiles(settings: Settings): LazyFiles | undefined {
  const { memory, home } = settings;
  const targets = memoryTargets(settings);
  if (memory === undefined || targets.length === 0) return undefined;
  const { limits, asksFirst } = memory;
  const { memoriesFolder: folder, cleanTextsFolder } = homePaths(home);
  const open = async () => {
    const { createMemoryFiles } = await import('../../memory/index.ts');
    return createMemoryFiles({ folder, limits, asksFirst });
  };
  return {
    ...{ targets, asksFirst, folder, cleanTextsFolder, open },
    check: async (target, operations) => (await open()).check(target, operations),
    change: async (target, operations, signal) => (await open()).change(target, operations, signal),
  };
}

function lazyFlush(files: LazyFiles, auxiliary: AuxiliaryModels, logger: Logger): MemoryFlush {
  return {
    async beforeCompression(messages, context) {
      const { createMemoryFlush } = await import('../../memory/index.ts');
      const flush = createMemoryFlush({ files: await files.open(), auxiliary, logger });
      await flush.beforeCompression(messages, context);
    },
  };
}

/** A provider that cannot be had is no reason not to start: the log says so, and `hermes memory status`. */
async function openProvider({ settings, memoryProviders }: MemoryOptions, { sessions, logger }: MemoryParts) {
  const { memory, variables } = settings;
  if (memory?.provider === undefined) return undefined;
  const { createMemoryProvider, createProviderMemory } = await import('../../memory/index.ts');
  try {
    const made = { settings: memory, variables, sessions };
    const provider = await createMemoryProvider(memory.provider, made, memoryProviders);
    return { provider, memory: createProviderMemory({ provider, logger }) satisfies ProviderMemory };
  } catch (thrown) {
    logger.warn('there is no memory provider', { name: memory.provider, reason: errorMessage(thrown) });
    return undefined;
  }
}
