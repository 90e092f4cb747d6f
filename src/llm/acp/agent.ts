import type { JsonObject, ModelError } from '../../base/index.ts';
import { asObject } from '../json-access.ts';
import { protocolFailure, type CommandHints, processFailure, failure } from './acp-failure.ts';
import type { AcpProtocol } from './acp-protocol.ts';
import { type AgentOutput, createAgentOutput } from './agent-output.ts';
import { type AgentCommand, type AgentProcess, startAgentProcess } from './agent-process.ts';

export type AgentOptions = AgentCommand & { hints: CommandHints };

/** A running command that speaks ACP. All its sessions share one process. */
export type Agent = Pick<AgentOutput, 'listen' | 'onActivity'> & {
  /** Whether it accepts new calls. */
  usable(): boolean;
  /** Resolves after the agent was initialized. */
  ready(): Promise<ReadyAgent>;
  /** Registers a running call; the returned function releases it. */
  hold(): () => void;
  /** The number of running calls. */
  holders(): number;
  /** Ends the agent; pending calls fail with this reason. */
  end(reason: ModelError): void;
};

export type ReadyAgent = { protocol: AcpProtocol; folder: string; capabilities: JsonObject };

/** The parts of an agent that have been created so far. */
type Parts = { child?: AgentProcess; protocol?: AcpProtocol; fault?: ModelError };

/** How long an idle agent is kept. */
const IDLE_MS = 10 * 60_000;

/** Starts the command. Every failure rejects the pending calls with a model error. */
export function startAgent(options: AgentOptions): Agent {
  const parts: Parts = {};
  const end = (reason: ModelError) => {
    if (parts.fault !== undefined) return;
    parts.fault = reason;
    parts.protocol?.close(reason);
    parts.child?.end();
  };
  const output = createAgentOutput({
    onMessage: (message) => parts.protocol?.receive(message),
    onFault: (fault) => end(failure('invalid_response', `"${options.command}" sent ${fault}`)),
  });
  const ready = start(options, parts, output, end).catch((thrown: unknown) => {
    const judged = protocolFailure(thrown, options.hints);
    end(judged);
    throw judged;
  });
  // `ready` may reject before anyone awaits it.
  ready.catch(() => undefined);
  return {
    usable: () => parts.fault === undefined,
    ready: () => ready,
    listen: output.listen,
    onActivity: output.onActivity,
    ...createHolding(parts, end),
    end,
  };
}

async function start(options: AgentOptions, parts: Parts, output: AgentOutput, end: Agent['end']): Promise<ReadyAgent> {
  const { createAcpProtocol, SUPPORTED_VERSION } = await import('./acp-protocol.ts');
  throwFault(parts);
  const child = await startAgentProcess(options, {
    onOutput: output.feed,
    onEnd(ending) {
      const said = [parts.child?.stderrTail() ?? '', output.textBeforeProtocol()].filter(Boolean).join(' ');
      end(processFailure(options, options.hints, ending, { spoke: output.hasReceived(), said }));
    },
  });
  const protocol = createAcpProtocol({
    send: (line) => child.write(`${line}\n`),
    onDenied: ({ sessionId, toolCallId }) => output.denied(sessionId, toolCallId),
  });
  Object.assign(parts, { child, protocol });
  // If the agent was ended while the process was starting, the process is killed now.
  if (parts.fault !== undefined) child.end();
  throwFault(parts);
  const answer = asObject(await protocol.initialize());
  if (answer?.protocolVersion !== SUPPORTED_VERSION) {
    throw failure('format_error', `"${options.command}" does not support version ${SUPPORTED_VERSION} of ACP.`);
  }
  return { protocol, folder: child.folder, capabilities: asObject(answer.agentCapabilities) ?? {} };
}

function throwFault({ fault }: Parts): void {
  if (fault !== undefined) throw fault;
}

/** An idle agent does not keep Hermes running, and is ended after a while. */
function createHolding(parts: Parts, end: Agent['end']): Pick<Agent, 'hold' | 'holders'> {
  let holders = 0;
  let idle: NodeJS.Timeout | undefined;
  const letGo = () => {
    holders -= 1;
    if (holders > 0) return;
    parts.child?.release();
    idle = setTimeout(() => end(failure('connection', 'The command was idle and was ended.')), IDLE_MS);
    idle.unref();
  };
  return {
    holders: () => holders,
    hold() {
      holders += 1;
      clearTimeout(idle);
      parts.child?.hold();
      return letGo;
    },
  };
}
