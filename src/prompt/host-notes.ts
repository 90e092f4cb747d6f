import { existsSync } from 'node:fs';

type Variables = Readonly<Record<string, string | undefined>>;

/** Notes about special machines. Environment variables are checked first because file system calls cost more. */
export function findHostNotes(
  variables: Variables = process.env,
  exists: (path: string) => boolean = existsSync,
): string[] {
  const notes: string[] = [];
  if (variables['WSL_DISTRO_NAME'] !== undefined) notes.push('WSL (Windows drives are under /mnt)');
  if (variables['TERMUX_VERSION'] !== undefined) notes.push('Termux on Android (no root, packages with pkg)');
  const inContainer = variables['container'] !== undefined || variables['KUBERNETES_SERVICE_HOST'] !== undefined;
  if (inContainer || exists('/.dockerenv') || exists('/run/.containerenv')) notes.push('in a container');
  return notes;
}
