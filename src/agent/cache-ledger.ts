import type { CacheMiss, Usage } from '../base/index.ts';
import type {
  CacheTtl,
  CallRecord,
  ModelRequest,
  ModelRoute,
  SessionSetup,
  ToolDefinition,
} from '../contracts/index.ts';

/** What a provider must have received before, so that it can read a prompt from its cache. */
type SentPrefix = {
  /** When the model last read the conversation, and how many tokens. */
  at: number;
  tokens: number;
  /** How long the provider was asked to keep the entry; undefined if unknown, after a resume. */
  ttl: CacheTtl | undefined;
  sessionId: string;
  /** Counts the changes of messages that had been sent. */
  edits: string;
  /** Undefined if unknown, after a resume. */
  system: string | undefined;
  tools: readonly ToolDefinition[] | undefined;
  credential: string | undefined;
  settings: Readonly<Record<string, unknown>> | undefined;
};

/** A call that was answered. */
export type AnsweredCall = {
  route: ModelRoute;
  request: ModelRequest;
  usage: Usage;
  /** When the request was sent. */
  at: number;
  sessionId: string;
  edits: string;
  /** Another route than the primary one. */
  isFallback: boolean;
};

/** What is known about the calls before the session was resumed. */
export type EarlierCalls = {
  /** The newest call of each model. */
  calls: readonly CallRecord[];
  setup: SessionSetup | undefined;
  /** The stored prompt; undefined if it was not sent as it is. */
  systemPrompt: string | undefined;
  /** The session of these calls. A compression is recognised by another one. */
  sessionId: string;
  /** Like those of `AnsweredCall`. */
  edits: string;
};

/**
 * Explains every cache miss of a session. This is the only place that decides what a miss is and why it happened: it
 * compares each request with what the same model was sent before.
 */
export interface CacheLedger {
  /** Loads the calls of an earlier process. */
  restore(earlier: EarlierCalls): void;
  /** Returns the cache miss of a call, and remembers the call. */
  explain(call: AnsweredCall): CacheMiss | undefined;
}

/** A smaller share of the expected tokens is a miss. Providers round down, and some cannot cache the last messages. */
const HIT_SHARE = 0.75;
/** Shorter prompts are cached by no provider. */
const MIN_TOKENS = 1024;
const MINUTE_MS = 60_000;
const TTL_MS = { '5m': 5 * MINUTE_MS, '1h': 60 * MINUTE_MS };

export function createCacheLedger(): CacheLedger {
  const sent = new Map<string, SentPrefix>();
  let lastModel: string | undefined;
  /** The models whose provider has reported tokens of a cache. */
  const reporting = new Set<string>();
  const noteReport = (model: string, { cacheRead, cacheWrite }: Usage) => {
    if (cacheRead + cacheWrite > 0) reporting.add(model);
  };
  return {
    restore({ calls, setup, systemPrompt: system, sessionId, edits }) {
      for (const call of calls) {
        lastModel = nameOf(call);
        noteReport(lastModel, call.usage);
        const [at, tokens] = [call.startedAt, promptTokens(call.usage)];
        const before = sent.get(lastModel);
        // Another process may have continued the session since this one used it.
        if (before !== undefined && before.at < at)
          sent.set(lastModel, { ...before, at, tokens, sessionId, ttl: undefined });
        if (before !== undefined) continue;
        const tools = setup?.tools?.map(({ definition }) => definition);
        const settings = setup && settingsOf({ ...setup, toolChoice: 'auto' });
        const known = { at, tokens, sessionId, system, tools, settings, edits };
        sent.set(lastModel, { ...known, ttl: undefined, credential: undefined });
      }
    },
    explain(call) {
      const model = nameOf(call.route);
      noteReport(model, call.usage);
      const miss = findMiss(call, { before: sent.get(model), lastModel, isReported: reporting.has(model) });
      const { route, request, usage, at, sessionId, edits } = call;
      const { system, tools } = request;
      const settings = settingsOf(request);
      const credential = route.credentials?.current();
      const [tokens, ttl] = [promptTokens(usage), ttlOf(call)];
      sent.set(model, { at, tokens, ttl, sessionId, edits, system, tools, credential, settings });
      lastModel = model;
      return miss;
    },
  };
}

type Known = { before: SentPrefix | undefined; lastModel: string | undefined; isReported: boolean };

function findMiss(call: AnsweredCall, { before, lastModel, isReported }: Known): CacheMiss | undefined {
  const prompt = promptTokens(call.usage);
  const expected = Math.min(before?.tokens ?? prompt, prompt);
  const tokens = expected - call.usage.cacheRead;
  if (call.usage.cacheRead >= expected * HIT_SHARE) return undefined;
  if (before === undefined) return { ...firstReason(call, lastModel), tokens };
  if (expected < MIN_TOKENS) return { reason: 'too_short', tokens };
  const change = findChange(call, before);
  if (change !== undefined) return { ...change, tokens };
  const pause = call.at - before.at;
  if (pause >= TTL_MS[before.ttl ?? configuredTtl(call)])
    return { reason: 'expired', minutes: Math.round(pause / MINUTE_MS), tokens };
  return { reason: isReported ? 'evicted' : 'not_reported', tokens };
}

/** The lifetime that the markers of a request asked for. Providers without markers keep a prompt for five minutes. */
function ttlOf({ request, route }: AnsweredCall): CacheTtl {
  return request.cacheMarkers?.ttl ?? configuredTtl({ route });
}

function configuredTtl({ route }: Pick<AnsweredCall, 'route'>): CacheTtl {
  return route.cacheTtl === '1h' ? '1h' : '5m';
}

type Cause = CacheMiss extends infer Miss ? (Miss extends CacheMiss ? Omit<Miss, 'tokens'> : never) : never;

/** Why a model reads the conversation for the first time. */
function firstReason({ isFallback }: AnsweredCall, lastModel: string | undefined): Cause {
  if (lastModel === undefined) return { reason: 'first_call' };
  return { reason: isFallback ? 'fallback' : 'model_switched', from: lastModel };
}

/** The first part of the request that differs from what the model was sent before, in the order of the request. */
function findChange(call: AnsweredCall, before: SentPrefix): Cause | undefined {
  const { request, route } = call;
  const credential = route.credentials?.current();
  if (before.credential !== undefined && before.credential !== credential) return { reason: 'credential_changed' };
  const tools = before.tools === undefined ? [] : changedTools(before.tools, request.tools);
  if (tools.length > 0) return { reason: 'tools_changed', tools };
  if (before.sessionId !== call.sessionId) return { reason: 'compressed' };
  if (before.system !== undefined && before.system !== request.system) return { reason: 'prompt_changed' };
  const settings = changedSettings(before.settings, settingsOf(request));
  if (settings.length > 0) return { reason: 'settings_changed', settings };
  return before.edits === call.edits ? undefined : { reason: 'history_edited' };
}

/** The settings that are part of a request, by the names that users know. */
function settingsOf(request: Pick<ModelRequest, 'effort' | 'speed' | 'toolChoice' | 'outputSchema'>) {
  const { effort, speed = 'normal', toolChoice, outputSchema } = request;
  return { effort, speed, 'tool choice': toolChoice, 'answer format': outputSchema };
}

function changedSettings(before: SentPrefix['settings'], now: NonNullable<SentPrefix['settings']>): string[] {
  if (before === undefined) return [];
  return Object.keys(now).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]));
}

/** Names of the tools whose definition was changed, added or removed; all names if only their order changed. */
export function changedTools(before: readonly ToolDefinition[], now: readonly ToolDefinition[]): string[] {
  if (before === now) return [];
  const [old, current] = [before, now].map((tools) => new Map(tools.map((tool) => [tool.name, JSON.stringify(tool)])));
  if (old === undefined || current === undefined) return [];
  const names = [...new Set([...old.keys(), ...current.keys()])];
  const changed = names.filter((name) => old.get(name) !== current.get(name));
  const isReordered = changed.length === 0 && [...old.keys()].join() !== [...current.keys()].join();
  return isReordered ? names : changed;
}

function nameOf({ provider, model }: { provider: string; model: string }): string {
  return `${provider}/${model}`;
}

function promptTokens({ input, cacheRead, cacheWrite }: Usage): number {
  return input + cacheRead + cacheWrite;
}
