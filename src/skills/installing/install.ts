import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, HermesError } from '../../base/index.ts';
import { homePaths } from '../../config/index.ts';
import { ensurePrivateFolder, withFileLock } from '../../util/index.ts';
import { whileChanging } from '../changing/while-changing.ts';
import { writeFiles } from '../changing/write-skill.ts';
import { BadSkill } from '../front-matter.ts';
import { hashFiles, readFolder, type SkillFile } from '../guard/skill-folder.ts';
import { type ScanReport, scanSkill } from '../guard/scan-skill.ts';
import { readLock, writeLock } from '../lock-file.ts';
import { readSkill } from '../read-skill.ts';
import { CATEGORY_HINT, isCategory } from '../skill-name.ts';
import { insidePath, plainPath } from '../skill-files.ts';
import { moveTo, moveToTrash } from '../trash.ts';
import { walkPlace } from '../walk-place.ts';
import { fetchGit } from './fetch-git.ts';
import { fetchNpm } from './fetch-npm.ts';
import { parseSource, type SkillSource } from './source.ts';

export type InstallRequest = {
  home: string;
  workingDirectory: string;
  source: string;
  /** The folder of the skill inside of the source. */
  path?: string | undefined;
  category?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
};

/** A skill that was fetched and looked at, and waits in quarantine for a word of the person. */
export type InstallCandidate = ScanReport & {
  name: string;
  description: string;
  source: string;
  version: string | undefined;
  files: number;
  bytes: number;
  quarantine: string;
  /** The folder of the skill that it would take the place of; that one goes to the trash. */
  replaces: string | undefined;
  /** Where it is then. */
  accept(): Promise<string>;
};

export async function prepareInstall(request: InstallRequest): Promise<InstallCandidate> {
  const { category } = request;
  if (category !== undefined && !isCategory(category))
    throw new ConfigurationError(`${JSON.stringify(category)} is no category.`, { hint: CATEGORY_HINT });
  const source = parseSource(request.source, request.workingDirectory);
  const { quarantineFolder } = homePaths(request.home);
  await ensurePrivateFolder(quarantineFolder);
  const fetched = join(quarantineFolder, `.fetching-${process.pid}`);
  rmSync(fetched, { recursive: true, force: true });
  try {
    const { folder, version } = await fetchSource(source, { ...request, fetched });
    const path = choosePath(folder, request.path);
    const files = readFolder(join(folder, path));
    const { facts } = await describedSkill(join(folder, path));
    const replaces = replacedBy(homePaths(request.home).skillsFolder, facts.name, source.label);
    const quarantine = join(quarantineFolder, facts.name);
    // Another process may be fetching a skill of the same name.
    await withFileLock(join(quarantineFolder, '.changing'), async () => {
      rmSync(quarantine, { recursive: true, force: true });
      writeFiles(quarantine, files);
    });
    const report = await scanSkill(files);
    const what = { source: source.label, ...(version !== undefined && { version }), ...(path !== '' && { path }) };
    return createCandidate(request, { ...facts, ...report, what, quarantine, replaces, files });
  } finally {
    rmSync(fetched, { recursive: true, force: true });
  }
}

async function fetchSource(
  source: SkillSource,
  { env, signal, fetched }: InstallRequest & { fetched: string },
): Promise<{ folder: string; version: string | undefined }> {
  if (source.kind === 'folder') return { folder: source.folder, version: undefined };
  mkdirSync(fetched, { recursive: true, mode: 0o700 });
  const run = { folder: fetched, env, signal };
  const { version } = source.kind === 'git' ? await fetchGit(source, run) : await fetchNpm(source, run);
  return { folder: fetched, version };
}

/** The one skill in there, or the one that was asked for. */
function choosePath(folder: string, asked: string | undefined): string {
  if (asked !== undefined) {
    const path = plainPath(asked.replace(/\/+$/, ''));
    if (insidePath(folder, path) === undefined || !walkPlace(join(folder, path)).found.includes(''))
      throw new HermesError(`There is no skill at ${path}.`, { hint: describeFound(walkPlace(folder).found) });
    return path;
  }
  const { found } = walkPlace(folder);
  const [only, another] = found;
  if (only !== undefined && another === undefined) return only;
  const message =
    only === undefined ? 'There is no folder with a SKILL.md in it.' : `There are ${found.length} skills in it.`;
  throw new ConfigurationError(message, {
    hint:
      only === undefined
        ? 'Name the folder of the skill with --path.'
        : `Choose one with --path: ${describeFound(found)}`,
  });
}

function describeFound(found: readonly string[]): string {
  return found.length === 0 ? 'There is none in it at all.' : found.slice(0, 30).join(', ');
}

async function describedSkill(folder: string): ReturnType<typeof readSkill> {
  try {
    return await readSkill(folder);
  } catch (thrown) {
    if (!(thrown instanceof BadSkill)) throw thrown;
    throw new HermesError(`That is no valid skill: ${thrown.message}.`, { hint: 'Nothing was installed.' });
  }
}

type Prepared = ScanReport & {
  name: string;
  description: string;
  what: { source: string; version?: string; path?: string };
  quarantine: string;
  replaces: string | undefined;
  files: readonly SkillFile[];
};

function createCandidate({ home, category }: InstallRequest, prepared: Prepared): InstallCandidate {
  const { name, description, what, quarantine, replaces, files, verdict, findings } = prepared;
  const { skillsFolder } = homePaths(home);
  const target = replaces ?? join(skillsFolder, category ?? '', name);
  return {
    ...{ name, description, verdict, findings, quarantine, replaces, source: what.source, version: what.version },
    files: files.length,
    bytes: files.reduce((sum, file) => sum + file.size, 0),
    accept() {
      return whileChanging(home, async () => {
        // Of what lies in quarantine now: it is what was looked at, unless somebody put something else there.
        const found = existsSync(quarantine) ? readFolder(quarantine) : [];
        const { hash, files: hashes } = hashFiles(found);
        if (hash !== hashFiles(files).hash)
          throw new HermesError(`${quarantine} was changed while it was looked at; nothing was installed.`);
        if (existsSync(target)) moveToTrash(home, target, name);
        moveTo(quarantine, target);
        const entry = { ...what, hash, files: hashes, verdict, installedAt: new Date().toISOString() };
        await writeLock(skillsFolder, { ...readLock(skillsFolder), [name]: entry });
        return target;
      });
    },
  };
}

/** Only what came from the same place is replaced; a skill that somebody wrote never is. */
function replacedBy(skillsFolder: string, name: string, source: string): string | undefined {
  const existing = walkPlace(skillsFolder).found.find((path) => path.split(/[\\/]/).at(-1) === name);
  if (existing === undefined) return undefined;
  const folder = join(skillsFolder, existing);
  if (readLock(skillsFolder)[name]?.source === source) return folder;
  throw new HermesError(`There is a skill ${name} already, in ${folder}, and it came from somewhere else.`, {
    hint: `Remove it first: hermes skills remove ${name}`,
  });
}
