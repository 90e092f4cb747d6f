import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigurationError } from '../../base/index.ts';
import { importFile } from '../../util/index.ts';

/** An SDK that is not installed with Hermes, because few users need it. */
export type SdkPackage = {
  backend: string;
  name: string;
  /** The version that was tested. */
  version: string;
  /** The path of the module in the package. */
  entry: string;
  /** An export that distinguishes the SDK from another package of the same name. */
  exports: string;
};

export type LoadedSdk = { file: string; module: Readonly<Record<string, unknown>> };

/** The folder of optional packages in the home directory. */
const FOLDER = 'packages';

/** Loads an SDK from the home directory, or from a node_modules folder above the installed package. */
export async function loadSdk(sdk: SdkPackage, home: string, from = import.meta.url): Promise<LoadedSdk> {
  const file = [join(home, FOLDER), ...foldersAbove(dirname(fileURLToPath(from)))]
    .map((folder) => join(folder, 'node_modules', sdk.name, sdk.entry))
    .find((candidate) => existsSync(candidate));
  if (file === undefined) throw missing(sdk, home, 'is not installed');
  const module = await importFile(file).catch((cause: unknown) => {
    throw missing(sdk, home, 'could not be loaded', cause);
  });
  if (typeof module[sdk.exports] !== 'function') throw missing(sdk, home, 'is a different package of the same name');
  return { file, module };
}

function foldersAbove(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersAbove(parent)];
}

function missing({ backend, name, version }: SdkPackage, home: string, what: string, cause?: unknown): Error {
  const command = `npm install --prefix ${join(home, FOLDER)} ${name}@${version}`;
  return new ConfigurationError(`terminal.backend is ${backend}, but the package ${name} ${what}.`, {
    hint: `Run "${command}", or set terminal.backend to another backend.`,
    ...(cause !== undefined && { cause }),
  });
}
