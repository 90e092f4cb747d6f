import type { TerminalSettings } from '../../../config/index.ts';

/** Where commands run, for the end of a sentence. */
export function describeTerminal({ backend, sandboxNetwork, ssh, container }: TerminalSettings): string {
  switch (backend) {
    case 'local':
      return 'on this machine';
    case 'sandbox':
      return `in the sandbox, ${sandboxNetwork ? 'with' : 'without'} network`;
    case 'ssh':
      return `on ${ssh.host ?? 'no host yet'}, over ssh`;
    case 'docker':
      return `in a container from ${container?.dockerImage}`;
    case 'singularity':
      return `in a container from ${container?.singularityImage}`;
    case 'modal':
      return `at Modal, in a container from ${container?.modalImage}`;
    case 'daytona':
      return `at Daytona, in a container from ${container?.daytonaImage}`;
    default:
      return `nowhere: terminal.backend "${backend}" is not a known backend`;
  }
}
