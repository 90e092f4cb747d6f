import { existsSync } from 'node:fs';

type Variables = Readonly<Record<string, string | undefined>>;

/** What is special about this machine. Variables first: looking at files costs more. */
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
