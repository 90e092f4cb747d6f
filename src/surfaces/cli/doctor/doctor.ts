import { resolveHome } from '../../../config/index.ts';
import type { CliIo } from '../cli-io.ts';
import { confirm } from '../sessions/confirm.ts';
import { writeJson } from '../sessions/write-json.ts';
import { redactSecrets } from '../../../util/index.ts';
import { createStyle, type Style, printable } from '../style.ts';
import {
  checkConfiguration,
  checkCredentials,
  checkModels,
  checkPlugins,
  checkServers,
  checkTerminal,
} from './check-settings.ts';
import { checkDatabase, checkHome, describeFix, applyFixes, type AppliedFix } from './check-files.ts';
import type { Finding, Fix } from './finding.ts';

export type DoctorOptions = { json?: boolean; offline?: boolean; fix?: boolean; yes?: boolean };

/**
 * The maximum number of fix rounds. Fixing repeats because a fix can reveal another problem, such as the next exposed
 * file.
 */
const MAX_ROUNDS = 20;

/**
 * Checks everything that Hermes needs to run; the exit code is 1 if something is wrong. Only free requests are sent
 * to providers. An expired login is refreshed, as in a chat.
 */
export async function doctor(options: DoctorOptions, io: CliIo, signal: AbortSignal): Promise<number> {
  let findings = await runChecks(options, io, signal);
  const applied = options.fix ? await fixAll(findings, options, io, signal) : [];
  if (applied.length > 0) findings = await runChecks(options, io, signal);
  const ok = findings.every(({ status }) => status !== 'wrong');
  if (options.json) writeJson(io.stdout, { ok, findings, ...(options.fix && { mended: applied }) });
  else {
    const style = createStyle(io.stdout, io.env);
    io.stdout.write(applied.map((one) => formatAppliedFix(one, style)).join(''));
    io.stdout.write(findings.map((finding) => formatFinding(finding, style)).join(''));
    if (options.fix && applied.length === 0) io.stderr.write('Nothing was fixed.\n');
    else if (!options.fix && fixesOf(findings.filter(({ status }) => status !== 'ok')).length > 0)
      io.stderr.write('`hermes doctor --fix` fixes some of these problems.\n');
  }
  return ok ? 0 : 1;
}

async function runChecks(options: DoctorOptions, io: CliIo, signal: AbortSignal): Promise<Finding[]> {
  const home = resolveHome(io.env);
  const { settings, findings: configuration } = await checkConfiguration(home, io.env);
  // In parallel, since some checks wait for the network and others for the disk.
  const { offline = false } = options;
  const { workingDirectory } = io;
  const models = settings === undefined ? [] : checkModels(settings, { offline });
  const servers = settings === undefined ? [] : checkServers(settings, { offline, workingDirectory, signal });
  const credentials = settings === undefined ? [] : await checkCredentials(settings);
  const plugins = settings === undefined ? [] : await checkPlugins(settings, io.workingDirectory);
  const terminal = await checkTerminal(home, io.env);
  const database = await checkDatabase({ home, env: io.env }, signal);
  const asked = [...(await models), ...(await servers), ...plugins];
  return [...checkHome(home), ...configuration, ...credentials, ...asked, ...terminal, ...database];
}

/** Asks once for all fixes known so far; fixes of the same kind that turn up later are applied without asking again. */
async function fixAll(
  findings: Finding[],
  { yes }: DoctorOptions,
  io: CliIo,
  signal: AbortSignal,
): Promise<AppliedFix[]> {
  let fixes = fixesOf(findings);
  if (fixes.length === 0) return [];
  const question = `${fixes.map((fix) => `- ${describeFix(fix)}\n`).join('')}Apply these fixes?`;
  if (!(await confirm(question, yes, io, 'This changes files'))) return [];
  const applied: AppliedFix[] = [];
  for (let round = 0; fixes.length > 0 && round < MAX_ROUNDS; round += 1) {
    const done = await applyFixes(fixes, signal);
    applied.push(...done);
    if (done.some((one) => !one.done)) break;
    fixes = fixesOf(checkHome(resolveHome(io.env)));
  }
  return applied;
}

function fixesOf(findings: readonly Finding[]): Fix[] {
  return findings.flatMap(({ fix }) => fix ?? []);
}

function formatAppliedFix({ done, message }: AppliedFix, style: Style): string {
  return `${done ? style.green('+') : style.red('-')} ${printable(redactSecrets(message))}\n`;
}

function formatFinding({ status, message, hint }: Finding, style: Style): string {
  const marks = { ok: style.green('✓'), warning: style.yellow('!'), wrong: style.red('✗') };
  const next = hint === undefined ? '' : `  ${printable(hint)}\n`;
  return `${marks[status]} ${printable(redactSecrets(message))}\n${next}`;
}
