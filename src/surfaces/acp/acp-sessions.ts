import type { McpServer, SessionInfo } from '@agentclientprotocol/sdk';
import { isAbsolute } from 'node:path';
import type { SessionRecord, SessionStore } from '../../contracts/index.ts';
import { branchSession } from '../../runtime/index.ts';
import { deleteChain, findChain } from '../../runtime/session-chain.ts';
import { createSemaphore } from '../../util/index.ts';
import { AcpFailure, unknownSession } from './acp-failure.ts';
import type { AcpHost } from './acp-host.ts';
import type { AcpClient, AcpHandlers } from './acp-server-protocol.ts';
import { type AcpSession, type ClientFacts, openAcpSession, type OpenRequest } from './acp-session.ts';

export type SessionsOptions = {
  host: AcpHost;
  client: AcpClient;
  version: string;
  facts(): ClientFacts;
};

/** The sessions that the client has opened, and those that it can open. */
export interface AcpSessions {
  handlers: Omit<AcpHandlers, 'initialize' | 'authenticate'>;
  /** Sends the title of a stored session, if the client has it open. */
  updateTitle(storedId: string): Promise<void>;
  /** Sends the commands of all sessions again. */
  announceAll(): Promise<void>;
  close(): Promise<void>;
}

/** Sessions of one page of `session/list`. */
const PAGE = 50;

export function createSessions(options: SessionsOptions): AcpSessions {
  const sessions = createOpenSessions(options);
  return {
    handlers: { ...createOpenHandlers(options, sessions), ...createUseHandlers(options, sessions) },
    async updateTitle(storedId) {
      await sessions
        .all()
        .find(({ conversation }) => conversation.sessionId === storedId)
        ?.updateTitle();
    },
    async announceAll() {
      for (const session of sessions.all()) await session.announce();
    },
    async close() {
      await Promise.all(sessions.all().map(({ id }) => sessions.close(id)));
    },
  };
}

type OpenSessions = ReturnType<typeof createOpenSessions>;

/** The open sessions by the ids that the client knows. */
function createOpenSessions({ host, client, version, facts }: SessionsOptions) {
  const open = new Map<string, AcpSession>();
  // Two requests for one session must not open it twice.
  const oneAtATime = createSemaphore(1);

  async function close(id: string): Promise<void> {
    const session = open.get(id);
    open.delete(id);
    await session?.close();
  }

  return {
    all: () => [...open.values()],
    get: (id: string) => open.get(id),
    find(id: string): AcpSession {
      const session = open.get(id);
      if (session === undefined) throw unknownSession(id);
      return session;
    },
    close,
    async open(request: OpenRequest, stored?: { id: string; record: SessionRecord }): Promise<AcpSession> {
      const { runtime, blueprint, registry } = await host.open();
      return oneAtATime.use(async () => {
        // A client that opens a session again wants its current state.
        if (stored !== undefined) await close(stored.id);
        const parts = { client, facts: facts(), services: runtime, blueprint, registry, version };
        const session = await openAcpSession({ ...parts, ...request, stored });
        open.set(session.id, session);
        return session;
      });
    },
  };
}

type OpenMethods = 'newSession' | 'loadSession' | 'resumeSession' | 'forkSession';

/** The methods that open a session. */
function createOpenHandlers({ host }: SessionsOptions, sessions: OpenSessions): Pick<AcpHandlers, OpenMethods> {
  /** Opens a stored session. It must exist: a client must never continue in an empty one without knowing. */
  async function reopen(params: { sessionId: string } & OpenParams): Promise<AcpSession> {
    const request = readRequest(params);
    const { store } = (await host.open()).runtime;
    const found = await store.getSession(params.sessionId);
    if (found === undefined || found.isDelegated) throw unknownSession(params.sessionId);
    const record = (await store.newestInLineage(found.id)) ?? found;
    return sessions.open(request, { id: params.sessionId, record });
  }

  return {
    async newSession(params, { afterResponse }) {
      const session = await sessions.open(readRequest(params));
      afterResponse(() => void session.announce());
      return { sessionId: session.id, ...(await session.describe()) };
    },
    async loadSession(params, { afterResponse }) {
      const session = await reopen(params);
      await session.replay();
      afterResponse(() => void session.announce());
      return session.describe();
    },
    async resumeSession(params, { afterResponse }) {
      const session = await reopen(params);
      afterResponse(() => void session.announce());
      return session.describe();
    },
    async forkSession(params, { afterResponse }) {
      const request = readRequest(params);
      const { runtime, blueprint } = await host.open();
      const source = await runtime.store.newestInLineage(params.sessionId);
      if (source === undefined) throw unknownSession(params.sessionId);
      const record = await branchSession(runtime, source.id, blueprint.source);
      const session = await sessions.open(request, { id: record.id, record });
      afterResponse(() => void session.announce());
      return { sessionId: session.id, ...(await session.describe()) };
    },
  };
}

type UseHandlers = Omit<AcpHandlers, 'initialize' | 'authenticate' | OpenMethods>;

/** The methods for sessions that exist. */
function createUseHandlers({ host }: SessionsOptions, sessions: OpenSessions): UseHandlers {
  return {
    async listSessions({ cwd, cursor }) {
      const { store } = (await host.open()).runtime;
      return listPage(store, cwd ?? undefined, readCursor(cursor ?? undefined));
    },
    async closeSession({ sessionId }) {
      sessions.find(sessionId);
      await sessions.close(sessionId);
    },
    async deleteSession({ sessionId }) {
      const { store } = (await host.open()).runtime;
      const isOpen = sessions.get(sessionId) !== undefined;
      await sessions.close(sessionId);
      // A session without messages is not stored.
      if (!isOpen && (await store.newestInLineage(sessionId)) === undefined) throw unknownSession(sessionId);
      await deleteChain(store, sessionId);
    },
    async setTitle({ sessionId, title }) {
      const { conversation, updateTitle } = sessions.find(sessionId);
      const { store } = (await host.open()).runtime;
      if ((await store.getSession(conversation.sessionId)) === undefined)
        throw new AcpFailure('internal', 'The session has no messages yet, so it cannot have a title.');
      await store.setSessionTitle(conversation.sessionId, title);
      await updateTitle();
      return { title: (await store.getSession(conversation.sessionId))?.title ?? '' };
    },
    setMode: async ({ sessionId, modeId }) => sessions.find(sessionId).setMode(modeId),
    setConfigOption: async ({ sessionId, configId, value }) => ({
      configOptions: await sessions.find(sessionId).setOption(configId, value),
    }),
    prompt: async (params, { signal }) => sessions.find(params.sessionId).prompt(params, signal),
    cancel: (sessionId) => sessions.get(sessionId)?.cancel(),
  };
}

type OpenParams = { cwd: string; additionalDirectories?: string[]; mcpServers?: McpServer[] };

function readRequest({ cwd, additionalDirectories = [], mcpServers = [] }: OpenParams): OpenRequest {
  for (const path of [cwd, ...additionalDirectories])
    if (!isAbsolute(path)) throw new AcpFailure('invalidParams', `The path "${path}" is not absolute.`);
  return { workingDirectory: cwd, additionalDirectories, servers: mcpServers };
}

/** The id by which clients know a session: that of the first session of its chain, which compression never changes. */
async function stableId(store: SessionStore, record: SessionRecord): Promise<string> {
  if (record.parentSessionId === undefined) return record.id;
  return (await findChain(store, record))[0]?.id ?? record.id;
}

async function listPage(store: SessionStore, cwd: string | undefined, offset: number) {
  const sessions: SessionInfo[] = [];
  let at = offset;
  for (;;) {
    const page = await store.listSessions({ limit: PAGE, offset: at, newestOnly: true });
    for (const record of page) {
      at += 1;
      const { origin, title, preview, lastActiveAt } = record;
      // Sessions of jobs and background turns are not conversations, and the protocol requires a directory.
      if (origin === undefined || origin.kind === 'background') continue;
      if (cwd !== undefined && origin.workingDirectory !== cwd) continue;
      sessions.push({
        sessionId: await stableId(store, record),
        cwd: origin.workingDirectory,
        title: title ?? preview,
        updatedAt: new Date(lastActiveAt).toISOString(),
      });
      if (sessions.length === PAGE) return { sessions, nextCursor: String(at) };
    }
    if (page.length < PAGE) return { sessions };
  }
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const offset = Number(cursor);
  if (Number.isSafeInteger(offset) && offset >= 0) return offset;
  throw new AcpFailure('invalidParams', `The cursor "${cursor}" is not one of this list.`);
}
