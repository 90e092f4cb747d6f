import { resolveHome } from '../../../config/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, type Style, showable } from '../style.ts';
import { checkConfiguration } from './check-configuration.ts';
import { checkDatabase } from './check-database.ts';
import { checkHome } from './check-home.ts';
import { checkTerminal } from './check-terminal.ts';
import type { Finding } from './finding.ts';

/** Looks at everything a start depends on and changes nothing. Ends with 1 where something is wrong. */
export async function doctor({ json }: { json?: boolean }, io: CliIo, signal: AbortSignal): Promise<number> {
  const home = resolveHome(io.env);
  const findings = [
    ...checkHome(home),
    ...(await checkConfiguration(home, io.env)),
    ...(await checkTerminal(home, io.env)),
    ...(await checkDatabase(home, signal)),
  ];
  const ok = findings.every(({ status }) => status !== 'wrong');
  if (json) writeJson(io.stdout, { ok, findings });
  else {
    const style = createStyle(io.stdout, io.env);
    io.stdout.write(findings.map((finding) => formatFinding(finding, style)).join(''));
  }
  return ok ? 0 : 1;
}

function formatFinding({ status, message, hint }: Finding, style: Style): string {
  const marks = { ok: style.green('✓'), warning: style.yellow('!'), wrong: style.red('✗') };
  const next = hint === undefined ? '' : `  ${showable(hint)}\n`;
  return `${marks[status]} ${showable(message)}\n${next}`;
}
