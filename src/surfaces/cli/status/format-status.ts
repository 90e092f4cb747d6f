import type { RouteDescription } from '../../../providers/index.ts';
import type { OriginalDatabase } from '../../../store/sqlite/index.ts';
import { redactSecrets } from '../../../util/index.ts';
import { counted } from '../../text/counted.ts';
import { importCommand } from '../original/start-notices.ts';
import { type Style, printable } from '../style.ts';

type File = { path: string; exists: boolean };

export type Status = {
  /** Whether at least one route can be opened. */
  usable: boolean;
  primary: RouteDescription | undefined;
  fallbacks: readonly RouteDescription[];
  /** The result of asking the provider for its models. */
  listed?: { provider: string; answered: boolean; models: number | undefined };
  /** Where commands run. */
  terminal: { backend: string; place: string; sandbox?: { on: boolean; problem?: string } };
  home: File;
  configFile: File;
  envFile: File;
  authFile: File;
  store: File | { database: string };
  /** The database of a later version of the original. */
  original?: OriginalDatabase;
  version: string;
  warnings: readonly string[];
};

type Row = readonly [name: string, value: string];
const NAME_WIDTH = 12;

export function formatStatus(status: Status, style: Style): string {
  const rows: Row[] = [
    ...(status.primary === undefined ? [noModel] : rowsOf(status.primary, style, status.home.path)),
    ...status.fallbacks.map((route, index): Row => [`fallback ${index + 1}`, fallbackText(route, style)]),
    ...listedRows(status.listed),
    ['commands', plain(status.terminal.place)],
    ...sandboxRows(status.terminal.sandbox, style),
    ['home', fileText(status.home, style)],
    ['config file', fileText(status.configFile, style)],
    ['keys', fileText(status.envFile, style)],
    ['', fileText(status.authFile, style)],
    ['store', 'path' in status.store ? fileText(status.store, style) : plain(status.store.database)],
    ...originalRows(status.original),
    ['version', status.version],
  ];
  const warnings = status.warnings.map((warning) => `${style.yellow('!')} ${plain(warning)}\n`);
  return [...rows.map(([name, value]) => `${name.padEnd(NAME_WIDTH)}  ${value}\n`), ...warnings].join('');
}

const noModel: Row = ['model', 'none; run `hermes setup`, or try `hermes --provider demo`'];

function rowsOf(route: RouteDescription, style: Style, home: string): Row[] {
  const { places, key } = route;
  // The home directory has its own row; its full path in every line would be too wide.
  const from = (value: string | undefined, location: string | undefined): string =>
    `${plain(value ?? '–')}${location === undefined ? '' : style.dim(`  (${plain(location.replace(`${home}/`, ''))})`)}`;
  return [
    ['provider', from(providerText(route), places.provider)],
    ['model', from(route.model, places.model)],
    ['API mode', route.apiMode ?? '–'],
    ['base URL', from(route.baseUrl, places.baseUrl)],
    ...(route.cacheTtl === undefined
      ? []
      : [['caching', `prompt caching, entries expire ${lifeText(route.cacheTtl)} after their last use`] as const]),
    ['key', key === undefined ? '–' : from(endingText(key.ending), key.place)],
    ...(route.problem === undefined ? [] : [['problem', style.red(problemText(route.problem))] as const]),
  ];
}

function originalRows(original: OriginalDatabase | undefined): Row[] {
  if (original === undefined) return [];
  const { file, schema, sessions, missing } = original;
  const text = `${plain(file)} (schema ${schema}): ${counted(sessions, 'session')}, ${missing === 0 ? 'all' : sessions - missing} imported`;
  const next = missing === 0 ? [] : [['', `import the others with: ${plain(importCommand(original))}`] as const];
  return [['original', text], ...next];
}

function fallbackText(route: RouteDescription, style: Style): string {
  const name = plain(`${route.provider}/${route.model}`);
  if (route.problem !== undefined) return `${style.red('✗')} ${name}: ${problemText(route.problem)}`;
  return `${style.green('✓')} ${name} at ${plain(route.baseUrl ?? '–')}`;
}

function sandboxRows(sandbox: Status['terminal']['sandbox'], style: Style): Row[] {
  if (sandbox === undefined) return [];
  const { on, problem } = sandbox;
  if (problem === undefined) return [['sandbox', on ? 'on' : 'off; it works here, and --sandbox turns it on']];
  const text = `${on ? 'on, but' : 'off;'} it does not work: ${plain(problem)}`;
  return [['sandbox', on ? style.red(text) : text]];
}

function listedRows(listed: Status['listed']): Row[] {
  if (listed === undefined) return [];
  const text = listed.answered
    ? `${listed.provider} lists ${listed.models} models`
    : `${listed.provider} did not return a list of models: it has none, or the base URL or API key is wrong`;
  return [['models', plain(text)]];
}

/** One line about a route and why it is used, for `--verbose`. */
export function formatRouteLine(route: RouteDescription): string {
  const { places, key } = route;
  const mode = route.apiMode === undefined ? '' : ` (${route.apiMode})`;
  const why = places.provider === undefined ? '' : `, selected by ${places.provider}`;
  const credential = key === undefined ? 'no API key' : `API key from ${key.place}`;
  const caching = route.cacheTtl === undefined ? '' : `; prompt caching, ${lifeText(route.cacheTtl)}`;
  return plain(`${providerText(route)}, ${route.model}, at ${route.baseUrl}${mode}${why}; ${credential}${caching}`);
}

function lifeText(ttl: NonNullable<RouteDescription['cacheTtl']>): string {
  return ttl === 'auto' ? '5m, and 1h in sessions with pauses,' : ttl;
}

function providerText({ name, provider }: RouteDescription): string {
  return name === undefined || name === provider ? provider : `${name} (${provider})`;
}

function endingText(ending: string | undefined): string {
  return ending === undefined ? 'set' : `…${ending}`;
}

function problemText({ message, hint }: NonNullable<RouteDescription['problem']>): string {
  return plain(hint === undefined ? message : `${message} ${hint}`);
}

function fileText({ path, exists }: File, style: Style): string {
  return `${plain(path)}${exists ? '' : style.dim('  (does not exist yet)')}`;
}

/** URLs and names may come from anywhere, and a URL may contain a key in its query. */
function plain(text: string): string {
  return printable(redactSecrets(text));
}
