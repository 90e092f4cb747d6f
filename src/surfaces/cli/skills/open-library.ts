import { loadSettings, resolveHome, type Settings } from '../../../config/index.ts';
import type { SkillNeeds } from '../../../contracts/index.ts';
import { inspectChosenTools, openSkills, skillNeeds } from '../../../runtime/index.ts';
import type { CliIo } from '../cli-io.ts';

export type OpenLibrary = { settings: Settings; library: ReturnType<typeof openSkills> };

export async function openLibrary(io: CliIo): Promise<OpenLibrary> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  return { settings, library: openSkills(settings, io.workingDirectory) };
}

/** With the tools that this installation would have in a chat. */
export async function chosenNeeds(settings: Settings): Promise<SkillNeeds> {
  const { tools } = await inspectChosenTools(settings);
  return skillNeeds(tools.filter(({ state }) => state === 'on').map(({ name }) => name));
}
