import type { Clock, JsonValue } from '../base/index.ts';
import type { McpServerSettings } from '../config/index.ts';
import type { AuxiliaryModels, Logger } from '../contracts/index.ts';
import { sendServerRequest } from './send-server-request.ts';
import { type Connection, type ConnectionState, createConnection } from './connection.ts';
import { createServerRedactor } from './expand-variables.ts';
import type { ServerCapabilities } from './list-tools.ts';
import { openServer, type ServerContext } from './open-session.ts';
import type { ServerFailure } from './server-failure.ts';
import {
  createServerToolList,
  type ServerToolList,
  type ToolListSource,
  type CachedListState,
} from './server-tool-list.ts';
import { createListRefresher, type ListRefresher } from './list-refresher.ts';
import { findRoots } from './roots.ts';
import { createElicitation, createSampling } from './server-requests.ts';
import type { McpCall, McpTool } from './server-tools.ts';
import type { McpSession, SessionHandlers } from './session.ts';
import { closeWhenIdle, keepAlive } from './session-lifetime.ts';

export type ServerParts = ServerContext & {
  cacheFolder: string;
  /** The models for sampling, for servers that are allowed to use it. */
  auxiliary?: AuxiliaryModels | undefined;
  clock: Clock;
  logger: Logger;
};

export type ServerReport = {
  name: string;
  state: ConnectionState;
  /** Where the tool list came from. */
  list: ToolListSource;
  tools: string[];
  leftOut: ServerCapabilities['leftOut'];
  failure?: ServerFailure;
  /** The first request did not wait for it any longer. */
  isLate?: true;
  serverVersion?: string;
  protocolVersion?: string;
};

/** One server: its connection and its tools. */
export interface McpServer {
  readonly name: string;
  /** The currently known tools, from the server or from the cache. */
  tools(): readonly McpTool[];
  /** Loads the cached tool list. */
  loadCachedTools(): Promise<CachedListState>;
  recordSlow(): Promise<void>;
  /** Connects in the background. Resolves after the first attempt, whether it succeeded or not. */
  connectInBackground(): Promise<void>;
  /** Connects if necessary; throws a `ServerFailure`. */
  connect(signal?: AbortSignal): Promise<void>;
  report(): ServerReport;
  /** Deletes the cached tool list. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

export function createServer(name: string, settings: McpServerSettings, parts: ServerParts): McpServer {
  const { clock, logger, cacheFolder } = parts;
  const [calls, hideSecrets] = [createCallTracker(), createServerRedactor(settings, parts.variables)];
  let latest: McpSession | undefined;
  let refresher: ListRefresher | undefined;

  const list = createServerToolList({
    name,
    settings,
    cacheFolder,
    clock,
    logger,
    async ask(request, call) {
      const answer = await calls.during(call, () =>
        sendServerRequest(connection, { name, settings, hideSecrets, clock }, request, call),
      );
      await refresher?.settled();
      return answer;
    },
  });
  const answering = createRequestHandlers(name, settings, parts, calls.latest);
  const connection = createConnection({
    name,
    clock,
    logger,
    onReady: list.refresh,
    async open(signal, onClosed) {
      const opened: { session?: McpSession } = {};
      // Without a session there is nothing to refresh, because no list was fetched yet.
      const refresh = async () => opened.session && list.refresh(opened.session);
      const changes = createListRefresher(refresh, { server: name, clock, logger });
      refresher?.stop();
      refresher = changes;
      const known = { name, settings, legacy: await list.isLegacy(), onNegotiationFailed: list.recordLegacy };
      const roots = await findRoots(name, settings, parts);
      // Without roots Hermes does not declare that it supports them.
      const listRoots = roots.length === 0 ? undefined : async () => roots;
      const handlers = { ...answering, listRoots, onToolsChanged: changes.scheduleRefresh, onClosed };
      const session = await openServer(known, parts, handlers, signal);
      opened.session = session;
      const kept = settings.url === undefined ? session : keepAlive(session, { settings, clock, onClosed });
      latest = closeWhenIdle(kept, { settings, clock, rest: (idle) => void connection.closeIdle(idle) });
      return latest;
    },
  });

  return {
    name,
    tools: list.tools,
    loadCachedTools: list.loadCache,
    recordSlow: list.recordSlow,
    connectInBackground: connection.connectInBackground,
    async connect(signal) {
      await connection.session(signal);
    },
    report: () => createReport(name, connection, list, latest),
    forget: list.forget,
    close() {
      refresher?.stop();
      return connection.close();
    },
  };
}

/** Tracks running calls: requests of the server to the user or to a model belong to the latest one. */
function createCallTracker() {
  const calls: McpCall[] = [];
  return {
    latest: () => calls.at(-1),
    async during(call: McpCall, act: () => Promise<JsonValue>): Promise<JsonValue> {
      calls.push(call);
      try {
        return await act();
      } finally {
        calls.splice(calls.indexOf(call), 1);
      }
    },
  };
}

function createReport(
  name: string,
  connection: Connection,
  list: ServerToolList,
  session: McpSession | undefined,
): ServerReport {
  const failure = connection.failure();
  return {
    name,
    state: connection.state(),
    list: list.origin(),
    leftOut: list.leftOut(),
    tools: list.tools().map(({ definition }) => definition.name),
    ...(failure && { failure }),
    ...(session && versionsOf(session)),
  };
}

function versionsOf({ serverVersion, protocolVersion }: McpSession) {
  return { ...(serverVersion !== undefined && { serverVersion }), ...(protocolVersion && { protocolVersion }) };
}

/** Handlers for the requests that the server's settings allow. */
function createRequestHandlers(
  serverName: string,
  settings: McpServerSettings,
  { auxiliary, clock }: ServerParts,
  current: () => McpCall | undefined,
): Pick<SessionHandlers, 'sample' | 'elicit'> {
  const caller = () => {
    const call = current();
    return call && { sessionId: call.sessionId, taskId: call.taskId, signal: call.signal };
  };
  const { sampling } = settings;
  return {
    sample: sampling && auxiliary && createSampling({ serverName, settings: sampling, auxiliary, clock, caller }),
    elicit: settings.elicitation ? createElicitation(serverName, () => current()?.interaction) : undefined,
  };
}
