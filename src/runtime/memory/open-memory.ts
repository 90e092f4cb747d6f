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
import { createScanCache } from '../../scanning/index.ts';
import { createSchemaTool, QuotingFailure, type Tool, type ToolSource } from '../../tools/index.ts';
import type { AgentBlueprint } from '../agent-blueprint.ts';

/** The memory of one agent. */
export interface SessionMemory {
  /** Undefined if memory is disabled. */
  readonly writer: MemoryWriter | undefined;
  readonly snapshot: MemorySnapshotSource;
  /** Undefined if no memory provider is configured. */
  readonly turns: TurnMemory | undefined;
  readonly tools: readonly ToolSource[];
  /** Undefined if nothing may be saved automatically: the session is unattended, or memory changes need approval. */
  readonly flush: MemoryFlush | undefined;
}

/** The memory of a process: the files in the home directory and the configured provider. */
export interface RuntimeMemory {
  open(agent: Pick<AgentBlueprint, 'attended' | 'memoryScope'>): Promise<SessionMemory>;
  sessionEnded(sessionId: string): void;
  close(): Promise<void>;
}

/** For agents without memory, such as subagents: the parent decides what to remember. */
export const NO_MEMORY: SessionMemory = {
  writer: undefined,
  turns: undefined,
  tools: [],
  flush: undefined,
  snapshot: async () => ({}),
};

export type MemoryOptions = {
  settings: Settings;
  /** Memory providers from plugins, by name. */
  memoryProviders?: MemoryProviderFactories;
};

export type MemoryParts = { sessions: SessionReader; logger: Logger; auxiliary: AuxiliaryModels | undefined };

/** Nothing is loaded until the first agent with memory is created. */
export function openMemory(options: MemoryOptions, parts: MemoryParts): RuntimeMemory {
  const { settings } = options;
  const { auxiliary, logger } = parts;
  const files = lazyFiles(settings);
  const providers = createScopedProviders((scope) => openProvider(options, { ...parts, scope }));
  const flushes = settings.auxiliary.memory_flush?.enabled !== false && files?.requiresApproval === false;
  const flush = flushes && auxiliary !== undefined ? lazyFlush(files, auxiliary, logger) : undefined;
  return {
    async open({ attended, memoryScope }) {
      const provider = await providers.open(memoryScope);
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
    sessionEnded: (sessionId) => void providers.forAll((memory) => memory.sessionEnded(sessionId)),
    close: () => providers.forAll((memory) => memory.close()),
  };
}

type OpenedProvider = Awaited<ReturnType<typeof openProvider>>;

/** Each scope costs a few objects, and clients choose the names. */
const MAX_SCOPES = 200;

/** The memory provider, once for each scope. The scope that was opened first is closed if there are too many. */
function createScopedProviders(open: (scope: string | undefined) => Promise<OpenedProvider>) {
  const opened = new Map<string | undefined, Promise<OpenedProvider>>();
  return {
    open(scope: string | undefined): Promise<OpenedProvider> {
      const known = opened.get(scope) ?? open(scope);
      opened.set(scope, known);
      const oldest = [...opened].find(([name]) => name !== undefined && name !== scope);
      if (opened.size > MAX_SCOPES && oldest !== undefined) {
        opened.delete(oldest[0]);
        void oldest[1].then((provider) => provider?.memory.close());
      }
      return known;
    },
    async forAll(task: (memory: ProviderMemory) => Promise<void> | void): Promise<void> {
      const run = async (each: Promise<OpenedProvider>) => {
        const provider = await each;
        if (provider !== undefined) await task(provider.memory);
      };
      await Promise.all([...opened.values()].map(run));
    },
  };
}

/** A memory snapshot from the files only, without the provider. */
export function fileSnapshot(settings: Settings): MemorySnapshotSource {
  return () => snapshotOf(lazyFiles(settings));
}

async function snapshotOf(files: LazyFiles | undefined): Promise<MemorySnapshot> {
  // Most home directories have no memory yet, so check that the folder exists before loading the memory code.
  if (files === undefined || !existsSync(files.folder)) return {};
  const { takeSnapshot } = await import('../../memory/index.ts');
  return takeSnapshot(await files.open(), createScanCache(files.cleanTextsFolder));
}

type LazyFiles = MemoryWriter & { folder: string; cleanTextsFolder: string; open(): Promise<MemoryFiles> };

/** The memories that are enabled. */
export function memoryTargets({ memory }: Settings): MemoryWriter['targets'] {
  return Object.keys(memory?.limits ?? {}) as MemoryWriter['targets'];
}

function lazyFiles(settings: Settings): LazyFiles | undefined {
  const { memory, home } = settings;
  const targets = memoryTargets(settings);
  if (memory === undefined || targets.length === 0) return undefined;
  const { limits, writeApproval } = memory;
  const { memoriesFolder: folder, scanCacheFolder } = homePaths(home);
  const open = async () => {
    const { createMemoryFiles } = await import('../../memory/index.ts');
    return createMemoryFiles({ folder, limits, requiresApproval: writeApproval });
  };
  return {
    targets,
    requiresApproval: writeApproval,
    folder,
    cleanTextsFolder: scanCacheFolder,
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

/** A provider that cannot be loaded does not prevent startup: it is logged, and `hermes memory status` shows it. */
async function openProvider(
  { settings, memoryProviders }: MemoryOptions,
  { sessions, logger, scope }: MemoryParts & { scope: string | undefined },
) {
  const { memory, variables } = settings;
  if (memory?.provider === undefined) return undefined;
  const { createMemoryProvider, createProviderMemory } = await import('../../memory/index.ts');
  try {
    const made = { settings: memory, variables, sessions, scope };
    const provider = await createMemoryProvider(memory.provider, made, memoryProviders);
    const tools = createProviderTools(provider);
    return { tools, memory: createProviderMemory({ provider, logger }) satisfies ProviderMemory };
  } catch (thrown) {
    logger.warn('could not load the memory provider', { name: memory.provider, reason: errorMessage(thrown) });
    return undefined;
  }
}

/** The tools of a memory provider. They belong to the tool set `memory`, and their results are untrusted text. */
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
        throw new QuotingFailure(`${provider.name} failed: ${errorMessage(thrown)}`);
      }
    },
  });
  return { ...tool, isAvailable: () => provider.isAvailable() };
}
