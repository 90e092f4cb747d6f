import { relative } from 'node:path';
import type { MemorySnapshotSource, PromptContext, PromptSource } from '../contracts/index.ts';
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
  type Workplace,
} from './layers.ts';
import { findContextFiles } from './project/context-files.ts';
import { findGitRoot, type ProjectFiles, readBranch } from './project/project-files.ts';
import type { ContextFile } from './project/read-context-file.ts';
import { readSoul } from './soul.ts';

export type PromptSourceOptions = Workplace & {
  /** The folder that may hold SOUL.md, the user's own words for who the agent is. */
  home: string;
  /** Where the project is; without it nothing of a project is read. */
  files?: ProjectFiles;
  /** How many characters of a context file are taken. */
  contextFileLimit?: number | undefined;
  /** How files are looked at; without it every time anew. */
  scan?: TextScan;
  /** Neither SOUL.md nor files of the project: for an agent that does a part of the work of another. */
  skipsContext?: boolean;
  /** What is special about the machine, in a few words each. */
  hostNotes?(): readonly string[];
  surface?: string;
  /** How the agent is to speak, as it is chosen when a prompt is built. */
  personality?(): string | undefined;
  /** The id of the session goes into the prompt. */
  namesSession?: boolean;
  /** The memory blocks, with their headings, as this session is to see them. Asked once per prompt. */
  memory?: MemorySnapshotSource;
  /** The skill index, with its heading; told the tools, because requirements of skills depend on them. */
  skills?(toolNames: readonly string[]): Promise<string | undefined>;
};

/** `file` is the context file it shows. */
export type PromptLayer = { name: string; text: string; file?: string };

/** A prompt that can also be looked at layer by layer. */
export interface LayeredPromptSource extends PromptSource {
  layers(context: PromptContext): Promise<PromptLayer[]>;
}

const DEFAULT_CONTEXT_FILE_LIMIT = 20_000;

/** Puts the layers of the system prompt together, in a fixed order. */
export function createPromptSource(options: PromptSourceOptions): LayeredPromptSource {
  async function layers(context: PromptContext): Promise<PromptLayer[]> {
    const { toolNames, model, provider } = context;
    const warn = context.warn ?? (() => undefined);
    const [soul, project, memory, skills] = await Promise.all([
      options.skipsContext ? undefined : readSoul(options.home, warn, options.scan),
      lookAround(options, warn),
      options.memory?.(),
      options.skills?.(toolNames),
    ]);
    const all: PromptLayer[] = [
      soul ? { name: 'SOUL.md', text: soul.text, file: soul.path } : { name: 'identity', text: IDENTITY },
      { name: 'guidance', text: guidanceLayer(toolNames) },
      { name: 'provider', text: providerLayer(provider) },
      { name: 'model family', text: modelGuidanceLayer(model, toolNames) },
      { name: 'personality', text: personalityLayer(options.personality?.()) },
      { name: 'external memory', text: memory?.external ?? '' },
      { name: 'system message', text: context.systemMessage?.trim() ?? '' },
      { name: 'memory', text: memory?.memory ?? '' },
      { name: 'user profile', text: memory?.user ?? '' },
      { name: 'skills', text: skills ?? '' },
      ...project.contextFiles.map((file) => contextLayer(file, options.workingDirectory)),
      { name: 'session', text: sessionLayer({ ...context, ...(!options.namesSession && { sessionId: undefined }) }) },
      { name: 'workaround', text: workaroundLayer(context) },
      { name: 'environment', text: environmentLayer(options, project.branch, options.hostNotes?.() ?? []) },
      { name: 'surface', text: surfaceLayer(options.surface) },
    ];
    return all.filter(({ text }) => text !== '');
  }
  return {
    layers,
    build: async (context) => (await layers(context)).map(({ text }) => text).join('\n\n'),
    isForOtherTools,
  };
}

/** What the place of work brings into the prompt. */
async function lookAround(
  { files, workingDirectory: directory, skipsContext, contextFileLimit, scan }: PromptSourceOptions,
  warn: (message: string) => void,
): Promise<{ branch: string | undefined; contextFiles: ContextFile[] }> {
  if (files === undefined) return { branch: undefined, contextFiles: [] };
  const gitRoot = await findGitRoot(files, directory);
  const limit = contextFileLimit ?? DEFAULT_CONTEXT_FILE_LIMIT;
  const [branch, contextFiles] = await Promise.all([
    gitRoot === undefined ? undefined : readBranch(files, gitRoot),
    skipsContext ? [] : findContextFiles({ files, directory, gitRoot, limit, scan, warn }),
  ]);
  return { branch, contextFiles };
}

function contextLayer({ path, text }: ContextFile, directory: string): PromptLayer {
  const name = relative(directory, path);
  return { name, text: `# Project instructions, from ${name}\n\n${text}`, file: path };
}
