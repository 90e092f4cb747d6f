import type { McpServer, SessionInfo } from '@agentclientprotocol/sdk';
import { isAbsolute } from 'node:path';
import type { SessionRecord, SessionStore } from '../../contracts/index.ts';
import { branchSession } from '../../runtime/index.ts';
import { AcpFailure, unknownSession } from './acp-failure.ts';
import type { AcpHost, OpenedHost } from './acp-host.ts';
import type { AcpClient, AcpHandlers } from './acp-server-protocol.ts';
import { type AcpSession, type ClientFacts, openAcpSession, type OpenRequest } from './acp-session.ts';
import { findChain } from './replay.ts';

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
  const { host, client, version, facts } = options;
  const open = new Map<string, AcpSession>();

  function find(id: string): AcpSession {
    const session = open.get(id);
    if (session === undefined) throw unknownSession(id);
    return session;
  }

  async function openSession(
    { runtime, blueprint, registry }: OpenedHost,
    request: OpenRequest,
    stored?: { id: string; record: SessionRecord },
  ): Promise<AcpSession> {
    // A client that opens a session again wants it in the state of now.
    if (stored !== undefined) await closeSession(stored.id);
    const parts = { client, facts: facts(), services: runtime, blueprint, registry, version };
    const session = await openAcpSession({ ...parts, ...request, stored });
    open.set(session.id, session);
    return session;
  }

  async function closeSession(id: string): Promise<void> {
    const session = open.get(id);
    open.delete(id);
    await session?.close();
  }

  /** Opens a stored session. It must exist: a client must never continue in an empty one without knowing. */
  async function reopen(params: { sessionId: string } & OpenParams): Promise<AcpSession> {
    const request = readRequest(params);
    const opened = await host.open();
    const { store } = opened.runtime;
    const found = await store.getSession(params.sessionId);
    if (found === undefined || found.isDelegated) throw unknownSession(params.sessionId);
    const record = (await store.newestInLineage(found.id)) ?? found;
    return openSession(opened, request, { id: params.sessionId, record });
  }

  const handlers: AcpSessions['handlers'] = {
    async newSession(params, { afterResponse }) {
      const request = readRequest(params);
      const session = await openSession(await host.open(), request);
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
      const opened = await host.open();
      const { store, clock } = opened.runtime;
      const source = await store.newestInLineage(params.sessionId);
      if (source === undefined) throw unknownSession(params.sessionId);
      const record = await branchSession({ store, clock }, source.id, opened.blueprint.source);
      const session = await openSession(opened, request, { id: record.id, record });
      afterResponse(() => void session.announce());
      return { sessionId: session.id, ...(await session.describe()) };
    },
    async listSessions({ cwd, cursor }) {
      const { runtime } = await host.open();
      return listPage(runtime.store, cwd ?? undefined, readCursor(cursor ?? undefined));
    },
    async closeSession({ sessionId }) {
      find(sessionId);
      await closeSession(sessionId);
    },
    async deleteSession({ sessionId }) {
      const { runtime } = await host.open();
      const isOpen = open.has(sessionId);
      await closeSession(sessionId);
      await deleteChain(runtime.store, sessionId, isOpen);
    },
    async setTitle({ sessionId, title }) {
      const session = find(sessionId);
      const { runtime } = await host.open();
      const stored = session.conversation.sessionId;
      if ((await runtime.store.getSession(stored)) === undefined)
        throw new AcpFailure('internal', 'The session has no messages yet, so it cannot have a title.');
      await runtime.store.setSessionTitle(stored, title);
      await session.updateTitle();
      return { title: (await runtime.store.getSession(stored))?.title ?? '' };
    },
    setMode: async ({ sessionId, modeId }) => find(sessionId).setMode(modeId),
    setConfigOption: async ({ sessionId, configId, value }) => ({
      configOptions: await find(sessionId).setOption(configId, value),
    }),
    prompt: async (params, { signal }) => find(params.sessionId).prompt(params, signal),
    cancel: (sessionId) => open.get(sessionId)?.cancel(),
  };

  return {
    handlers,
    async updateTitle(storedId) {
      const session = [...open.values()].find(({ conversation }) => conversation.sessionId === storedId);
      await session?.updateTitle();
    },
    async announceAll() {
      for (const session of open.values()) await session.announce();
    },
    async close() {
      await Promise.all([...open.keys()].map(closeSession));
    },
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

/** Deletes all sessions of a chain, newest first, so that a branch of one of them prevents only what it needs. */
async function deleteChain(store: SessionStore, sessionId: string, isOpen: boolean): Promise<void> {
  const found = await store.newestInLineage(sessionId);
  if (found === undefined) {
    // A session without messages is not stored.
    if (isOpen) return;
    throw unknownSession(sessionId);
  }
  for (const { id } of (await findChain(store, found)).reverse()) await store.deleteSession(id);
}
