import { ConfigurationError, type JsonValue } from '../../../base/index.ts';
import {
  describeKey,
  describeKeys,
  findValue,
  type KeyDescription,
  knownVariables,
  readKeyText,
  suggestKeys,
} from '../../../config/keys/index.ts';
import { PROVIDERS } from '../../../providers/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, showable, type Style } from '../style.ts';
import { isVariableName, openConfigFile } from './config-file.ts';
import { formatValue } from './format-value.ts';
import { keyHint } from './key-hint.ts';

export type ExplainOptions = { json?: boolean };

/** What a key, a section or a variable is for. */
export async function explainKey(name: string, { json }: ExplainOptions, io: CliIo): Promise<number> {
  const style = createStyle(io.stdout, io.env);
  if (isVariableName(name)) {
    const about = aboutVariable(name);
    if (json) writeJson(io.stdout, { variable: name, about });
    else io.stdout.write(`${style.bold(name)}\n  ${about}.\n`);
    return 0;
  }
  const section = describeKeys().find((candidate) => candidate.name === name);
  if (section !== undefined && section.keys[0]?.key !== name) {
    if (json) writeJson(io.stdout, section);
    else io.stdout.write(`${style.bold(name)}\n  ${section.about}.\n${formatKeys(section.keys, style)}`);
    return 0;
  }
  const path = readKeyText(name);
  const described = describeKey(path);
  if (described === undefined) throw unknownKey(name, suggestKeys(path));
  const { file, content } = await openConfigFile(io);
  const set = findValue(file, content, path, {});
  const now = set === undefined ? 'not set' : formatValue(set.value);
  if (json) writeJson(io.stdout, { ...described, key: name, ...(set !== undefined && { now: set.value }) });
  else io.stdout.write(`${style.bold(name)}\n${formatKey(described, showable(now))}`);
  return 0;
}

function formatKey({ about, kind, wanted, default: usual, variable }: KeyDescription, now: string): string {
  const lines = [
    ['takes', kind === 'text' ? 'text' : wanted],
    ['default', usual === undefined ? 'none' : formatValue(usual as JsonValue)],
    ['now', now],
    ...(variable === undefined ? [] : [['variable', `${variable}, where the file says nothing`]]),
  ];
  return `  ${about}.\n${lines.map(([label = '', text = '']) => `  ${label.padEnd(9)} ${text}\n`).join('')}`;
}

function formatKeys(keys: readonly KeyDescription[], style: Style): string {
  return keys.map(({ key, about }) => `\n${key}\n  ${style.dim(`${about}.`)}`).join('') + '\n';
}

function aboutVariable(name: string): string {
  const known = knownVariables().find((variable) => variable.name === name);
  if (known !== undefined) return known.about;
  const owner = PROVIDERS.find(({ keyVariables }) => keyVariables.includes(name));
  if (owner !== undefined) return `A key of ${owner.name} (${owner.id}); it goes to its host and to no other`;
  throw unknownKey(name, []);
}

function unknownKey(name: string, near: readonly string[]): ConfigurationError {
  return new ConfigurationError(`${name} is not read by this program.`, { hint: keyHint(near) });
}
