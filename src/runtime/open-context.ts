import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../base/index.ts';
import { homePaths, type Settings } from '../config/index.ts';
import { BUILT_IN_ENGINES, createContextEngine, createTokenMeter } from '../context/index.ts';
import type {
  ContextEngine,
  ContextEngineFactory,
  ContextEngineParts,
  LearnedLimits,
  Logger,
  TokenMeter,
} from '../contracts/index.ts';
import { importFile } from '../util/index.ts';
import {
  createLearnedLimits,
  createLearnedMarkers,
  createTemporaryLimits,
  type SavedLimits,
  type SavedMarkers,
} from './learned-limits.ts';

/** The context engine, token meter and learned limits that all agents of a process share. */
export type RuntimeContext = {
  context: ContextEngine;
  meter: TokenMeter;
  windows: SavedLimits;
  outputLimits: SavedLimits;
  /** Output limits that an account can pay for; not saved, because the user may add credits. */
  affordableOutput: LearnedLimits;
  cacheMarkers: SavedMarkers;
};

export type OpenedContext = { parts: RuntimeContext; warnings: readonly string[] };

export async function openContext(
  settings: Settings,
  parts: ContextEngineParts,
  engines?: ContextEngineFactories,
): Promise<OpenedContext> {
  const { engine: context, warning } = await findContextEngine(settings, parts, engines);
  const { home } = settings;
  return {
    parts: {
      context,
      meter: createTokenMeter(),
      windows: createLearnedLimits({ ...parts, home, name: 'windows' }),
      outputLimits: createLearnedLimits({ ...parts, home, name: 'outputLimits' }),
      affordableOutput: createTemporaryLimits(),
      cacheMarkers: createLearnedMarkers({ ...parts, home }),
    },
    warnings: warning === undefined ? [] : [warning],
  };
}

/** A context engine, with a warning for the user if another one was requested. */
export type FoundEngine = { engine: ContextEngine; warning?: string };

/** Context engine factories by name. */
export type ContextEngineFactories = Readonly<Record<string, ContextEngineFactory>>;

/**
 * Finds the engine that `context.engine` names: a built-in one, one in the home directory, or one from a plugin. If
 * it cannot be used, the default engine is used and the user gets a warning.
 */
export async function findContextEngine(
  settings: Settings,
  parts: ContextEngineParts,
  registered: ContextEngineFactories = {},
): Promise<FoundEngine> {
  const { contextEngine: name = BUILT_IN_ENGINES[0], home } = settings;
  const builtIn = createContextEngine(settings, parts);
  if (BUILT_IN_ENGINES.some((known) => known === name)) return { engine: builtIn };
  const folder = join(homePaths(home).contextEnginesFolder, name);
  try {
    const factory = (await loadFactory(folder)) ?? registered[name];
    if (factory !== undefined) return { engine: guardEngine(name, await factory(parts), parts.logger) };
    return { engine: builtIn, warning: instead(name, `${folder} does not exist`) };
  } catch (thrown) {
    parts.logger.error('could not load a context engine', { engine: name, folder }, thrown);
    return { engine: builtIn, warning: instead(name, errorMessage(thrown)) };
  }
}

function instead(name: string, why: string): string {
  return `context.engine: "${name}" cannot be used (${why}); using ${BUILT_IN_ENGINES[0]} instead.`;
}

/** The factory that the module in a folder exports; undefined if the folder does not exist. */
async function loadFactory(folder: string): Promise<ContextEngineFactory | undefined> {
  if (!existsSync(folder)) return undefined;
  const file = ['index.js', 'index.mjs'].map((name) => join(folder, name)).find((path) => existsSync(path));
  if (file === undefined) throw new Error(`${folder} has no index.js`);
  const { createContextEngine: factory } = await importFile(file);
  if (typeof factory !== 'function') throw new Error(`${file} does not export createContextEngine`);
  return factory as ContextEngineFactory;
}

/**
 * Checks that a custom engine implements all required methods, and catches errors that it throws later, so that they
 * cannot end a turn.
 */
function guardEngine(name: string, engine: ContextEngine, logger: Logger): ContextEngine {
  const missing = (['shouldCompress', 'compress', 'allow'] as const).filter(
    (method) => typeof engine?.[method] !== 'function',
  );
  if (missing.length > 0) throw new Error(`it does not implement ${missing.join(', ')}`);
  return {
    name,
    shouldCompress: (window) => engine.shouldCompress(window),
    shouldClear: async (input) => (await engine.shouldClear?.(input).catch(() => false)) ?? false,
    threshold: (contextLength) => engine.threshold?.(contextLength),
    allow: (lineageId, why) => engine.allow(lineageId, why),
    forget: (lineageId) => engine.forget?.(lineageId),
    containsReplacement: async (message) => (await engine.containsReplacement?.(message).catch(() => false)) ?? false,
    async compress(input) {
      try {
        return await engine.compress(input);
      } catch (thrown) {
        input.signal.throwIfAborted();
        logger.error('context engine failed', { engine: name }, thrown);
        return undefined;
      }
    },
  };
}
