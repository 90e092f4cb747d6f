import { loadSettings, resolveHome, type Settings } from '../../../config/index.ts';
import type { Skill, SkillNeeds } from '../../../contracts/index.ts';
import { inspectChosenTools, openSkills, skillNeeds, skillWarnings } from '../../../runtime/index.ts';
import { findUnmetRequirement } from '../../../skills/index.ts';
import { operatingSystem, shorten } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, printable, type Style } from '../style.ts';

/** A skill, with the reason if it is unavailable. */
export type ListedSkill = Skill & { reason: string | undefined };

export async function listSkills({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const { settings, library } = await openLibrary(io);
  const { skills, faults, hidden } = await library.inventory();
  const machine = { platform: operatingSystem(), variables: settings.variables };
  const needs = await availableNeeds(settings);
  const listed = skills.map((skill) => ({ ...skill, reason: findUnmetRequirement(skill, needs, machine) }));
  const { untrusted } = library.directories();
  if (json) {
    writeJson(io.stdout, {
      skills: listed.map(toRecord),
      faults,
      hidden: hidden.map(({ folder }) => folder),
      untrusted,
    });
    return 0;
  }
  const style = createStyle(io.stdout, io.env);
  io.stdout.write(listed.length === 0 ? 'There are no skills.\n' : formatSkills(listed, style, io.stdout.columns));
  for (const { name, folder } of hidden)
    io.stdout.write(style.dim(`– ${printable(folder)} is not used: another skill has the name ${name}\n`));
  for (const { place, reason } of faults)
    io.stdout.write(`${style.red('✗')} ${printable(place)} is not usable: ${printable(reason)}\n`);
  for (const { name, warnings = [] } of skills)
    for (const warning of warnings) io.stdout.write(`${style.yellow('!')} ${name}: ${printable(warning)}\n`);
  for (const warning of skillWarnings(library)) io.stdout.write(`${style.yellow('!')} ${printable(warning)}\n`);
  return 0;
}

/** The JSON output of a skill. */
export function toRecord({
  name,
  description,
  category,
  origin,
  folder,
  version,
  warnings,
  reason,
}: ListedSkill): object {
  return { name, description, category, origin, folder, version, warnings, usable: reason === undefined, reason };
}

const SHOWN = 90;
const MIN_SHOWN = 30;

export function formatSkills(skills: readonly ListedSkill[], style: Style, columns?: number): string {
  const width = Math.max(...skills.map(({ name }) => name.length));
  // In a terminal, one line per skill.
  const room = columns === undefined ? SHOWN : Math.max(MIN_SHOWN, columns - width - 4);
  let category: string | undefined;
  return skills
    .flatMap((skill) => {
      const heading = skill.category === category ? [] : [`${style.bold(printable(skill.category))}\n`];
      category = skill.category;
      const symbol = skill.reason === undefined ? style.green('✓') : style.dim('–');
      const whose = skill.origin === 'bundled' ? '' : style.dim(` (${skill.origin})`);
      const why = skill.reason === undefined ? '' : style.yellow(` [${printable(skill.reason)}]`);
      return [
        ...heading,
        `${symbol} ${skill.name.padEnd(width)}  ${printable(shorten(skill.description, room))}${whose}${why}\n`,
      ];
    })
    .join('');
}

export type OpenLibrary = { settings: Settings; library: ReturnType<typeof openSkills> };

export async function openLibrary(io: CliIo): Promise<OpenLibrary> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  return { settings, library: openSkills(settings, io.workingDirectory) };
}

/** The tools and tool sets that skills can use, based on the tools that a chat would have. */
export async function availableNeeds(settings: Settings): Promise<SkillNeeds> {
  const { tools } = await inspectChosenTools(settings);
  return skillNeeds(tools.filter(({ state }) => state === 'on').map(({ name }) => name));
}
