/**
 * The operating system. Everything else that differs between systems is in this folder, and a test forbids other
 * files to look at `process.platform`.
 */
export function operatingSystem(): NodeJS.Platform {
  return process.platform;
}

/**
 * Whether to use what only Linux has: /proc, /dev/shm, namespaces. `HERMES_PORTABLE=1` switches all of it off, so that
 * tests on Linux run the code for other systems.
 */
export function hasLinuxFacilities(): boolean {
  return process.platform === 'linux' && process.env['HERMES_PORTABLE'] !== '1';
}

/** A folder in memory that every user can write to; undefined if the system has none. */
export function memoryFolder(): string | undefined {
  return hasLinuxFacilities() ? '/dev/shm' : undefined;
}

/** How long the path of a Unix socket can be. */
export function maxSocketPathBytes(): number {
  return operatingSystem() === 'linux' ? 107 : 103;
}

/** The program that confines commands; undefined if there is none for the system. */
export type SandboxProgramName = 'bubblewrap' | 'seatbelt';

export function sandboxProgram(): SandboxProgramName | undefined {
  if (process.platform === 'darwin') return 'seatbelt';
  return hasLinuxFacilities() ? 'bubblewrap' : undefined;
}
