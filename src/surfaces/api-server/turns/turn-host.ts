import type { AllowedActors, ApiStore } from '../../../contracts/index.ts';
import { type Conversation, createConversationPool, openConversation } from '../../../conversations/index.ts';
import { HttpError } from '../../../http/index.ts';
import type { AgentBlueprint, Runtime } from '../../../runtime/index.ts';
import { actorOf } from '../api-context.ts';
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
  /** Whether the client answers questions. Without that, what needs approval is denied. */
  attended?: boolean;
};

/** Opens the conversations of the API and keeps track of its turns. */
export interface TurnHost {
  /**
   * Runs a task with the conversation of a session, which stays open until the task is done. The session belongs to the
   * key from then on. Throws `HttpError` if the key has reached its spending limit.
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
  close(): Promise<void>;
}

/** The source of the sessions, as in the original. */
export const API_SOURCE = 'api_server';
/** Sessions of requests without an agent, such as those for titles. */
const PLAIN_SOURCE = 'api_server_plain';

/** The tool sets that show what others have said to Hermes. */
const PRIVATE_TOOLSETS = ['memory', 'session_search'];

export function createTurnHost(runtime: Runtime, store: ApiStore, { maxRuns }: { maxRuns: number }): TurnHost {
  const { clock } = runtime;
  const places = new Map<string, TurnPlace>();
  let active = 0;
  const pool = createConversationPool({
    clock,
    open: (poolKey) => open(runtime, places.get(poolKey) as TurnPlace),
    mayClose: (conversation) => hasNoProcesses(runtime, conversation),
  });

  async function use<Value>(place: TurnPlace, task: (conversation: Conversation) => Promise<Value>): Promise<Value> {
    await requireBudget(place.key, store, clock.now());
    const poolKey = poolKeyOf(place);
    places.set(poolKey, place);
    active += 1;
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
      active -= 1;
      if (pool.get(poolKey) === undefined) places.delete(poolKey);
    }
  }

  return {
    use,
    locks: createKeyedLock(),
    slots: createTurnSlots(maxRuns),
    get active() {
      return active;
    },
    async requireSession(key, sessionId) {
      const newest = await runtime.store.newestInLineage(sessionId);
      // A session of somebody else must look like one that does not exist.
      if (newest === undefined || !(key.isOwner || (await store.findSessionOwner(newest.id)) === key.name))
        throw new HttpError(404, 'session_not_found', `There is no session ${sessionId}.`);
      return newest.id;
    },
    close: () => pool.close(),
  };
}

/** Conversations of the same session with other rights have agents of their own. */
function poolKeyOf({ key, session, model, attended = false }: TurnPlace): string {
  return JSON.stringify([session.id, key.name, model.id, attended]);
}

/** Throws `HttpError` if a key has reached its spending limit. */
export async function requireBudget(
  { name, dayUsd }: Pick<StoredKey, 'name' | 'dayUsd'>,
  store: ApiStore,
  now: number,
): Promise<void> {
  if (dayUsd === undefined) return;
  if ((await store.spendingOfOwner(name, new Date(now).setHours(0, 0, 0, 0))) < dayUsd) return;
  const message = `The key ${name} has reached its limit of ${dayUsd} USD per day.`;
  throw new HttpError(429, 'insufficient_quota', message, { 'x-should-retry': 'false' });
}

async function open(runtime: Runtime, place: TurnPlace): Promise<Conversation> {
  const { session } = place;
  const actor = actorOf(place.key);
  const conversation = await openConversation({
    services: runtime,
    blueprint: blueprintOf(runtime, place),
    busy: 'queue',
    onUndelivered: () => undefined,
    mayAnswer: (): AllowedActors => ({ role: 'owner', actorIds: [actor.id] }),
    ...(!session.isNew && { session: { resume: session.id } }),
  });
  const auxiliary = place.model.chosen?.auxiliaryRoutes;
  if (auxiliary !== undefined) runtime.auxiliary?.useRoutes(conversation.sessionId, auxiliary);
  return conversation;
}

function blueprintOf({ blueprint }: Runtime, { key, session, model, attended = false }: TurnPlace): AgentBlueprint {
  const { chosen, isPlain } = model;
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
    ...(isPlain ? { toolsets: [] } : key.toolsets && { toolsets: key.toolsets }),
    ...(isPlain && { afterTurn: [] }),
    ...(!personal && { impersonal: true, choices: restrictedChoices() }),
  };
}

/** What the bearer of a key may not see is not offered, whatever its tool sets are. */
export function restrictedChoices(): NonNullable<AgentBlueprint['choices']> {
  return { yolo: false, plan: false, personality: undefined, toolsets: { on: [], off: PRIVATE_TOOLSETS } };
}

/** Closing a conversation kills the processes that its agent started. */
async function hasNoProcesses({ processes }: Runtime, conversation: Conversation): Promise<boolean> {
  const { agent, environment } = conversation.opened();
  const list = await processes.forSession(agent.sessionId, environment).list();
  return list.every(({ recovered, ending }) => recovered || ending() !== undefined);
}
