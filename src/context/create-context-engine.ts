import { type CompressionSettings, DEFAULT_COMPRESSION, type Settings } from '../config/index.ts';
import type { Compression, CompressionInput, ContextEngine, ContextEngineParts } from '../contracts/index.ts';
import { compressionThreshold, largestRequest } from './threshold.ts';

export const BUILT_IN_ENGINES = ['compressor', 'lossless'] as const;

type Compress = (input: CompressionInput) => Promise<Compression | undefined>;
type ShouldClear = (input: CompressionInput) => Promise<boolean>;

/** Creates the built-in engine named by `context.engine`; any other name gives the default engine. */
export function createContextEngine(
  settings: Pick<Settings, 'compression' | 'contextEngine'>,
  parts: ContextEngineParts,
): ContextEngine {
  const { compression = DEFAULT_COMPRESSION, contextEngine: name = 'compressor' } = settings;
  if (name === 'lossless') return createEngine(name, compression, loadLossless(compression));
  const shouldClear = createClearingCheck(compression);
  return createEngine('compressor', compression, loadCompressor(compression, parts), shouldClear);
}

/** A shorter history has no middle that could be replaced. */
const MIN_MESSAGES = 4;

function createEngine(
  name: string,
  settings: CompressionSettings,
  compress: Compress,
  shouldClear?: ShouldClear,
): ContextEngine {
  const guard = createThrashGuard();
  return {
    name,
    shouldCompress({ lineageId, tokens, contextLength, messageCount = MIN_MESSAGES }) {
      // Of the first messages of a conversation nothing can be removed, but they can be truncated.
      const isShort = messageCount < MIN_MESSAGES;
      const start = isShort ? largestRequest(contextLength) : compressionThreshold(contextLength, settings).tokens;
      return tokens >= start && !guard.isStopped(lineageId);
    },
    ...(shouldClear && { shouldClear }),
    threshold: (contextLength) => compressionThreshold(contextLength, settings),
    async compress(input) {
      const compression = await compress(input);
      if (input.previewOnly !== true) guard.note(input.lineageId, compression);
      return compression;
    },
    allow(lineageId) {
      guard.forget(lineageId);
    },
    forget: guard.forget,
    containsReplacement: async (message) => (await import('./replacement.ts')).findReplacement(message) !== undefined,
  };
}

/** Loaded on first use because most sessions are never compressed. */
function loadCompressor(settings: CompressionSettings, { auxiliary, clock }: ContextEngineParts): Compress {
  let tools: Promise<Compress> | undefined;
  const load = async (): Promise<Compress> => {
    const [{ compressWithSummary }, { createCooldown }] = await Promise.all([
      import('./compressor.ts'),
      import('./summary/cooldown.ts'),
    ]);
    const cooldown = createCooldown(clock);
    return (input) => compressWithSummary(input, settings, { auxiliary, cooldown });
  };
  return async (input) => {
    tools ??= load();
    return (await tools)(input);
  };
}

/** Loads the code that looks at the messages only for conversations that are long enough. */
function createClearingCheck(settings: CompressionSettings): ShouldClear {
  return async (input) => {
    const { tokens } = compressionThreshold(input.contextLength, settings);
    if (input.tokens < tokens * settings.clearAt) return false;
    return (await import('./compress.ts')).isClearingDue(input, settings);
  };
}

function loadLossless(settings: CompressionSettings): Compress {
  return async (input) => (await import('./lossless.ts')).compressWithMap(input, settings);
}

/** The smallest share that a compression must save to be worth its cost. */
const MIN_SAVING = 0.1;
const MAX_IN_A_ROW = 2;

/** Stops automatic compression after several compressions in a row saved too little. */
interface ThrashGuard {
  isStopped(lineageId: string): boolean;
  /** Records the outcome of a compression; undefined if there was nothing to compress. */
  note(lineageId: string, compression: Compression | undefined): void;
  forget(lineageId: string): void;
}

function createThrashGuard(): ThrashGuard {
  const inARow = new Map<string, number>();
  return {
    isStopped: (lineageId) => (inARow.get(lineageId) ?? 0) >= MAX_IN_A_ROW,
    note(lineageId, compression) {
      const saved = compression === undefined ? 0 : 1 - compression.tokensAfter / compression.tokensBefore;
      if (saved >= MIN_SAVING) inARow.delete(lineageId);
      else inARow.set(lineageId, (inARow.get(lineageId) ?? 0) + 1);
    },
    forget(lineageId) {
      inARow.delete(lineageId);
    },
  };
}
