import { inspectSessionTools, skillNeeds } from '../../../runtime/index.ts';
import type { ApiContext, ApiRequest, ApiRoute } from '../api-context.ts';
import { blueprintOf } from '../turns/turn-host.ts';

/** What the agents of a key can use, so that a program does not have to ask a model. */
export function toolRoutes(context: ApiContext): ApiRoute[] {
  return [
    {
      method: 'GET',
      path: '/v1/toolsets',
      handle: async (request) => ({
        json: { object: 'list', platform: 'api_server', data: await listSets(context, request) },
      }),
    },
    {
      method: 'GET',
      path: '/v1/skills',
      handle: async (request) => ({ json: { object: 'list', data: await listSkills(context, request) } }),
    },
  ];
}

async function listSets(context: ApiContext, request: ApiRequest) {
  const { sets } = await inspectTools(context, request);
  return sets.map(({ name, description, tools, state }) => ({
    name,
    label: name,
    description,
    enabled: state === 'on' || state === 'partly on',
    configured: state !== 'unavailable',
    tools,
  }));
}

async function listSkills(context: ApiContext, request: ApiRequest) {
  const { tools } = await inspectTools(context, request);
  const available = tools.flatMap(({ name, state }) => (state === 'on' ? [name] : []));
  const skills = await context.runtime.skills().usable(skillNeeds(available));
  return skills.map(({ name, description, category }) => ({ name, description, category }));
}

function inspectTools({ runtime, models }: ApiContext, { key, memoryScope }: ApiRequest) {
  const blueprint = blueprintOf(runtime, {
    key,
    memoryScope,
    session: { id: '', isNew: false },
    model: models.configured,
  });
  return inspectSessionTools(runtime, blueprint, blueprint.choices?.toolsets ?? { on: [], off: [] });
}
