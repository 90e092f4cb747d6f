/** The files that start Hermes in an installed package or in a checkout, whether or not they exist here. */
const STARTING_FILE =
  /(?:^|\/)hermes(?:-agent)?(?:-ts)?(?:@[^/]*)?\/(?:dist|bin|build|lib|src\/(?:surfaces\/)?cli)\/[^/]+\.(?:[cm]?[jt]s)$|(?:^|\/)hermes(?:-agent)?-ts\/(?:index|cli|main)\.(?:[cm]?[jt]s)$/;

/** Whether a path is that of a file which starts Hermes, by the usual layout of its package. */
export function isStartingFile(path: string): boolean {
  return STARTING_FILE.test(path);
}

/** An installed copy of the package, and the links that package managers create for its command. */
const INSTALLED = /node_modules\/hermes-agent-ts(?:\/|$)/;
const LAUNCHER = /\/s?bin\/hermes(?:\.\w+)?$/;

/**
 * Whether a path is that of a file of Hermes by its name, whether or not it exists. A change to one of these files can
 * disable the guard. In a project, only installed packages count.
 */
export function namesOwnFile(path: string, inProject: boolean): boolean {
  return INSTALLED.test(path) || (!inProject && (LAUNCHER.test(path) || isStartingFile(path)));
}

/** The folder of the running package, whose code is in `dist` or, in a checkout, in `src`. */
export function findOwnPackage(): string {
  return import.meta.dirname.replace(/^(.+)\/(?:dist|src)(?:\/.*)?$/, '$1');
}
