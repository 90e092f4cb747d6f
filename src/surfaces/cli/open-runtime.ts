import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createRuntime, type Runtime } from '../../runtime/index.ts';
import type { ChatOptions } from './chat-options.ts';
import type { ChatStart } from './chat.ts';

async function assertServersUsable(runtime: Runtime): Promise<void> {
  try {
    await (await import('./mcp/report-servers.ts')).assertServersUsable(runtime.servers);
  } catch (thrown) {
    await runtime.close();
    throw thrown;
  }
}

function hasFlags({ flags = {} }: ChatOptions): boolean {
  const { allowedTools, disallowedTools, addDir, appendSystemPrompt, systemPromptFile } = flags;
  const given = [allowedTools, disallowedTools, addDir, appendSystemPrompt, systemPromptFile];
  return given.some((value) => value !== undefined);
}

async function assertSamePrompt(runtime: Runtime, options: ChatOptions): Promise<void> {
  try {
    await (await import('./session-setup.ts')).assertSamePrompt(runtime, options);
  } catch (thrown) {
    await runtime.close();
    throw thrown;
  }
}

/** With one of these, the agent can send messages to chats. */
const BOT_TOKENS = ['TELEGRAM_BOT_TOKEN', 'DISCORD_BOT_TOKEN', 'SLACK_BOT_TOKEN'];

/** Creates the runtime of a chat from its options. */
export async function openRuntime(
  { options, io, uncaughtErrors, exits, ...start }: ChatStart,
  attended: boolean,
): Promise<Runtime> {
  const setup = hasFlags(options)
    ? await (await import('./session-setup.ts')).readSetup(options, io, start.settings)
    : {};
  const runtime = await createRuntime({
    ...setup,
    settings: start.settings,
    routes: start.routes,
    auxiliaryRoutes: start.auxiliaryRoutes,
    workingDirectory: start.worktree?.directory ?? io.workingDirectory,
    ...(start.worktree && { onSessionOpened: start.worktree.noteSession }),
    source: options.source ?? 'cli',
    surface: 'cli',
    attended,
    maxTurns: options.maxTurns,
    toolsets: options.toolsets,
    yolo: options.yolo,
    plan: options.plan,
    ...(options.checkpoints && { checkpoints: true }),
    ...(options.saveTrajectories && { saveTrajectories: true }),
    ...(options.trajectoryFile !== undefined && { trajectoryFile: options.trajectoryFile }),
    // Not the worktree, which may be removed before anyone reads the trajectories.
    trajectoryFolder: io.workingDirectory,
    passSessionId: options.passSessionId,
    verbose: options.verbose,
    ...(io.clock && { clock: io.clock }),
  });
  if (BOT_TOKENS.some((name) => start.settings.variables[name])) {
    const { createChatMessaging } = await import('./gateway/chat-messaging.ts');
    runtime.blueprint = { ...runtime.blueprint, messaging: createChatMessaging(runtime, io) };
  }
  const { settings, messaging } = runtime.blueprint;
  // Where neither platforms nor jobs exist, the definition of the tool would be a waste.
  if (attended && (messaging !== undefined || existsSync(join(settings.home, 'cron', 'jobs.json')))) {
    const { createChatJobs } = await import('./cron/chat-jobs.ts');
    runtime.blueprint = { ...runtime.blueprint, jobs: createChatJobs(runtime) };
  }
  uncaughtErrors.ignore = runtime.plugins.handleUnhandledError;
  exits.forced.addEventListener('abort', runtime.environments.killCommands, { once: true });
  if (setup.promptAdditions !== undefined) await assertSamePrompt(runtime, options);
  if (options.strictMcp) await assertServersUsable(runtime);
  return runtime;
}
