import type { InitializeRequest, InitializeResponse } from '@agentclientprotocol/sdk';
import { errorMessage } from '../../base/index.ts';
import type { EnvironmentVariables } from '../../config/index.ts';
import type { Runtime } from '../../runtime/index.ts';
import { describeError, noModel } from './acp-failure.ts';
import { createHost } from './acp-host.ts';
import type { AcpClient, AcpConnectionOptions, AcpHandlers } from './acp-server-protocol.ts';
import type { ClientFacts } from './acp-session.ts';
import { createSessions } from './acp-sessions.ts';

export type AcpServerOptions = {
  env: EnvironmentVariables;
  workingDirectory: string;
  version: string;
  protocolVersion: number;
  /** Called once with the runtime, as soon as it is open. */
  onOpened(runtime: Runtime): void;
};

export type AcpServer = Pick<AcpConnectionOptions, 'handlers' | 'describeError'> & {
  /** Interrupts all turns and closes everything. */
  close(): Promise<void>;
};

/** The agent side of the protocol, for one client. */
export function createAcpServer(options: AcpServerOptions): AcpServer {
  const { env, workingDirectory, version } = options;
  let opened: Runtime | undefined;
  let facts: ClientFacts = NO_FACTS;
  let sessions: ReturnType<typeof createSessions> | undefined;
  const host = createHost({
    env,
    workingDirectory,
    onTitle: (sessionId) => void sessions?.updateTitle(sessionId).catch(() => undefined),
    onOpened(runtime) {
      opened = runtime;
      options.onOpened(runtime);
    },
    onCommands: () => void sessions?.announceAll(),
  });

  function handlers(client: AcpClient): AcpHandlers {
    const all = createSessions({ host, client, version, facts: () => facts });
    sessions = all;
    return {
      ...all.handlers,
      async initialize(params, { afterResponse }) {
        facts = readFacts(params);
        // The first session is then opened faster. A problem is reported when a session is opened.
        afterResponse(() => void host.open().catch(() => undefined));
        return describeAgent(params, options);
      },
      async authenticate() {
        await host.open();
      },
    };
  }

  return {
    handlers,
    describeError: (thrown) =>
      describeError(thrown, (bug) => opened?.logger.error('internal error', { reason: errorMessage(bug) }, bug)),
    async close() {
      await sessions?.close();
      await host.close();
    },
  };
}

const NO_FACTS: ClientFacts = {
  views: { notices: false, compaction: false },
  hasForms: false,
  isUnstable: false,
  readsFiles: false,
  writesFiles: false,
};

function readFacts({ clientCapabilities: client }: InitializeRequest): ClientFacts {
  return {
    views: { notices: isThere(client?.session?.notices), compaction: isThere(client?.session?.compaction) },
    hasForms: isThere(client?.elicitation?.form),
    isUnstable: announcesUnstable(client),
    readsFiles: client?.fs?.readTextFile === true,
    writesFiles: client?.fs?.writeTextFile === true,
  };
}

function isThere(capability: object | null | undefined): boolean {
  return capability !== undefined && capability !== null;
}

function describeAgent(
  { clientCapabilities: client }: InitializeRequest,
  { version, protocolVersion }: AcpServerOptions,
): InitializeResponse {
  const unstable = announcesUnstable(client) ? { fork: {}, title: {} } : {};
  return {
    protocolVersion,
    agentInfo: { name: 'hermes-agent-ts', title: 'Hermes', version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: {
        list: {},
        resume: {},
        close: {},
        delete: {},
        additionalDirectories: {},
        ...unstable,
      },
    },
    authMethods: [
      client?.auth?.terminal === true
        ? { type: 'terminal', ...SETUP, args: ['--setup'] }
        : { ...SETUP, description: noModel().hint ?? '' },
    ],
  };
}

const SETUP = { id: 'hermes-setup', name: 'Connect a model', description: 'Choose a provider and a model.' } as const;

/** The unstable methods have no capability of the client, so a client asks for them in `_meta`. */
function announcesUnstable(client: InitializeRequest['clientCapabilities']): boolean {
  return client?._meta?.['unstable'] === true;
}
