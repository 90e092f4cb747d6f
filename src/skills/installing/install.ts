import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, HermesError } from '../../base/index.ts';
import { homePaths } from '../../config/index.ts';
import type { Skill } from '../../contracts/index.ts';
import { withFileLock } from '../../util/index.ts';
import { moveTo, moveToTrash, withSkillsLock, writeFiles } from '../changing/write-skill.ts';
import { BadSkill, CATEGORY_HINT, isCategory } from '../front-matter.ts';
import { type ScanReport, scanSkill } from '../guard/scan-skill.ts';
import { hashFiles, readFolder, type SkillFile } from '../guard/skill-folder.ts';
import { readLock, writeLock } from '../lock-file.ts';
import { readSkill } from '../read-skill.ts';
import { walkDirectory } from '../walk-directory.ts';
import { type FetchRequest, withFetched } from './fetch-source.ts';

export type InstallRequest = FetchRequest & { category?: string | undefined };

/** A downloaded and scanned skill in quarantine that waits for the user's decision. */
export type InstallCandidate = ScanReport & {
  name: string;
  description: string;
  source: string;
  version: string | undefined;
  files: number;
  bytes: number;
  quarantine: string;
  /** The folder of the skill that it would replace, which is then moved to the trash. */
  replaces: string | undefined;
  /** Installs the skill and returns its folder. */
  accept(): Promise<string>;
};

export async function prepareInstall(request: InstallRequest): Promise<InstallCandidate> {
  const { category } = request;
  if (category !== undefined && !isCategory(category))
    throw new ConfigurationError(`${JSON.stringify(category)} is not a valid category.`, { hint: CATEGORY_HINT });
  const { quarantineFolder, skillsFolder } = homePaths(request.home);
  return withFetched(request, async ({ source, folder, path, version }) => {
    const files = readFolder(join(folder, path));
    const { facts } = await readValidSkill(join(folder, path));
    const replaces = findReplacedSkill(skillsFolder, facts.name, source.label);
    const quarantine = join(quarantineFolder, facts.name);
    // A lock, because another process may be fetching a skill of the same name.
    await withFileLock(join(quarantineFolder, '.changing'), async () => {
      rmSync(quarantine, { recursive: true, force: true });
      writeFiles(quarantine, files);
    });
    const report = await scanSkill(files);
    const what = { source: source.label, ...(version !== undefined && { version }), ...(path !== '' && { path }) };
    return createCandidate(request, { ...facts, ...report, what, quarantine, replaces, files });
  });
}

async function readValidSkill(folder: string): ReturnType<typeof readSkill> {
  try {
    return await readSkill(folder);
  } catch (thrown) {
    if (!(thrown instanceof BadSkill)) throw thrown;
    throw new HermesError(`The skill is invalid: ${thrown.message}.`, { hint: 'Nothing was installed.' });
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
    name,
    description,
    verdict,
    findings,
    quarantine,
    replaces,
    source: what.source,
    version: what.version,
    files: files.length,
    bytes: files.reduce((sum, file) => sum + file.size, 0),
    accept() {
      return withSkillsLock(home, async () => {
        // Compares the quarantined files with the scanned ones, in case something replaced them.
        const found = existsSync(quarantine) ? readFolder(quarantine) : [];
        const { hash, files: hashes } = hashFiles(found);
        if (hash !== hashFiles(files).hash)
          throw new HermesError(`${quarantine} was changed after the scan; nothing was installed.`);
        if (existsSync(target)) moveToTrash(home, target, name);
        moveTo(quarantine, target);
        const entry = { ...what, hash, files: hashes, verdict, installedAt: new Date().toISOString() };
        await writeLock(skillsFolder, { ...readLock(skillsFolder), [name]: entry });
        return target;
      });
    },
  };
}

/** A skill is replaced only by one from the same source; a skill that was written by hand never is. */
function findReplacedSkill(skillsFolder: string, name: string, source: string): string | undefined {
  const existing = walkDirectory(skillsFolder).found.find((path) => path.split(/[\\/]/).at(-1) === name);
  if (existing === undefined) return undefined;
  const folder = join(skillsFolder, existing);
  if (readLock(skillsFolder)[name]?.source === source) return folder;
  throw new HermesError(`The skill ${name} already exists in ${folder} and came from another source.`, {
    hint: `Remove it first: hermes skills remove ${name}`,
  });
}

/** Moves a skill of the user to the trash and returns its path there. */
export async function removeSkill(home: string, { name, origin, folder }: Skill): Promise<string> {
  if (origin !== 'user')
    throw new HermesError(`The skill "${name}" in ${folder} cannot be removed.`, { hint: removalHint(origin) });
  const { skillsFolder } = homePaths(home);
  return withSkillsLock(home, async () => {
    const path = moveToTrash(home, folder, name);
    const { [name]: entry, ...others } = readLock(skillsFolder);
    if (entry !== undefined) await writeLock(skillsFolder, others);
    return path;
  });
}

function removalHint(origin: Skill['origin']): string {
  if (origin === 'bundled') return 'It is part of Hermes. To override it, create a skill with the same name.';
  if (origin === 'project')
    return 'It belongs to the project; run `hermes skills trust --remove` to stop using its skills.';
  return 'Remove its folder from skills.external_dirs in config.yaml.';
}
