import { join } from 'node:path';
import { HermesError } from '../base/index.ts';
import { homePaths, type SkillSettings } from '../config/index.ts';
import type { Skill, SkillFault, SkillInventory, SkillLibrary, SkillNeeds } from '../contracts/index.ts';
import { nearestNames } from '../util/index.ts';
import { indexPlace, type Look, type PlaceIndex, readShippedIndex } from './place-index.ts';
import { findPlaces, type SkillPlace, type SkillPlaces } from './places.ts';
import { type Machine, reasonAgainst } from './requirements.ts';
import { formatIndex } from './skill-index.ts';

export type LibraryOptions = {
  home: string;
  /** The working directory of the agent, from which project skills are found. */
  workingDirectory: string;
  settings: SkillSettings;
  variables: Machine['variables'];
  platform?: string;
  /** Replaces the folder of bundled skills in tests. */
  bundled?: string | undefined;
};

/** The skills on disk. Each call checks them again: that is cheap, and users edit the files by hand. */
export interface SkillShelf {
  readonly options: LibraryOptions;
  places(): SkillPlaces;
  inventory(look?: Look): Promise<SkillInventory>;
  /** The active skill with this name; throws an error with similar names if there is none. */
  require(name: string): Promise<Skill>;
}

/** Written by the build next to the bundled skills, so that startup need not parse them. */
const SHIPPED_INDEX = 'index.json';

/** Reads and changes skills. Code that is rarely needed is loaded on demand. */
export function createSkillLibrary(options: LibraryOptions): SkillLibrary & Pick<SkillShelf, 'places' | 'require'> {
  const shelf = createShelf(options);
  const machine: Machine = { platform: options.platform ?? process.platform, variables: options.variables };
  const usable = async (needs: SkillNeeds, look?: Look) =>
    (await shelf.inventory(look)).skills.filter((skill) => reasonAgainst(skill, needs, machine) === undefined);
  return {
    places: shelf.places,
    require: shelf.require,
    inventory: () => shelf.inventory(),
    usable: (needs) => usable(needs),
    async index(needs) {
      if (!needs.toolNames.includes('skill_view')) return undefined;
      // Startup waits for this.
      return formatIndex(await usable(needs, 'quick'), needs, options.settings.indexBudget);
    },
    view: async (name, filePath) => (await import('./view-skill.ts')).viewSkill(shelf, name, filePath),
    invoke: async (name, words) => (await import('./view-skill.ts')).invokeSkill(shelf, name, words),
    begin: async (names, words) => (await import('./view-skill.ts')).beginWithSkills(shelf, names, words),
    plan: async (change) => (await import('./changing/plan-change.ts')).planChange(shelf, change),
  };
}

function createShelf(options: LibraryOptions): SkillShelf {
  const { skillCacheFolder } = homePaths(options.home);
  const places = () => withBundled(findPlaces(options), options);
  async function inventory(look: Look = 'whole'): Promise<SkillInventory> {
    const { places: all, faults } = places();
    const indexes: { origin: SkillPlace['origin']; index: PlaceIndex }[] = [];
    for (const { origin, folder } of all) {
      const shipped = origin === 'bundled' ? readShippedIndex(folder, join(folder, SHIPPED_INDEX)) : undefined;
      indexes.push({ origin, index: shipped ?? (await indexPlace(folder, skillCacheFolder, look)) });
    }
    return sortOut(indexes, faults);
  }
  return {
    options,
    places,
    inventory,
    async require(name) {
      const { skills, faults } = await inventory();
      const found = skills.find((skill) => skill.name === name);
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
      const hint =
        near.length === 0 ? 'Run `hermes skills list` to list all skills.' : `Did you mean ${near.join(' or ')}?`;
      throw new HermesError(`There is no skill ${name}.`, { hint });
    },
  };
}

function withBundled(found: SkillPlaces, options: LibraryOptions): SkillPlaces {
  if (!('bundled' in options)) return found;
  const others = found.places.filter(({ origin }) => origin !== 'bundled');
  const own = options.bundled === undefined ? [] : [{ origin: 'bundled' as const, folder: options.bundled }];
  return { ...found, places: [...others, ...own] };
}

/** One skill per name: the one in the first skill directory. Further ones are listed as hidden. */
function sortOut(
  indexes: readonly { origin: SkillPlace['origin']; index: PlaceIndex }[],
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
