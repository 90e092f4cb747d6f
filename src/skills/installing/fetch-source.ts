import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, HermesError } from '../../base/index.ts';
import { homePaths } from '../../config/index.ts';
import { ensurePrivateFolder } from '../../util/index.ts';
import { resolveInsideSkill, normalizeSkillPath } from '../skill-files.ts';
import { walkDirectory } from '../walk-directory.ts';
import { fetchNpm } from './fetch-npm.ts';
import { runTool, type ToolRun } from './run-tool.ts';
import { parseSource, type SkillSource } from './source.ts';

/** No prompts and no code execution: no hooks, no LFS filters, no transports that start a program. */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'protocol.ext.allow=never',
  'core.fsmonitor=false',
  'submodule.recurse=false',
];
const GIT_ENVIRONMENT = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  GCM_INTERACTIVE: 'never',
  GIT_LFS_SKIP_SMUDGE: '1',
  GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
};

export type FetchRequest = {
  home: string;
  workingDirectory: string;
  source: string;
  /** The folder of the skill inside the source. */
  path?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
};

/** A downloaded source, and the folder of the skill in it. */
export type FetchedSource = { source: SkillSource; folder: string; path: string; version: string | undefined };

/** Downloads a source, runs the task on the skill in it, and deletes the download. */
export async function withFetched<Result>(
  request: FetchRequest,
  task: (fetched: FetchedSource) => Promise<Result>,
): Promise<Result> {
  return withFetchedFolder(request, (fetched) =>
    task({ ...fetched, path: choosePath(fetched.folder, fetched.source.label, request.path) }),
  );
}

/** Like `withFetched`, but without looking for a skill: plugins use the same sources. */
export async function withFetchedFolder<Result>(
  request: Omit<FetchRequest, 'path'>,
  task: (fetched: Omit<FetchedSource, 'path'>) => Promise<Result>,
): Promise<Result> {
  const source = parseSource(request.source, request.workingDirectory);
  const { quarantineFolder } = homePaths(request.home);
  await ensurePrivateFolder(quarantineFolder);
  const fetched = join(quarantineFolder, `.fetching-${process.pid}`);
  rmSync(fetched, { recursive: true, force: true });
  try {
    const { folder, version } = await fetchSource(source, request, fetched);
    return await task({ source, folder, version });
  } finally {
    rmSync(fetched, { recursive: true, force: true });
  }
}

async function fetchSource(
  source: SkillSource,
  { env, signal }: Pick<FetchRequest, 'env' | 'signal'>,
  fetched: string,
): Promise<{ folder: string; version: string | undefined }> {
  if (source.kind === 'folder') return { folder: source.folder, version: undefined };
  mkdirSync(fetched, { recursive: true, mode: 0o700 });
  const run = { folder: fetched, env, signal };
  const { version } = source.kind === 'git' ? await fetchGit(source, run) : await fetchNpm(source, run);
  return { folder: fetched, version };
}

/** The path of the only skill, or of the requested one. */
function choosePath(folder: string, label: string, asked: string | undefined): string {
  if (asked !== undefined) {
    const path = normalizeSkillPath(asked.replace(/\/+$/, ''));
    if (resolveInsideSkill(folder, path) === undefined || !walkDirectory(join(folder, path)).found.includes(''))
      throw new HermesError(`--path ${path}: the source has no such folder with a SKILL.md.`, {
        hint: describeSkills(walkDirectory(folder).found),
      });
    return path;
  }
  const { found } = walkDirectory(folder);
  const [only, another] = found;
  if (only !== undefined && another === undefined) return only;
  const message =
    only === undefined ? `${label} contains no folder with a SKILL.md.` : `${label} contains ${found.length} skills.`;
  throw new ConfigurationError(message, {
    hint:
      only === undefined
        ? 'A skill is a folder with a file SKILL.md. If it is deeper in the source, pass its folder with --path.'
        : `Choose one with --path: ${found.slice(0, MAX_NAMED).join(', ')}`,
  });
}

const MAX_NAMED = 30;

function describeSkills(found: readonly string[]): string {
  const names = found.filter((path) => path !== '').slice(0, MAX_NAMED);
  if (names.length > 0) return `Folders with a skill: ${names.join(', ')}.`;
  return found.length === 0 ? 'The source contains no skills.' : 'The source is a skill itself; omit --path.';
}

/** Fetches a repository, or one of its branches, tags or commits, into an empty folder; returns the commit. */
export async function fetchGit(
  { url, ref }: Extract<SkillSource, { kind: 'git' }>,
  run: ToolRun,
): Promise<{ version: string }> {
  // GIT_* variables of a hook or of another repository would redirect git.
  const inherited = Object.entries(run.env).filter(([name]) => !/^GIT_(?!SSL_CAINFO|PROXY)/.test(name));
  const quiet = { ...run, env: { ...Object.fromEntries(inherited), ...GIT_ENVIRONMENT } };
  const git = (...args: string[]) =>
    runTool('git', [...SETTINGS.flatMap((setting) => ['-c', setting]), ...args], quiet);
  await git('init', '--quiet', '--template=', '.');
  await git('fetch', '--quiet', '--depth', '1', '--no-tags', '--no-recurse-submodules', '--', url, ref ?? 'HEAD');
  await git('-c', 'advice.detachedHead=false', 'checkout', '--quiet', 'FETCH_HEAD');
  const version = (await git('rev-parse', 'HEAD')).trim();
  rmSync(join(run.folder, '.git'), { recursive: true, force: true });
  return { version };
}
