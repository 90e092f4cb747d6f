import { loadSettings, resolveHome } from '../../../config/index.ts';
import { inspectServer, type InspectedServer } from '../../../runtime/mcp/index.ts';
import { shorten } from '../../../util/index.ts';
import { counted } from '../../text/counted.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, showable, type Style } from '../style.ts';

export async function testMcp(
  name: string,
  { json }: { json?: boolean },
  io: CliIo,
  signal: AbortSignal,
): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const inspected = await inspectServer(settings, name, { workingDirectory: io.workingDirectory, signal });
  if (json) writeJson(io.stdout, toRecord(inspected));
  else io.stdout.write(formatInspected(inspected, createStyle(io.stdout, io.env)));
  return 0;
}

/** What scripts get. */
export function toRecord({ report, tools, connectMs }: InspectedServer): object {
  const { name, serverVersion, protocolVersion, leftOut } = report;
  return {
    ...{ name, connectMs, serverVersion, protocolVersion },
    tools: tools.map(({ definition, readOnly, asks }) => ({
      name: definition.name,
      description: definition.description,
      ...{ readOnly, asks },
    })),
    leftOut,
  };
}

const SHOWN = 80;

export function formatInspected({ report, tools, connectMs }: InspectedServer, style: Style): string {
  const version = report.serverVersion === undefined ? '' : ` (version ${showable(report.serverVersion)})`;
  const head = `${style.green('✓')} ${showable(report.name)}${version} answered after ${connectMs} ms, with ${counted(tools.length, 'tool')}:\n`;
  const width = Math.max(0, ...tools.map(({ definition }) => definition.name.length));
  const lines = tools.map(({ definition, asks }) => {
    const about = showable(shorten(definition.description, SHOWN));
    return `  ${definition.name.padEnd(width)}  ${about}${asks ? style.yellow(' [asks first]') : ''}\n`;
  });
  const left = report.leftOut.map(
    ({ name, reason }) => `${style.yellow('!')} ${showable(name)} is not used: ${showable(reason)}\n`,
  );
  return [head, ...lines, ...left].join('');
}
