import { describe, expect, it } from 'vitest';
import type { Environment } from '../contracts/index.ts';
import { explainSandbox } from './sandbox-hints.ts';

const outside = {} as Environment;
const failed = (output: string) => ({ output, ended: 'exit' as const, exitCode: 1 });
const BUBBLEWRAP = { sandbox: { network: false, outside } };
const SEATBELT = { sandbox: { network: false, outside, temporaryFolder: '$TMPDIR' } };

describe('the hint about the sandbox', () => {
  it('names the folders that are writable there', () => {
    const denied = failed('touch: /etc/x: Operation not permitted');
    expect(explainSandbox(denied, 'touch /etc/x', SEATBELT)).toContain(
      'only the working directory and $TMPDIR are writable.',
    );
    const readOnly = failed("touch: cannot touch '/etc/x': Read-only file system");
    expect(explainSandbox(readOnly, 'touch /etc/x', BUBBLEWRAP)).toContain(
      'only the working directory and /tmp are writable.',
    );
  });

  it('is not given for an error that this sandbox does not cause', () => {
    expect(explainSandbox(failed('chown: x: Operation not permitted'), 'chown root x', BUBBLEWRAP)).toBeUndefined();
    expect(explainSandbox(failed('x: syntax error'), 'x', SEATBELT)).toBeUndefined();
  });
});
