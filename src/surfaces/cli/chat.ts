import { existsSync } from 'node:fs';
import { type AttachedFile, ConfigurationError } from '../../base/index.ts';
import { homePaths, loadSettings, resolveHome } from '../../config/index.ts';
import type { AuxiliaryRoutes, RouteSource } from '../../contracts/index.ts';
import { describeRoutes, type RouteFlags } from '../../providers/index.ts';
import { type LoadedModels, loadModels } from '../../runtime/index.ts';
import type { AnswerSchema } from '../../runtime/answer-schema/index.ts';
import type { ChatOptions } from './chat-options.ts';
import { isTerminal } from './cli-io.ts';
import type { CliRun } from './cli-run.ts';
import { joinPrompt, readInput } from './read-input.ts';
import { runOnce } from './run-once.ts';
import { assertUsageFileWritable } from './usage-file.ts';

/** With what was read before the start: the files that go with the first message, and what the answer has to be. */
type ChatRun = CliRun & { attachments: readonly AttachedFile[]; schema?: AnswerSchema };

/** Everything a chat needs before its first turn. */
export type ChatStart = ChatRun & {
  options: ChatOptions;
  settings: LoadedModels['settings'];
  routes: readonly RouteSource[];
  /** Absent for the demo, which has no second model. */
  auxiliaryRoutes?: AuxiliaryRoutes;
  warnings: readonly string[];
  /** The worktree that it works in, instead of where it was started. */
  worktree?: ChatWorktree;
};

export type ChatWorktree = { directory: string; noteSession(sessionId: string): void };

/** How long a start without any configuration waits for a prompt on a pipe before it shows the tour. */
const TOUR_PATIENCE_MS = 3_000;

/** `hermes` and `hermes chat`: a chat in a terminal, one answer everywhere else. */
export async function chat(options: ChatOptions, run: CliRun): Promise<number> {
  await assertUsageFileWritable(options.usageFile, run.io.workingDirectory);
  const attachments = await readAttached(options, run);
  const { schema, ...files } = await readNamedFiles(options, run);
  return start({ ...options, ...files }, { ...run, attachments, ...(schema && { schema }) });
}

/** Wrong files end the start, before anything else is done. */
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

/** Before anything else: what is asked about a file that is not there should cost nothing. */
async function readAttached({ images }: ChatOptions, { io }: CliRun): Promise<readonly AttachedFile[]> {
  if (images.length === 0) return [];
  const { readFiles } = await import('./attachments/read-files.ts');
  return readFiles(images, io.workingDirectory);
}

async function start(options: ChatOptions, run: ChatRun): Promise<number> {
  const { io } = run;
  const home = resolveHome(io.env);
  const wantsDemo = options.provider === 'demo';
  const flags = wantsDemo ? {} : { provider: options.provider, model: options.model };
  const loaded = await loadForChat({ home, env: io.env, flags }, wantsDemo);
  const inTerminal = isTerminal(io) && !options.once;

  if (wantsDemo) return startDemo(options, run, loaded, inTerminal);
  if (loaded.models === undefined) return startWithoutModel(options, run, loaded, inTerminal);
  const { routes, warnings, auxiliaryRoutes } = loaded.models;
  if (options.verbose && !options.quiet) await sayWhichModel(run, loaded.settings, flags);
  return begin({ ...run, options, settings: loaded.settings, routes, auxiliaryRoutes, warnings }, inTerminal);
}

async function begin(ready: ChatStart, inTerminal: boolean): Promise<number> {
  const open = (chosen: ChatStart) => (inTerminal ? openTerminal(chosen) : answerOnce(chosen));
  const { worktree, resume, continueLatest } = ready.options;
  // A session that is gone on with may have had one.
  const isResumed = resume !== undefined || continueLatest;
  const mayHaveOne = worktree || (isResumed && existsSync(homePaths(ready.settings.home).worktreesFolder));
  if (!mayHaveOne) return open(ready);
  const { withWorktree } = await import('./worktree/with-worktree.ts');
  return withWorktree(ready, open);
}

/** To standard error, so that what reads the answer is not disturbed. */
async function sayWhichModel({ io }: CliRun, settings: LoadedModels['settings'], flags: RouteFlags): Promise<void> {
  const { formatRouteLine } = await import('./status/format-status.ts');
  const [primary] = await describeRoutes(settings, flags);
  if (primary !== undefined) io.stderr.write(`hermes: ${formatRouteLine(primary)}\n`);
}

/** The demo needs no model, so a model that cannot work does not keep it from starting. */
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
  return begin({ ...run, options, settings: loaded.settings, routes, warnings: [] }, inTerminal);
}

/** Nothing is configured: a terminal is asked, an idle start shows what there is, and nobody else gets a stand-in. */
async function startWithoutModel(
  options: ChatOptions,
  run: ChatRun,
  loaded: LoadedModels,
  inTerminal: boolean,
): Promise<number> {
  const { io } = run;
  if (inTerminal) {
    const { offerStart } = await import('./setup/offer-start.ts');
    // A signal here ends the process itself: nothing is under way yet that would have to be saved.
    const choice = await offerStart(io, loaded.settings.home, new AbortController().signal);
    if (choice === 'leave') return 0;
    if (choice === 'demo') return startDemo(options, run, loaded, true);
    return start(options, run);
  }
  const wants = options.prompt ?? options.resume ?? options.images[0];
  const idle = !options.once && wants === undefined && !options.continueLatest;
  if (idle && (await readInput(io, { patienceMs: TOUR_PATIENCE_MS })).trim() === '') {
    const { showTour } = await import('./demo/tour.ts');
    return showTour(run, loaded.settings);
  }
  if (options.model !== undefined && options.provider === undefined) {
    throw new ConfigurationError(`Nothing says who offers the model "${options.model}".`, {
      hint: 'Name the provider with --provider, or run `hermes setup` to connect one.',
    });
  }
  throw new ConfigurationError('No model is configured.', {
    hint: 'Run `hermes setup` to connect one, or try `hermes --provider demo` for a scripted demo.',
  });
}

async function answerOnce(ready: ChatStart): Promise<number> {
  const { options, io } = ready;
  const prompt = joinPrompt(options.prompt, options.queryFile === '-' ? '' : await readInput(io));
  if (prompt === '' && ready.attachments.length === 0) {
    throw new ConfigurationError('There is no prompt.', {
      hint: 'Give one in quotes, with -q or -z, or on standard input; `hermes --help` shows the forms.',
    });
  }
  return runOnce(ready, prompt);
}

async function openTerminal(ready: ChatStart): Promise<number> {
  const { runTerminal } = await import('./terminal/run-terminal.ts');
  return runTerminal(ready);
}
