import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import {
  errorMessage,
  HermesError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../base/index.ts';
import { loadModels, describeChain } from '../../runtime/index.ts';
import { resolveHome } from '../../config/index.ts';
import { runAcp, type RunAcpOptions } from './run-acp.ts';

type CheckOptions = Pick<RunAcpOptions, 'env' | 'workingDirectory' | 'version'>;

/** Opens a session as an editor does, and says what an editor would find. Nothing is sent to a model. */
export async function checkAcp(options: CheckOptions): Promise<{ lines: string[]; isUsable: boolean }> {
  const { env, workingDirectory, version } = options;
  const lines = [`Hermes ${version}, home directory ${resolveHome(env)}`];
  try {
    const { models } = await loadModels({ home: resolveHome(env), env });
    if (models !== undefined) lines.push(`Model: ${describeChain(models.routes)}`);
    const { protocol, commands } = await openOnce(options);
    lines.push(`Agent Client Protocol ${protocol}: a session was opened in ${workingDirectory}; ${commands} commands.`);
    return { lines: [...lines, 'An editor can start: hermes acp'], isUsable: true };
  } catch (thrown) {
    return { lines: [...lines, `An editor cannot use Hermes: ${errorMessage(thrown)}`], isUsable: false };
  }
}

/** A client with two requests. Throws if one of them is answered with an error. */
async function openOnce(options: CheckOptions): Promise<{ protocol: number; commands: number }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const stop = new AbortController();
  const running = runAcp({ ...options, input, output, signal: stop.signal, onOpened: () => undefined });
  const send = (id: number, method: string, params: JsonObject) =>
    void input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  try {
    let protocol = 0;
    send(INITIALIZE, 'initialize', { protocolVersion: 1, clientCapabilities: {} });
    for await (const line of createInterface({ input: output })) {
      const { id, method, result, params, error } = asObject(parseJson(line));
      const problem = asObject(error)['message'];
      if (typeof problem === 'string') throw new HermesError(problem);
      if (id === INITIALIZE) {
        protocol = Number(asObject(result)['protocolVersion']);
        send(NEW_SESSION, 'session/new', { cwd: options.workingDirectory, mcpServers: [] });
      }
      const commands =
        method === 'session/update' ? asObject(asObject(params)['update'])['availableCommands'] : undefined;
      if (Array.isArray(commands)) return { protocol, commands: commands.length };
    }
    throw new HermesError('The server ended without an answer.');
  } finally {
    stop.abort();
    await running;
  }
}

const INITIALIZE = 1;
const NEW_SESSION = 2;

function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
