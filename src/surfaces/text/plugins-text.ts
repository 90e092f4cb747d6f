import { describeFault, type LoadedPlugin, type PluginManifest } from '../../plugins/index.ts';
import { shorten } from '../../util/index.ts';
import { type Style, printable } from './style.ts';

const SHOWN = 80;

/** Formats one line for each plugin, with its error below it. */
export function formatPlugins(plugins: readonly LoadedPlugin[], style: Style): string {
  const width = Math.max(0, ...plugins.map(({ name }) => name.length));
  return plugins
    .map((plugin) => {
      const { name, manifest, origin, fault } = plugin;
      const words = [manifest?.version, shorten(manifest?.description ?? '', SHOWN)].filter(Boolean).join('  ');
      const line = `${markOf(plugin, style)} ${name.padEnd(width)}  ${printable(words)}${style.dim(` (${origin})`)}`;
      const why = fault === undefined ? reasonOf(plugin) : describeFault(fault);
      return `${line.trimEnd()}\n${why === undefined ? '' : `    ${style.yellow(printable(why))}\n`}`;
    })
    .join('');
}

function markOf({ state }: LoadedPlugin, style: Style): string {
  if (state === 'on') return style.green('✓');
  return state === 'off' ? style.dim('–') : style.red('✗');
}

function reasonOf({ state, project }: LoadedPlugin): string | undefined {
  return state === 'untrusted' ? `The project ${project} is not trusted, so its plugins are not loaded.` : undefined;
}

/** Lists what a plugin declares in its manifest, by kind. */
export function describeProvisions(manifest: PluginManifest | undefined): [string, string][] {
  const { provides } = manifest ?? {};
  const rows: [string, readonly string[]][] = [
    ['tools', provides?.tools ?? []],
    ['hooks', provides?.hooks ?? []],
    ['commands', (provides?.commands ?? []).map((name) => `/${name}`)],
    ['context engines', provides?.contextEngines ?? []],
    ['memory providers', provides?.memoryProviders ?? []],
    ['messaging platforms', provides?.platforms ?? []],
    ['reads', manifest?.variables ?? []],
  ];
  return rows.flatMap(([kind, names]): [string, string][] => (names.length === 0 ? [] : [[kind, names.join(', ')]]));
}
