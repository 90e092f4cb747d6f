import { ConfigurationError } from '../../../base/index.ts';
import { homePaths, readIfPresent, THEMES, updateConfig } from '../../../config/index.ts';
import {
  type ConfigValue,
  describeKeys,
  findKey,
  findValue,
  type KeyPath,
  type KnownKey,
  listKeys,
  listValues,
  readKeyText,
  readValue,
  suggestKeys,
  writeKeyText,
} from '../../../config/keys/index.ts';
import { isSecretName } from '../../../util/index.ts';
import { formatValue } from '../../text/format-value.ts';
import { printable } from '../../text/style.ts';
import type { PickItem } from '../pick-request.ts';
import type { SlashContext } from '../slash-context.ts';
import { applyTheme } from './theme.ts';

const UNSET = 'unset';

/** `/config` edits settings in a list, `/config KEY` one of them, `/config KEY VALUE` sets it. */
export async function configCommand(context: SlashContext, argument: string): Promise<void> {
  const { print, terminal } = context;
  const [, name = '', value = ''] = /^(\S*)\s*([^]*)$/.exec(argument) ?? [];
  if (name !== '')
    return value === '' ? editKey(context, requireKey(name)) : saveText(context, requireKey(name), value);
  if (terminal?.pick === undefined) return print('Usage: /config KEY [VALUE]. `hermes config show` lists all keys.\n');
  // After each change the list opens again, until the user closes it.
  for (let current: string | undefined; ; ) {
    const items = await listItems(context);
    const chosen = await terminal.pick({ title: 'Settings', items, ...(current !== undefined && { current }) });
    if (chosen === undefined) return;
    current = chosen;
    await editKey(context, requireKey(chosen));
  }
}

/** Keys that one value can be entered for. Credentials belong in `.env`. */
function isEditable({ kind, path }: KnownKey): boolean {
  return kind !== 'mapping' && !isSecretName(String(path.at(-1)));
}

function requireKey(name: string): KnownKey {
  const path = readKeyText(name);
  const key = findKey(path);
  if (key !== undefined && isEditable(key)) return key;
  const near = key === undefined ? suggestKeys(path) : [];
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'Edit it with: hermes config edit';
  throw new ConfigurationError(`${name} is not a setting that can be edited here.`, { hint });
}

async function readFile({ runtime }: SlashContext) {
  const { home } = runtime.blueprint.settings;
  const { configFile: file } = homePaths(home);
  return { home, file, content: (await readIfPresent(file)) ?? '' };
}

/** All keys with a fixed name, and those that are set in the file. */
async function listItems(context: SlashContext): Promise<PickItem[]> {
  const { file, content } = await readFile(context);
  // Read all together, because each look-up of a single key creates the whole schema again.
  const meanings = new Map(describeKeys().flatMap(({ keys }) => keys.map(({ key, about }) => [key, about] as const)));
  const values = new Map(listValues(file, content).map((value) => [value.key, value]));
  const keys = new Map(listKeys().map((key) => [writeKeyText(key.path), key]));
  for (const name of values.keys()) {
    const key = keys.has(name) ? undefined : findKey(readKeyText(name));
    if (key !== undefined) keys.set(name, key);
  }
  return [...keys].flatMap(([name, key]) =>
    isEditable(key) ? [toItem(name, key, values.get(name), meanings.get(name) ?? '')] : [],
  );
}

function toItem(name: string, { expected, kind }: KnownKey, value: ConfigValue | undefined, meaning: string): PickItem {
  return {
    value: name,
    label: name,
    about: value === undefined ? '' : `${formatValue(value.value)}${value.source === 'default' ? ' (default)' : ''}`,
    detail: `${meaning}${meaning === '' ? '' : '. '}Takes ${kind === 'text' ? 'text' : expected}.`.replaceAll('`', ''),
    keywords: meaning,
  };
}

async function editKey(context: SlashContext, key: KnownKey): Promise<void> {
  const { file, content } = await readFile(context);
  const found = findValue(file, content, key.path);
  const values = key.kind === 'boolean' ? ['true', 'false'] : key.choices;
  const text =
    values.length > 0 && context.terminal?.pick !== undefined
      ? await pickValue(context, key, values, found)
      : await askValue(context, key, found);
  if (text === UNSET) await save(context, key.path, undefined);
  else if (text !== undefined) await saveText(context, key, text);
}

type Found = ReturnType<typeof findValue>;

function pickValue({ terminal }: SlashContext, { path }: KnownKey, values: readonly string[], found: Found) {
  const isSet = found?.source === 'file';
  const items = values.map((value) => ({ value, label: value }));
  const unset = { value: UNSET, label: 'remove from config.yaml', about: 'the default applies again' };
  return terminal?.pick?.({
    title: writeKeyText(path),
    items: isSet ? [...items, unset] : items,
    ...(found && { current: formatValue(found.value) }),
  });
}

/** Asks for a value until it is valid; an empty line changes nothing. */
async function askValue(context: SlashContext, key: KnownKey, found: Found): Promise<string | undefined> {
  const { print, terminal } = context;
  const name = writeKeyText(key.path);
  const now = found === undefined ? 'not set' : formatValue(found.value);
  const takes = key.kind === 'text' ? 'text' : key.expected;
  print(printable(`${name} is ${now}. It takes ${takes}; "${UNSET}" removes it, an empty line changes nothing.\n`));
  for (;;) {
    const typed = (await terminal?.ask(`${name} › `))?.trim() ?? '';
    if (typed === '') return undefined;
    const problem = typed === UNSET ? undefined : findProblem(key, typed);
    if (problem === undefined) return typed;
    print(`${printable(problem)}\n`);
  }
}

function findProblem(key: KnownKey, text: string): string | undefined {
  try {
    readValue(key, text);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) return thrown.message;
    throw thrown;
  }
}

async function saveText(context: SlashContext, key: KnownKey, text: string): Promise<void> {
  await save(context, key.path, text === UNSET ? undefined : readValue(key, text));
}

async function save(context: SlashContext, path: KeyPath, value: ReturnType<typeof readValue> | undefined) {
  const { home } = await readFile(context);
  await updateConfig(home, [{ path, value }]);
  const name = writeKeyText(path);
  const { file, content } = await readFile(context);
  const now = findValue(file, content, path);
  const shown = now === undefined ? 'is no longer set' : `= ${formatValue(now.value)}`;
  const isTheme = name === 'display.theme';
  if (isTheme) applyTheme(context, THEMES.find((theme) => theme === now?.value) ?? 'auto');
  const when = isTheme ? '' : ' It applies to chats that start from now on.';
  context.print(printable(`${name} ${shown}, saved in ${file}.${when}\n`));
}
