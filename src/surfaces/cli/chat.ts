import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type AttachedFile, ConfigurationError } from '../../base/index.ts';
import { homePaths, loadSettings, resolveHome, withSandbox } from '../../config/index.ts';
import type { AuxiliaryRoutes, RouteSource } from '../../contracts/index.ts';
import { describeRoutes, type RouteFlags } from '../../providers/index.ts';
import { type LoadedModels, loadModels } from '../../runtime/index.ts';
import { findOriginal } from '../../store/sqlite/index.ts';
import type { AnswerSchema } from '../../runtime/answer-schema/index.ts';
import type { ChatOptions } from './chat-options.ts';
import { type CliIo, isTerminal } from './cli-io.ts';
import type { CliRun } from './cli-run.ts';
import { joinPrompt, readInput } from './read-input.ts';
import { startNotices } from './original/start-notices.ts';
import { writeNotice } from './report-error.ts';
import { runOnce } from './run-once.ts';

/** A run with the files that were read beforehand: attachments of the first message, and the answer schema. */
type ChatRun = CliRun & { attachments: readonly AttachedFile[]; schema?: AnswerSchema };

/** Everything a chat needs before its first turn. */
export type ChatStart = ChatRun & {
  options: ChatOptions;
  settings: LoadedModels['settings'];
  routes: readonly RouteSource[];
  /** Absent for the demo, which has no auxiliary models. */
  auxiliaryRoutes?: AuxiliaryRoutes;
  warnings: readonly string[];
  /** Finds the notices that are shown once. Called after the start, because it loads more code. */
  findNotices?(): Promise<readonly string[]>;
  /** The worktree to work in, instead of the directory in which Hermes was started. */
  worktree?: ChatWorktree;
};

export type ChatWorktree = { directory: string; noteSession(sessionId: string): void };

/** How long Hermes waits for a prompt on stdin before it shows the tour, if nothing is configured. */
const TOUR_INPUT_TIMEOUT_MS = 3_000;

/** `hermes` and `hermes chat`: an interactive chat in a terminal, otherwise one answer. */
export async function chat(options: ChatOptions, run: CliRun): Promise<number> {
  if (options.usageFile !== undefined) {
    const { assertUsageFileWritable } = await import('./usage-file.ts');
    await assertUsageFileWritable(options.usageFile, run.io.workingDirectory);
  }
  if (options.selectsSession) (await import('./terminal/select-session.ts')).requireSelectable(options, run.io);
  const attachments = await readAttachments(options, run);
  const { schema, ...files } = await readNamedFiles(options, run);
  return start({ ...options, ...files }, { ...run, attachments, ...(schema && { schema }) });
}

/** Fails before anything else is started if a file is missing or invalid. */
async function readNamedFiles(
  { queryFile, outputSchema }: ChatOptions,
  { io }: CliRun,
): Promise<{ prompt?: string; schema?: AnswerSchema }> {
  const { workingDirectory } = io;
  return {
    ...(outputSchema !== undefined && {
      schema: await (await import('./read-schema.ts')).readAnswerSchema(outputSchema, workingDirectory),
    }),
    ...(queryFile !== undefined && { prompt: await (await import('./read-prompt.ts')).readPrompt(queryFile, io) }),
  };
}

/** Attachments are read first, so that a missing file does not cost a request. */
async function readAttachments({ images }: ChatOptions, { io }: CliRun): Promise<readonly AttachedFile[]> {
  if (images.length === 0) return [];
  const { readFiles } = await import('./attachments/read-files.ts');
  return readFiles(images, io.workingDirectory);
}

async function start(options: ChatOptions, run: ChatRun): Promise<number> {
  const { io } = run;
  await io.earlyInput?.readKeys();
  const home = resolveHome(io.env);
  const wantsDemo = options.provider === 'demo';
  const flags = wantsDemo ? {} : { provider: options.provider, model: options.model };
  const found = await loadForChat({ home, env: io.env, flags }, wantsDemo).catch(async (thrown: unknown) => {
    await checkArguments(options, run);
    throw thrown;
  });
  const terminal = withSandbox(found.settings.terminal, options.sandbox);
  const loaded = { ...found, settings: { ...found.settings, terminal } };
  const inTerminal = isTerminal(io) && !options.once;

  if (wantsDemo) return startDemo(options, run, loaded, inTerminal);
  if (loaded.models === undefined) return startWithoutModel(options, run, loaded, inTerminal);
  const { routes, warnings, auxiliaryRoutes } = loaded.models;
  if (options.verbose && !options.quiet) await printModel(run, loaded.settings, flags);
  const ready = { ...run, options, settings: loaded.settings, routes, auxiliaryRoutes, warnings };
  return startInWorktree(await withOriginal(ready, inTerminal), inTerminal);
}

/**
 * Offers to import the sessions of the original, and prepares the notices that are shown once. They are determined
 * after the start, because that loads more code.
 */
async function withOriginal(ready: ChatStart, inTerminal: boolean): Promise<ChatStart> {
  const { home, storage } = ready.settings;
  const find = async () =>
    storage === undefined && existsSync(join(home, 'state.db')) ? findOriginal(home) : undefined;
  const database = inTerminal ? await find() : undefined;
  let { io } = ready;
  if (database !== undefined) {
    const { offerImport } = await import('./original/offer-import.ts');
    // The question has replaced the input line that was shown early.
    if (await offerImport(io, home, database)) io = Object.create(io, { earlyInput: { value: undefined } }) as CliIo;
  }
  const findNotices = async () => startNotices(ready.settings, inTerminal ? database : await find());
  return { ...ready, io, findNotices };
}

async function startInWorktree(given: ChatStart, inTerminal: boolean): Promise<number> {
  const ready = given.options.selectsSession ? await selectSession(given) : given;
  if (ready === undefined) return 0;
  const open = (chosen: ChatStart) => (inTerminal ? openTerminal(chosen) : answerOnce(chosen));
  const { worktree, resume, continueLatest } = ready.options;
  // A resumed session may have been started in a worktree.
  const isResumed = resume !== undefined || continueLatest;
  const mayHaveOne = worktree || (isResumed && existsSync(homePaths(ready.settings.home).worktreesFolder));
  if (!mayHaveOne) return open(ready);
  const { withWorktree } = await import('./worktree/with-worktree.ts');
  return withWorktree(ready, open);
}

/** Undefined if the user left the list of sessions. */
async function selectSession(given: ChatStart): Promise<ChatStart | undefined> {
  const selected = await (await import('./terminal/select-session.ts')).selectSession(given);
  return selected === undefined ? undefined : { ...given, options: { ...given.options, resume: selected } };
}

/** Written to stderr, so that stdout contains only the answer. */
async function printModel({ io }: CliRun, settings: LoadedModels['settings'], flags: RouteFlags): Promise<void> {
  const { formatRouteLine } = await import('./status/format-status.ts');
  const [primary] = await describeRoutes(settings, flags);
  if (primary !== undefined) writeNotice(io, formatRouteLine(primary));
}

/** A wrong argument is reported before a missing model or key, so that it need not be found twice. */
async function checkArguments(options: ChatOptions, { io }: CliRun): Promise<void> {
  const { toolsets, skills, resume } = options;
  if (toolsets === undefined && skills === undefined && resume === undefined) return;
  const { checkChatArguments } = await import('./check-chat-arguments.ts');
  await checkChatArguments(options, io);
}

/** The demo needs no model, so an invalid model configuration does not prevent it. */
async function loadForChat(request: Parameters<typeof loadModels>[0], wantsDemo: boolean): Promise<LoadedModels> {
  if (!wantsDemo) return loadModels(request);
  return { settings: await loadSettings(request), models: undefined };
}

async function startDemo(
  options: ChatOptions,
  run: ChatRun,
  loaded: LoadedModels,
  inTerminal: boolean,
): Promise<number> {
  const { createDemoRoute } = await import('./demo/demo-route.ts');
  const routes = [createDemoRoute({ slowly: inTerminal })];
  return startInWorktree({ ...run, options, settings: loaded.settings, routes, warnings: [] }, inTerminal);
}

/**
 * No model is configured. In a terminal, ask what to do; without a prompt, show the tour; otherwise fail rather than
 * answer with the demo model.
 */
async function startWithoutModel(
  options: ChatOptions,
  run: ChatRun,
  loaded: LoadedModels,
  inTerminal: boolean,
): Promise<number> {
  const { io } = run;
  await checkArguments(options, run);
  if (inTerminal) {
    const { chooseFirstStart } = await import('./setup/choose-first-start.ts');
    // A signal ends the process here, because nothing has to be saved yet.
    const choice = await chooseFirstStart(io, loaded.settings.home, new AbortController().signal);
    if (choice === 'leave') return 0;
    if (choice === 'demo') return startDemo(options, run, loaded, true);
    return start(options, run);
  }
  const wants = options.prompt ?? options.resume ?? options.images[0];
  const idle = !options.once && wants === undefined && !options.continueLatest;
  if (idle && (await readInput(io, { timeoutMs: TOUR_INPUT_TIMEOUT_MS })).trim() === '') {
    const { showTour } = await import('./demo/tour.ts');
    return showTour(run, loaded.settings);
  }
  const model = options.model ?? loaded.settings.model.model;
  if (model !== undefined && options.provider === undefined) {
    throw new ConfigurationError(`No provider is set for the model "${model}".`, {
      hint: 'Pass --provider, or run `hermes setup` to connect one.',
    });
  }
  throw new ConfigurationError('No model is configured.', {
    hint: 'Run `hermes setup` to connect one, or try `hermes --provider demo` for a scripted demo.',
  });
}

async function answerOnce(ready: ChatStart): Promise<number> {
  const { options, io, lines } = ready;
  if (options.inputFormat === 'stream-json' && lines !== undefined) {
    const { runStream } = await import('./stream/run-stream.ts');
    return runStream(ready, lines, options.prompt?.trim() ?? '');
  }
  const prompt = joinPrompt(options.prompt, options.queryFile === '-' ? '' : await readInput(io));
  if (prompt === '' && ready.attachments.length === 0) {
    throw new ConfigurationError('No prompt was given.', {
      hint: 'Pass it in quotes, with -q or -z, or on standard input; see `hermes --help`.',
    });
  }
  return runOnce(ready, prompt);
}

async function openTerminal(ready: ChatStart): Promise<number> {
  await ready.io.earlyInput?.readKeys();
  const { runTerminal } = await import('./terminal/run-terminal.ts');
  return runTerminal(ready);
}
