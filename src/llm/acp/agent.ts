import type { JsonObject, ModelError } from '../../base/index.ts';
import { asObject } from '../json-access.ts';
import { answeredFailure, type CommandHints, endedFailure, failure } from './acp-failure.ts';
import type { AcpProtocol } from './acp-protocol.ts';
import { type AgentOutput, createAgentOutput } from './agent-output.ts';
import { type AgentCommand, type AgentProcess, startAgentProcess } from './agent-process.ts';

export type AgentOptions = AgentCommand & { hints: CommandHints };

/** A command that runs and speaks the protocol. All of its sessions share the one process. */
export type Agent = Pick<AgentOutput, 'listen' | 'onActivity'> & {
  /** Whether it can be given more to do. */
  usable(): boolean;
  /** Resolves once the agent has answered for the first time. */
  ready(): Promise<ReadyAgent>;
  /** Taken by each call for as long as it lasts. */
  hold(): () => void;
  /** How many calls hold it. */
  holders(): number;
  /** Ends it; whatever waits for it fails with this reason. */
  end(reason: ModelError): void;
};

export type ReadyAgent = { protocol: AcpProtocol; folder: string; capabilities: JsonObject };

/** What an agent is made of, as far as it is there. */
type Parts = { child?: AgentProcess; protocol?: AcpProtocol; fault?: ModelError };

/** How long an agent is kept that nobody asks anything. */
const IDLE_MS = 10 * 60_000;

/** Starts the command. Every way it can go wrong reaches those who wait for it as a model error. */
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
    const judged = answeredFailure(thrown, options.hints);
    end(judged);
    throw judged;
  });
  // It may fail before anyone waits for it.
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
  const { createAcpProtocol, SPOKEN_VERSION } = await import('./acp-protocol.ts');
  throwFault(parts);
  const child = await startAgentProcess(options, {
    onOutput: output.feed,
    onEnd(ending) {
      const said = [parts.child?.complaints() ?? '', output.greeting()].filter(Boolean).join(' ');
      end(endedFailure(options, options.hints, ending, { spoke: output.spoke(), said }));
    },
  });
  const protocol = createAcpProtocol({
    send: (line) => child.write(`${line}\n`),
    onDenied: ({ sessionId, toolCallId }) => output.denied(sessionId, toolCallId),
  });
  Object.assign(parts, { child, protocol });
  // Whoever gave up meanwhile could not reach the process.
  if (parts.fault !== undefined) child.end();
  throwFault(parts);
  const answer = asObject(await protocol.initialize());
  if (answer?.protocolVersion !== SPOKEN_VERSION) {
    throw failure('format_error', `"${options.command}" does not speak version ${SPOKEN_VERSION} of ACP.`);
  }
  return { protocol, folder: child.folder, capabilities: asObject(answer.agentCapabilities) ?? {} };
}

function throwFault({ fault }: Parts): void {
  if (fault !== undefined) throw fault;
}

/** An agent without work neither keeps this program from ending nor stays for ever. */
function createHolding(parts: Parts, end: Agent['end']): Pick<Agent, 'hold' | 'holders'> {
  let holders = 0;
  let idle: NodeJS.Timeout | undefined;
  const letGo = () => {
    holders -= 1;
    if (holders > 0) return;
    parts.child?.letGo();
    idle = setTimeout(() => end(failure('connection', 'The command had nothing to do and was ended.')), IDLE_MS);
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
