import type { Settings } from '../config/index.ts';
import type { MemoryWriter, SessionReader, ToolServices } from '../contracts/index.ts';
import { memoryTargets } from './memory/open-memory.ts';

/** What the tools of this installation can work on. */
export function createToolServices(sessions: SessionReader, memory: MemoryWriter | undefined): ToolServices {
  return { sessions, ...(memory && { memory }) };
}

/** For those who only describe tools: which services there are, with nothing behind them. */
export function describeToolServices(settings: Settings): ToolServices {
  const memory = { targets: memoryTargets(settings) } as MemoryWriter;
  return createToolServices({} as SessionReader, memory);
}
