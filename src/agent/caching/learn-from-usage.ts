import { totalTokens, type Usage } from '../../base/index.ts';
import {
  canCarryMarker,
  type MarkerLevel,
  type ModelRequest,
  type ModelRoute,
  SHORT_CACHE_MS,
} from '../../contracts/index.ts';
import type { SentCall } from '../sent-requests.ts';
import { routeName } from '../token-figure.ts';
import type { Turn } from '../turn.ts';

/** Shorter prompts are not cached by some models. */
const MIN_CACHED_TOKENS = 5_000;
/** Fewer tokens are no evidence, because their number is an estimate. */
const MIN_TRIAL_TOKENS = 400;
/** How often markers must have been ignored. Once is not enough: providers evict entries. */
const MAX_IGNORED = 2;

type Call = { route: ModelRoute; request: ModelRequest; usage: Usage; startedAt: number };

/** Compares the usage of a call with that of the previous call on the same route, to learn where markers work. */
export function learnFromUsage(turn: Turn, call: Call): void {
  const { route, request, usage, startedAt } = call;
  const { cacheMarkers: markers, toolChoice, revision } = request;
  // A request that forbids tools has another prefix.
  if (markers === undefined || toolChoice === 'none') return;
  const { sent } = turn.session;
  rememberAccepted(turn, call);
  const before = sent.lastCall(route);
  sent.recordCall(route, { startedAt, usage, revision, trial: trialOf(turn, request) });
  if (before === undefined) return;
  const isPause = startedAt - before.startedAt > SHORT_CACHE_MS;
  if (isPause && isLost(before, usage)) sent.cacheExpired = true;
  // After a change of the history, and after a pause, the previous call says nothing about this one.
  if (isPause || before.revision !== revision || markers.level === 'none') return;
  checkUse(turn, call, before);
  if (before.trial !== undefined) judgeTrial(turn, markers.level, before, usage);
}

/** The request was accepted, so that an error about the next one has another cause, and a lower level is saved. */
function rememberAccepted({ routes, options }: Turn, { route, request }: Call): void {
  const lessons = routes.learned().markers;
  const { level = 'none' } = request.cacheMarkers ?? {};
  const hasResults = request.messages.some(({ role }) => role === 'tool');
  if (lessons.accepted !== 'results') lessons.accepted = hasResults ? 'results' : 'text';
  if (!lessons.isUnsaved) return;
  lessons.isUnsaved = false;
  options.cacheMarkers?.learn(route, level);
}

/** Where a request tried markers: tokens between the last certain marker and the last one, and tokens after that. */
function trialOf(turn: Turn, { messages, cacheMarkers, tailLength }: ModelRequest): SentCall['trial'] {
  if (!cacheMarkers?.isTrial || tailLength) return undefined;
  const last = (level: MarkerLevel) => messages.findLastIndex((_, index) => canCarryMarker(messages, index, level));
  const [certain, tried] = [last('text'), last(cacheMarkers.level)];
  if (tried <= certain) return undefined;
  const size = (from: number, end?: number) =>
    turn.options.meter.ofMessages(routeName(turn), messages.slice(from + 1, end));
  const [between, after] = [size(certain, tried + 1), size(tried)];
  return between >= Math.max(MIN_TRIAL_TOKENS, after) ? { between, after } : undefined;
}

/** Whether the previous prompt was not in the cache any more. */
function isLost(before: SentCall, usage: Usage): boolean {
  return promptTokens(before.usage) >= MIN_CACHED_TOKENS && usage.cacheRead < promptTokens(before.usage) / 2;
}

/** Notices that a long prompt was marked twice, but that nothing was read from a cache. */
function checkUse({ routes, logger }: Turn, { route, usage }: Call, before: SentCall): void {
  const lessons = routes.learned().markers;
  if (usage.cacheRead > 0) lessons.unused = undefined;
  const tokens = promptTokens(before.usage);
  const isUnused = usage.cacheRead + before.usage.cacheRead === 0 && tokens >= MIN_CACHED_TOKENS;
  if (!isUnused || lessons.unused !== undefined) return;
  const { provider, model } = route;
  lessons.unused = { provider, model, tokens };
  logger.warn('cache markers had no effect', {
    provider,
    model,
    tokens,
    setting: `providers.${provider}.prompt_caching.mode: off`,
  });
}

/** Decides whether the markers that the previous request tried were used or ignored. */
function judgeTrial({ routes, options, logger }: Turn, level: MarkerLevel, before: SentCall, usage: Usage): void {
  const { between = 0, after = 0 } = before.trial ?? {};
  // Less than before was read: entries were evicted, or another server answered.
  if (usage.cacheRead === 0 || usage.cacheRead < before.usage.cacheRead) return;
  const lessons = routes.learned().markers;
  const route = routes.current();
  if (promptTokens(before.usage) - usage.cacheRead < after + between / 2) {
    Object.assign(lessons, { level, isConfirmed: true });
    options.cacheMarkers?.learn(route, level);
    return;
  }
  lessons.ignored += 1;
  if (lessons.ignored < MAX_IGNORED) return;
  lessons.ignored = 0;
  lessons.level = level === 'results' ? 'calls' : 'text';
  logger.info('cache markers are ignored', { provider: route.provider, model: route.model, level });
  options.cacheMarkers?.learn(route, lessons.level);
}

function promptTokens(usage: Usage): number {
  return totalTokens(usage) - usage.output;
}
