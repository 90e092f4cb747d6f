export type ProgramOptions = { env?: Record<string, string>; input?: Uint8Array | undefined; timeoutMs?: number };
export type ProgramResult = { code: number; output: Buffer; errors: string };

/** The maximum number of characters of stderr that are kept. */
const MAX_ERRORS = 10_000;

/** Runs a program until it exits, with optional stdin, and returns all of its output. */
export async function runProgram(
  file: string,
  args: readonly string[],
  { env, input, timeoutMs }: ProgramOptions,
): Promise<ProgramResult> {
  const { spawn } = await import('node:child_process');
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      ...(env && { env }),
      ...(timeoutMs !== undefined && { timeout: timeoutMs }),
    });
    const output: Buffer[] = [];
    let errors = '';
    child.stdout?.on('data', (bytes: Buffer) => output.push(bytes));
    child.stderr?.on('data', (bytes: Buffer) => {
      if (errors.length < MAX_ERRORS) errors += bytes.toString();
    });
    // A program that exits without reading stdin reports its error itself.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? -1, output: Buffer.concat(output), errors }));
  });
}
