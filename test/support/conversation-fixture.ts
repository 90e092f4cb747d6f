import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OWNER } from '../../src/base/index.ts';
import { loadSettings } from '../../src/config/index.ts';
import type { ModelClient, RouteSource } from '../../src/contracts/index.ts';
import { type AgentBlueprint, openServices, type Services } from '../../src/runtime/index.ts';
import {
  createScriptedModel,
  createTemporaryHome,
  type ModelScript,
  type TemporaryHome,
} from '../../src/testing/index.ts';
import { type Conversation, type ConversationOptions, openConversation } from '../../src/conversations/index.ts';

export type ConversationFixture = {
  home: TemporaryHome;
  services: Services;
  blueprint: AgentBlueprint;
  open(changes?: Partial<ConversationOptions>): Promise<Conversation>;
  close(): Promise<void>;
};

/** The services of one process in a temporary home with a scripted model. */
export async function openFixture(
  script: ModelScript,
  { home, config = '' }: { home?: TemporaryHome; config?: string } = {},
): Promise<ConversationFixture> {
  const directory = home ?? (await createTemporaryHome());
  await writeFile(join(directory.path, 'config.yaml'), config);
  const settings = await loadSettings({ home: directory.path, env: {} });
  const services = await openServices({ settings, workingDirectory: directory.workspace });
  const blueprint: AgentBlueprint = {
    settings,
    routes: [routeTo(script)],
    source: 'test',
    surface: 'test',
    actor: OWNER,
    workingDirectory: directory.workspace,
    attended: true,
  };
  const opened: Conversation[] = [];
  return {
    home: directory,
    services,
    blueprint,
    async open(changes = {}) {
      const conversation = await openConversation({ services, blueprint, ...changes });
      opened.push(conversation);
      return conversation;
    },
    async close() {
      await Promise.all(opened.map((conversation) => conversation.close()));
      await services.close();
      if (home === undefined) await directory.remove();
    },
  };
}

/** A route to a scripted model. */
export function routeTo(script: ModelScript): RouteSource {
  const scripted = createScriptedModel(script);
  // When the turn is interrupted, a waiting script is abandoned, as a connection would be.
  const client: ModelClient = {
    ...scripted,
    stream: (request, options) => Promise.race([scripted.stream(request, options), whenAborted(options.signal)]),
  };
  const endpoint = { baseUrl: 'scripted://', apiMode: 'chat_completions' as const, contextLength: undefined };
  return {
    provider: 'p',
    model: 'a/m',
    open: () => Promise.resolve({ provider: 'p', model: 'a/m', ...endpoint, client }),
  };
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
