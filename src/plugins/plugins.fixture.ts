import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { PluginSettings } from '../config/index.ts';
import type { Logger } from '../contracts/index.ts';
import { openPluginSet, type PluginSet, type PluginSetOptions } from './plugin-set.ts';

/** A home directory and a project with real plugins, created for each test of a file. */
export type PluginsFixture = {
  readonly home: string;
  readonly project: string;
  /** The logged warnings and errors, one line each. */
  readonly log: readonly string[];
  write(path: string, content: string): Promise<string>;
  /** Creates a plugin in the home directory. `manifest` is the manifest without the name. */
  plugin(name: string, manifest: string, module: string): Promise<void>;
  open(settings: Partial<PluginSettings>, options?: Partial<PluginSetOptions>): Promise<PluginSet>;
};

export const NO_PLUGINS: PluginSettings = {
  enabled: [],
  disabled: [],
  packages: [],
  trustedProjectDirs: [],
  config: {},
};

/** Creates the fixture and its hooks. Call it at the top level of a test file. */
export function usePlugins(): PluginsFixture {
  let root = '';
  let log: string[] = [];
  const opened: PluginSet[] = [];
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'hermes-plugins-')));
    log = [];
    await mkdir(join(root, 'home'));
    await mkdir(join(root, 'project', '.git'), { recursive: true });
  });
  afterEach(async () => {
    for (const set of opened.splice(0)) set.close();
    await rm(root, { recursive: true, force: true });
  });
  const note = (message: string, fields?: object) => void log.push(`${message} ${JSON.stringify(fields ?? {})}`);
  const logger: Logger = { debug() {}, info() {}, warn: note, error: note };
  const write = async (path: string, content: string) => {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
    return file;
  };
  return {
    get home() {
      return join(root, 'home');
    },
    get project() {
      return join(root, 'project');
    },
    get log() {
      return log;
    },
    write,
    async plugin(name, manifest, module) {
      await write(`home/plugins/${name}/plugin.yaml`, `name: ${name}\n${manifest}`);
      await write(`home/plugins/${name}/index.mjs`, module);
    },
    async open(settings, options = {}) {
      const places = { home: join(root, 'home'), workingDirectory: join(root, 'project') };
      const rest = { hooks: [], variables: {}, passedVariables: [], logger };
      const set = await openPluginSet({ ...places, ...rest, settings: { ...NO_PLUGINS, ...settings }, ...options });
      opened.push(set);
      return set;
    },
  };
}
