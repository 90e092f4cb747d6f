import { findBrowser } from '../browser/index.ts';
import { DEFAULT_CODE, type Settings } from '../config/index.ts';
import { createRemovedMessages } from '../context/index.ts';
import type {
  AgentBrowser,
  AuxiliaryModels,
  CodeService,
  Delegation,
  Environment,
  MemoryWriter,
  SessionReader,
  SkillService,
  ToolServices,
} from '../contracts/index.ts';
import { withoutUndefined } from '../util/index.ts';
import { mediaServices } from './media-services.ts';
import { memoryTargets } from './memory/open-memory.ts';
import { webServices } from './web-services.ts';

export type ServiceParts = {
  memory: MemoryWriter | undefined;
  skills: SkillService;
  delegation?: Delegation | undefined;
  code?: CodeService | undefined;
  browser?: AgentBrowser | undefined;
  web?: Pick<ToolServices, 'webSearch' | 'webPages'>;
  media?: ReturnType<typeof mediaServices>;
};

/** What the tools of this installation can work on; memory is absent where it is switched off. */
export function createToolServices(
  sessions: SessionReader,
  { memory, skills, delegation, code, browser, web, media }: ServiceParts,
): ToolServices {
  return withoutUndefined({
    sessions,
    skills,
    ...{ memory, delegation, code, browser },
    ...web,
    ...media,
    removedMessages: createRemovedMessages(sessions),
  });
}

/**
 * For those who only describe tools: which services there are, with nothing behind them. A program whose routes were given
 * to it, such as the demo, has no models beside the chat.
 */
export function describeToolServices(settings: Settings, hasAuxiliary = true): ToolServices {
  const memory = memoryTargets(settings).length === 0 ? undefined : ({} as MemoryWriter);
  const code = ['local', 'sandbox'].includes(settings.terminal.backend) ? ({} as CodeService) : undefined;
  const browser = findBrowser(settings.browser) && ({} as AgentBrowser);
  const auxiliary = hasAuxiliary ? ({} as AuxiliaryModels) : undefined;
  const [web, media] = [webServices(settings), mediaServices(settings, auxiliary)];
  const services = { memory, code, browser, web, media, skills: {} as SkillService, delegation: {} as Delegation };
  return createToolServices({} as SessionReader, services);
}

/** Where scripts run that call tools; undefined where they cannot reach this program. */
export function codeService({ codeExecution }: Settings, { newFolder }: Environment): CodeService | undefined {
  return newFolder && { ...DEFAULT_CODE, ...codeExecution, newFolder };
}
