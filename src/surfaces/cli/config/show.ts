import { ConfigurationError } from '../../../base/index.ts';
import { homePaths } from '../../../config/index.ts';
import { type ConfigValue, findOldName, listKeys, listValues, readKeyText } from '../../../config/keys/index.ts';
import { isSecretName, maskSecret, nearestNames, redactSecrets } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, showable, type Style } from '../style.ts';
import { openConfigFile, savedVariables } from './config-file.ts';
import { formatValue } from './format-value.ts';

export type ShowOptions = { json?: boolean };

/** What is set and where, and what holds where nothing is. */
export async function showConfig(section: string | undefined, { json }: ShowOptions, io: CliIo): Promise<number> {
  const { home, file, content } = await openConfigFile(io);
  const all = listValues(file, content);
  const values = section === undefined ? all : inSection(all, section);
  const { envFile } = homePaths(home);
  const saved = section === undefined ? (await savedVariables(home)).map(hideVariable) : [];
  if (json) {
    writeJson(io.stdout, { file, values, envFile, variables: saved.map(([name, value]) => ({ name, value })) });
    return 0;
  }
  const style = createStyle(io.stdout, io.env);
  const variables = saved.map(([name, value]) => `${name}=${showable(value)}\n`).join('');
  io.stdout.write(`${style.bold(showable(file))}${content === '' ? style.dim('  (nothing is set)') : ''}\n`);
  io.stdout.write(formatValues(values, style));
  if (variables !== '') io.stdout.write(`\n${style.bold(showable(envFile))}\n${variables}`);
  return 0;
}

function inSection(values: readonly ConfigValue[], section: string): ConfigValue[] {
  const found = values.filter(
    ({ key }) => key === section || key.startsWith(`${section}.`) || key.startsWith(`${section}[`),
  );
  const sections = [...new Set([...listKeys().map(({ path }) => String(path[0])), ...values.map(({ key }) => key)])];
  if (found.length > 0 || sections.includes(section)) return found;
  const [near] = nearestNames(section, sections, 1);
  throw new ConfigurationError(`There is no section "${section}".`, {
    hint: near === undefined ? '`hermes config show` shows all of them.' : `Did you mean ${near}?`,
  });
}

/** A name may not tell that it holds a secret, so only switches and addresses are shown whole. */
function hideVariable([name, value]: [string, string]): [string, string] {
  const looksHarmless = /^(?:true|false|https?:\/\/\S+)$/i.test(value) && !isSecretName(name);
  return [name, looksHarmless ? redactSecrets(value) : maskSecret(value)];
}

function formatValues(values: readonly ConfigValue[], style: Style): string {
  const width = Math.max(0, ...values.map(({ key }) => key.length));
  const shown = values.map((entry) => ({ ...entry, text: showable(formatValue(entry.value)) }));
  const valueWidth = Math.min(32, Math.max(0, ...shown.map(({ text }) => text.length)));
  return shown
    .map(({ key, text, source, line, known }) => {
      const note = known ? '' : findOldName(readKeyText(key)) === undefined ? ', not known here' : ', an old name';
      const place = source === 'default' ? 'default' : `line ${line}${note}`;
      return `${showable(key).padEnd(width)}  ${text.padEnd(valueWidth)}  ${style.dim(place)}\n`;
    })
    .join('');
}
