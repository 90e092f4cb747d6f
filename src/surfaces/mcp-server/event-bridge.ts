import type { Clock, JsonObject } from '../../base/index.ts';
import type { SessionStore, StoredQuestion } from '../../contracts/index.ts';
import { redactSecrets, takeRedacted } from '../../util/index.ts';
import { isSaid } from './tools/conversations.ts';

/** One event, as clients read it. Its cursor is its number since the start of the server. */
export type BridgeEvent = JsonObject & { cursor: number; type: string; session_key: string };

/** What happened in the chats since the server started. Nothing is read while nobody asks. */
export interface EventBridge {
  /** Notes what exists now, so that it is never reported as an event. */
  start(): Promise<void>;
  /** The events after a cursor, oldest first, including those that were stored just now. */
  read(after: number, filter: { key?: string | undefined; limit: number }): Promise<BridgeEvent[]>;
  /** The next event after a cursor; undefined if there is none within this time. */
  wait(
    after: number,
    options: { key?: string | undefined; timeoutMs: number; signal: AbortSignal },
  ): Promise<BridgeEvent | undefined>;
}

const MAX_EVENTS = 1000;
const MAX_CHARACTERS = 500;
const MAX_SESSIONS = 1000;
const POLL_MS = 200;
/** On PostgreSQL, a message can become visible after one with a higher id, because another process stored it. */
const OVERLAP = 64;

export function createEventBridge(openStore: () => Promise<SessionStore>, clock: Clock): EventBridge {
  const events: BridgeEvent[] = [];
  let cursor = 0;
  const add: AddEvent = (type, key, data) => {
    cursor += 1;
    events.push({ cursor, type, session_key: key, ...data });
    if (events.length > MAX_EVENTS) events.shift();
  };
  const watches = [watchMessages(add), watchApprovals(add, clock)];
  let starting: Promise<void> | undefined;
  /** Reads follow one after the other, so that each event is found once. */
  let reading: Promise<void> = Promise.resolve();

  /** A start that failed, because the store could not be opened, is tried again. */
  function start(): Promise<void> {
    starting ??= begin().catch((thrown: unknown) => {
      starting = undefined;
      throw thrown;
    });
    return starting;
  }

  async function begin(): Promise<void> {
    const store = await openStore();
    for (const watch of watches) await watch.begin(store);
  }

  async function refresh(): Promise<void> {
    const store = await openStore();
    for (const watch of watches) await watch.refresh(store);
  }

  async function update(): Promise<void> {
    await start();
    reading = reading.catch(() => undefined).then(refresh);
    await reading;
  }

  function select(after: number, key: string | undefined): BridgeEvent[] {
    return events.filter((event) => event.cursor > after && (key === undefined || event.session_key === key));
  }

  return {
    start,
    async read(after, { key, limit }) {
      await update();
      return select(after, key).slice(0, limit);
    },
    async wait(after, { key, timeoutMs, signal }) {
      for (const end = clock.now() + timeoutMs; ; ) {
        await update();
        const [event] = select(after, key);
        const left = end - clock.now();
        if (event !== undefined || left <= 0 || signal.aborted) return event;
        await clock.sleep(Math.min(POLL_MS, left), signal).catch(() => undefined);
      }
    },
  };
}

type AddEvent = (type: string, key: string, data: JsonObject) => void;

/** Finds what is new in the store since `begin`. */
type Watch = { begin(store: SessionStore): Promise<void>; refresh(store: SessionStore): Promise<void> };

function watchMessages(add: AddEvent): Watch {
  /** The newest message that was read, by session. */
  const readUpTo = new Map<string, number>();
  let firstId = 0;
  let newestId = 0;

  /** Sessions that were not used for long are forgotten first. Their next message is new in any case. */
  function remember(sessionId: string, id: number): void {
    readUpTo.delete(sessionId);
    readUpTo.set(sessionId, id);
    const [oldest] = readUpTo.keys();
    if (readUpTo.size > MAX_SESSIONS && oldest !== undefined) readUpTo.delete(oldest);
  }

  return {
    async begin(store) {
      const found = await (await store.openGatewayStore()).findNewMessages(Number.MAX_SAFE_INTEGER);
      firstId = newestId = found.newestId;
    },
    async refresh(store) {
      const gateway = await store.openGatewayStore();
      const found = await gateway.findNewMessages(Math.max(firstId, newestId - OVERLAP));
      const fresh = [];
      for (const { key, sessionId } of found.chats) {
        const messages = await store.getMessages(sessionId, { after: readUpTo.get(sessionId) ?? firstId });
        const last = messages.at(-1)?.id;
        if (last !== undefined) remember(sessionId, last);
        fresh.push(...messages.filter(isNew).map((stored) => ({ key, ...stored })));
      }
      newestId = found.newestId;
      for (const { key, id, message, timestamp } of fresh.sort((a, b) => a.id - b.id)) {
        const content = takeRedacted(message.content, MAX_CHARACTERS, redactSecrets);
        const data = { role: message.role, content, timestamp: String(timestamp / 1000), message_id: String(id) };
        add('message', key, data);
      }
    },
  };
}

function watchApprovals(add: AddEvent, clock: Clock): Watch {
  let open = new Map<string, StoredQuestion>();
  return {
    async begin(store) {
      open = await findOpenQuestions(store, clock.now());
    },
    async refresh(store) {
      const now = await findOpenQuestions(store, clock.now());
      for (const question of now.values())
        if (!open.has(question.id)) add('approval_requested', question.key, describeApproval(question));
      for (const { id, key } of open.values())
        if (!now.has(id)) add('approval_resolved', key, { approval_id: id, decision: await findDecision(store, id) });
      open = now;
    },
  };
}

/** A copy was reported when its original was stored. */
function isNew(stored: Parameters<typeof isSaid>[0]): boolean {
  return stored.copyOf === undefined && isSaid(stored);
}

async function findOpenQuestions(store: SessionStore, now: number): Promise<Map<string, StoredQuestion>> {
  return new Map((await listApprovals(store, now)).map((question) => [question.id, question]));
}

/** The approvals that turns of any process are waiting for, oldest first. */
export async function listApprovals(store: SessionStore, now: number): Promise<StoredQuestion[]> {
  const questions = await store.listOpenQuestions();
  return questions.filter(({ request, expiresAt }) => request.kind === 'approval' && expiresAt > now);
}

export function describeApproval({ id, sessionId, request, askedAt, expiresAt }: StoredQuestion): JsonObject {
  const asked = request.kind === 'approval' ? request : { toolName: '', subject: '', reasons: [] };
  return {
    approval_id: id,
    session_id: sessionId,
    tool_name: asked.toolName,
    subject: redactSecrets(asked.subject),
    reasons: asked.reasons.map(({ rule }) => rule),
    created_at: new Date(askedAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
  };
}

const DECISIONS = { once: 'allow-once', session: 'allow-session', always: 'allow-always', deny: 'deny' } as const;

async function findDecision(store: SessionStore, id: string): Promise<string> {
  const question = await store.getQuestion(id);
  if (question?.answer?.kind === 'approval') return DECISIONS[question.answer.answer];
  return 'expired';
}
