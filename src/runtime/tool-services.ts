import type { Settings } from '../config/index.ts';
import { createRemovedMessages } from '../context/index.ts';
import type { MemoryWriter, SessionReader, SkillService, ToolServices } from '../contracts/index.ts';
import { withoutUndefined } from '../util/index.ts';
import { memoryTargets } from './memory/open-memory.ts';

/** What the tools of this installation can work on; memory is absent where it is switched off. */
export function createToolServices(
  sessions: SessionReader,
  { memory, skills }: { memory: MemoryWriter | undefined; skills: SkillService },
): ToolServices {
  return withoutUndefined({
    sessions,
    skills,
    memory,
    removedMessages: createRemovedMessages(sessions),
  });
}

/** For those who only describe tools: which services there are, with nothing behind them. */
export function describeToolServices(settings: Settings): ToolServices {
  const memory = memoryTargets(settings).length === 0 ? undefined : ({} as MemoryWriter);
  return createToolServices({} as SessionReader, { memory, skills: {} as SkillService });
}
