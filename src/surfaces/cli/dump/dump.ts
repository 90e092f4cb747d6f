import { arch, release, type } from 'node:os';
import { errorMessage } from '../../../base/index.ts';
import { resolveHome } from '../../../config/index.ts';
import { redactSecrets } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { showable } from '../style.ts';
import { VERSION } from '../version.ts';
import { configurationLines, errorLines, modelLines, storeLines, toolLines, variableLines } from './sections.ts';

export type DumpOptions = { json?: boolean };

const SECTIONS = {
  Program: async (io: CliIo) => [
    `hermes ${VERSION}`,
    `node ${process.version}, SQLite ${process.versions.sqlite ?? 'none'}`,
    `${type()} ${release()} ${arch()}`,
    `home ${resolveHome(io.env)}`,
    `terminal ${io.env['TERM'] ?? '–'}, shell ${io.env['SHELL'] ?? '–'}, language ${io.env['LANG'] ?? '–'}`,
  ],
  Model: modelLines,
  Configuration: configurationLines,
  Variables: variableLines,
  Tools: toolLines,
  Store: storeLines,
  'Last warnings and errors': errorLines,
};

/** A section that fails is part of the report: that may be the very thing it is about. */
export async function writeDump({ json }: DumpOptions, io: CliIo): Promise<number> {
  const entries = await Promise.all(
    Object.entries(SECTIONS).map(async ([title, gather]): Promise<[string, string[]]> => {
      const lines = await gather(io).catch((thrown: unknown) => [`cannot be told: ${errorMessage(thrown)}`]);
      return [title, lines.map((line) => withoutPerson(showable(redactSecrets(line)), io))];
    }),
  );
  if (json) writeJson(io.stdout, { sections: entries.map(([title, lines]) => ({ title, lines })) });
  else
    io.stdout.write(
      entries.map(([title, lines]) => `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`).join('\n'),
    );
  return 0;
}

/** The path of a person's folder says who they are. */
function withoutPerson(line: string, { env }: CliIo): string {
  const folder = env['HOME'];
  return folder === undefined || folder.length < 2 ? line : line.replaceAll(folder, '~');
}
