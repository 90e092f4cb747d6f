import { findRequestPositions, rebuildRequests, type StoredConversation } from '../../agent/index.ts';
import { HermesError, type Message, systemClock } from '../../base/index.ts';
import type { Settings } from '../../config/index.ts';
import {
  type ModelRoute,
  type SessionRecord,
  type SessionSetup,
  type SessionStore,
  silentLogger,
} from '../../contracts/index.ts';
import { createModelClient } from '../../llm/index.ts';
import { openOffline, type RouteFlags } from '../../providers/index.ts';
import { createLearnedLimits, createLearnedMarkers } from '../learned-limits.ts';
import { previewSession, type SessionPreview } from '../preview-session.ts';
import { comparePrompt, compareTools } from './compare-preview.ts';
import { describeSteps } from './describe-steps.ts';
import type { ReplayDifference, ReplayStep } from './replay-step.ts';

type ReplayOptions = RouteFlags & { workingDirectory: string; toolsets?: readonly string[] };

export type Replay = {
  sessionId: string;
  model: string;
  provider: string;
  apiMode: ModelRoute['apiMode'];
  /** Differences that apply to all steps. */
  differences: ReplayDifference[];
  /** The number of steps. */
  requests: number;
  /** The steps in order, each computed when it is read, because a request contains the whole history before it. */
  steps: AsyncIterable<ReplayStep>;
  /** Notes about what could not be reproduced exactly. */
  notes: string[];
};

/**
 * Replays a stored session with its recorded answers: rebuilds each request and reports what would be different
 * today. No model is called, no tool runs, nothing is stored. The store must stay open until all steps were read.
 */
export async function replaySession(
  store: SessionStore,
  settings: Settings,
  session: SessionRecord,
  options: ReplayOptions,
): Promise<Replay> {
  const notes: string[] = [];
  const route = await openRoute(store, settings, session, options, notes);
  const { model, provider, apiMode } = route;
  const { startedAt } = session;
  const offer = await previewSession(settings, {
    ...options,
    model,
    provider,
    startedAt,
    contextLength: route.contextLength,
  });
  const setup = options.toolsets === undefined ? await store.getSessionSetup(session.id) : undefined;
  const recorded = await readRecorded(store, session, { settings, route, offer, setup });
  const places = findRequestPositions(recorded);
  const answers = places.flatMap((place) => recorded.history[place] ?? []);
  return {
    sessionId: session.id,
    model,
    provider,
    apiMode,
    notes,
    differences: [...comparePrompt(session, offer), ...compareTools(session, offer, answers)],
    requests: places.length,
    steps: describeSteps(rebuildRequests(recorded), recorded.history, route),
  };
}

/**
 * Opens the model of the session, or the one asked for. If it is not available, plain Chat Completions requests are
 * built.
 */
async function openRoute(
  store: SessionStore,
  settings: Settings,
  session: SessionRecord,
  { provider, model }: RouteFlags,
  notes: string[],
): Promise<ModelRoute> {
  const last = (await store.getTurns(session.id)).at(-1);
  const wanted = { provider: provider ?? last?.provider, model: model ?? last?.model ?? session.model };
  try {
    return await openOffline(settings, wanted);
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    const why = thrown.message.replace(/\.$/, '');
    notes.push(`${why}: using plain Chat Completions requests instead.`);
    return openPlainRoute(wanted);
  }
}

type Setting = {
  settings: Settings;
  route: ModelRoute;
  offer: SessionPreview;
  /** The stored setup, with which the session would be resumed. */
  setup: SessionSetup | undefined;
};

async function readRecorded(
  store: SessionStore,
  { id, parentSessionId, systemPrompt = '' }: SessionRecord,
  { settings, route, offer, setup }: Setting,
): Promise<StoredConversation> {
  const ancestors = parentSessionId === undefined ? [] : await store.getAncestors(id);
  const { history, inherited } = await readHistory(store, id);
  const learned = { home: settings.home, clock: systemClock, logger: silentLogger };
  const outputLimits = createLearnedLimits({ ...learned, name: 'outputLimits' });
  return {
    store,
    id,
    lineageId: ancestors[0]?.id ?? id,
    systemPrompt,
    history,
    route,
    definitions: setup?.tools?.map(({ definition }) => definition) ?? offer.definitions,
    ...(setup && { preferences: { effort: setup.effort, speed: setup.speed } }),
    outputLimits,
    cacheMarkers: createLearnedMarkers(learned),
    inherited,
  };
}

const PAGE = 1_000;

/** Reads page by page, because the rows of a long session need several times the memory of its messages. */
async function readHistory(
  store: Pick<SessionStore, 'getMessages'>,
  id: string,
): Promise<Pick<StoredConversation, 'history' | 'inherited'>> {
  const history: Message[] = [];
  let inherited = 0;
  let last: number | undefined;
  for (;;) {
    const page = await store.getMessages(id, { after: last, limit: PAGE });
    if (page.length === 0) return { history, inherited };
    for (const { message, copyOf } of page) {
      history.push(message);
      // A branch or a compressed session starts with message copies, for which no request was made in this session.
      if (copyOf !== undefined) inherited = history.length;
    }
    last = page.at(-1)?.id;
  }
}

/** A placeholder route for a model that is not available: it can encode requests but not send them. */
function openPlainRoute({
  provider = 'unknown',
  model = 'unknown',
}: {
  provider?: string;
  model?: string;
}): ModelRoute {
  const baseUrl = 'http://offline.invalid/v1';
  const apiMode = 'chat_completions';
  const transport = {
    send: () => Promise.reject(new HermesError('A replay does not send requests.')),
    close: () => undefined,
  };
  const client = createModelClient({ apiMode, baseUrl, model, stallTimeoutMs: 1, transport });
  return { provider, model, baseUrl, apiMode, contextLength: undefined, client };
}
