import { existsSync } from 'node:fs';
import { errorMessage } from '../../base/index.ts';
import { homePaths, type Settings } from '../../config/index.ts';
import type {
  AuxiliaryModels,
  Logger,
  MemoryFlush,
  MemoryProvider,
  MemoryProviderTool,
  MemorySnapshot,
  MemorySnapshotSource,
  MemoryWriter,
  SessionReader,
  TurnMemory,
} from '../../contracts/index.ts';
import type { MemoryFiles, MemoryProviderFactories, ProviderMemory } from '../../memory/index.ts';
import { scanKnownTexts } from '../../scanning/index.ts';
import { createSchemaTool, type Tool, ToolFailure, type ToolSource } from '../../tools/index.ts';
import type { AgentBlueprint } from '../agent-blueprint.ts';

/** What one agent remembers with. */
export interface SessionMemory {
  /** Undefined where memory is switched off. */
  readonly writer: MemoryWriter | undefined;
  readonly snapshot: MemorySnapshotSource;
  /** Undefined where no provider is chosen. */
  readonly turns: TurnMemory | undefined;
  readonly tools: readonly ToolSource[];
  /** Undefined where nothing may be written unasked: nobody is there, or the person wants to be asked first. */
  readonly flush: MemoryFlush | undefined;
}

/** The memory of a process: the files of the home and the provider that the settings name. */
export interface RuntimeMemory {
  open(agent: Pick<AgentBlueprint, 'attended'>): Promise<SessionMemory>;
  sessionEnded(sessionId: string): void;
  close(): Promise<void>;
}

/** The memory of an agent that has none: a subagent leaves it to its parent what is worth keeping. */
export const NO_MEMORY: SessionMemory = {
  writer: undefined,
  turns: undefined,
  tools: [],
  flush: undefined,
  snapshot: async () => ({}),
};

export type MemoryOptions = {
  settings: Settings;
  /** Those that plugins bring. */
  memoryProviders?: MemoryProviderFactories;
};

export type MemoryParts = { sessions: SessionReader; logger: Logger; auxiliary: AuxiliaryModels | undefined };

/** Nothing is loaded before the first agent with a memory is created. */
export function openMemory(options: MemoryOptions, parts: MemoryParts): RuntimeMemory {
  const { settings } = options;
  const { auxiliary, logger } = parts;
  const files = lazyFiles(settings);
  let opening: ReturnType<typeof openProvider> | undefined;
  const flushes = settings.auxiliary.memory_flush?.enabled !== false && files?.asksFirst === false;
  const flush = flushes && auxiliary !== undefined ? lazyFlush(files, auxiliary, logger) : undefined;
  return {
    async open({ attended }) {
      const provider = await (opening ??= openProvider(options, parts));
      return {
        writer: files,
        async snapshot() {
          const [own, external] = await Promise.all([snapshotOf(files), provider?.memory.staticBlock()]);
          return { ...own, ...(external !== undefined && { external }) };
        },
        turns: provider?.memory,
        tools: provider?.tools ?? [],
        flush: attended ? flush : undefined,
      };
    },
    sessionEnded: (sessionId) => void opening?.then((provider) => provider?.memory.sessionEnded(sessionId)),
    close: async () => (await opening)?.memory.close(),
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
    targets,
    asksFirst,
    folder,
    cleanTextsFolder,
    open,
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
    const tools = createProviderTools(provider);
    return { tools, memory: createProviderMemory({ provider, logger }) satisfies ProviderMemory };
  } catch (thrown) {
    logger.warn('there is no memory provider', { name: memory.provider, reason: errorMessage(thrown) });
    return undefined;
  }
}

/** The tools of a memory provider, switched on and off with `memory`. What they bring in was written by others. */
function createProviderTools(provider: MemoryProvider): ToolSource[] {
  const tools = (provider.tools?.() ?? []).map((tool) => toTool(tool, provider));
  return tools.length === 0 ? [] : [{ name: provider.name, kind: 'plugin', tools: () => tools }];
}

function toTool(
  { name, description, parameters, readOnly = false, run }: MemoryProviderTool,
  provider: MemoryProvider,
): Tool {
  const tool = createSchemaTool({
    name,
    description,
    parameters,
    readOnly,
    toolset: 'memory',
    outsideText: true,
    concurrency: { mode: readOnly ? 'parallel' : 'barrier' },
    async run(args, { sessionId, signal }) {
      try {
        return await run(args, { sessionId, signal });
      } catch (thrown) {
        signal.throwIfAborted();
        throw new ToolFailure(`${provider.name} could not answer: ${errorMessage(thrown)}`);
      }
    },
  });
  return { ...tool, isAvailable: () => provider.isAvailable() };
}
