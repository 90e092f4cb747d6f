import type { McpServer, PromptRequest, PromptResponse, SessionUpdate } from '@agentclientprotocol/sdk';
import { errorMessage, HermesError, newId, totalTokens } from '../../base/index.ts';
import type { SessionRecord } from '../../contracts/index.ts';
import { type Conversation, openConversation } from '../../conversations/index.ts';
import { type AgentBlueprint, modeOf, type Runtime, type Services, withBlueprint } from '../../runtime/index.ts';
import { findChain } from '../../runtime/session-chain.ts';
import type { OpenedServers } from '../../runtime/mcp/index.ts';
import { isSlashCommand, type SlashRegistry } from '../slash/index.ts';
import { AcpFailure } from './acp-failure.ts';
import type { AcpClient } from './acp-server-protocol.ts';
import { withEditorFiles } from './client-files.ts';
import { openClientServers } from './client-servers.ts';
import { listCommands, runCommand } from './commands.ts';
import { chooseMode, describeModes, describeOptions, setOption } from './config-options.ts';
import { busy, createPromptRunner, findSummary, type UsageEvent } from './prompt-runner.ts';
import { readPrompt } from './prompt-content.ts';
import { replay } from './replay.ts';
import { chunk, type ClientViews, compressionUpdates, type UpdateContext } from './turn-updates.ts';

/** What the client declared in `initialize`. */
export type ClientFacts = {
  views: ClientViews;
  hasForms: boolean;
  /** Whether it uses the methods and fields that are not part of the stable protocol. */
  isUnstable: boolean;
  readsFiles: boolean;
  writesFiles: boolean;
};

/** What the client asked for when it opened the session. */
export type OpenRequest = {
  workingDirectory: string;
  additionalDirectories: readonly string[];
  servers: readonly McpServer[];
};

export type AcpSessionOptions = OpenRequest & {
  client: AcpClient;
  facts: ClientFacts;
  services: Services;
  blueprint: AgentBlueprint;
  registry: SlashRegistry;
  version: string;
  /** The stored session and the id by which the client knows it; a new session if undefined. */
  stored: { id: string; record: SessionRecord } | undefined;
};

/** A session of the client: a conversation with its own directory, MCP servers and choices. */
export interface AcpSession {
  /** Stays the same when the session is compressed. */
  readonly id: string;
  readonly conversation: Conversation;
  describe(): Promise<{
    modes: ReturnType<typeof describeModes>;
    configOptions: Awaited<ReturnType<typeof describeOptions>>;
  }>;
  /** Sends what the client should know of an opened session: commands, usage, title. */
  announce(): Promise<void>;
  /** Sends the stored messages. */
  replay(): Promise<void>;
  prompt(request: PromptRequest, signal: AbortSignal): Promise<PromptResponse>;
  cancel(): void;
  setMode(mode: string): Promise<void>;
  setOption(id: string, value: unknown): Promise<Awaited<ReturnType<typeof describeOptions>>>;
  /** Sends the title if it has changed. */
  updateTitle(): Promise<void>;
  close(): Promise<void>;
}

export async function openAcpSession(options: AcpSessionOptions): Promise<AcpSession> {
  const { services, stored, workingDirectory } = options;
  const servers = await openClientServers(options.servers, {
    settings: options.blueprint.settings,
    services,
    workingDirectory,
  });
  const late: { id?: string } = {};
  try {
    const blueprint = blueprintOf(options, servers, () => late.id ?? '');
    const runtime = withBlueprint(services, blueprint);
    const conversation = await openConversation({
      services,
      blueprint: () => runtime.blueprint,
      session: stored === undefined ? {} : { resume: stored.record.id },
      // The runner sends it within the same prompt.
      onUndelivered: () => undefined,
    });
    const id = stored?.id ?? conversation.sessionId;
    late.id = id;
    return createSession(options, { id, conversation, runtime, servers });
  } catch (thrown) {
    await servers?.servers.close();
    throw thrown;
  }
}

/** The agent of the session works in its directories, with its servers and the files of the editor. */
function blueprintOf(
  { blueprint, workingDirectory, additionalDirectories, client, facts, services }: AcpSessionOptions,
  servers: OpenedServers | undefined,
  sessionId: () => string,
): AgentBlueprint {
  const { settings } = blueprint;
  const { approvals } = settings;
  const { readsFiles, writesFiles } = facts;
  const files = {
    read: readsFiles ? (path: string) => client.readTextFile(sessionId(), path) : undefined,
    write: writesFiles ? (path: string, text: string) => client.writeTextFile(sessionId(), path, text) : undefined,
  };
  const folders = [workingDirectory, ...additionalDirectories];
  return {
    ...blueprint,
    workingDirectory,
    settings: {
      ...settings,
      approvals: { ...approvals, workspaceRoots: [...(approvals.workspaceRoots ?? []), ...additionalDirectories] },
    },
    sharedFolders: additionalDirectories,
    ...(servers !== undefined && { toolSources: servers.sources }),
    ...((readsFiles || writesFiles) && {
      wrapEnvironment: (environment) => withEditorFiles(environment, files, { folders, logger: services.logger }),
    }),
  };
}

type SessionParts = {
  id: string;
  conversation: Conversation;
  runtime: Runtime;
  servers: OpenedServers | undefined;
};

function createSession(options: AcpSessionOptions, parts: SessionParts): AcpSession {
  const { client, facts, services, workingDirectory } = options;
  const { id, conversation, runtime, servers } = parts;
  const { store, logger } = services;
  const context: UpdateContext = { workingDirectory, views: facts.views };
  const describeAll = () => describeOptions({ runtime, opened: conversation.opened() });
  const usage = createUsage(parts, services, send);
  let title = options.stored?.record.title;

  async function send(...updates: SessionUpdate[]): Promise<void> {
    for (const update of updates) await client.update(id, update);
  }

  async function updateTitle(): Promise<void> {
    const record = await store.getSession(conversation.sessionId);
    if (record === undefined || record.title === title) return;
    ({ title } = record);
    await send({ sessionUpdate: 'session_info_update', title: title ?? null });
  }

  const sendMode = () =>
    send({ sessionUpdate: 'current_mode_update', currentModeId: modeOf(conversation.opened().choices) });
  const sendOptions = async () => send({ sessionUpdate: 'config_option_update', configOptions: await describeAll() });
  const prompts = createPrompts(options, parts, {
    context,
    send,
    usage,
    async afterPlan() {
      await sendMode();
      await sendOptions();
    },
    async afterCommand() {
      await sendMode();
      await sendOptions();
      await updateTitle();
    },
  });

  return {
    id,
    conversation,
    ...prompts,
    updateTitle,
    describe: async () => ({ modes: describeModes(conversation.opened()), configOptions: await describeAll() }),
    async announce() {
      try {
        const availableCommands = await listCommands(runtime, options.registry);
        await send({ sessionUpdate: 'available_commands_update', availableCommands });
        await usage.announce();
      } catch (thrown) {
        logger.warn('could not describe a session to the client', { sessionId: id, reason: errorMessage(thrown) });
      }
    },
    async replay() {
      const record = await store.getSession(conversation.sessionId);
      if (record === undefined) return;
      for await (const update of replay(store, await findChain(store, record), context)) await send(update);
    },
    async setMode(mode) {
      chooseMode(conversation.opened(), mode);
      await sendOptions();
    },
    async setOption(option, value) {
      if (option === 'model' && prompts.isRunning())
        throw new AcpFailure('internal', 'The model cannot be changed while a turn is running.');
      await setOption({ runtime, opened: conversation.opened() }, option, value);
      if (option === 'mode') await sendMode();
      return describeAll();
    },
    async close() {
      await conversation.close();
      await conversation.endSession('closed').catch(() => undefined);
      await servers?.servers.close();
    },
  };
}

type PromptParts = {
  context: UpdateContext;
  usage: ReturnType<typeof createUsage>;
  send(...updates: SessionUpdate[]): Promise<void>;
  /** Called when the user has decided about a plan, which may have changed the mode. */
  afterPlan(): Promise<void>;
  /** Called when a slash command has ended: it may have changed the mode, the model or the title. */
  afterCommand(): Promise<void>;
};

type Prompts = Pick<AcpSession, 'prompt' | 'cancel'> & { isRunning(): boolean };

/** Runs one prompt at a time: a turn, a slash command, or a skill. */
function createPrompts(
  { client, facts, services, registry, version }: AcpSessionOptions,
  { id: sessionId, conversation, runtime }: SessionParts,
  { context, usage, send, afterPlan, afterCommand }: PromptParts,
): Prompts {
  const { store, logger } = services;
  const runner = createPromptRunner({
    sessionId,
    conversation,
    client,
    context,
    hasForms: facts.hasForms,
    reportsUsage: facts.isUnstable,
    store,
    logger,
    send,
    onUsage: usage.add,
    onSubagentCost: usage.addCost,
    onPlanDecided: afterPlan,
  });
  let isRunning = false;
  let isCancelled = false;

  async function runLine(line: string): Promise<PromptResponse> {
    const call = { runtime, registry, conversation, version, lastCall: usage.last };
    const before = conversation.sessionId;
    const { printed, message } = await runCommand(line, call);
    if (conversation.sessionId !== before && context.views.compaction)
      await send(...compressionUpdates(await findSummary({ store }, conversation.sessionId)));
    if (printed !== '') await send(chunk('agent_message_chunk', printed, newId('message')));
    await afterCommand();
    return message === undefined || isCancelled ? { stopReason: 'end_turn' } : runner.run(message);
  }

  async function run({ prompt }: PromptRequest): Promise<PromptResponse> {
    const { text, sent, attachments } = readPrompt(prompt);
    if (isSlashCommand(text) && attachments.length === 0 && sent === undefined) return runLine(text);
    return runner.run({ text, ...(sent !== undefined && { sent }), attachments });
  }

  function steer({ prompt }: PromptRequest): PromptResponse {
    const { text, sent, attachments } = readPrompt(prompt);
    if (attachments.length > 0) throw new HermesError('A message with attachments cannot steer a running turn.');
    if (conversation.steer(sent ?? text)) return { stopReason: 'end_turn', _meta: { steered: true } };
    throw busy();
  }

  function cancel(): void {
    isCancelled = isRunning;
    conversation.interrupt('cancelled in the editor');
  }

  return {
    isRunning: () => isRunning,
    cancel,
    async prompt(request, signal) {
      if (isRunning && request._meta?.['steer'] === true) return steer(request);
      if (isRunning) throw busy();
      isRunning = true;
      isCancelled = false;
      signal.addEventListener('abort', cancel, { once: true });
      try {
        const response = await run(request);
        return isCancelled ? { stopReason: 'cancelled' } : response;
      } catch (thrown) {
        if (isCancelled) return { stopReason: 'cancelled' };
        throw thrown;
      } finally {
        signal.removeEventListener('abort', cancel);
        isRunning = false;
      }
    },
  };
}

/** Tells the client how full the context window is and what the session has cost. */
function createUsage(
  { conversation }: SessionParts,
  { store }: Services,
  send: (update: SessionUpdate) => Promise<void>,
) {
  let last: UsageEvent | undefined;
  /** What the session had cost when it was opened; the calls since are added, because they are stored later. */
  const before = store.sessionSpending(conversation.sessionId).catch(() => ({ usd: 0, unpriced: 1 }));
  let [added, isComplete] = [0, true];

  function addCost({ usd, status }: UsageEvent['cost']): void {
    added += usd;
    isComplete &&= status !== 'unknown';
  }

  async function show(used: number): Promise<void> {
    const size = (await conversation.opened().models.openPrimary())?.contextLength;
    // The protocol requires the size, which is unknown for some models.
    if (size === undefined) return;
    const { usd, unpriced } = await before;
    // A cost that is not complete is not shown.
    const cost = unpriced === 0 && isComplete ? { cost: { amount: usd + added, currency: 'USD' } } : {};
    await send({ sessionUpdate: 'usage_update', used, size, ...cost });
  }

  return {
    last: () => last,
    /** Adds a call of a subagent, which does not fill the context window of the session. */
    addCost,
    async add(event: UsageEvent): Promise<void> {
      last = event;
      addCost(event.cost);
      await show(event.contextTokens);
    },
    /** The state of a stored session. */
    async announce(): Promise<void> {
      const call = await store.getLastCall(conversation.sessionId);
      if (call !== undefined) await show(totalTokens(call.usage));
    },
  };
}
