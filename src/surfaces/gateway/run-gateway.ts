import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { ConfigurationError, startTimer } from '../../base/index.ts';
import { type GatewaySettings, loadGatewaySettings, webhookUrl } from '../../config/gateway/index.ts';
import { type EnvironmentVariables, resolveHome, type TerminalSettings, withSandbox } from '../../config/index.ts';
import { findSandboxProblem } from '../../environments/index.ts';
import type { Channel, Messaging } from '../../contracts/index.ts';
import { openChannels, openWebhookChannel, PLATFORMS } from '../../platforms/index.ts';
import { createRuntime, loadModels, type Runtime } from '../../runtime/index.ts';
import { startScheduler } from '../../schedules/index.ts';
import { isInside, settlesWithin } from '../../util/index.ts';
import { processName } from '../../util/process-name.ts';
import {
  addPluginCommands,
  addQuickCommands,
  createSlashRegistry,
  SLASH_COMMANDS,
  type SlashRegistry,
} from '../slash/index.ts';
import type { AccountStatus } from './accounts/account-runner.ts';
import { PLAIN } from './chats/chat-commands.ts';
import type { ChatRules } from './chats/chat-host.ts';
import { runBootFile } from './boot.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { openChatJobs } from './jobs/chat-jobs.ts';
import { DELIVERY_MS, schedulingOf } from './jobs/job-scheduling.ts';
import { findGatewayHooks, type GatewayHooks, startGatewayHooks } from './hooks/gateway-hooks.ts';
import type { AccessRules } from './people/access.ts';
import { startStateFile } from './status/state-file.ts';
import { onlyAnswers, WEBHOOK_ACCESS } from './webhooks.ts';

export type RunGatewayOptions = {
  env: EnvironmentVariables;
  workingDirectory: string;
  version: string;
  /** Aborting it lets running turns end and then stops the gateway. */
  signal: AbortSignal;
  onStatus(status: AccountStatus): void;
  /** Called with what people should know at the start. */
  onNotice(notice: string): void;
  /** Called with settings and files that are not valid and were ignored. */
  onProblem(problem: string): void;
  /** Starts other servers of the same process, on the services of the gateway. They stop first. */
  startServer?(parts: ServerParts): Promise<RunningServer | undefined>;
};

/** What another server of the process can use. `messaging` resolves when the gateway has started. */
type ServerParts = { runtime: Runtime; settings: GatewaySettings; messaging(): Promise<Messaging> };

/** A server that runs next to the gateway. */
type RunningServer = { close(graceMs: number): Promise<void> };

/** How long running turns may take to end. */
const DRAIN_MS = 60_000;
/** How long jobs wait for the platforms at the start. */
const CONNECT_MS = 10_000;

/** Runs the gateway until the signal is aborted. */
export async function runGateway(options: RunGatewayOptions): Promise<void> {
  const { env, signal } = options;
  const home = resolveHome(env);
  const initial = await loadGatewaySettings({ home, env, platforms: PLATFORMS });
  const runtime = await openRuntime(options, initial, home);
  const { clock, logger } = runtime;
  // Platforms of plugins are known when the plugins are loaded.
  const known = [...PLATFORMS, ...(await runtime.plugins.platforms())];
  const readSettings = () => loadGatewaySettings({ home, env, platforms: known });
  const settings = known.length === PLATFORMS.length ? initial : await readSettings();
  warnWithoutPlatforms(settings, options);
  let running: Gateway | undefined;
  let jobsRunning = () => 0;
  const stateFile = startStateFile({ home, clock, logger, gateway: () => running, jobs: () => jobsRunning() });
  const started = Promise.withResolvers<Gateway>();
  let server: RunningServer | undefined;
  try {
    const messaging = async () => (await started.promise).messaging;
    server = await options.startServer?.({ runtime, settings, messaging });
    const channels = (await Promise.all(settings.platforms.map((each) => openChannels(each, known)))).flat();
    channels.push(...(await openWebhooks(options, settings, { runtime, gateway: started.promise })));
    const jobs = openChatJobs(runtime, options);
    const hooks = startGatewayHooks(await findGatewayHooks(home), logger);
    const gateway = await startGateway({
      runtime,
      registry: openRegistry(runtime, settings, options.onProblem),
      channels,
      rules: toRules(settings, runtime),
      owner: processName(),
      version: options.version,
      maxChats: settings.maxTurns,
      media: { transcription: settings.transcription, folders: settings.mediaFolders },
      onStatus(status) {
        stateFile.wake();
        options.onStatus(status);
      },
      hooks,
      readHomes: async () => homesOf(await readSettings()),
      jobsOf: jobs.jobsOf,
      onProblem: options.onProblem,
    });
    started.resolve(gateway);
    running = gateway;
    stateFile.wake();
    // Answers can be delivered only when the accounts of the platforms are known.
    await Promise.race([settlesWithin(gateway.started, CONNECT_MS), aborted(signal)]);
    const scheduling = { messaging: gateway.messaging, deliveryMs: DELIVERY_MS.gateway };
    const scheduler = startScheduler(schedulingOf(runtime, await jobs.open(gateway.messaging), scheduling));
    jobsRunning = () => scheduler.running;
    const booting = gateway.started.then(() => announceStart(runtime, gateway, { hooks, signal }));
    await aborted(signal);
    // First the jobs: their last answers are delivered by the gateway.
    const elapsed = startTimer(clock);
    await Promise.all([server?.close(DRAIN_MS / 2), scheduler.close(DRAIN_MS / 2)]);
    await gateway.close(Math.max(0, DRAIN_MS - elapsed()));
    await booting;
    await hooks.close();
  } finally {
    // Has no effect if it was closed above.
    await server?.close(0);
    await stateFile.close();
    await runtime.close();
  }
}

function warnWithoutPlatforms(
  { platforms, webhooks, apiServer }: GatewaySettings,
  { onNotice }: RunGatewayOptions,
): void {
  if (platforms.length > 0 || webhooks.isEnabled || apiServer.isEnabled) return;
  onNotice('No messaging platform is configured, so only scheduled jobs run. `hermes gateway setup` connects one.');
}

type WebhookParts = { runtime: Runtime; gateway: Promise<Gateway> };

/** The webhook server, if it is enabled. Its answers can go to the other platforms of the gateway. */
async function openWebhooks(
  { env, onNotice, onProblem }: RunGatewayOptions,
  { webhooks }: GatewaySettings,
  { runtime, gateway }: WebhookParts,
): Promise<Channel[]> {
  if (!webhooks.isEnabled) return [];
  const { clock, logger } = runtime;
  const channel = await openWebhookChannel({
    settings: webhooks,
    home: runtime.blueprint.settings.home,
    variables: env,
    clock,
    logger,
    forward: async (message) => (await gateway).forward(message),
    onProblem,
    onListening: (port) => onNotice(`Webhooks: ${webhookUrl({ ...webhooks, port }, 'ROUTE')}`),
  });
  return [channel];
}

type Starting = { hooks: GatewayHooks; signal: AbortSignal };

async function announceStart(runtime: Runtime, gateway: Gateway, { hooks, signal }: Starting): Promise<void> {
  if (signal.aborted) return;
  const connected = gateway.status().filter(({ state }) => state === 'connected');
  hooks.emit('gateway:startup', { platforms: connected.map(({ platform }) => platform) });
  await runBootFile(runtime, gateway.messaging, signal);
}

/** The runtime of agents whose users may be far away. */
export async function openRuntime(
  { env, workingDirectory, onNotice }: Pick<RunGatewayOptions, 'env' | 'workingDirectory' | 'onNotice'>,
  { isBackendChosen }: GatewaySettings,
  home: string,
): Promise<Runtime> {
  const { settings, models } = await loadModels({ home, env });
  if (models === undefined)
    throw new ConfigurationError('No model is configured.', { hint: 'Run `hermes setup` first.' });
  const { terminal, notice } = isBackendChosen
    ? { terminal: settings.terminal, notice: `Commands run in: ${settings.terminal.backend} (terminal.backend).` }
    : await chooseTerminal(settings.terminal, { env, workingDirectory });
  onNotice(notice);
  return createRuntime({
    settings: { ...settings, terminal },
    routes: models.routes,
    auxiliaryRoutes: models.auxiliaryRoutes,
    workingDirectory,
    source: 'gateway',
    attended: true,
  });
}

/** Text of strangers can reach the gateway, so commands run in the sandbox unless the user chose something else. */
async function chooseTerminal(
  terminal: TerminalSettings,
  { env, workingDirectory }: Pick<RunGatewayOptions, 'env' | 'workingDirectory'>,
): Promise<{ terminal: TerminalSettings; notice: string }> {
  const problem =
    (await findSandboxProblem(env['PATH']))?.message ??
    (isInside(realpathSync(workingDirectory), realpathSync(homedir()))
      ? `${workingDirectory} contains your home directory`
      : undefined);
  if (problem === undefined)
    return {
      terminal: withSandbox(terminal, true),
      notice: `Commands run in the sandbox: only ${workingDirectory} can be changed. Set terminal.backend to change this.`,
    };
  return { terminal, notice: `Commands run on this machine without a sandbox, because ${problem}.` };
}

function homesOf({ platforms }: GatewaySettings): Map<string, string> {
  return new Map(platforms.flatMap(({ name, homeChannel }) => (homeChannel ? [[name, homeChannel]] : [])));
}

/** The commands of chats: built-in ones, those of the owner and those of plugins. */
function openRegistry(
  runtime: Runtime,
  { quickCommands, problems }: GatewaySettings,
  onProblem: (problem: string) => void,
): SlashRegistry {
  const registry = createSlashRegistry(SLASH_COMMANDS);
  for (const problem of problems) onProblem(problem);
  addQuickCommands({ registry, surface: 'gateway' }, quickCommands, onProblem);
  const print = (text: string) => onProblem(text.trim());
  void addPluginCommands({ registry, runtime, print, style: PLAIN }).catch((thrown: unknown) =>
    runtime.logger.error('could not add the commands of plugins', {}, thrown),
  );
  return registry;
}

function toRules(settings: GatewaySettings, { blueprint }: Runtime): ChatRules {
  return {
    keys: { groupPerUser: settings.groupSessionsPerUser, threadPerUser: settings.threadSessionsPerUser },
    busyMode: blueprint.settings.busyInputMode ?? 'interrupt',
    access: new Map<string, AccessRules>([
      ...settings.platforms.map((platform) => [platform.name, platform] as const),
      ['webhook', WEBHOOK_ACCESS],
    ]),
    mentions: new Map(settings.platforms.map(({ name, mentions }) => [name, mentions])),
    resets: settings.resets,
    keepOpenMs: settings.keepOpenSeconds * 1000,
    displayOf(platform) {
      const display = settings.displayOf(platform);
      return platform === 'webhook' ? onlyAnswers(display) : display;
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
