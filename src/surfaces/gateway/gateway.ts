import type { Channel, ClaimedChat } from '../../contracts/index.ts';
import type { AgentBlueprint, Runtime } from '../../runtime/index.ts';
import type { SlashRegistry } from '../slash/index.ts';
import { type AccountRunner, type AccountStatus, startAccount } from './accounts/account-runner.ts';
import { runChatCommand } from './chats/chat-commands.ts';
import { type ChatRules, createChatHost } from './chats/chat-host.ts';
import { toInboxMessage } from './chats/chat-message.ts';
import { startChatWorker } from './chats/chat-worker.ts';
import { startCoordinator } from './coordinator.ts';
import { createPairing } from './people/pairing.ts';
import { releaseDeadProcesses } from './process-name.ts';

export type GatewayOptions = {
  runtime: Runtime;
  registry: SlashRegistry;
  channels: readonly Channel[];
  rules: ChatRules;
  /** Says who this process is, for people: host and process id. */
  owner: string;
  version: string;
  /** How many chats are worked on at the same time. */
  maxChats: number;
  onStatus?(status: AccountStatus): void;
};

/** How long finished messages are kept. The ids of older ones could be delivered again, but no platform does that. */
const KEPT_MS = 30 * 24 * 3_600_000;

/** The running gateway: its accounts receive and send, and its coordinator runs the turns. */
export interface Gateway {
  status(): readonly AccountStatus[];
  readonly working: number;
  /** Lets running turns end, then disconnects. Nothing that was received is lost. */
  close(drainMs: number): Promise<void>;
}

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { runtime, rules, owner } = options;
  const { clock, logger } = runtime;
  const store = await runtime.store.openGatewayStore();
  await releaseDeadProcesses(store);
  await store.pruneGateway(clock.now() - KEPT_MS);
  const accounts: AccountRunner[] = [];
  const host = createChatHost({
    services: runtime,
    store,
    rules,
    pairing: createPairing(runtime.blueprint.settings.home, clock),
    blueprint: (chat) => blueprintOf(runtime, chat),
    accountOf: (account) => findAccount(accounts, account),
    isPostponed: (line) => options.registry.duringTurn(line, 'gateway') === 'afterwards',
    runSlashCommand: (line, actor, conversation) => runChatCommand(options, line, { actor, conversation }),
  });
  const coordinator = startCoordinator({
    store,
    clock,
    logger,
    owner,
    maxChats: options.maxChats,
    startWorker: (chat) => startChatWorker(host, chat),
  });
  for (const channel of options.channels) {
    accounts.push(
      startAccount({
        channel,
        store,
        holder: owner,
        clock,
        logger,
        toMessage: (event, identity) =>
          event.content.isAddressed
            ? toInboxMessage(event, identity, { ...rules.keys, receivedAt: clock.now() })
            : undefined,
        onReceived: coordinator.wake,
        ...(options.onStatus && { onStatus: options.onStatus }),
      }),
    );
  }
  return {
    status: () => accounts.map((account) => account.status()),
    get working() {
      return coordinator.working;
    },
    async close(drainMs) {
      await coordinator.close(drainMs, host.close);
      await Promise.all(accounts.map((account) => account.close()));
    },
  };
}

function findAccount(accounts: readonly AccountRunner[], account: string): AccountRunner {
  const platform = account.slice(0, account.indexOf(':'));
  const found =
    accounts.find((each) => each.status().account === account) ??
    accounts.find((each) => each.channel.facts.platform === platform);
  if (found === undefined) throw new Error(`no account for ${account}`);
  return found;
}

/** A chat's agent works for the people in the chat, and names the platform as its source. */
function blueprintOf({ blueprint }: Runtime, { conversation }: ClaimedChat): AgentBlueprint {
  const platform = conversation.account.slice(0, conversation.account.indexOf(':'));
  const userId = conversation.source['userId'];
  return {
    ...blueprint,
    source: platform,
    surface: 'gateway',
    actor: { id: `${platform}:${typeof userId === 'string' ? userId : ''}`, role: 'user' },
    attended: true,
  };
}
