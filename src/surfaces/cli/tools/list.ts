import { loadSettings, resolveHome } from '../../../config/index.ts';
import { inspectChosenTools } from '../../../runtime/index.ts';
import type { CliIo } from '../cli-io.ts';
import { besideMargin } from '../../text/table.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, showable } from '../style.ts';
import { stateMark } from './state-mark.ts';

/** Presets of surfaces hold the same tools again and again; a table of them says nothing. */
const PRESET = /^hermes-/;

export async function listTools({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const report = await inspectChosenTools(settings);
  if (json) {
    const tools = report.tools.map(({ name, toolset, state, reason }) => ({ name, toolset, state, reason }));
    writeJson(io.stdout, { sets: report.sets, tools });
    return 0;
  }
  const style = createStyle(io.stdout, io.env);
  const sets = report.sets.filter(({ name }) => !PRESET.test(name));
  const width = Math.max(...sets.map(({ name }) => name.length));
  for (const { name, tools, state } of sets) {
    io.stdout.write(
      `${stateMark(state, style)} ${name.padEnd(width)}  ${besideMargin(showable(tools.join(', ')), width + 4, io.stdout.columns)}\n`,
    );
  }
  const presets = report.sets.filter(({ name }) => PRESET.test(name)).map(({ name }) => name);
  io.stdout.write(`\nPresets  ${besideMargin(presets.join(', '), 'Presets  '.length, io.stdout.columns)}\n`);
  for (const { name, state, reason } of report.tools.filter((tool) => tool.state !== 'on')) {
    io.stdout.write(`${stateMark(state, style)} ${name}: ${showable(reason ?? state)}\n`);
  }
  return 0;
}
