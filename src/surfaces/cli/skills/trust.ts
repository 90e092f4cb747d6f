import { realpathSync } from 'node:fs';
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
import { createStyle, showable } from '../style.ts';
import { formatReport } from './inspect.ts';

export type TrustOptions = { remove?: boolean; yes?: boolean; json?: boolean };

const TRUSTED = ['skills', 'trusted_project_dirs'] as const;

/** Lets the skills of a project be used, after the person saw what they are. */
export async function trustProject(folder: string | undefined, options: TrustOptions, io: CliIo): Promise<number> {
  const home = resolveHome(io.env);
  const settings = await loadSettings({ home, env: io.env });
  if (options.remove) return stopTrusting(findTrusted(folder, settings, io), home, options, io);
  const project = findProject(folder, home, io);
  const skills = await skillsOf(project, settings);
  if (!options.json) io.stdout.write(describe(project, skills, io));
  const question = `Use the skills of ${project} from now on?`;
  if (!(await confirm(question, options.yes, io, 'Skills of a project are used only where you say so'))) return 1;
  await updateConfig(home, [{ path: TRUSTED, add: project }]);
  if (options.json) writeJson(io.stdout, { project, trusted: true, skills });
  else io.stdout.write(`Trusted, in ${showable(homePaths(home).configFile)}; it holds for new sessions.\n`);
  return 0;
}

/** From the folder that was named, or from here up, as a chat would look for it. */
function findProject(folder: string | undefined, home: string, io: CliIo): string {
  const from = resolve(io.workingDirectory, folder ?? '.');
  const [found] = findProjects(from, homePaths(home).skillsFolder);
  if (found !== undefined) return realpathSync(found.project);
  throw new ConfigurationError(`There are no skills of a project in ${from}.`, {
    hint: 'A project keeps them in .hermes/skills or .agents/skills.',
  });
}

/** As they would be if it were trusted. */
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
  const lines = skills.map((entry) => `${style.bold(showable(entry.name))}, ${formatReport(entry, style)}`);
  return `${showable(project)} has ${counted(skills.length, 'skill')}.\n${lines.join('')}`;
}

/** As it was written, because that is what has to go. */
function findTrusted(folder: string | undefined, { skills }: Settings, io: CliIo): string {
  const wanted = resolve(io.workingDirectory, folder ?? '.');
  const found = skills.trustedProjectDirs.find((entry) => entry === folder || resolve(entry) === wanted);
  if (found !== undefined) return found;
  const all = skills.trustedProjectDirs.join(', ') || 'none';
  throw new ConfigurationError(`${wanted} is not among the trusted projects.`, { hint: `These are: ${all}.` });
}

async function stopTrusting(entry: string, home: string, { json }: TrustOptions, io: CliIo): Promise<number> {
  await updateConfig(home, [{ path: TRUSTED, remove: entry }]);
  if (json) writeJson(io.stdout, { project: entry, trusted: false });
  else io.stdout.write(`${showable(entry)} is no longer trusted; it holds for new sessions.\n`);
  return 0;
}
