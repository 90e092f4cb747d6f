import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  type AgentEvent,
  ConfigurationError,
  HermesError,
  type InteractionAnswer,
  type JsonObject,
  OWNER,
} from '../../base/index.ts';
import { findRunningTurn, listRunningTurns, openConversation, type RemoteTurn } from '../../conversations/index.ts';
import { type AgentBlueprint, loadModels, openServices, type Services } from '../../runtime/index.ts';
import { builtInTools } from '../../toolbox/index.ts';
import { resolveNames } from '../../tools/index.ts';
import { markFolderOwner, removeAbandonedFolders } from '../../util/index.ts';
import { checkOptions } from './check-options.ts';
import { HermesTool, OWN_TOOLSET } from './define-tool.ts';
import {
  answerQuestions,
  createHermesSession,
  type HermesSession,
  type QuestionHandlers,
  type SendOptions,
  type TurnResult,
} from './hermes-session.ts';
import { createSessionCopies, type SessionCopies, type SessionStorage } from './session-storage.ts';

/** A model in code. `apiKey` is sent to the host of this provider only. */
export type ModelOptions = {
  /** The id of a provider, such as `anthropic` or `openrouter`; `custom` with a `baseUrl` for any other endpoint. */
  provider: string;
  model: string;
  /** By default the environment variable of the provider. */
  apiKey?: string | undefined;
  baseUrl?: string | undefined;
  /** The context window in tokens, if Hermes does not know the model. */
  contextLength?: number;
};

export type HermesOptions = QuestionHandlers & {
  /** The model. Without it, the configured model of `home` is used. */
  model?: ModelOptions;
  /** Models that are tried in this order if `model` fails. */
  fallbacks?: readonly ModelOptions[];
  /**
   * The home directory with configuration, sessions, memory and skills, such as `~/.hermes`. Without it, Hermes reads
   * no files, and its sessions end with the process unless there is a `storage`.
   */
  home?: string;
  /** Sections of config.yaml. Each replaces the whole section of the file. */
  config?: JsonObject;
  /** Keeps the sessions. */
  storage?: SessionStorage;
  /** Where commands run and relative paths start; the current directory by default. */
  workingDirectory?: string;
  /** Tools of this program, made with `defineTool`. */
  tools?: readonly HermesTool[];
  /** Built-in tool sets, such as `file` or `terminal`. By default none, or the configured ones if there is a `home`. */
  toolsets?: readonly string[];
  /** Text for the system prompt of all sessions. */
  instructions?: string;
  /** The source of new sessions, by which `hermes sessions list --source` finds them; `sdk` by default. */
  source?: string;
  /**
   * Whether the program answers questions; by default if it has a callback for them. Set it to answer `request` events
   * with `session.answer`.
   */
  attended?: boolean;
  /** Environment variables, for example with keys; `process.env` by default. */
  env?: Readonly<Record<string, string | undefined>>;
};

export type SessionOptions = {
  /** The id of the session to continue. Rejects if there is none. */
  resume?: string | undefined;
};

/** An embedded Hermes. */
export interface Hermes {
  /** Opens a new session or resumes one. */
  openSession(options?: SessionOptions): Promise<HermesSession>;
  /** Answers one message in a new session. */
  ask<Data>(text: string, options?: SendOptions<Data>): Promise<TurnResult<Data>>;
  /** The sessions in which a turn runs now, in any process that uses the same home. */
  runningSessions(): Promise<readonly string[]>;
  /** Follows and controls a turn that runs in another process; undefined if none runs in the session. */
  findTurn(sessionId: string): Promise<RunningTurn | undefined>;
  /** Things to tell the user, for example about settings that cannot be applied. */
  warnings(): readonly string[];
  /** Closes all sessions, waits for background work, and releases everything. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A turn that runs in another process. The methods resolve to false if it has ended meanwhile. */
export interface RunningTurn {
  readonly sessionId: string;
  /** The newest events of the turn and those that follow, until it ends. */
  events(signal?: AbortSignal): AsyncIterable<AgentEvent>;
  steer(text: string): Promise<boolean>;
  interrupt(reason?: string): Promise<boolean>;
  answer(requestId: string, answer: InteractionAnswer): Promise<boolean>;
}

/** Embeds Hermes in a program. */
export async function createHermes(options: HermesOptions): Promise<Hermes> {
  checkOptions(options);
  const home = openHome(options.home);
  try {
    return await openHermes(options, home);
  } catch (thrown) {
    home.remove();
    throw thrown;
  }
}

async function openHermes(options: HermesOptions, home: OpenedHome): Promise<Hermes> {
  const { env = process.env, storage, tools = [] } = options;
  const workingDirectory = resolve(options.workingDirectory ?? process.cwd());
  const { settings, models } = await loadModels({ home: home.folder, env, config: configOf(options) }).catch(
    (thrown: unknown) => {
      throw options.home === undefined ? explainWithoutHome(thrown, home.folder) : thrown;
    },
  );
  if (models === undefined) throw new ConfigurationError('createHermes: no model is configured.', { hint: MODEL_HINT });
  // Throws if a name is unknown, before anything is open.
  resolveNames({ names: options.toolsets ?? [], location: 'createHermes: toolsets' }, builtInTools());
  requireOwnNames(tools, settings.replaceableTools);
  const services = await openServices({
    settings,
    workingDirectory,
    auxiliaryRoutes: models.auxiliaryRoutes,
    toolSources:
      tools.length === 0
        ? []
        : [{ name: 'program', kind: 'plugin', isDormant: true, tools: () => tools.map(HermesTool.toTool) }],
  });
  const blueprint = blueprintOf(options, { settings, routes: models.routes, workingDirectory });
  const copies = storage && createSessionCopies(storage, services.store);
  const sessions = new Set<HermesSession>();
  let isClosed = false;

  async function openSession({ resume }: SessionOptions = {}): Promise<HermesSession> {
    if (isClosed)
      throw new HermesError('This Hermes was closed.', { hint: 'Call `createHermes` again to open another one.' });
    const onClosed = (closed: HermesSession) => void sessions.delete(closed);
    const session = await openOne(options, { services, blueprint, copies, resume, onClosed });
    sessions.add(session);
    return session;
  }

  async function close(): Promise<void> {
    isClosed = true;
    await Promise.all([...sessions].map((session) => session.close()));
    await services.close();
    home.remove();
  }

  return {
    openSession,
    async ask(text, sendOptions) {
      await using session = await openSession();
      return await session.send(text, sendOptions).result;
    },
    runningSessions: async () => (await listRunningTurns(services)).map(({ sessionId }) => sessionId),
    async findTurn(sessionId) {
      const turn = await findRunningTurn(services, sessionId);
      return turn && toRunningTurn(turn);
    },
    warnings: () => [...settings.warnings, ...models.warnings, ...services.warningsFor(blueprint)],
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Without a home, a hint must not name the files of a private folder that is removed at the end. */
function explainWithoutHome(thrown: unknown, folder: string): unknown {
  if (!(thrown instanceof ConfigurationError) || thrown.hint?.includes(folder) !== true) return thrown;
  return new ConfigurationError(thrown.message, { hint: KEY_HINT, cause: thrown });
}

const KEY_HINT = 'Pass `apiKey` with the model, or set the environment variable of the provider.';

/** Throws if a tool has the name of another one, which the model could not tell from it. */
function requireOwnNames(tools: NonNullable<HermesOptions['tools']>, replaceable: readonly string[] = []): void {
  const taken = new Set(builtInTools().flatMap(({ name }) => (replaceable.includes(name) ? [] : [name])));
  for (const { name } of tools) {
    if (taken.has(name))
      throw new ConfigurationError(`createHermes: tools: there is another tool with the name "${name}".`, {
        hint: 'Choose another name. `hermes tools list` shows those of the built-in tools.',
      });
    taken.add(name);
  }
}

function toRunningTurn(turn: RemoteTurn): RunningTurn {
  return {
    sessionId: turn.sessionId,
    events: turn.events,
    steer: async (text) => (await turn.steer(text, OWNER)) === 'done',
    interrupt: async (reason = 'interrupted by the user') => (await turn.interrupt(reason, OWNER)) === 'done',
    answer: async (requestId, answer) => (await turn.answer(requestId, answer, OWNER)) === 'answered',
  };
}

const MODEL_HINT = 'Pass `model: { provider, model, apiKey }`, or a `home` in which a model is configured.';

type OpenParts = {
  services: Services;
  blueprint: AgentBlueprint;
  copies: SessionCopies | undefined;
  resume: string | undefined;
  onClosed(session: HermesSession): void;
};

async function openOne(options: HermesOptions, { services, blueprint, copies, resume, onClosed }: OpenParts) {
  const { logger, store } = services;
  if (resume !== undefined) await copies?.fetch(resume);
  const { onApproval, onQuestion } = options;
  const conversation = await openConversation({
    services,
    blueprint,
    session: { ...(resume !== undefined && { resume }) },
    busy: 'queue',
    onTurn(turn) {
      if (onApproval === undefined && onQuestion === undefined) return;
      const parts = { conversation, actor: blueprint.actor, logger };
      // A turn that was not started has no questions; its sender gets the error.
      void answerQuestions(turn, options, parts).catch(() => undefined);
    },
  });
  const messagesOf = (sessionId: string) => store.getConversation(sessionId);
  return createHermesSession({ conversation, actor: blueprint.actor, logger, messagesOf, copies, onClosed });
}

function blueprintOf(
  options: HermesOptions,
  parts: Pick<AgentBlueprint, 'settings' | 'routes' | 'workingDirectory'>,
): AgentBlueprint {
  const { home, source = 'sdk', instructions, onApproval, onQuestion } = options;
  const { attended = onApproval !== undefined || onQuestion !== undefined } = options;
  const toolsets = options.toolsets ?? (home === undefined ? [] : undefined);
  return {
    ...parts,
    source,
    surface: 'sdk',
    actor: OWNER,
    attended,
    // Without a home, nothing of the user is read, and no model is called after the turn.
    ...(home === undefined && { impersonal: true, afterTurn: [] }),
    ...(toolsets !== undefined && { toolsets: [...toolsets, OWN_TOOLSET] }),
    ...(instructions !== undefined && { ephemeralSystemPrompt: instructions }),
  };
}

/** The models in code, in the form of config.yaml. */
function configOf({ model, fallbacks, config = {} }: HermesOptions): JsonObject {
  return {
    ...config,
    ...(model !== undefined && { model: toEntry(model, 'default') }),
    ...(fallbacks !== undefined && { fallback_providers: fallbacks.map((each) => toEntry(each, 'model')) }),
  };
}

function toEntry(
  { provider, model, apiKey, baseUrl, contextLength }: ModelOptions,
  key: 'default' | 'model',
): JsonObject {
  return {
    provider,
    [key]: model,
    ...(apiKey !== undefined && { api_key: apiKey }),
    ...(baseUrl !== undefined && { base_url: baseUrl }),
    ...(contextLength !== undefined && { context_length: contextLength }),
  };
}

type OpenedHome = { folder: string; remove(): void };

const FOLDER_PREFIX = 'hermes-sdk-';
const SWEEP_MS = 1000;

/** A program without a home gets a private folder, which is removed at the end. */
function openHome(home: string | undefined): OpenedHome {
  if (home !== undefined) return { folder: resolve(home), remove: () => undefined };
  removeAbandonedFolders(tmpdir(), FOLDER_PREFIX);
  const folder = mkdtempSync(join(tmpdir(), FOLDER_PREFIX));
  markFolderOwner(folder);
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  return {
    folder,
    remove() {
      remove();
      // A file that was being written may have created the folder again.
      setTimeout(remove, SWEEP_MS).unref();
    },
  };
}
