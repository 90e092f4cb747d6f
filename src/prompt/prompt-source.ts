import { relative } from 'node:path';
import type { ContextFileMode, MemorySnapshotSource, PromptContext, PromptSource } from '../contracts/index.ts';
import type { TextScan } from '../scanning/index.ts';
import {
  environmentLayer,
  guidanceLayer,
  IDENTITY,
  isForOtherTools,
  modelGuidanceLayer,
  personalityLayer,
  providerLayer,
  sessionLayer,
  surfaceLayer,
  workaroundLayer,
  type WorkEnvironment,
} from './layers.ts';
import { findContextFiles } from './project/context-files.ts';
import { findGitRoot, type ProjectFiles, readBranch } from './project/project-files.ts';
import type { ContextFile } from './project/read-context-file.ts';
import { appendedLayer, type PromptAdditions, replacementLayer, withoutHeading } from './prompt-additions.ts';
import { readSoul } from './soul.ts';

export type PromptSourceOptions = WorkEnvironment & {
  /** The home directory, which may contain SOUL.md, the user's own description of the agent. */
  home: string;
  /** Access to the project's files; without it, no project files are read. */
  files?: ProjectFiles;
  /** Maximum characters of a context file. */
  contextFileLimit?: number | undefined;
  /** Whether only the first kind of context file is used (default) or all kinds. */
  contextFiles?: ContextFileMode | undefined;
  /** The injection scan; by default every file is scanned again. */
  scan?: TextScan;
  /** Skips SOUL.md and the context files; used for subagents. */
  skipsContext?: boolean;
  /** Short notes about the machine. */
  hostNotes?(): readonly string[];
  surface?: string;
  /** The text of the personality that is selected when the prompt is built. */
  personality?(): string | undefined;
  /** What the user adds to the prompt of the session. */
  additions?(): PromptAdditions | undefined;
  /** Whether the prompt contains the session id. */
  namesSession?: boolean;
  /** The memory blocks for this session, with their headings. Called once per prompt. */
  memory?: MemorySnapshotSource;
  /** The skill index with its heading. It receives the tool names because skills can require tools. */
  skills?(toolNames: readonly string[]): Promise<string | undefined>;
};

export type PromptLayer = {
  name: string;
  text: string;
  /** The path of the context file that the layer contains. */
  file?: string;
  /**
   * Whether the text belongs to the user: SOUL.md, context files, memory and similar files. All other layers are our
   * own.
   */
  isUserText?: true;
};

/** A prompt source that can also return the single layers. */
export interface LayeredPromptSource extends PromptSource {
  layers(context: PromptContext): Promise<PromptLayer[]>;
}

const DEFAULT_CONTEXT_FILE_LIMIT = 20_000;

/** Builds the system prompt from its layers, in a fixed order. */
export function createPromptSource(options: PromptSourceOptions): LayeredPromptSource {
  async function layers(context: PromptContext): Promise<PromptLayer[]> {
    const { toolNames, model, provider } = context;
    const { replacement, appended } = options.additions?.() ?? {};
    const ending: PromptLayer = { name: 'appended', text: appendedLayer(appended), isUserText: true };
    if (replacement !== undefined) {
      const text = withoutHeading(replacementLayer(replacement));
      return [{ name: 'system prompt file', text, isUserText: true as const }, ending].filter(
        (layer) => layer.text !== '',
      );
    }
    const warn = context.warn ?? (() => undefined);
    const [soul, project, memory, skills] = await Promise.all([
      options.skipsContext ? undefined : readSoul(options.home, warn, options.scan),
      readProject(options, warn),
      options.memory?.(),
      options.skills?.(toolNames),
    ]);
    const all: PromptLayer[] = [
      soul
        ? { name: 'SOUL.md', text: soul.text, file: soul.path, isUserText: true }
        : { name: 'identity', text: IDENTITY },
      { name: 'guidance', text: guidanceLayer(toolNames) },
      { name: 'provider', text: providerLayer(provider) },
      { name: 'model family', text: modelGuidanceLayer(model, toolNames) },
      { name: 'personality', text: personalityLayer(options.personality?.()) },
      { name: 'external memory', text: memory?.external ?? '', isUserText: true },
      { name: 'system message', text: context.systemMessage?.trim() ?? '', isUserText: true },
      { name: 'memory', text: memory?.memory ?? '', isUserText: true },
      { name: 'user profile', text: memory?.user ?? '', isUserText: true },
      { name: 'skills', text: skills ?? '' },
      ...project.contextFiles.map((file) => contextLayer(file, options.workingDirectory)),
      { name: 'session', text: sessionLayer({ ...context, ...(!options.namesSession && { sessionId: undefined }) }) },
      { name: 'workaround', text: workaroundLayer(context) },
      { name: 'environment', text: environmentLayer(options, project.branch, options.hostNotes?.() ?? []) },
      { name: 'surface', text: surfaceLayer(options.surface) },
    ];
    const kept = all.map((layer) => ({ ...layer, text: withoutHeading(layer.text) }));
    return [...kept, ending].filter(({ text }) => text !== '');
  }
  return {
    layers,
    build: async (context) => (await layers(context)).map(({ text }) => text).join('\n\n'),
    isForOtherTools: (prompt, names) =>
      options.additions?.()?.replacement === undefined && isForOtherTools(prompt, names),
  };
}

/** Reads the Git branch and the context files of the working directory. */
async function readProject(
  { files, workingDirectory: directory, skipsContext, contextFileLimit, contextFiles: mode, scan }: PromptSourceOptions,
  warn: (message: string) => void,
): Promise<{ branch: string | undefined; contextFiles: ContextFile[] }> {
  if (files === undefined) return { branch: undefined, contextFiles: [] };
  const gitRoot = await findGitRoot(files, directory);
  const limit = contextFileLimit ?? DEFAULT_CONTEXT_FILE_LIMIT;
  const [branch, contextFiles] = await Promise.all([
    gitRoot === undefined ? undefined : readBranch(files, gitRoot),
    skipsContext ? [] : findContextFiles({ files, directory, gitRoot, limit, mode, scan, warn }),
  ]);
  return { branch, contextFiles };
}

function contextLayer({ path, text, importedBy }: ContextFile, directory: string): PromptLayer {
  const name = relative(directory, path);
  const source = importedBy === undefined ? name : `${name} (imported by ${importedBy})`;
  return { name, text: `# Project instructions, from ${source}\n\n${text}`, file: path, isUserText: true };
}
