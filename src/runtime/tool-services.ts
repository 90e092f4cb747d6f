import { createRemovedMessages } from '../context/index.ts';
import type { SessionReader, ToolServices } from '../contracts/index.ts';

/** What the tools of this installation can work on. */
export function createToolServices(sessions: SessionReader, contextEngine = 'compressor'): ToolServices {
  return { sessions, ...(contextEngine === 'lossless' && { removedMessages: createRemovedMessages(sessions) }) };
}

/** For those who only describe tools: which services there are, with nothing behind them. */
export function describeToolServices(): ToolServices {
  return createToolServices({} as SessionReader);
}
