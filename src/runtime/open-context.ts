import type { Settings } from '../config/index.ts';
import { createTokenMeter } from '../context/index.ts';
import type { ContextEngine, ContextEngineParts, TokenMeter } from '../contracts/index.ts';
import { type ContextEngineFactories, findContextEngine } from './find-context-engine.ts';
import { createLearntWindows } from './learnt-windows.ts';

/** What all agents of a process keep their conversations inside the window with. */
export type RuntimeContext = {
  context: ContextEngine;
  meter: TokenMeter;
  windows: ReturnType<typeof createLearntWindows>;
};

export type OpenedContext = { parts: RuntimeContext; warnings: readonly string[] };

export async function openContext(
  settings: Settings,
  parts: ContextEngineParts,
  engines?: ContextEngineFactories,
): Promise<OpenedContext> {
  const { engine: context, warning } = await findContextEngine(settings, parts, engines);
  const windows = createLearntWindows({ ...parts, home: settings.home });
  return {
    parts: { context, meter: createTokenMeter(), windows },
    warnings: warning === undefined ? [] : [warning],
  };
}
