import type { Clock } from '../base/index.ts';
import type { Settings } from '../config/index.ts';
import { createContextEngine, createTokenMeter } from '../context/index.ts';
import type { AuxiliaryModels, ContextEngine, Logger, TokenMeter } from '../contracts/index.ts';
import { createLearntWindows } from './learnt-windows.ts';

/** What all agents of a process keep their conversations inside the window with. */
export type RuntimeContext = {
  context: ContextEngine;
  meter: TokenMeter;
  windows: ReturnType<typeof createLearntWindows>;
};

export function openContext(
  settings: Settings,
  parts: { auxiliary: AuxiliaryModels | undefined; logger: Logger; clock: Clock },
): RuntimeContext {
  return {
    context: createContextEngine(settings, parts),
    meter: createTokenMeter(),
    windows: createLearntWindows({ ...parts, home: settings.home }),
  };
}
