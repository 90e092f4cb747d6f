import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SkillSettings } from '../config/index.ts';
import type { SkillNeeds } from '../contracts/index.ts';
import { createSkillLibrary } from './index.ts';
import type { LibraryOptions } from './library.ts';

export const ALL_TOOLS: SkillNeeds = {
  toolNames: ['terminal', 'skill_view', 'skills_list', 'skill_manage'],
  toolsets: ['terminal', 'skills'],
};

const USUAL: SkillSettings = {
  externalDirs: [],
  projectDiscovery: true,
  trustedProjectDirs: [],
  guardAgentCreated: false,
  writeApproval: false,
  creationNudgeInterval: 10,
  indexBudget: 1_500,
  indexes: [],
  searchNpm: true,
  config: {},
};

/** The text of a SKILL.md. */
export function skillText(name: string, more = '', body = `How ${name} is done.`): string {
  return `---\nname: ${name}\ndescription: What ${name} is for.\n${more}---\n# ${name}\n\n${body}\n`;
}

/** A home directory and a project for one test, with a library that has no bundled skills. */
export function createSkillHome(settings: Partial<SkillSettings> = {}, options: Partial<LibraryOptions> = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-skills-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [home, project] = [join(root, 'home'), join(root, 'project')];
  for (const folder of [home, project]) mkdirSync(folder);
  const put = (path: string, text: string | Uint8Array) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    return join(root, path);
  };
  const library = createSkillLibrary({
    home,
    workingDirectory: project,
    variables: {},
    bundled: undefined,
    settings: { ...USUAL, ...settings },
    ...options,
  });
  const names = async () => (await library.inventory()).skills.map(({ name }) => name);
  return { root, home, project, put, library, names };
}
