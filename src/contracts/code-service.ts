import type { PrivateFolder } from './environment.ts';

/** What scripts that call tools need of the place where they run. Only this machine has it. */
export interface CodeService {
  /** How long a script may run, without the time in which the person is asked. */
  readonly timeoutSeconds: number;
  /** How often it may call a tool. */
  readonly maxCalls: number;
  newFolder(): PrivateFolder;
}
