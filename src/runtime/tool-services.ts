import type { SessionReader, SkillService, ToolServices } from '../contracts/index.ts';

/** What the tools of this installation can work on. */
export function createToolServices(sessions: SessionReader, skills: SkillService): ToolServices {
  return { sessions, skills };
}

/** For those who only describe tools: which services there are, with nothing behind them. */
export function describeToolServices(): ToolServices {
  return createToolServices({} as SessionReader, {} as SkillService);
}
