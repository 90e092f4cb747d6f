import { type Clock, errorMessage } from '../base/index.ts';
import type { Logger, ToolServices } from '../contracts/index.ts';
import type { Tool, ToolRequirements, AvailabilityResult } from './tool.ts';

/** Timeout of an availability check. A tool whose check times out is unavailable. */
const CHECK_LIMIT_MS = 2000;

/** Why a service is missing, for the user. */
const MISSING_SERVICE_REASONS: Readonly<Record<keyof ToolServices, string>> = {
  sessions: 'no session store is available',
  unimportedSessions: 'sessions are on a database server',
  summariseSession: 'no model is configured for summaries of sessions: set auxiliary.session_search',
  memory: 'memory is disabled (memory.memory_enabled, memory.user_profile_enabled)',
  skills: 'skills are not available here',
  removedMessages: 'no session store is available',
  delegation: 'subagents cannot delegate further',
  code: 'scripts run only with terminal.backend local or sandbox',
  webSearch: 'no search service is configured: set the API key of one, or web.search_backend',
  webPages: 'web pages cannot be fetched here',
  browser:
    'no browser was found: install Chromium or Chrome, or set browser.executable_path or browser.cdp_url in config.yaml',
  imageDescriber: 'no vision model is available',
  imageSources: 'no vision model is configured: set auxiliary.vision',
  imageService: 'no image service is configured: set FAL_KEY or image_gen.provider',
  speechService: 'no speech service is configured: set ELEVENLABS_API_KEY or tts.provider',
  messaging: 'no messaging platform is configured: run `hermes gateway setup`',
  planMode: 'no user is present to approve a plan',
  jobs: 'jobs cannot be scheduled here',
  paidCallLog: 'the cost of paid services is not recorded here',
};

/** Whether tools can be used. Results are cached until `clearCache`, so that one request sees consistent answers. */
export interface Availability {
  /** Why a tool cannot be used; undefined if it can. */
  unavailableReason(tool: Tool): Promise<string | undefined>;
  filter(tools: Iterable<Tool>): Promise<Tool[]>;
  clearCache(): void;
}

export function createAvailability(needs: ToolRequirements, clock: Clock, logger: Logger): Availability {
  let answers = new Map<Tool, Promise<string | undefined>>();

  async function ask(tool: Tool): Promise<string | undefined> {
    const missing = (tool.requiredVariables ?? []).filter((name) => !needs.variables[name]);
    if (missing.length > 0) return `environment variable ${missing.join(', ')} is not set`;
    const absent = (tool.requiredServices ?? []).filter((name) => needs.services[name] === undefined);
    if (absent.length > 0) return MISSING_SERVICE_REASONS[absent[0] as keyof ToolServices];
    if (!tool.isAvailable) return undefined;
    try {
      return reasonOf(await withTimeout(tool.isAvailable(needs), clock));
    } catch (thrown) {
      logger.debug('the availability check of a tool failed', { tool: tool.name, error: errorMessage(thrown) });
      return `its availability check failed: ${errorMessage(thrown)}`;
    }
  }

  function reasonAgainst(tool: Tool): Promise<string | undefined> {
    let answer = answers.get(tool);
    if (!answer) answers.set(tool, (answer = ask(tool)));
    return answer;
  }

  return {
    unavailableReason: reasonAgainst,
    async filter(tools) {
      const all = [...tools];
      const reasons = await Promise.all(all.map(reasonAgainst));
      return all.filter((_, index) => reasons[index] === undefined);
    },
    clearCache() {
      answers = new Map();
    },
  };
}

function reasonOf(verdict: AvailabilityResult): string | undefined {
  if (typeof verdict === 'object') return verdict.reason;
  return verdict ? undefined : 'its requirements are not met';
}

/** A check that takes longer keeps running, but its result is ignored. */
async function withTimeout(
  verdict: AvailabilityResult | Promise<AvailabilityResult>,
  clock: Clock,
): Promise<AvailabilityResult> {
  if (!(verdict instanceof Promise)) return verdict;
  const settled = new AbortController();
  const late = clock
    .sleep(CHECK_LIMIT_MS, settled.signal)
    .then((): AvailabilityResult => ({ reason: `its availability check timed out after ${CHECK_LIMIT_MS / 1000} s` }));
  try {
    return await Promise.race([verdict, late]);
  } finally {
    settled.abort();
    late.catch(() => undefined);
  }
}
