import { join } from 'node:path';
import { HermesError } from '../base/index.ts';
import { homePaths, type SkillSettings } from '../config/index.ts';
import {
  type Skill,
  type SkillFault,
  type SkillInventory,
  type SkillLibrary,
  type SkillNeeds,
  UnknownSkill,
} from '../contracts/index.ts';
import { nearestNames, operatingSystem } from '../util/index.ts';
import { indexDirectory, type IndexCheck, type DirectoryIndex, readBundledIndex } from './directory-index.ts';
import { findSkillDirectories, type SkillDirectory, type SkillDirectories } from './skill-directories.ts';
import { type SkillEnvironment, findUnmetRequirement } from './requirements.ts';
import { formatIndex } from './skill-index.ts';

export type LibraryOptions = {
  home: string;
  /** The working directory of the agent, from which project skills are found. */
  workingDirectory: string;
  settings: SkillSettings;
  variables: SkillEnvironment['variables'];
  platform?: string;
  /** Replaces the folder of bundled skills in tests. */
  bundled?: string | undefined;
};

/** The skills on disk. Each call checks them again: that is cheap, and users edit the files by hand. */
export interface InstalledSkills {
  readonly options: LibraryOptions;
  directories(): SkillDirectories;
  inventory(look?: IndexCheck): Promise<SkillInventory>;
  /** The active skill with this name; throws an error with similar names if there is none. */
  require(name: string): Promise<Skill>;
}

/** Written by the build next to the bundled skills, so that startup need not parse them. */
const BUNDLED_INDEX_FILE = 'index.json';

/** Reads and changes skills. Code that is rarely needed is loaded on demand. */
export function createSkillLibrary(
  options: LibraryOptions,
): SkillLibrary & Pick<InstalledSkills, 'directories' | 'require'> {
  const shelf = createInstalledSkills(options);
  const machine: SkillEnvironment = { platform: options.platform ?? operatingSystem(), variables: options.variables };
  const usable = async (needs: SkillNeeds, look?: IndexCheck) =>
    (await shelf.inventory(look)).skills.filter((skill) => findUnmetRequirement(skill, needs, machine) === undefined);
  return {
    directories: shelf.directories,
    require: shelf.require,
    inventory: () => shelf.inventory(),
    usable: (needs) => usable(needs),
    async index(needs) {
      if (!needs.toolNames.includes('skill_view')) return undefined;
      // A quick check, because startup waits for the index.
      return formatIndex(await usable(needs, 'quick'), needs, options.settings.indexBudget);
    },
    view: async (name, filePath) => (await import('./view-skill.ts')).viewSkill(shelf, name, filePath),
    invoke: async (name, words) => (await import('./view-skill.ts')).invokeSkill(shelf, name, words),
    begin: async (names, words) => (await import('./view-skill.ts')).beginWithSkills(shelf, names, words),
    plan: async (change) => (await import('./changing/plan-change.ts')).planChange(shelf, change),
  };
}

function createInstalledSkills(options: LibraryOptions): InstalledSkills {
  const { skillCacheFolder } = homePaths(options.home);
  const places = () => withBundled(findSkillDirectories(options), options);
  async function inventory(look: IndexCheck = 'whole'): Promise<SkillInventory> {
    const { directories: all, faults } = places();
    const indexes: { origin: SkillDirectory['origin']; index: DirectoryIndex }[] = [];
    for (const { origin, folder } of all) {
      const shipped = origin === 'bundled' ? readBundledIndex(folder, join(folder, BUNDLED_INDEX_FILE)) : undefined;
      indexes.push({ origin, index: shipped ?? (await indexDirectory(folder, skillCacheFolder, look)) });
    }
    return selectByName(indexes, faults);
  }
  return {
    options,
    directories: places,
    inventory,
    async require(name) {
      const { skills, faults } = await inventory();
      // Models also write CATEGORY/NAME, because the skill index groups skills by category.
      const found =
        skills.find((skill) => skill.name === name) ??
        skills.find((skill) => `${skill.category}/${skill.name}` === name);
      if (found !== undefined) return found;
      const broken = faults.find(({ place }) => place.endsWith(`/${name}`));
      if (broken !== undefined)
        throw new HermesError(`The skill ${broken.place} cannot be used: ${broken.reason}.`, {
          hint: 'Fix its SKILL.md, or move the folder away.',
        });
      const near = nearestNames(
        name,
        skills.map((skill) => skill.name),
        3,
      );
      throw new UnknownSkill(name, near);
    },
  };
}

function withBundled(found: SkillDirectories, options: LibraryOptions): SkillDirectories {
  if (!('bundled' in options)) return found;
  const others = found.directories.filter(({ origin }) => origin !== 'bundled');
  const own = options.bundled === undefined ? [] : [{ origin: 'bundled' as const, folder: options.bundled }];
  return { ...found, directories: [...others, ...own] };
}

/** One skill per name: the one in the first skill directory. Further ones are listed as hidden. */
function selectByName(
  indexes: readonly { origin: SkillDirectory['origin']; index: DirectoryIndex }[],
  faults: readonly SkillFault[],
): SkillInventory {
  const [byName, hidden] = [new Map<string, Skill>(), [] as Skill[]];
  for (const { origin, index } of indexes) {
    for (const { facts, path } of index.skills) {
      const folder = path === '' ? index.place : join(index.place, path);
      const skill: Skill = { ...facts, origin, category: categoryOf(path), folder };
      if (byName.has(facts.name)) hidden.push(skill);
      else byName.set(facts.name, skill);
    }
  }
  return {
    skills: [...byName.values()].toSorted(byCategoryAndName),
    hidden,
    faults: [...faults, ...indexes.flatMap(({ index }) => index.faults)],
  };
}

function categoryOf(path: string): string {
  const parts = path.split(/[\\/]/).slice(0, -1);
  return parts.length === 0 ? 'general' : parts.join('/');
}

function byCategoryAndName(a: Skill, b: Skill): number {
  if (a.category !== b.category) return a.category < b.category ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}
