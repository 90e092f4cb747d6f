import { resolveHome } from '../../../config/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { redactSecrets } from '../../../util/index.ts';
import { createStyle, type Style, showable } from '../style.ts';
import { checkConfiguration } from './check-configuration.ts';
import { checkCredentials } from './check-credentials.ts';
import { checkDatabase } from './check-database.ts';
import { checkHome } from './check-home.ts';
import { checkModels } from './check-models.ts';
import { checkTerminal } from './check-terminal.ts';
import type { Finding } from './finding.ts';

export type DoctorOptions = { json?: boolean; offline?: boolean };

/**
 * Looks at everything a start depends on; ends with 1 where something is wrong. Hosts are asked for nothing that costs
 * anything, and only here; a login that has run out is renewed, as a chat would.
 */
export async function doctor(options: DoctorOptions, io: CliIo, signal: AbortSignal): Promise<number> {
  const home = resolveHome(io.env);
  const { settings, findings: configuration } = await checkConfiguration(home, io.env);
  // Beside each other: one waits for the network, the other for the disk.
  const models = settings === undefined ? [] : checkModels(settings, { offline: options.offline ?? false });
  const credentials = settings === undefined ? [] : await checkCredentials(settings);
  const terminal = await checkTerminal(home, io.env);
  const database = await checkDatabase(home, signal);
  const findings = [...checkHome(home), ...configuration, ...credentials, ...(await models), ...terminal, ...database];
  const ok = findings.every(({ status }) => status !== 'wrong');
  if (options.json) writeJson(io.stdout, { ok, findings });
  else {
    const style = createStyle(io.stdout, io.env);
    io.stdout.write(findings.map((finding) => formatFinding(finding, style)).join(''));
  }
  return ok ? 0 : 1;
}

function formatFinding({ status, message, hint }: Finding, style: Style): string {
  const marks = { ok: style.green('✓'), warning: style.yellow('!'), wrong: style.red('✗') };
  const next = hint === undefined ? '' : `  ${showable(hint)}\n`;
  return `${marks[status]} ${showable(redactSecrets(message))}\n${next}`;
}
