import { pathToFileURL } from 'node:url';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import type { Environment } from '../contracts/index.ts';
import { quoteShellWord } from '../util/index.ts';
import { type Connection, type EndCause, openConnection } from './connection.ts';
import { ResponseError } from './pending-requests.ts';
import { type Diagnostic, readDiagnostics } from './read-diagnostics.ts';

export type ServerStart = {
  environment: Environment;
  command: readonly string[];
  /** The root of the project, for the server. */
  root: string;
  initializationOptions?: JsonObject | undefined;
  /** Aborts the start. */
  signal: AbortSignal;
  /** Called once when the server has ended, with the reason as the end of a sentence. */
  onEnded(reason: string, cause: EndCause): void;
};

export type EditedFile = {
  /** Absolute, with links resolved. */
  path: string;
  text: string;
  languageId: string;
};

/** A running language server that reports the diagnostics of files. */
export interface LanguageServer {
  /**
   * Sends the current texts and waits for their diagnostics, in the order of the files; undefined for a file without
   * an answer when the signal is aborted.
   */
  diagnose(files: readonly EditedFile[], signal: AbortSignal): Promise<(readonly Diagnostic[] | undefined)[]>;
  close(): Promise<void>;
}

const INITIALIZE_MS = 60_000;
/** How long a server may take to answer `shutdown`, and then to exit. */
const SHUTDOWN_MS = 300;
/** Some servers publish several times for one change: syntax errors first, then type errors. */
const SETTLE_MS = 200;
/** The server discarded the request because of a change; it can be sent again. */
const RETRY_CODES: readonly (number | undefined)[] = [-32_801, -32_802];

type Document = {
  uri: string;
  version: number;
  /** What the server published by itself, and for which version. */
  published: readonly Diagnostic[];
  onPublished: (() => void) | undefined;
  /** Its diagnostics are waited for, so it must stay open. */
  isBusy: boolean;
};

/** Starts a server in the environment of the agent, so that it has the same restrictions and variables as commands. */
export async function startLanguageServer(start: ServerStart): Promise<LanguageServer> {
  const { environment, command, root, onEnded } = start;
  // Its stderr is for people; the output must contain only the protocol.
  const line = `exec ${command.map(quoteShellWord).join(' ')} 2>/dev/null`;
  const running = await environment.start(line, { workingDirectory: root, killOnExit: true });
  const documents = new Map<string, Document>();
  const ended = new AbortController();
  const connection = openConnection(running, {
    onNotification(method, params) {
      if (method === 'textDocument/publishDiagnostics') publish(documents, params);
    },
    onRequest: (method, params) => answerServer(method, params, root),
    onClosed(reason, cause) {
      ended.abort(new Error(reason));
      onEnded(reason, cause);
    },
  });
  const capabilities = await initialize(connection, start).catch(async (thrown: unknown) => {
    await connection.close('did not initialize');
    throw thrown;
  });
  const pulls = isJsonObject(capabilities['diagnosticProvider']);
  return {
    async diagnose(files, waiting) {
      const signal = AbortSignal.any([waiting, ended.signal]);
      connection.allowOutput();
      const sent = files.map((file) => sendText(connection, documents, file));
      closeOthers(connection, documents);
      return Promise.all(
        sent.map(async (document) => {
          const found = pulls
            ? mergeDiagnostics(await pullDiagnostics(connection, document.uri, signal), document)
            : (await waitUntilPublished(document, signal)) && document.published;
          document.isBusy = false;
          return found || undefined;
        }),
      );
    },
    async close() {
      const signal = AbortSignal.timeout(SHUTDOWN_MS);
      await connection.request('shutdown', null, signal).catch(() => undefined);
      connection.notify('exit', null);
      await Promise.race([running.ended, new Promise((resolve) => setTimeout(resolve, SHUTDOWN_MS).unref())]);
      await connection.close();
    },
  };
}

async function initialize(
  connection: Connection,
  { environment, root, initializationOptions, signal }: ServerStart,
): Promise<JsonObject> {
  const rootUri = uriOf(root);
  const params = {
    // A server on this machine exits by itself if Hermes was killed.
    processId: environment.localFiles === true && environment.sandbox === undefined ? process.pid : null,
    clientInfo: { name: 'hermes' },
    rootUri,
    rootPath: root,
    workspaceFolders: [{ uri: rootUri, name: 'project' }],
    capabilities: CLIENT_CAPABILITIES,
    ...(initializationOptions && { initializationOptions }),
  };
  const answer = await connection.request(
    'initialize',
    params,
    AbortSignal.any([signal, AbortSignal.timeout(INITIALIZE_MS)]),
  );
  connection.notify('initialized', {});
  const capabilities = isJsonObject(answer) ? answer['capabilities'] : undefined;
  return isJsonObject(capabilities) ? capabilities : {};
}

/** Only what diagnostics need. Everything else a server must not ask for. */
const CLIENT_CAPABILITIES: JsonObject = {
  general: { positionEncodings: ['utf-16'] },
  textDocument: {
    synchronization: { didSave: true },
    publishDiagnostics: { versionSupport: true },
    diagnostic: { dynamicRegistration: false },
  },
  workspace: { workspaceFolders: true, configuration: true, applyEdit: false },
};

/** Answers requests of a server. Edits are never applied: only the agent changes files. */
function answerServer(method: string, params: JsonObject, root: string): JsonValue | undefined {
  if (method === 'workspace/configuration') {
    const { items } = params;
    return Array.isArray(items) ? items.slice(0, 100).map(() => null) : [];
  }
  if (method === 'workspace/workspaceFolders') return [{ uri: uriOf(root), name: 'project' }];
  if (method === 'workspace/applyEdit') return { applied: false };
  return /^client\/(?:un)?registerCapability$|^window\/(?:showMessageRequest|workDoneProgress\/create)$/.test(method)
    ? null
    : undefined;
}

/** Sends the whole text, and says that the file was saved. */
function sendText(
  connection: Connection,
  documents: Map<string, Document>,
  { path, text, languageId }: EditedFile,
): Document {
  const uri = uriOf(path);
  const known = documents.get(uri);
  const document: Document = {
    uri,
    version: (known?.version ?? 0) + 1,
    published: [],
    onPublished: undefined,
    isBusy: true,
  };
  documents.set(uri, document);
  const { version } = document;
  if (known === undefined) {
    connection.notify('workspace/didChangeWatchedFiles', { changes: [{ uri, type: 1 }] });
    connection.notify('textDocument/didOpen', { textDocument: { uri, languageId, version, text } });
  } else {
    connection.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] });
  }
  connection.notify('textDocument/didSave', { textDocument: { uri }, text });
  return document;
}

/** Closes files of earlier edits: a command may have changed them since, and a server reads closed files from disk. */
function closeOthers(connection: Connection, documents: Map<string, Document>): void {
  for (const { uri } of [...documents.values()].filter(({ isBusy }) => !isBusy)) {
    documents.delete(uri);
    connection.notify('textDocument/didClose', { textDocument: { uri } });
    connection.notify('workspace/didChangeWatchedFiles', { changes: [{ uri, type: 2 }] });
  }
}

/** Keeps what a server publishes about files that are open; everything else is ignored. */
function publish(documents: ReadonlyMap<string, Document>, params: JsonObject): void {
  const { uri, version, diagnostics } = params;
  const document = typeof uri === 'string' ? (documents.get(uri) ?? documents.get(normalized(uri))) : undefined;
  if (document === undefined || (typeof version === 'number' && version !== document.version)) return;
  document.published = readDiagnostics(diagnostics);
  document.onPublished?.();
}

/** Servers encode some characters of a URI differently, for example `%3A` for a colon. */
function normalized(uri: string): string {
  try {
    return pathToFileURL(decodeURIComponent(new URL(uri).pathname)).href;
  } catch {
    return uri;
  }
}

/** Resolves a moment after the last publication; false if there was none in time. */
function waitUntilPublished(document: Document, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const finish = (isPublished: boolean) => {
      clearTimeout(timer);
      document.onPublished = undefined;
      signal.removeEventListener('abort', abort);
      resolve(isPublished);
    };
    const abort = () => finish(timer !== undefined);
    document.onPublished = () => {
      clearTimeout(timer);
      timer = setTimeout(() => finish(true), SETTLE_MS).unref();
    };
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
}

/** Undefined if the server gave no answer in time. */
async function pullDiagnostics(
  connection: Connection,
  uri: string,
  signal: AbortSignal,
): Promise<readonly Diagnostic[] | undefined> {
  const ask = () => connection.request('textDocument/diagnostic', { textDocument: { uri } }, signal);
  try {
    const answer = await ask().catch((thrown: unknown) => {
      if (thrown instanceof ResponseError && RETRY_CODES.includes(thrown.code)) return ask();
      throw thrown;
    });
    return isJsonObject(answer) ? readDiagnostics(answer['items']) : undefined;
  } catch {
    return undefined;
  }
}

/** Some servers answer with one part of the diagnostics and publish the other. */
function mergeDiagnostics(
  pulled: readonly Diagnostic[] | undefined,
  { published }: Document,
): readonly Diagnostic[] | undefined {
  if (pulled === undefined) return published.length === 0 ? undefined : published;
  const known = new Set(pulled.map((each) => JSON.stringify(each)));
  return [...pulled, ...published.filter((each) => !known.has(JSON.stringify(each)))];
}

function uriOf(path: string): string {
  return pathToFileURL(path).href;
}
