import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigurationError } from '../../base/index.ts';
import { importFile } from '../../util/index.ts';

/** An SDK that is not installed with Hermes, because few need it. */
export type SdkPackage = {
  backend: string;
  name: string;
  /** The one that was tried. */
  version: string;
  /** The module inside. */
  entry: string;
  /** What it exports; another package of the same name does not. */
  exports: string;
};

export type LoadedSdk = { file: string; module: Readonly<Record<string, unknown>> };

/** Where packages lie that Hermes uses and does not bring. */
const FOLDER = 'packages';

/** Loads an SDK from Hermes's own folder, or from beside the installed package. */
export async function loadSdk(sdk: SdkPackage, home: string, from = import.meta.url): Promise<LoadedSdk> {
  const file = [join(home, FOLDER), ...foldersAbove(dirname(fileURLToPath(from)))]
    .map((folder) => join(folder, 'node_modules', sdk.name, sdk.entry))
    .find((candidate) => existsSync(candidate));
  if (file === undefined) throw missing(sdk, home, 'is not installed');
  const module = await importFile(file).catch((cause: unknown) => {
    throw missing(sdk, home, 'cannot be loaded', cause);
  });
  if (typeof module[sdk.exports] !== 'function') throw missing(sdk, home, 'is another package of that name');
  return { file, module };
}

function foldersAbove(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersAbove(parent)];
}

function missing({ backend, name, version }: SdkPackage, home: string, what: string, cause?: unknown): Error {
  const command = `npm install --prefix ${join(home, FOLDER)} ${name}@${version}`;
  return new ConfigurationError(`terminal.backend is ${backend}, but the package ${name} ${what}.`, {
    hint: `Run "${command}", or set terminal.backend to another one.`,
    ...(cause !== undefined && { cause }),
  });
}
