import { overwriteStartVariables } from '../../util/operating-system/start-variables.ts';
import { isSecretVariable } from '../child-environment.ts';

/** Hides the secrets of this process from commands, which could read the environment that it was started with. */
export function hideSecretVariables(): void {
  overwriteStartVariables(isSecretVariable);
}
