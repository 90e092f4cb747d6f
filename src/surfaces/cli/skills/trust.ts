import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigurationError } from '../../../base/index.ts';
import { homePaths, loadSettings, resolveHome, type Settings, updateConfig } from '../../../config/index.ts';
import { openSkills } from '../../../runtime/index.ts';
import { findProjects } from '../../../skills/index.ts';
import { type AuditEntry, auditSkills } from '../../../skills/installing/index.ts';
import type { CliIo } from '../cli-io.ts';
import { confirm } from '../sessions/confirm.ts';
import { counted } from '../../text/counted.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, printable } from '../style.ts';
import { formatReport } from './inspect.ts';

export type TrustOptions = { remove?: boolean; yes?: boolean; json?: boolean };

const TRUSTED = ['skills', 'trusted_project_dirs'] as const;

/** Trusts the skills of a project after showing them. */
export async function trustProject(folder: string | undefined, options: TrustOptions, io: CliIo): Promise<number> {
  const home = resolveHome(io.env);
  const settings = await loadSettings({ home, env: io.env });
  if (options.remove) return stopTrusting(findTrusted(folder, settings, io), home, options, io);
  const project = findProject(folder, home, io);
  const skills = await skillsOf(project, settings);
  if (!options.json) io.stdout.write(describe(project, skills, io));
  const question = `Trust ${project} and use its skills?`;
  if (!(await confirm(question, options.yes, io, 'Skills of a project are used only if you trust it'))) return 1;
  await updateConfig(home, [{ path: TRUSTED, add: project }]);
  if (options.json) writeJson(io.stdout, { project, trusted: true, skills });
  else io.stdout.write(`Trusted in ${printable(homePaths(home).configFile)}; this applies to new sessions.\n`);
  return 0;
}

/** Searches from the given or current folder upwards, as a chat does. */
function findProject(folder: string | undefined, home: string, io: CliIo): string {
  const from = resolve(io.workingDirectory, folder ?? '.');
  if (!existsSync(from)) {
    throw new ConfigurationError(`The folder ${from} does not exist.`, { hint: 'Pass the folder of a project.' });
  }
  const [found] = findProjects(from, homePaths(home).skillsFolder);
  if (found !== undefined) return realpathSync(found.project);
  throw new ConfigurationError(`No project skills were found in ${from}.`, {
    hint: 'Project skills are in the folders .hermes/skills and .agents/skills of a project.',
  });
}

/** The skills that would be used if the project were trusted. */
async function skillsOf(project: string, settings: Settings): Promise<AuditEntry[]> {
  const trusting = {
    ...settings,
    skills: { ...settings.skills, projectDiscovery: true, trustedProjectDirs: [project] },
  };
  const { skills } = await openSkills(trusting, project).inventory();
  return auditSkills(
    settings.home,
    skills.filter(({ origin }) => origin === 'project'),
  );
}

function describe(project: string, skills: readonly AuditEntry[], io: CliIo): string {
  const style = createStyle(io.stdout, io.env);
  const lines = skills.map((entry) => `${style.bold(printable(entry.name))}, ${formatReport(entry, style)}`);
  return `${printable(project)} has ${counted(skills.length, 'skill')}.\n${lines.join('')}`;
}

/** Returns the entry as it is written in the configuration, so that it can be removed. */
function findTrusted(folder: string | undefined, { skills }: Settings, io: CliIo): string {
  const wanted = resolve(io.workingDirectory, folder ?? '.');
  const found = skills.trustedProjectDirs.find((entry) => entry === folder || resolve(entry) === wanted);
  if (found !== undefined) return found;
  const all = skills.trustedProjectDirs.join(', ') || 'none';
  throw new ConfigurationError(`${wanted} is not a trusted project.`, { hint: `Trusted projects: ${all}.` });
}

async function stopTrusting(entry: string, home: string, { json }: TrustOptions, io: CliIo): Promise<number> {
  await updateConfig(home, [{ path: TRUSTED, remove: entry }]);
  if (json) writeJson(io.stdout, { project: entry, trusted: false });
  else io.stdout.write(`${printable(entry)} is no longer trusted; this applies to new sessions.\n`);
  return 0;
}
