import type { SessionReader, ToolServices } from '../contracts/index.ts';

/** What the tools of this installation can work on. */
export function createToolServices(sessions: SessionReader): ToolServices {
  return { sessions };
}

/** For those who only describe tools: which services there are, with nothing behind them. */
export function describeToolServices(): ToolServices {
  return createToolServices({} as SessionReader);
}
