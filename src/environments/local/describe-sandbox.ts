import { operatingSystem, sandboxProgram } from '../../util/index.ts';

/** Tells the model about the limits of the sandbox, so that it does not try what cannot work. */
export function describeSandboxSystem(network: boolean, program = sandboxProgram(), hasAdded = false): string {
  const temporary = program === 'seatbelt' ? '$TMPDIR' : '/tmp';
  return `${operatingSystem()}, sandboxed: only the working directory${hasAdded ? ', the additional directories' : ''} and ${temporary} are writable${network ? '' : ', no network'}`;
}
