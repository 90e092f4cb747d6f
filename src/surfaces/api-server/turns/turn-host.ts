import type { AllowedActors, ApiStore } from '../../../contracts/index.ts';
import { type Conversation, createConversationPool, openConversation } from '../../../conversations/index.ts';
import { HttpError } from '../../../http/index.ts';
import type { AgentBlueprint, Runtime } from '../../../runtime/index.ts';
import type { ToolSource } from '../../../tools/index.ts';
import { settlesWithin } from '../../../util/index.ts';
import { actorOf } from '../api-context.ts';
import { checkBudget, limitOf } from '../keys/key-budget.ts';
import type { StoredKey } from '../keys/key-file.ts';
import type { ModelChoice } from '../models/api-models.ts';
import { createKeyedLock, type KeyedLock } from './keyed-lock.ts';
import { createTurnSlots, type TurnSlots } from './turn-slots.ts';

/** Where a turn runs, and for whom. */
export type TurnPlace = {
  key: StoredKey;
  /** A stored session, or the id of one that the first turn creates (`newSessionId`). */
  session: { id: string; isNew: boolean };
  model: ModelChoice;
  memoryScope: string | undefined;
  /** Whether the client answers questions. Without that, what needs approval is denied. */
  attended?: boolean;
  /** Text behind the system prompt, which is not stored. */
  instructions?: string;
  /** The session is deleted after the turn, so nothing is learned from it. */
  isTemporary?: boolean;
  /** Tools that the client runs; `key` differs for different tools. */
  tools?: { key: string; source: ToolSource } | undefined;
};

/** Opens the conversations of the API and keeps track of its turns. */
export interface TurnHost {
  /**
   * Runs a task with the conversation of a session, which stays open until the task is done. The session belongs to the
   * key from then on. Throws `HttpError` like `requireBudget`.
   */
  use<Value>(place: TurnPlace, task: (conversation: Conversation) => Promise<Value>): Promise<Value>;
  /** Tasks that decide from the content of a session what to do in it; one at a time per session. */
  readonly locks: KeyedLock;
  /** Limits what runs in the background, without a client that waits for it. */
  readonly slots: TurnSlots;
  /** The number of tasks that are running. */
  readonly active: number;
  /** Throws `HttpError` if there is no such session, or the key may not use it. Resolves to its newest continuation. */
  requireSession(key: StoredKey, sessionId: string): Promise<string>;
  /** Throws `HttpError` if the key has reached its spending limit, or if that of the model cannot be enforced. */
  requireBudget(key: StoredKey, model: ModelChoice): Promise<void>;
  /** Aborted when the server stops. */
  readonly closing: AbortSignal;
  /** Waits for running tasks at most for this time, and then interrupts their turns. */
  close(graceMs: number): Promise<void>;
}

/** Whether a client may choose this id for a session. */
export function isSessionId(id: string): boolean {
  return /^\w[\w.:-]{0,127}$/.test(id);
}

/** The source of the sessions, as in the original. */
export const API_SOURCE = 'api_server';
/** Sessions of requests without an agent, such as those for titles. */
const PLAIN_SOURCE = 'api_server_plain';

/** The tool set of tools that clients run. */
export const CLIENT_TOOLSET = 'plugin-client';

/**
 * The tools that show what others have said to Hermes, leave something for the agents of others, or act for the user
 * outside the session: a job would run without the limits of the key.
 */
const PRIVATE_TOOLS = ['memory', 'session_search', 'skill_manage', 'cronjob', 'messaging'];

export function createTurnHost(runtime: Runtime, store: ApiStore, { maxRuns }: { maxRuns: number }): TurnHost {
  const { clock } = runtime;
  /** What the pool opens under its keys, as long as a task uses or awaits it. */
  const places = new Map<string, { place: TurnPlace; users: number }>();
  const running = new Set<Promise<unknown>>();
  const closing = new AbortController();
  const locks = createKeyedLock();
  const pool = createConversationPool({
    clock,
    open: (poolKey) => open(runtime, store, places.get(poolKey)?.place as TurnPlace),
    mayClose: (conversation) => hasNoProcesses(runtime, conversation),
  });

  const requireBudget = (key: StoredKey, { chosen }: ModelChoice) =>
    checkBudget(key, { store, now: clock.now(), routes: chosen?.routes ?? runtime.blueprint.routes });

  async function use<Value>(place: TurnPlace, task: (conversation: Conversation) => Promise<Value>): Promise<Value> {
    const work = perform(place, task);
    running.add(work);
    try {
      return await work;
    } finally {
      running.delete(work);
    }
  }

  async function perform<Value>(
    place: TurnPlace,
    task: (conversation: Conversation) => Promise<Value>,
  ): Promise<Value> {
    await requireBudget(place.key, place.model);
    locks.claim(place.session.id);
    const poolKey = poolKeyOf(place);
    const entry = places.get(poolKey) ?? { place, users: 0 };
    entry.users += 1;
    places.set(poolKey, entry);
    try {
      return await pool.use(poolKey, async (conversation) => {
        await store.bindSession(conversation.sessionId, place.key.name, clock.now());
        try {
          return await task(conversation);
        } finally {
          await store.bindSession(conversation.sessionId, place.key.name, clock.now());
        }
      });
    } finally {
      entry.users -= 1;
      if (entry.users === 0) places.delete(poolKey);
    }
  }

  return {
    use,
    locks,
    slots: createTurnSlots(maxRuns),
    get active() {
      return running.size;
    },
    requireBudget,
    async requireSession(key, sessionId) {
      const newest = await runtime.store.newestInLineage(sessionId);
      // A session of somebody else must look like one that does not exist.
      if (newest === undefined || !(key.isOwner || (await store.findSessionOwner(newest.id)) === key.name))
        throw new HttpError(404, 'session_not_found', `There is no session ${sessionId}.`);
      return newest.id;
    },
    closing: closing.signal,
    async close(graceMs) {
      closing.abort();
      await settlesWithin(Promise.allSettled(running), graceMs);
      await pool.close();
      await Promise.allSettled(running);
    },
  };
}

/** Conversations of the same session with other rights have agents of their own. */
function poolKeyOf({
  key,
  session,
  model,
  memoryScope,
  attended = false,
  instructions = '',
  tools,
}: TurnPlace): string {
  return JSON.stringify([session.id, key.name, key.hash, model.id, memoryScope, attended, instructions, tools?.key]);
}

async function open(runtime: Runtime, store: ApiStore, place: TurnPlace): Promise<Conversation> {
  const { session } = place;
  const actor = actorOf(place.key);
  const conversation = await openConversation({
    services: runtime,
    blueprint: { ...blueprintOf(runtime, place), ...limitOf(place.key, store) },
    busy: 'queue',
    onUndelivered: () => undefined,
    mayAnswer: (): AllowedActors => ({ role: 'owner', actorIds: [actor.id] }),
    ...(!session.isNew && { session: { resume: session.id } }),
  });
  const auxiliary = place.model.chosen?.auxiliaryRoutes;
  if (auxiliary !== undefined) runtime.auxiliary?.useRoutes(conversation.sessionId, auxiliary);
  return conversation;
}

/** The agent of a key for a turn at this place. */
export function blueprintOf({ blueprint }: Runtime, place: TurnPlace): AgentBlueprint {
  const { key, session, model, memoryScope, attended = false, instructions, isTemporary = false, tools } = place;
  const { chosen, isPlain } = model;
  const toolsets = toolsetsOf(place, blueprint);
  const personal = key.isOwner === true && !isPlain;
  return {
    ...blueprint,
    ...(chosen && { settings: chosen.settings, routes: chosen.routes }),
    source: isPlain ? PLAIN_SOURCE : API_SOURCE,
    surface: 'api',
    actor: actorOf(key),
    kind: isPlain ? 'background' : 'interactive',
    attended,
    ...(session.isNew && { newSessionId: session.id }),
    ...(toolsets !== undefined && { toolsets }),
    ...(tools && { ownToolSources: [tools.source] }),
    ...((isPlain || isTemporary) && { afterTurn: [] }),
    ...(instructions !== undefined && { ephemeralSystemPrompt: instructions }),
    memoryScope,
    ...(!personal && { impersonal: true, choices: restrictedChoices() }),
  };
}

/** Undefined for the configured tool sets. Where tools are listed, those of the client are added. */
function toolsetsOf({ key, model, tools }: TurnPlace, { settings }: AgentBlueprint): readonly string[] | undefined {
  if (model.isPlain) return [];
  const listed = key.toolsets ?? (tools === undefined ? undefined : settings.toolsets);
  return listed === undefined || tools === undefined ? listed : [...listed, CLIENT_TOOLSET];
}

/** What the bearer of a key may not see is not offered, whatever its tool sets are. */
export function restrictedChoices(): NonNullable<AgentBlueprint['choices']> {
  return { yolo: false, plan: false, personality: undefined, toolsets: { on: [], off: PRIVATE_TOOLS } };
}

/** Closing a conversation kills the processes that its agent started. */
async function hasNoProcesses({ processes }: Runtime, conversation: Conversation): Promise<boolean> {
  const { agent, environment } = conversation.opened();
  const list = await processes.forSession(agent.sessionId, environment).list();
  return list.every(({ recovered, ending }) => recovered || ending() !== undefined);
}
