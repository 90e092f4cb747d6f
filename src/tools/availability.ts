import { type Clock, errorMessage } from '../base/index.ts';
import type { Logger, ToolServices } from '../contracts/index.ts';
import type { Tool, ToolNeeds, Verdict } from './tool.ts';

/** How long a check may take; what does not answer by then is not there. */
const CHECK_LIMIT_MS = 2000;

/** Why a service is not there, for the person. */
const WITHOUT_SERVICE: Readonly<Record<keyof ToolServices, string>> = {
  sessions: 'there is no session store',
  memory: 'memory is switched off (memory.memory_enabled, memory.user_profile_enabled)',
  skills: 'there are no skills here',
  removedMessages: 'there is no session store',
  delegation: 'it is a subagent itself',
  code: 'scripts run only on this machine (terminal.backend local or sandbox)',
  webSearch: 'no search service is there: set the key of one, or web.search_backend',
  webPages: 'pages cannot be fetched here',
  browser:
    'no browser was found: install Chromium or Chrome, or set browser.executable_path or browser.cdp_url in config.yaml',
  imageReader: 'there is no model that could be asked about images',
  imageSources: 'no model for images is chosen: set auxiliary.vision',
  imageMaker: 'no service for images is there: set FAL_KEY or image_gen.provider',
  speechMaker: 'no service for speech is there: set ELEVENLABS_API_KEY or tts.provider',
  mediaAccount: 'no account is kept here of what services take',
};

/** Whether tools can be used. Each is asked once until `forget`, so that one call sees one answer. */
export interface Availability {
  /** Why a tool cannot be used; undefined where it can. */
  reasonAgainst(tool: Tool): Promise<string | undefined>;
  filter(tools: Iterable<Tool>): Promise<Tool[]>;
  forget(): void;
}

export function createAvailability(needs: ToolNeeds, clock: Clock, logger: Logger): Availability {
  let answers = new Map<Tool, Promise<string | undefined>>();

  async function ask(tool: Tool): Promise<string | undefined> {
    const missing = (tool.requiredVariables ?? []).filter((name) => !needs.variables[name]);
    if (missing.length > 0) return `the variable ${missing.join(', ')} is not set`;
    const absent = (tool.requiredServices ?? []).filter((name) => needs.services[name] === undefined);
    if (absent.length > 0) return WITHOUT_SERVICE[absent[0] as keyof ToolServices];
    if (!tool.isAvailable) return undefined;
    try {
      return reasonOf(await inTime(tool.isAvailable(needs), clock));
    } catch (thrown) {
      logger.debug('a tool could not tell whether it is available', { tool: tool.name, error: errorMessage(thrown) });
      return `its check failed: ${errorMessage(thrown)}`;
    }
  }

  function reasonAgainst(tool: Tool): Promise<string | undefined> {
    let answer = answers.get(tool);
    if (!answer) answers.set(tool, (answer = ask(tool)));
    return answer;
  }

  return {
    reasonAgainst,
    async filter(tools) {
      const all = [...tools];
      const reasons = await Promise.all(all.map(reasonAgainst));
      return all.filter((_, index) => reasons[index] === undefined);
    },
    forget() {
      answers = new Map();
    },
  };
}

function reasonOf(verdict: Verdict): string | undefined {
  if (typeof verdict === 'object') return verdict.reason;
  return verdict ? undefined : 'what it needs is not there';
}

/** The tool may take as long as it likes; its answer is then no longer waited for. */
async function inTime(verdict: Verdict | Promise<Verdict>, clock: Clock): Promise<Verdict> {
  if (!(verdict instanceof Promise)) return verdict;
  const settled = new AbortController();
  const late = clock
    .sleep(CHECK_LIMIT_MS, settled.signal)
    .then((): Verdict => ({ reason: `its check took longer than ${CHECK_LIMIT_MS / 1000} s` }));
  try {
    return await Promise.race([verdict, late]);
  } finally {
    settled.abort();
    late.catch(() => undefined);
  }
}
