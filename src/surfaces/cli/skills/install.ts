import { ConfigurationError } from '../../../base/index.ts';
import { resolveHome } from '../../../config/index.ts';
import { type InstallCandidate, prepareInstall, removeSkill } from '../../../skills/installing/index.ts';
import type { CliIo } from '../cli-io.ts';
import { confirm } from '../sessions/confirm.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, printable } from '../style.ts';
import { formatReport, formatSize } from './inspect.ts';
import { openLibrary } from './list.ts';

export type InstallOptions = { path?: string; category?: string; yes?: boolean; force?: boolean; json?: boolean };

/**
 * Downloads a skill into quarantine, shows the scan result, and installs the skill if it is accepted. Otherwise the
 * exit code is 1.
 */
export async function installSkill(
  source: string,
  options: InstallOptions,
  io: CliIo,
  signal: AbortSignal,
): Promise<number> {
  const { workingDirectory, env } = io;
  const { path, category, json } = options;
  const candidate = await prepareInstall({
    home: resolveHome(env),
    workingDirectory,
    source,
    path,
    category,
    env,
    signal,
  });
  if (!json) io.stdout.write(describe(candidate, io));
  const { accept, ...report } = candidate;
  const accepted = await isAccepted(candidate, options, io);
  const folder = accepted ? await accept() : undefined;
  if (json) writeJson(io.stdout, { ...report, installed: accepted, folder });
  else if (folder !== undefined) io.stdout.write(`Installed in ${printable(folder)}; in a chat: /${candidate.name}\n`);
  else io.stdout.write(`Not installed. The skill stays in quarantine: ${printable(candidate.quarantine)}\n`);
  return accepted ? 0 : 1;
}

function describe(candidate: InstallCandidate, io: CliIo): string {
  const { name, description, source, version, files, bytes, replaces } = candidate;
  const from = version === undefined ? source : `${source} (${version})`;
  const instead = replaces === undefined ? '' : `It replaces ${replaces}, which is moved to the trash.\n`;
  const head = `${name}: ${description}\nfrom ${from}, ${formatSize(files, bytes)}\n${instead}`;
  return printable(head) + formatReport(candidate, createStyle(io.stdout, io.env));
}

/** A dangerous skill requires --force. Every skill that is not safe requires confirmation. */
async function isAccepted(
  { verdict, name, quarantine }: InstallCandidate,
  { yes, force }: InstallOptions,
  io: CliIo,
): Promise<boolean> {
  if (verdict === 'dangerous' && !force) {
    if (!io.stdout.isTTY) throw refused(name, quarantine);
    io.stderr.write(
      'Not installed, because the scan considers it dangerous. Read it first; --force installs it anyway.\n',
    );
    return false;
  }
  if (verdict === 'safe') return true;
  return confirm(`Install ${name} anyway?`, yes || (verdict === 'dangerous' && force), io, `${name} may be harmful`);
}

function refused(name: string, quarantine: string): ConfigurationError {
  return new ConfigurationError(
    `${name} looks dangerous and was not installed; it stays in quarantine: ${quarantine}`,
    {
      hint: `Review it with: hermes skills inspect ${quarantine} (--force installs it anyway).`,
    },
  );
}

export async function removeInstalled(
  name: string,
  options: { yes?: boolean; json?: boolean },
  io: CliIo,
): Promise<number> {
  const opened = await openLibrary(io);
  const skill = await opened.library.require(name);
  // Only the user's own skills can be removed, so there is nothing to confirm for others.
  if (skill.origin === 'user') {
    const wanted = await confirm(
      `Remove the skill ${name} in ${skill.folder}?`,
      options.yes,
      io,
      `This removes the skill ${name}`,
    );
    if (!wanted) return 1;
  }
  const kept = await removeSkill(opened.settings.home, skill);
  if (options.json) writeJson(io.stdout, { name, kept });
  else io.stdout.write(`Removed ${name}; it was moved to ${printable(kept)}\n`);
  return 0;
}
