import type { EndpointAnswer } from '../../llm/index.ts';
import { isListed, nearModels } from '../near-models.ts';
import type { Verdict } from './diagnosis.ts';

/** What an answer was asked of. */
export type Asked = {
  host: string;
  baseUrl: string;
  provider: string;
  model: string;
  /** Where the key came from; absent where none was sent. */
  keyPlace?: string;
  /** The catalogue has the model, whatever the endpoint lists. */
  isKnown: boolean;
};

const FIX_ADDRESS = 'Correct base_url in config.yaml, or choose the provider again with `hermes model`.';

/** What an answer of an endpoint says about address, key and model. */
export function judgeAnswer(answer: EndpointAnswer, asked: Asked): Verdict {
  const { host, baseUrl, keyPlace } = asked;
  switch (answer.refusal) {
    case 'key':
      return {
        status: 'wrong',
        message:
          keyPlace === undefined
            ? `${host} wants a key, and there is none for it (HTTP ${answer.status}).`
            : `${host} refuses the key of ${keyPlace} (HTTP ${answer.status}).`,
        hint: `Give it another one: \`hermes model\`${addsKeyTo(asked.provider)}.`,
      };
    case 'page':
      return {
        status: 'wrong',
        message: `A web page answers at ${baseUrl}, and no model API.`,
        hint: `${FIX_ADDRESS} A network such as that of a hotel may want a sign-in first.`,
      };
    case 'nothing_there':
      return {
        status: 'wrong',
        message: `There is no model API at ${baseUrl} (HTTP ${answer.status}).`,
        hint: FIX_ADDRESS,
      };
    case 'moved':
      return { status: 'wrong', message: `${baseUrl} sends us elsewhere (HTTP ${answer.status}).`, hint: FIX_ADDRESS };
    case 'busy':
      return { status: 'warning', message: `${host} answers, but a limit is reached for now (HTTP 429).` };
    case 'broken':
      return {
        status: 'warning',
        message: `${host} has trouble of its own (HTTP ${answer.status}).`,
        hint: 'Try again later.',
      };
    default:
      return judgeModel(answer.models, asked);
  }
}

/** A custom endpoint has no name under which a key could be added. */
function addsKeyTo(provider: string): string {
  return provider === 'custom' ? '' : ` or \`hermes auth add ${provider}\``;
}

function judgeModel(models: readonly string[] | undefined, { host, model, isKnown }: Asked): Verdict {
  if (models === undefined) return { status: 'ok', message: `${host} answers; it gives no list of its models.` };
  if (models.length === 0) {
    return { status: 'warning', message: `${host} lists no model at all.`, hint: 'Load or enable one there.' };
  }
  if (isListed(model, models)) return { status: 'ok', message: `${host} answers and has ${model}.` };
  const near = nearModels(model, models);
  return {
    status: isKnown ? 'warning' : 'wrong',
    message: `${host} does not list the model "${model}".`,
    hint: `${near.length === 0 ? '' : `Near it there are ${near.join(', ')}. `}Choose one with \`hermes model\`.`,
  };
}

/** Certificates and logins begin to fail at about this. */
const MOST_SKEW_MS = 5 * 60_000;

/** A clock that is wrong makes certificates and logins fail for no visible reason. */
export function judgeClock(date: number | undefined, now: number, host: string): Verdict | undefined {
  if (date === undefined || Math.abs(date - now) < MOST_SKEW_MS) return undefined;
  const minutes = Math.round(Math.abs(date - now) / 60_000);
  const direction = date > now ? 'behind' : 'ahead of';
  return {
    status: 'wrong',
    message: `The clock of this machine is ${minutes} minutes ${direction} that of ${host}.`,
    hint: 'Set the clock: certificates and logins fail where it is wrong.',
  };
}
